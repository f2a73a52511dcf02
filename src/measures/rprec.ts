import { type Places, placesUpTo } from './places.ts';
import type { Counted } from './step.ts';

/**
 * R-precision: positives of rank <= R over R, where R is the number of positives, shown or (`ideal=all`) known; 0 if
 * there are none. Like trec_eval Rprec (m_Rprec.c), with `ideal=all` on all judged items.
 *
 * Example: grades 1 0 1 1 0 1 0 0 have R = 4 and three positives up to rank 4: 0.75.
 */
export function rprec(positives: Places, relevant: Counted): number {
  return relevant.count === 0 ? 0 : placesUpTo(positives, relevant.count) / relevant.count;
}
