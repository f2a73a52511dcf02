import type { Joined } from '../vocabulary/events.ts';
import { lastRank, type Places, placesUpTo, slotsUpTo } from './places.ts';
import type { Counted } from './step.ts';

/**
 * Average precision: the sum over positive ranks r <= k of (positives up to r) / r, over a base; its mean over lists is
 * MAP. The base is R (trec_eval m_map.c, m_map_cut.c; ranx, RecTools), min(k, R) (`denom=capped`: ml_metrics, RecBole),
 * min(k, slots of rank <= k, R) (`denom=list_capped`: LensKit), the hits up to k (`denom=hits`), or k (`denom=k`).
 *
 * Example: grades 1 0 1 1 0 1 0 0 at k = 5 give (1 + 2/3 + 3/4) / 4 = 0.604167, with `denom=hits` 0.805556.
 */
export function ap(positives: Places, k: number, base: number): number {
  const { count, ranks } = positives;
  let sum = 0;
  for (let i = 0; i < count && ranks[i] <= k; i++) sum += (i + 1) / ranks[i];
  return base === 0 ? 0 : sum / base;
}

/** The base of one list. */
export type ApBase = (list: Joined, k: number) => number;

export function relevantBase(relevant: Counted): ApBase {
  return () => relevant.count;
}

export function cappedBase(relevant: Counted): ApBase {
  return (list, k) => Math.min(cutBase(list, k), relevant.count);
}

export function listCappedBase(relevant: Counted): ApBase {
  return (list, k) => Math.min(cutBase(list, k), slotsUpTo(list, k), relevant.count);
}

export function hitsBase(positives: Places): ApBase {
  return (_list, k) => placesUpTo(positives, k);
}

/** Without a cut-off k is the last rank. */
export const cutBase: ApBase = (list, k) => (k === Number.POSITIVE_INFINITY ? lastRank(list) : k);
