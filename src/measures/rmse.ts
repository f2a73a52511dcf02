import type { Pairs } from './rated.ts';

/**
 * Root of the mean squared difference of rating and predicted score. Roots cannot be averaged, so `avg=micro` keeps the
 * squares and takes the root of their mean over all pairs at the end (scikit-learn root_mean_squared_error, recommenders
 * rmse); `avg=macro` is the mean over lists of each list's own root (LensKit).
 *
 * Example: scores 1 2 3 4 5 against ratings 2 1 2 4 5 give sqrt(3/5) = 0.774597.
 *
 * @returns the sum over the list's pairs
 */
export function squaredErrors({ count, scores, ratings }: Pairs): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += (ratings[i] - scores[i]) ** 2;
  return sum;
}
