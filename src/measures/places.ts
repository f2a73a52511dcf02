import type { Joined } from '../vocabulary/events.ts';

/** Some slots of one list by their ranks, ascending. The buffer is reused for the next list. */
export interface Places {
  readonly count: number;
  /** Valid up to `count`. */
  readonly ranks: Float64Array;
}

/** The rank of a slot; 1 is the top of the whole list. A page begins after its page offset, and explicit ranks may leave gaps. */
export function rankOf(list: Joined, slot: number): number {
  return list.ranks === undefined ? list.pageOffset + slot + 1 : list.ranks[slot];
}

/** Rank of the last slot; for an empty list, that of the last slot before it. */
export function lastRank(list: Joined): number {
  return list.length === 0 ? list.pageOffset : rankOf(list, list.length - 1);
}

/** Number of slots of rank <= k. */
export function slotsUpTo(list: Joined, k: number): number {
  const ranks = list.ranks;
  if (ranks === undefined) return Math.max(0, Math.min(list.length, k - list.pageOffset));
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranks[middle] <= k) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Number of slots with from <= rank <= to. */
export function slotsBetween(list: Joined, from: number, to: number): number {
  return Math.max(0, slotsUpTo(list, to) - slotsUpTo(list, from - 1));
}

/** Number of places of rank <= k. */
export function placesUpTo(places: Places, k: number): number {
  const { count, ranks } = places;
  if (count === 0 || ranks[count - 1] <= k) return count;
  let n = 0;
  while (ranks[n] <= k) n++;
  return n;
}

/** Number of places with from <= rank <= to. */
export function placesBetween(places: Places, from: number, to: number): number {
  return Math.max(0, placesUpTo(places, to) - placesUpTo(places, from - 1));
}
