import type { Places } from './places.ts';

/**
 * Reciprocal rank: 1 / rank of the first positive, 0 if there is none up to k. Its mean over lists is MRR.
 * Like trec_eval recip_rank (m_recip_rank.c), ranx and RecTools MRR; Evidently with `empty=skip`.
 *
 * Example: grades 0 0 1 0 0 give 1/3; page two (offset 10) with grades 0 1 0 gives 1/12.
 */
export function mrr(positives: Places, k: number): number {
  return positives.count > 0 && positives.ranks[0] <= k ? 1 / positives.ranks[0] : 0;
}
