import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/simulate/random.ts';
import { isAbsent } from '../../src/statistics/absent.ts';
import {
  chiSquareTest,
  detectableDeviation,
  isMismatch,
  isSuspect,
  largestDeviation,
  logBayesFactor,
} from '../../src/statistics/sample-ratio.ts';
import { type Largest, larger, runningP } from '../../src/statistics/sequence.ts';

const WEIGHTS = [0.4, 0.4, 0.2];
const batches = fc.array(fc.tuple(fc.nat(200), fc.nat(200), fc.nat(200)), { minLength: 1, maxLength: 12 });

/** Largest evidence after each batch. */
function looked(all: readonly (readonly number[])[], weights: readonly number[]): { p: number[]; last: unknown } {
  const sums = weights.map(() => 0);
  let largest: Largest | undefined;
  let last: unknown;
  const p = all.map((batch, at) => {
    batch.forEach((count, i) => {
      sums[i] += count;
    });
    const logE = logBayesFactor(sums, weights);
    last = logE;
    if (!isAbsent(logE)) largest = larger(largest, { logE, at });
    return runningP(largest);
  });
  return { p, last };
}

describe('the sequential test of the sample ratio', () => {
  it('sees the same in batches of any order', () => {
    fc.assert(
      fc.property(batches, (all) => {
        expect(looked([...all].reverse(), WEIGHTS).last).toEqual(looked(all, WEIGHTS).last);
      }),
    );
  });

  it('has a p that never rises and stays in (0, 1]', () => {
    fc.assert(
      fc.property(batches, (all) => {
        const { p } = looked(all, WEIGHTS);
        p.forEach((value, i) => {
          expect(value).toBeGreaterThan(0);
          expect(value).toBeLessThanOrEqual(i === 0 ? 1 : p[i - 1]);
        });
      }),
    );
  });

  it('does not mind the scale of the weights, and leaves out variants of weight 0', () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.nat(5000), fc.nat(5000), (a, b, c) => {
        const plain = logBayesFactor([a, b], [0.5, 0.5]);
        const other = logBayesFactor([a, c, b], [20, 0, 20]);
        expect(other).toEqual(plain);
      }),
    );
  });

  it('finds a wrong ratio and seldom one that is right', () => {
    const random = new Random(3, 'sample ratio');
    const found = (share: number): number => {
      let count = 0;
      for (let run = 0; run < 200; run++) {
        const all = Array.from({ length: 40 }, () => {
          let first = 0;
          for (let i = 0; i < 100; i++) if (random.next() < share) first++;
          return [first, 100 - first];
        });
        if (runningLeast(looked(all, [1, 1]).p) < 0.05) count++;
      }
      return count;
    };
    expect(found(0.5)).toBeLessThanOrEqual(20);
    expect(found(0.55)).toBeGreaterThan(190);
  });

  it('has no answer for one variant, or none', () => {
    expect(logBayesFactor([10, 5], [1, 0])).toEqual({ absent: 'single_variant' });
    expect(logBayesFactor([0, 0], [1, 1])).toEqual({ absent: 'no_data' });
    expect(largestDeviation([0, 0], [1, 1])).toEqual({ absent: 'no_data' });
    expect(() => logBayesFactor([1, 2, 3], [1, 1])).toThrow(/3 counts and 2 weights/);
  });
});

function runningLeast(p: readonly number[]): number {
  return p[p.length - 1];
}

describe('the chi-square test of the sample ratio', () => {
  it.each([
    [14, { absent: 'few_users' }],
    [16, { df: 1 }],
    [18, { df: 1 }],
  ])('with %i users of whom half are expected in each', (users, expected) => {
    expect(chiSquareTest([users, 0], [1, 1])).toMatchObject(expected);
  });

  it('has p 1 on the dot and no p of 0', () => {
    expect(chiSquareTest([100, 100], [1, 1])).toMatchObject({ chiSquare: 0, p: 1 });
    expect(chiSquareTest([1e9, 1e8], [1, 1])).toMatchObject({ p: 1e-300 });
  });
});

describe('a mismatch', () => {
  it.each([
    [0.00099, 0.002, 'mismatch'],
    [0.001, 0.002, 'nothing'],
    [0.0011, 0.002, 'nothing'],
    [0.00099, 0.00199, 'warning'],
    [0.00099, 0.00201, 'mismatch'],
    [0.001, 0.00199, 'nothing'],
  ])('at p %d and deviation %d: %s', (p, deviation, found) => {
    expect([isMismatch(p, deviation), isSuspect(p, deviation)]).toEqual([found === 'mismatch', found === 'warning']);
  });
});

describe('the deviation that so many users would show', () => {
  const mismatch = (counts: readonly number[], weights: readonly number[]): boolean => {
    const [logE, deviation] = [logBayesFactor(counts, weights), largestDeviation(counts, weights)];
    if (isAbsent(logE) || isAbsent(deviation)) throw new Error('no test');
    return isMismatch(runningP(larger(undefined, { logE, at: 0 })), deviation);
  };

  it('is a mismatch, and a little less is none', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(weights, fc.integer({ min: 1, max: 1_000_000 }), (of, users) => {
        const whole = of.reduce((sum, weight) => sum + weight, 0);
        const smallest = of.indexOf(Math.min(...of));
        const split = (deviation: number): readonly number[] => {
          const share = (of[smallest] / whole) * (1 + deviation);
          const rest = whole - of[smallest];
          return of.map((weight, i) => users * (i === smallest ? share : (weight / rest) * (1 - share)));
        };
        const seen = detectableDeviation([users, ...of.slice(1).map(() => 0)], of);
        if (isAbsent(seen)) {
          expect(seen.absent).toBe('few_users');
          expect(mismatch(split(whole / of[smallest] - 1), of)).toBe(false);
          return;
        }
        expect(mismatch(split(seen * 1.001), of)).toBe(true);
        if (seen > 0.0021) expect(mismatch(split(seen * 0.998), of)).toBe(false);
      }),
    );
  });

  it.each([
    [10, undefined],
    [40, undefined],
    [300, 0.26],
    [10_000, 0.048],
  ])('of %i users in halves is %s', (users, expected) => {
    const seen = detectableDeviation([users, 0], [1, 1]);
    expect(isAbsent(seen) ? undefined : seen).toEqual(expected === undefined ? undefined : expect.closeTo(expected, 2));
  });

  it('is absent where nothing can be tested', () => {
    expect(detectableDeviation([0, 0], [1, 1])).toEqual({ absent: 'no_data' });
    expect(detectableDeviation([5, 5], [1, 0])).toEqual({ absent: 'single_variant' });
  });
});
