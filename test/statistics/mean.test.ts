import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAbsent } from '../../src/statistics/absent.ts';
import { designEffect, impressionStderr, stretchedStderr, windowStderr } from '../../src/statistics/design-effect.ts';
import { jackknife } from '../../src/statistics/jackknife.ts';
import { intervalOfMean, meanOfBuckets, PUBLISHED_BUCKETS } from '../../src/statistics/mean.ts';
import { denominator, numerator, squares } from '../../src/statistics/policy.ts';
import { bucketSums, near, scaled } from './vectors.ts';

function stderrOf(result: ReturnType<typeof meanOfBuckets>): number {
  if (isAbsent(result) || isAbsent(result.stderr)) throw new Error('absent');
  return result.stderr;
}

describe('the mean of bucket sums', () => {
  it('is the sum over the sum, and its error does not depend on the order of the buckets', () => {
    fc.assert(
      fc.property(bucketSums(32), ({ m, d }) => {
        const mean = meanOfBuckets(m, d);
        const back = meanOfBuckets(Array.from(m).reverse(), Array.from(d).reverse());
        if (isAbsent(mean) || isAbsent(back)) {
          expect(back).toEqual(mean);
          return;
        }
        const total = (cells: ArrayLike<number>) => Array.from(cells).reduce((sum, cell) => sum + cell, 0);
        expect(near(mean.value, total(m) / total(d))).toBe(true);
        if (isAbsent(mean.stderr) || isAbsent(back.stderr)) {
          expect(back.stderr).toEqual(mean.stderr);
          return;
        }
        expect(near(mean.stderr, back.stderr)).toBe(true);
      }),
    );
  });

  it('scales with the values', () => {
    fc.assert(
      fc.property(bucketSums(16), fc.double({ min: 0.01, max: 100, noNaN: true }), (sums, factor) => {
        const mean = meanOfBuckets(sums.m, sums.d);
        const larger = meanOfBuckets(scaled(sums, factor).m, sums.d);
        if (isAbsent(mean) || isAbsent(larger)) {
          expect(larger).toEqual(mean);
          return;
        }
        if (isAbsent(mean.stderr) || isAbsent(larger.stderr)) {
          expect(larger.stderr).toEqual(mean.stderr);
          return;
        }
        expect(near(larger.stderr, factor * mean.stderr)).toBe(true);
      }),
    );
  });

  it('of values that are all equal has no error, though sums round', () => {
    const values = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(values, fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 2 }), (value, d) => {
        const mean = meanOfBuckets(
          d.map((n) => n * value),
          d,
        );
        expect(mean).toMatchObject({ stderr: { absent: 'zero_variance' } });
      }),
    );
  });

  it('sees one click in a billion impressions', () => {
    const d = new Array<number>(256).fill(4e6);
    expect(stderrOf(meanOfBuckets([1, ...new Array<number>(255).fill(0)], d))).toBeCloseTo(1 / 1.024e9, 12);
  });

  it('sees a spread of one in a billion', () => {
    const d = new Array<number>(8).fill(2e9);
    const m = d.map((_, b) => 1e9 + (b % 2));
    expect(stderrOf(meanOfBuckets(m, d))).toBeCloseTo(Math.sqrt((8 / 7) * 8 * 0.25) / 1.6e10, 16);
  });

  it.each([
    [1, { absent: 'few_buckets' }],
    [2, expect.any(Number)],
    [3, expect.any(Number)],
  ])('with %i buckets that are not empty', (filled, stderr) => {
    const m = Array.from({ length: 8 }, (_, b) => (b < filled ? b : 0));
    const d = Array.from({ length: 8 }, (_, b) => (b < filled ? 3 : 0));
    expect(meanOfBuckets(m, d)).toMatchObject({ stderr, df: 7 });
  });

  it.each([
    [7, { absent: 'few_buckets' }],
    [8, expect.any(Number)],
    [9, expect.any(Number)],
  ])('is published with %i buckets that are not empty', (filled, stderr) => {
    const cells = Array.from({ length: 16 }, (_, b) => (b < filled ? b + 1 : 0));
    const ones = cells.map((cell) => Math.sign(cell));
    expect(meanOfBuckets(cells, ones, PUBLISHED_BUCKETS)).toMatchObject({ stderr });
  });

  it('of one value per cluster has the error sd / sqrt(clusters)', () => {
    const values = [0.2, 0.9, 0.4, 0.4, 0.7];
    const mean = values.reduce((sum, value) => sum + value, 0) / 5;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 4;
    expect(stderrOf(meanOfBuckets(values, [1, 1, 1, 1, 1]))).toBeCloseTo(Math.sqrt(variance / 5), 14);
  });

  it('has an interval that is cut to what the measure can be', () => {
    const mean = { value: 0.01, stderr: 0.02, df: 255 };
    const open = intervalOfMean(mean, 0.05);
    expect(open).toMatchObject({ lower: expect.closeTo(0.01 - 1.96931057 * 0.02, 8) });
    expect(intervalOfMean(mean, 0.05, { lower: 0, upper: 1 })).toMatchObject({ lower: 0 });
  });

  it('refuses numerators and denominators of different length', () => {
    expect(() => meanOfBuckets([1, 2], [1])).toThrow(/2 numerators and 1 denominators/);
  });
});

