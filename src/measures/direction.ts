import { definitionOf } from './all.ts';
import type { Measure, MeasureDefinition } from './definition.ts';
import { isListOnly } from './needs.ts';
import type { Grading } from './scorer-contract.ts';

/**
 * Whether neither a fall nor a rise of the measure is good, so that it decides nothing.
 *
 * Example: bias, and no other; mae says whether it came nearer to 0.
 * @param canonical such as `bias(missing=zero)`
 */
export function isUndirected(canonical: string): boolean {
  return definitionOfCanonical(canonical)?.better === 'near0';
}

/**
 * Whether a mean below 0 is possible. Any other measure can lose at most 100 %.
 * @param canonical as above
 */
export function canBeNegative(canonical: string): boolean {
  return (definitionOfCanonical(canonical)?.range[0] ?? 0) < 0;
}

/**
 * Whether feedback affects the measure; false for measures of the list only, such as `length`.
 * @param canonical as above
 */
export function needsFeedback(canonical: string): boolean {
  const definition = definitionOfCanonical(canonical);
  return definition === undefined || !isListOnly({ definition });
}

function definitionOfCanonical(canonical: string): MeasureDefinition | undefined {
  return definitionOf(canonical.split(/[(@]/, 1)[0]);
}

/**
 * Whether a fall of the measure is good: of errors, and of the rate of an action that vetoes an item (hide, dislike).
 * `lowerIsBetter` of the configuration names others.
 *
 * Example: with `hide: {grade: 0, veto: true}` rmse and rate(action=hide) are better when lower; ndcg@10, bias and
 * rate(action=purchase) are not.
 */
export function isLowerBetter({ definition, params }: Measure, { actions }: Pick<Grading, 'actions'>): boolean {
  if (definition.better !== 'veto') return definition.better === 'lower';
  const action = params.get('action');
  return actions.some((known) => known.name === action && known.rule.veto);
}

/** Like `isLowerBetter`; undefined: neither a fall nor a rise is good. */
export function lessIsBetter(measure: Measure, grading: Pick<Grading, 'actions'>): boolean | undefined {
  return isUndirected(measure.canonical) ? undefined : isLowerBetter(measure, grading);
}
