import type { Places } from './places.ts';

/**
 * Hit: 1 if there is a positive up to rank k, else 0. Its mean over lists is the hit rate.
 * Like trec_eval success (m_success.c), ranx and RecTools HitRate; Evidently with `empty=skip`.
 *
 * Example: grades 0 1 0 0 give 1 at k = 2 and 0 at k = 1.
 */
export function hit(positives: Places, k: number): number {
  return positives.count > 0 && positives.ranks[0] <= k ? 1 : 0;
}