describe('the jackknife', () => {
  it('of a plain mean of equal clusters is the delta method', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 2, maxLength: 40 }), (m) => {
        const d = m.map(() => 5);
        const mean = meanOfBuckets(m, d);
        const other = jackknife([m, d], ([above, below]) => above / below);
        if (isAbsent(mean) || isAbsent(mean.stderr)) {
          expect(other).toEqual({ absent: 'zero_variance' });
          return;
        }
        if (isAbsent(other)) throw new Error(other.absent);
        expect(near(other, mean.stderr, 1e-8)).toBe(true);
      }),
    );
  });

  it('is absent where the statistic has no value', () => {
    expect(jackknife([[0, 0]], () => undefined)).toEqual({ absent: 'no_data' });
    expect(
      jackknife(
        [
          [1, 2, 0],
          [4, 0, 0],
        ],
        ([m, d]) => m / d,
      ),
    ).toEqual({ absent: 'few_buckets' });
    expect(jackknife([], () => 1)).toEqual({ absent: 'few_buckets' });
  });
});

describe('the error of a window', () => {
  it('is never below that of independent impressions', () => {
    const moments = { n: 100, sum: 20, sumSquares: 20 };
    expect(designEffect(1e-6, moments)).toBe(1);
    expect(windowStderr(moments, 1)).toEqual(impressionStderr(moments));
  });

  it.each([
    [0, { absent: 'no_data' }],
    [1, { absent: 'few_users' }],
    [2, 0.5],
  ])('of %i impressions', (n, stderr) => {
    expect(impressionStderr({ n, sum: n / 2, sumSquares: n / 2 })).toEqual(stderr);
  });

  it('of equal values is absent, though each square was rounded', () => {
    expect(impressionStderr({ n: 9, sum: 2.999999997, sumSquares: 0.999999999 })).toEqual({ absent: 'zero_variance' });
  });

  it('takes over the reason of the hours', () => {
    const moments = { n: 100, sum: 20, sumSquares: 20 };
    expect(windowStderr(moments, designEffect({ absent: 'no_vector' }, moments))).toEqual({ absent: 'no_vector' });
  });

  it('of a fraction grows with the square root of what it lacks', () => {
    expect(stretchedStderr(0.01, 400, 100)).toBe(0.02);
    expect(stretchedStderr(0.01, 400, 0)).toEqual({ absent: 'no_data' });
  });
});

describe('lists without positives', () => {
  const sums = { n: 5, positives: 4, sum: 2 };

  it.each([
    ['zero', 2, 5, 1.5],
    ['skip', 2, 4, 1.5],
    ['one', 3, 5, 2.5],
  ] as const)('with the policy %s', (empty, above, below, square) => {
    expect([numerator(empty, sums), denominator(empty, sums), squares(empty, sums, 1.5)]).toEqual([
      above,
      below,
      square,
    ]);
  });
});
