import type { Result } from './absent.ts';
import { isAbsent } from './absent.ts';
import { adjusted } from './distributions.ts';

/**
 * p-values of a family of comparisons, adjusted for their number so that the chance of any false finding stays alpha.
 *
 *     p ascending: p̃_(i) = max over j <= i of min(1, (m-j+1) p_(j))
 *
 * S. Holm, Scand. J. Stat. 1979. The order is kept; absent values are not part of the family and keep their place
 * (specification: statistics 6).
 *
 * Example: .01 .04 .03 .005 .55 .6 give .05 .12 .12 .03 1 1.
 */
export function holm(family: readonly Result<number>[]): Result<number>[] {
  const present = family.filter((p) => typeof p === 'number');
  if (present.length === 0) return [...family];
  const values = adjusted(present)[Symbol.iterator]();
  return family.map((p) => (isAbsent(p) ? p : (values.next().value ?? p)));
}

/** The running p-values of one variant by direction. */
export interface Directions {
  readonly worse: number;
  readonly better: number;
}

/**
 * Holm by direction. A variant's p is the smaller of its two; to adjust the p of one direction, it replaces the variant's p.
 *
 * Example: (worse .01, better 1) and (.5, .02) give (.02, 1) and (.5, .02).
 */
export function holmByDirection(family: readonly Result<Directions>[]): Result<Directions>[] {
  const smaller = family.map((p) => (isAbsent(p) ? p : Math.min(p.worse, p.better)));
  return family.map((p, place) =>
    isAbsent(p) ? p : { worse: withPlace(smaller, place, p.worse), better: withPlace(smaller, place, p.better) },
  );
}

function withPlace(family: readonly Result<number>[], place: number, p: number): number {
  const value = holm(family.with(place, p))[place];
  return isAbsent(value) ? p : value;
}
