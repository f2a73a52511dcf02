import type { Joined } from '../events.ts';
import { dcg } from './dcg.ts';
import type { Discount } from './discount.ts';
import type { Gain } from './gain.ts';
import type { Graded } from './grade.ts';
import { rankOf } from './places.ts';

/**
 * Normalised DCG: DCG / IDCG, 0 if IDCG is 0. IDCG takes the grades of the WHOLE list, best first, on the list's own
 * ranks, and then cuts at k: it judges the order of what was shown. Like scikit-learn ndcg_score and Evidently on the
 * given list; with `gain=exp` like FLAGR. trec_eval ndcg_cut holds the list against all judged items instead.
 *
 * Example: grades 3 2 3 0 1 2 give 6.861127 / 7.140995 = 0.960808 at k = 6. Ranks 1 3 4 with grades 0 1 0 give 0.5.
 */
export function ndcg(list: Joined, graded: Graded, k: number, gain: Gain, discount: Discount): number {
  const ideal = idealDcg(list, graded, k, gain, discount);
  return ideal > 0 ? Math.min(1, dcg(graded, k, gain, discount) / ideal) : 0;
}

/**
 * `norm=minmax`: (DCG - worst) / (IDCG - worst), where worst takes the grades in ascending order. NaN, the list is left
 * out, if every order is worth the same.
 *
 * Example: grades 2 1 2 0 give 0.896871 at k = 4; a single slot is left out.
 */
export function minmaxNdcg(list: Joined, graded: Graded, k: number, gain: Gain, discount: Discount): number {
  const ideal = idealDcg(list, graded, k, gain, discount);
  const worst = worstDcg(list, graded, k, gain, discount);
  // Equal sums in another order may differ in their last bits.
  if (!(ideal - worst > 1e-12 * ideal)) return Number.NaN;
  return Math.min(1, Math.max(0, (dcg(graded, k, gain, discount) - worst) / (ideal - worst)));
}

function idealDcg(list: Joined, graded: Graded, k: number, gain: Gain, discount: Discount): number {
  const grades = graded.descending();
  let sum = 0;
  for (let s = 0; s < graded.count; s++) {
    const rank = rankOf(list, s);
    if (rank > k) break;
    sum += gain(grades[s]) * discount(rank);
  }
  return sum;
}

function worstDcg(list: Joined, graded: Graded, k: number, gain: Gain, discount: Discount): number {
  const grades = graded.descending();
  let sum = 0;
  for (let i = graded.count - 1; i >= 0; i--) {
    const rank = rankOf(list, list.length - 1 - i);
    if (rank > k) break;
    sum += gain(grades[i]) * discount(rank);
  }
  return sum;
}
