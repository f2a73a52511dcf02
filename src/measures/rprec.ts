import { type Places, placesUpTo } from './places.ts';

/**
 * R-precision: positives of rank <= R over R, where R is the number of positives; 0 if there are none.
 * Like trec_eval Rprec (m_Rprec.c) on the shown items.
 *
 * Example: grades 1 0 1 1 0 1 0 0 have R = 4 and three positives up to rank 4: 0.75.
 */
export function rprec(positives: Places): number {
  const relevant = positives.count;
  return relevant === 0 ? 0 : placesUpTo(positives, relevant) / relevant;
}
