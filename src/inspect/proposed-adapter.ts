/** The adapters that inspect proposes, and how one is made for a log of both sides. */
import type { AdapterChoice, FieldMap, MapCase } from '../consumers/decode/decoder-settings.ts';
import { type MadeField, mapWith } from './made-fields.ts';

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
 * @param more maps of kinds of feedback that `feedback` does not read; @param isText whether the lists are texts, which no canonical list is
 */
export function joinedAdapter(
  impressions: FieldMap,
  feedback: FieldMap,
  kinds: Kinds | undefined,
  more: readonly MapCase[],
  isText: boolean,
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
  return isCanonical(both) && !isText ? 'canonical' : { map: both };
}

/** The values of a field that distinguish lists from other records of one log. */
export interface Kinds {
  readonly path: string;
  readonly lists: readonly string[];
  readonly others: readonly string[];
}

/** The adapter with the source of each of these fields in its maps. @param map that of the adapter, written out even if it is canonical */
export function adapterWith(adapter: ProposedAdapter, map: FieldMap, made: readonly MadeField[]): ProposedAdapter {
  if (adapter === 'open-bandit') return adapter;
  if (adapter === 'canonical') {
    const own = mapWith(map, made);
    return isCanonical(own) ? adapter : { map: own };
  }
  if ('list' in adapter) return { ...adapter, map: mapWith(adapter.map ?? map, made) };
  if ('map' in adapter) return { map: mapWith(adapter.map, made) };
  return { maps: adapter.maps.map((one) => ({ ...one, map: mapWith(one.map, made) })) };
}
