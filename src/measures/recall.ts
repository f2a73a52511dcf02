import type { Counted } from './step.ts';

/**
 * Recall: positives of rank <= k over R, the positives of the list (`ideal=shown`: it reaches 1 once k reaches the
 * length), or over min(k, R) (`denom=capped`: LensKit). Like trec_eval recall (m_recall.c) on the shown items.
 *
 * Example: grades 1 0 1 1 0 1 0 0 give 0.5 at k = 3, with `denom=capped` 2/3.
 */
export function recall(hits: number, base: number): number {
  return base === 0 ? 0 : hits / base;
}

/** R, or min(k, R). */
export function recallBase(relevant: Counted, k: number, capped: boolean): number {
  return capped ? Math.min(k, relevant.count) : relevant.count;
}
