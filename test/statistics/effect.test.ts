import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAbsent } from '../../src/statistics/absent.ts';
import {
  type BucketSums,
  type Effect,
  fixedHorizon,
  liftOf,
  pairedEffect,
  unpairedEffect,
} from '../../src/statistics/effect.ts';
import { meanOfBuckets } from '../../src/statistics/mean.ts';
import { confidenceSequence } from '../../src/statistics/sequence.ts';
import { bucketSums, near, scaled } from './vectors.ts';

const PLAN = { alpha: 0.05, nStar: 5000 };

const unpaired = (control: BucketSums, treatment: BucketSums) =>
  unpairedEffect(meanOfBuckets(control.m, control.d), meanOfBuckets(treatment.m, treatment.d));

/** Effect, test, sequence and lift; undefined where one is absent. */
function everything(effect: ReturnType<typeof unpaired>) {
  if (isAbsent(effect) || isAbsent(effect.error)) return undefined;
  const test = fixedHorizon(effect, 0.05);
  const sequence = confidenceSequence(effect.difference, effect.error.stderr, 3000, PLAN);
  const lift = liftOf(effect, 2);
  if (isAbsent(test) || isAbsent(sequence) || isAbsent(lift)) return undefined;
  return { effect, error: effect.error, test, sequence, lift };
}

describe.each([
  ['unpaired', unpaired],
  ['paired', pairedEffect],
] as const)('an %s effect', (_name, between) => {
  it('negates and swaps with the variants; errors, p and log e stay', () => {
    let seen = 0;
    fc.assert(
      fc.property(bucketSums(24), bucketSums(24), (a, b) => {
        const one = everything(between(a, b));
        const other = everything(between(b, a));
        if (one === undefined || other === undefined) return;
        seen++;
        expect(other.effect.difference).toBe(-one.effect.difference);
        expect(other.error.stderr).toBe(one.error.stderr);
        expect(other.error.df).toBe(one.error.df);
        expect(other.test.p).toBe(one.test.p);
        expect([other.test.lower, other.test.upper]).toEqual([-one.test.upper, -one.test.lower]);
        expect([other.sequence.lower, other.sequence.upper]).toEqual([-one.sequence.upper, -one.sequence.lower]);
        expect([other.sequence.logE, other.sequence.p]).toEqual([one.sequence.logE, one.sequence.p]);
      }),
    );
    expect(seen).toBeGreaterThan(50);
  });

  it('negates with the measure, its lift too', () => {
    let seen = 0;
    fc.assert(
      fc.property(bucketSums(24), bucketSums(24), (a, b) => {
        const one = everything(between(a, b));
        const other = everything(between(scaled(a, -1), scaled(b, -1)));
        if (one === undefined || other === undefined) return;
        seen++;
        expect(other.effect.difference).toBe(-one.effect.difference);
        expect(other.error.stderr).toBe(one.error.stderr);
        expect(other.test.p).toBe(one.test.p);
        expect(other.lift.lift).toBe(-one.lift.lift);
        if (isAbsent(one.lift.bounds) || isAbsent(other.lift.bounds)) {
          expect(other.lift.bounds).toEqual(one.lift.bounds);
          return;
        }
        expect(near(other.lift.bounds.lower, -one.lift.bounds.upper)).toBe(true);
        expect(near(other.lift.bounds.upper, -one.lift.bounds.lower)).toBe(true);
      }),
    );
    expect(seen).toBeGreaterThan(50);
  });

  it('keeps z, p, log e and lift when all values are multiplied', () => {
    let seen = 0;
    fc.assert(
      fc.property(bucketSums(24), bucketSums(24), fc.double({ min: 0.01, max: 100, noNaN: true }), (a, b, factor) => {
        const one = everything(between(a, b));
        const other = everything(between(scaled(a, factor), scaled(b, factor)));
        if (one === undefined || other === undefined) return;
        seen++;
        expect(near(other.test.t, one.test.t, 1e-8)).toBe(true);
        expect(near(other.test.p, one.test.p, 1e-7)).toBe(true);
        expect(near(other.sequence.logE, one.sequence.logE, 1e-8)).toBe(true);
        expect(near(other.lift.lift, one.lift.lift, 1e-8)).toBe(true);
        if (isAbsent(one.lift.bounds) || isAbsent(other.lift.bounds)) return;
        expect(near(other.lift.bounds.lower, one.lift.bounds.lower, 1e-6)).toBe(true);
      }),
    );
    expect(seen).toBeGreaterThan(50);
  });
});

