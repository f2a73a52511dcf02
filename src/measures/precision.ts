import type { Joined } from '../events.ts';
import type { Examined } from './examined.ts';
import { lastRank, type Places, slotsUpTo } from './places.ts';

/**
 * Precision: positives of rank <= k over a base. The base is k less the page's offset (trec_eval m_P.c, ranx, RecTools,
 * recommenders; without a cut-off k is the last rank), the slots of rank <= k (`denom=list`: LensKit, Evidently),
 * min(k, R) (`denom=capped`: RecTools r_precision), or the examined slots of rank <= k.
 *
 * Example: grades 1 0 1 1 0 1 0 0 give 0.6 at k = 5; at k = 10 they give 0.4, with `denom=list` 0.5.
 */
export function precision(hits: number, base: number): number {
  return base === 0 ? 0 : hits / base;
}

/** The base of one list; NaN: the list is left out. */
export type PrecisionBase = (list: Joined, positives: Places, k: number) => number;

/** A base is never less than the slots that it judges, whatever ranks a list claims. */
export const cutBase: PrecisionBase = (list, _positives, k) =>
  Math.max((k === Number.POSITIVE_INFINITY ? lastRank(list) : k) - list.offset, slotsUpTo(list, k));

export const listBase: PrecisionBase = (list, _positives, k) => slotsUpTo(list, k);

export const cappedBase: PrecisionBase = (list, positives, k) => Math.min(cutBase(list, positives, k), positives.count);

export function examinedBase(examined: Examined): PrecisionBase {
  return (list, _positives, k) => examined(list, 1, k) || Number.NaN;
}
