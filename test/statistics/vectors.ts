import fc from 'fast-check';
import type { BucketSums } from '../../src/statistics/effect.ts';

/** Counts by bucket as they come out of rows: whole denominators, some empty, values of 0 to 1 per impression. */
export function bucketSums(buckets: number): fc.Arbitrary<BucketSums> {
  const cell = fc
    .tuple(fc.integer({ min: 0, max: 50 }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([d, share]) => ({ m: Math.round(d * share * 1e9) / 1e9, d }));
  return fc.array(cell, { minLength: buckets, maxLength: buckets }).map((cells) => ({
    m: cells.map(({ m }) => m),
    d: cells.map(({ d }) => d),
  }));
}

export function scaled({ m, d }: BucketSums, factor: number): BucketSums {
  return { m: Array.from(m, (cell) => cell * factor), d };
}

/** |a - b| at most `rel` of the larger, or 1e-12. */
export function near(a: number, b: number, rel = 1e-9): boolean {
  return Math.abs(a - b) <= Math.max(1e-12, rel * Math.max(Math.abs(a), Math.abs(b)));
}
