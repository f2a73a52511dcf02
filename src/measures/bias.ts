import type { Pairs } from './rated.ts';

/**
 * Mean of rating - score: above 0 the scores are too low. Over all pairs (`avg=micro`), or per list and then over lists.
 *
 * Example: scores 1 2 3 4 5 against ratings 2 1 2 4 5 give -1/5 = -0.2.
 *
 * @returns the sum over the list's pairs
 */
export function signedErrors({ count, scores, ratings }: Pairs): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += ratings[i] - scores[i];
  return sum;
}
