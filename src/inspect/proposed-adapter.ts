/** The adapters that inspect proposes, and how one is made for a log of both sides. */
import type { AdapterChoice, FieldMap, MapCase } from '../consumers/decode/decoder-settings.ts';

/** To propose any other adapter, let known-systems.ts recognise its records. */
export type ProposedAdapter = Exclude<AdapterChoice, string> | 'canonical' | 'open-bandit';

/** Whether every field has its default path. */
export function isCanonical(map: FieldMap): boolean {
  return Object.entries(map).every(([as, source]) => {
    if (typeof source !== 'string' || as === 'each') return false;
    const [head, ...rest] = as.split('.');
    if (head === 'items' && rest.length > 0) return source === `/${rest.join('.')}`;
    return source === `/${as.replace('.', '/')}`;
  });
}

/**
 * The adapter of one log with both sides: one map if every field has the same path on both, or else a map for each side with the
 * conditions that select its records. undefined: nothing distinguishes the records.
 *
 * @param more maps of kinds of feedback that `feedback` does not read
 */
export function joinedAdapter(
  impressions: FieldMap,
  feedback: FieldMap,
  kinds: Kinds | undefined,
  more: readonly MapCase[],
): ProposedAdapter | undefined {
  if (kinds !== undefined) {
    const cases: MapCase[] = [
      { when: { [kinds.path]: kinds.lists }, map: impressions },
      { when: { [kinds.path]: kinds.others }, map: feedback },
      ...more,
    ];
    return { maps: cases };
  }
  const agree = Object.entries(feedback).every(
    ([as, at]) => impressions[as] === undefined || JSON.stringify(impressions[as]) === JSON.stringify(at),
  );
  if (!agree || feedback['each'] !== undefined) return undefined;
  const both = { ...feedback, ...impressions };
  return isCanonical(both) ? 'canonical' : { map: both };
}

/** The values of a field that distinguish lists from other records of one log. */
export interface Kinds {
  readonly path: string;
  readonly lists: readonly string[];
  readonly others: readonly string[];
}
