import type { Graded } from './grade.ts';

/**
 * Expected reciprocal rank (Chapelle et al. 2009): the sum over ranks r <= k of (1/r) q_r x the product over the slots
 * above of (1 - q), with q = (2^grade - 1) / 2^gmax: the user stops at the first slot that satisfies. `gmax` is the
 * highest grade there can be, so it is always printed; a grade above it counts as gmax. Like gdeval with `gmax=4`.
 * Every grade above 0 counts: no lowest grade of a positive is in it.
 *
 * Example: grades 3 2 3 0 1 2 with `gmax=3` give 0.922002, at k = 2 0.898438.
 */
export function err(graded: Graded, k: number, gmax: number): number {
  const { count, ranks, grades } = graded;
  const most = 2 ** gmax;
  let goesOn = 1;
  let sum = 0;
  for (let i = 0; i < count && ranks[i] <= k; i++) {
    const stops = (2 ** Math.min(grades[i], gmax) - 1) / most;
    sum += (goesOn * stops) / ranks[i];
    goesOn *= 1 - stops;
  }
  return sum;
}
