import type { Joined } from '../events.ts';
import { lastRank, type Places, placesUpTo, slotsUpTo } from './places.ts';

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

export type ApBase = (list: Joined, positives: Places, k: number) => number;

export const relevantBase: ApBase = (_list, positives) => positives.count;

export const cappedBase: ApBase = (list, positives, k) => Math.min(cutBase(list, positives, k), positives.count);

export const listCappedBase: ApBase = (list, positives, k) =>
  Math.min(cutBase(list, positives, k), slotsUpTo(list, k), positives.count);

export const hitsBase: ApBase = (_list, positives, k) => placesUpTo(positives, k);

/** Without a cut-off k is the last rank. */
export const cutBase: ApBase = (list, _positives, k) => (k === Number.POSITIVE_INFINITY ? lastRank(list) : k);
