import type { Joined } from '../vocabulary/events.ts';

/**
 * `duplicated`: share of lists in which an item repeats.
 * Convention: 1 or 0 for each list, however often it repeats. An empty list counts as 0.
 * Example: lists abc, aba: 1/2.
 */
export function duplicated({ firstSlot, length }: Pick<Joined, 'firstSlot' | 'length'>): number {
  if (firstSlot === undefined) return 0;
  for (let s = 0; s < length; s++) if (firstSlot[s] !== s) return 1;
  return 0;
}
