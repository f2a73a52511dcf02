import { assertNever } from '../vocabulary/events.ts';

/**
 * How lists without positives count in a mean, for numerators and denominators of buckets and for moments alike
 * (specification: measures 3.1, statistics 2.2).
 *
 *     zero: S and n        skip: S and n+        one: S + n - n+ and n        Q likewise: Q, Q, Q + n - n+
 *
 * Example: S 2, n 5, n+ 4 is 2/5, 2/4 and 3/5.
 */
export type Empty = 'zero' | 'skip' | 'one';

/** The sums of a bucket or of a whole row, in units of 1 (not of 1e-9). */
interface Sums {
  readonly n: number;
  /** n+, the number of lists with positives. */
  readonly positives: number;
  readonly sum: number;
}

export function numerator(empty: Empty, { n, positives, sum }: Sums): number {
  return empty === 'one' ? sum + (n - positives) : sum;
}

export function denominator(empty: Empty, { n, positives }: Sums): number {
  switch (empty) {
    case 'zero':
    case 'one':
      return n;
    case 'skip':
      return positives;
    default:
      return assertNever(empty);
  }
}

/** Sum of the squares of the values that count. */
export function squares(empty: Empty, { n, positives }: Sums, sumSquares: number): number {
  return empty === 'one' ? sumSquares + (n - positives) : sumSquares;
}
