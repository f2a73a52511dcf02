/**
 * Normalised DCG: DCG / IDCG, 0 if IDCG is 0.
 *
 * `ideal=shown`: IDCG takes the grades of the WHOLE list, best first, on the list's own ranks, and then cuts at k: it
 * judges the order of what was shown. Like scikit-learn ndcg_score and Evidently on the given list; with `gain=exp` like
 * FLAGR. `ideal=all`: all known grades, best first, on ranks 1, 2, 3, ..., cut at k: trec_eval ndcg_cut (m_ndcg_cut.c),
 * ranx; with `gain=exp` gdeval. `ideal=perfect`: k items of gain 1: RecTools.
 *
 * Example: grades 3 2 3 0 1 2 give 6.861127 / 7.140995 = 0.960808 at k = 6; where two more items of grades 3 and 2 are
 * known and `ideal=all`, 6.861127 / 8.740262 = 0.785002. Ranks 1 3 4 with grades 0 1 0 give 0.5.
 */
export function ndcg(dcg: number, ideal: number): number {
  return ideal > 0 ? Math.min(1, dcg / ideal) : 0;
}

/**
 * `norm=minmax`: (DCG - worst) / (IDCG - worst), where worst takes the grades in ascending order. NaN, the list is left
 * out, if every order is worth the same. Held against the shown grades it stays in 0..1; against all known ones it can
 * leave it, as the shown list need not hold the worst of them.
 *
 * Example: grades 2 1 2 0 give 0.896871 at k = 4; a single slot is left out.
 */
export function minmaxNdcg(dcg: number, ideal: number, worst: number, isShown: boolean): number {
  // Equal sums in another order may differ in their last bits.
  if (!(ideal - worst > 1e-12 * ideal)) return Number.NaN;
  const value = (dcg - worst) / (ideal - worst);
  return isShown ? Math.min(1, Math.max(0, value)) : value;
}
