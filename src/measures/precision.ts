import type { Joined } from '../vocabulary/events.ts';
import type { Examined } from './examined.ts';
import { lastRank, slotsUpTo } from './places.ts';
import type { Counted } from './step.ts';

/**
 * Precision: positives of rank <= k over a base. The base is k less the page's offset (trec_eval m_P.c, ranx, RecTools,
 * recommenders; without a cut-off k is the last rank), the slots of rank <= k (`denom=list`: LensKit, Evidently),
 * min(k, R) (`denom=capped`; with `ideal=all`, where R is all known positives, RecTools Precision with r_precision), or the
 * examined slots of rank <= k.
 *
 * Example: grades 1 0 1 1 0 1 0 0 give 0.6 at k = 5; at k = 10 they give 0.4, with `denom=list` 0.5.
 * Five positives of seven known ones at k = 10 give 5/7 with `denom=capped,ideal=all`.
 */
export function precision(hits: number, base: number): number {
  return base === 0 ? 0 : hits / base;
}

/** The base of one list; NaN: the list is left out. */
export type PrecisionBase = (list: Joined, k: number) => number;

/** A base is never less than the slots that it judges, whatever ranks a list claims. */
export const cutBase: PrecisionBase = (list, k) =>
  Math.max((k === Number.POSITIVE_INFINITY ? lastRank(list) : k) - list.offset, slotsUpTo(list, k));

export const listBase: PrecisionBase = slotsUpTo;

export function cappedBase(relevant: Counted): PrecisionBase {
  return (list, k) => Math.min(cutBase(list, k), relevant.count);
}

export function examinedBase(examined: Examined): PrecisionBase {
  return (list, k) => examined(list, 1, k) || Number.NaN;
}
