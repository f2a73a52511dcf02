import type { Grading } from './contract.ts';
import type { Measure, MeasureName } from './family.ts';

/** Errors, and shares of what is wanting: less is better. */
const OF_WHAT_IS_BAD: ReadonlySet<MeasureName> = new Set(['mae', 'rmse', 'gini', 'short', 'duplicated']);

/** Best near 0, which may lie above or below. */
const OF_NO_DIRECTION: ReadonlySet<string> = new Set<MeasureName>(['bias']);

/**
 * Whether neither a fall nor a rise of the measure is good, so that nothing can be decided by it.
 *
 * Example: bias, and no other; mae says whether it came nearer to 0. @param canonical such as `bias(missing=zero)`
 */
export function isUndirected(canonical: string): boolean {
  return OF_NO_DIRECTION.has(canonical.split('(', 1)[0]);
}

/** Correlations lie between -1 and 1. */
const MAY_BE_NEGATIVE: ReadonlySet<string> = new Set<MeasureName>(['bias', 'kendall', 'spearman']);

/** Whether a mean below 0 is possible; of all other measures nothing can be lost beyond 100 %. @param canonical as above */
export function canBeNegative(canonical: string): boolean {
  return MAY_BE_NEGATIVE.has(canonical.split('(', 1)[0]);
}

/**
 * Whether a fall of the measure is good: of errors, and of the rate of an action that vetoes an item (hide, dislike).
 * `lowerIsBetter` of the configuration names others.
 *
 * Example: with `hide: {grade: 0, veto: true}` rmse and rate(action=hide) are better when lower; ndcg@10, bias and
 * rate(action=purchase) are not.
 */
export function isLowerBetter({ name, params }: Measure, { actions }: Pick<Grading, 'actions'>): boolean {
  if (OF_WHAT_IS_BAD.has(name)) return true;
  const action = params.get('action');
  return name === 'rate' && actions.some((known) => known.name === action && known.rule.veto);
}