describe('an effect', () => {
  const none = { absent: 'no_data' } as const;
  const flat = { value: 0.1, stderr: { absent: 'zero_variance' }, df: 9 } as const;
  const mean = { value: 0.2, stderr: 0.01, df: 9 };

  it('takes over the reason of the side that has no value', () => {
    expect(unpairedEffect(none, mean)).toEqual(none);
    expect(unpairedEffect(mean, none)).toEqual(none);
  });

  it('keeps its size where only the error is missing', () => {
    const effect = unpairedEffect(flat, mean);
    expect(effect).toEqual({ control: 0.1, treatment: 0.2, difference: 0.1, error: { absent: 'zero_variance' } });
    if (isAbsent(effect)) throw new Error(effect.absent);
    expect(fixedHorizon(effect, 0.05)).toEqual({ absent: 'zero_variance' });
    expect(liftOf(effect, 2)).toEqual({
      lift: 1,
      bounds: { absent: 'zero_variance' },
      g: { absent: 'zero_variance' },
    });
  });

  it('between a row and itself has no error, paired', () => {
    const sums = { m: [1, 0, 2, 3], d: [4, 4, 4, 5] };
    expect(pairedEffect(sums, sums)).toMatchObject({ difference: 0, error: { absent: 'zero_variance' } });
    expect(unpaired(sums, sums)).toMatchObject({ difference: 0, error: { stderr: expect.any(Number) } });
  });

  it('needs two buckets on both sides, paired', () => {
    const [one, two] = [
      { m: [1, 0, 0], d: [4, 0, 0] },
      { m: [1, 2, 0], d: [4, 4, 0] },
    ];
    expect(pairedEffect(one, two)).toMatchObject({ error: { absent: 'few_buckets' } });
    expect(pairedEffect(two, one)).toMatchObject({ error: { absent: 'few_buckets' } });
    expect(pairedEffect(two, { ...two, m: [2, 1, 0] })).toMatchObject({ error: { df: 2 } });
    expect(pairedEffect(two, { ...two, m: [2, 1, 0] }, 3)).toMatchObject({ error: { absent: 'few_buckets' } });
  });

  it('has the variance that the covariance leaves, paired', () => {
    fc.assert(
      fc.property(bucketSums(24), bucketSums(24), (a, b) => {
        const effect = pairedEffect(a, b);
        if (isAbsent(effect) || isAbsent(effect.error)) return;
        const { stderr, controlVariance, treatmentVariance, covariance } = effect.error;
        expect(near(stderr ** 2, controlVariance + treatmentVariance - 2 * covariance, 1e-6)).toBe(true);
      }),
    );
  });

  it('refuses vectors of different size', () => {
    expect(() => pairedEffect({ m: [1], d: [1] }, { m: [1, 2], d: [1, 2] })).toThrow(/fold the finer/);
  });
});

/** Means of any size with variances that fit together. */
const effects = fc
  .record({
    control: fc.double({ min: -10, max: 10, noNaN: true }).filter((mean) => Math.abs(mean) > 1e-3),
    treatment: fc.double({ min: -10, max: 10, noNaN: true }),
    controlError: fc.double({ min: 1e-3, max: 3, noNaN: true }),
    treatmentError: fc.double({ min: 1e-3, max: 3, noNaN: true }),
    correlation: fc.double({ min: -0.99, max: 0.99, noNaN: true }),
  })
  .map(({ control, treatment, controlError, treatmentError, correlation }): Effect => {
    const covariance = correlation * controlError * treatmentError;
    const variance = controlError ** 2 + treatmentError ** 2 - 2 * covariance;
    return {
      control,
      treatment,
      difference: treatment - control,
      error: {
        stderr: Math.sqrt(variance),
        df: 200,
        controlVariance: controlError ** 2,
        treatmentVariance: treatmentError ** 2,
        covariance,
      },
    };
  });

describe('the lift', () => {
  it('excludes 0 exactly when the difference exceeds c standard errors, on the same side', () => {
    let excluded = 0;
    let held = 0;
    fc.assert(
      fc.property(effects, fc.double({ min: 1, max: 4, noNaN: true }), (effect, critical) => {
        const lift = liftOf(effect, critical);
        if (isAbsent(lift) || isAbsent(lift.bounds) || isAbsent(effect.error)) return;
        const ratio = Math.abs(effect.difference) / effect.error.stderr;
        if (Math.abs(ratio - critical) < 1e-9) return;
        const excludes = lift.bounds.lower > 0 || lift.bounds.upper < 0;
        expect(excludes).toBe(ratio > critical);
        if (excludes) {
          excluded++;
          expect(Math.sign(lift.bounds.lower)).toBe(Math.sign(lift.lift));
        } else held++;
        // A point on the edge may round to the other side.
        expect(lift.bounds.lower - 1e-9 * Math.abs(lift.lift)).toBeLessThanOrEqual(lift.lift);
        expect(lift.bounds.upper + 1e-9 * Math.abs(lift.lift)).toBeGreaterThanOrEqual(lift.lift);
      }),
      { numRuns: 5000 },
    );
    expect(excluded).toBeGreaterThan(300);
    expect(held).toBeGreaterThan(100);
  });

  it('of a test that rejects never holds 0, as the delta method can', () => {
    const effect = unpairedEffect(
      { value: 0.41, stderr: Math.sqrt(0.004464338127384796), df: 3406 },
      { value: 0.7, stderr: Math.sqrt(0.01110661658480208), df: 3460 },
    );
    if (isAbsent(effect)) throw new Error(effect.absent);
    const lift = liftOf(effect, 1.959963984540054);
    expect(fixedHorizon(effect, 0.05)).toMatchObject({ p: expect.closeTo(0.0202, 4) });
    expect(lift).toMatchObject({ bounds: { lower: expect.closeTo(0.0942, 4) } });
    const delta = Math.sqrt(0.01110661658480208 / 0.41 ** 2 + (0.004464338127384796 * 0.7 ** 2) / 0.41 ** 4);
    expect(0.29 / 0.41 - 1.959963984540054 * delta).toBeLessThan(0);
  });

  it('of a control of 0 is absent, of one that may be 0 has no bounds', () => {
    const error = { stderr: 0.1, df: 9, controlVariance: 0.005, treatmentVariance: 0.005, covariance: 0 };
    expect(liftOf({ control: 0, treatment: 1, difference: 1, error }, 2)).toEqual({ absent: 'zero_baseline' });
    const bounds = (control: number) => liftOf({ control, treatment: 1, difference: 1 - control, error }, 2);
    // g = 1 at .02 = control²
    expect(bounds(0.141)).toMatchObject({ bounds: { absent: 'unbounded' } });
    expect(bounds(0.142)).toMatchObject({ bounds: { lower: expect.any(Number) } });
  });
});
