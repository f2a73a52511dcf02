import type { Discount } from './discount.ts';
import type { Gain } from './gain.ts';
import type { Graded } from './grade.ts';

/**
 * Discounted cumulative gain: the sum over ranks r <= k of gain(grade) / disc(r).
 * Jarvelin and Kekalainen 2002 (gain: the grade); Burges et al. 2005 (`gain=exp`). With the defaults like scikit-learn
 * dcg_score and ranx; with `gain=exp` like FLAGR; with `discount=clipped` like LensKit.
 *
 * Example: grades 3 2 3 0 1 2 give 6.861127 at k = 6, with `gain=exp` 13.848264, with `discount=clipped` 8.097171.
 */
export function dcg(graded: Graded, k: number, gain: Gain, discount: Discount): number {
  const { count, ranks, grades } = graded;
  let sum = 0;
  for (let i = 0; i < count && ranks[i] <= k; i++) sum += gain(grades[i]) * discount(ranks[i]);
  return sum;
}
