import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAbsent } from '../../src/statistics/absent.ts';
import {
  confidenceSequence,
  type Look,
  type Looks,
  larger,
  multiplierAt,
  NO_LOOKS,
  oneSidedSequence,
  runningP,
  runningTwoSidedP,
  takeLook,
} from '../../src/statistics/sequence.ts';

const z = fc.integer({ min: -8000, max: 8000 }).map((thousandths) => thousandths / 1000);
const users = fc.integer({ min: 1, max: 1e7 });
const plans = fc.record({
  alpha: fc.double({ min: 0.001, max: 0.4, noNaN: true }),
  nStar: fc.integer({ min: 1, max: 1e6 }),
});

describe('the confidence sequence', () => {
  it('excludes 0 exactly when p is below alpha', () => {
    const seen = { excluded: 0, held: 0 };
    fc.assert(
      fc.property(z, users, plans, (difference, n, plan) => {
        const look = confidenceSequence(difference, 1, n, plan);
        if (isAbsent(look)) throw new Error(look.absent);
        if (Math.abs(Math.abs(difference) - look.multiplier) < 1e-9) return;
        const excludes = look.lower > 0 || look.upper < 0;
        seen[excludes ? 'excluded' : 'held']++;
        expect(look.p < plan.alpha).toBe(excludes);
        expect(look.logE > -Math.log(plan.alpha)).toBe(excludes);
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(seen.excluded, seen.held)).toBeGreaterThan(200);
  });

  it('is wider than the interval of one look', () => {
    fc.assert(fc.property(users, plans, (n, plan) => multiplierAt(n, plan) > 1));
    expect(multiplierAt(5000, { alpha: 0.05, nStar: 5000 })).toBeGreaterThan(1.96);
  });

  it('is narrowest at the planned number of users', () => {
    const width = (nStar: number) => multiplierAt(6461, { alpha: 0.05, nStar });
    expect(width(6461)).toBeLessThan(width(10));
    expect(width(6461)).toBeLessThan(width(10_000));
    expect(width(6461)).toBeLessThan(Math.min(width(5000), width(8000)));
  });

  it.each([
    [0, { absent: 'few_users' }],
    [1, { multiplier: expect.any(Number) }],
    [Number.NaN, { absent: 'few_users' }],
  ])('with %d users', (n, expected) => {
    expect(confidenceSequence(0.1, 0.1, n, { alpha: 0.05, nStar: 5000 })).toMatchObject(expected);
  });

  it('shows no p of 0: the log of the e-value carries the truth', () => {
    const look = confidenceSequence(100, 1, 5000, { alpha: 0.05, nStar: 5000 });
    expect(look).toMatchObject({ p: 1e-300 });
    if (isAbsent(look)) throw new Error(look.absent);
    expect(look.logE).toBeGreaterThan(4000);
  });

  it('refuses a plan that makes no sense', () => {
    expect(() => multiplierAt(10, { alpha: 0, nStar: 5000 })).toThrow(RangeError);
    expect(() => multiplierAt(10, { alpha: 0.05, nStar: 0 })).toThrow(RangeError);
  });
});

describe('the one-sided sequence', () => {
  it('excludes 0 exactly when p is below alpha', () => {
    const seen = { excluded: 0, held: 0 };
    fc.assert(
      fc.property(z, users, plans, fc.constantFrom('worse' as const, 'better' as const), (difference, n, plan, way) => {
        const look = oneSidedSequence(difference, 1, n, plan, way);
        if (isAbsent(look)) throw new Error(look.absent);
        if (Math.abs(look.bound) < 1e-9) return;
        const excludes = way === 'worse' ? look.bound < 0 : look.bound > 0;
        seen[excludes ? 'excluded' : 'held']++;
        expect(look.p < plan.alpha).toBe(excludes);
        if (look.logE !== undefined) expect(look.p).toBe(Math.max(1e-300, Math.min(1, Math.exp(-look.logE))));
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(seen.excluded, seen.held)).toBeGreaterThan(200);
  });

  it('mirrors itself', () => {
    fc.assert(
      fc.property(z, users, plans, (difference, n, plan) => {
        const worse = oneSidedSequence(difference, 1, n, plan, 'worse');
        const better = oneSidedSequence(-difference, 1, n, plan, 'better');
        if (isAbsent(worse) || isAbsent(better)) throw new Error('absent');
        expect([worse.bound, worse.logE, worse.p]).toEqual([-better.bound, better.logE, better.p]);
      }),
    );
  });

  it('is nearer than the two-sided one', () => {
    const plan = { alpha: 0.05, nStar: 5000 };
    const both = confidenceSequence(1, 1, 5000, plan);
    const one = oneSidedSequence(1, 1, 5000, plan, 'better');
    if (isAbsent(both) || isAbsent(one)) throw new Error('absent');
    expect(one.bound).toBeGreaterThan(both.lower);
  });
});

const looks: fc.Arbitrary<Look> = fc.record({
  at: fc.integer({ min: 0, max: 1e6 }),
  difference: fc.integer({ min: -2, max: 2 }),
  logE: fc.oneof(fc.double({ min: -5, max: 900, noNaN: true }), fc.constant({ absent: 'few_buckets' as const })),
  guardLogE: fc.option(fc.double({ min: -5, max: 900, noNaN: true }), { nil: undefined }),
});

const numbers = (state: Looks) => [runningP(state.worse), runningP(state.better), runningP(state.guard)];

describe('the memory of looks', () => {
  it('has p-values that never rise and stay in (0, 1]; a look taken again changes nothing', () => {
    fc.assert(
      fc.property(fc.array(looks, { maxLength: 30 }), (all) => {
        let state = NO_LOOKS;
        for (const look of all) {
          const next = takeLook(state, look);
          const before = numbers(state);
          numbers(next).forEach((p, i) => {
            expect(p).toBeGreaterThan(0);
            expect(p).toBeLessThanOrEqual(before[i]);
          });
          expect(takeLook(next, look)).toEqual(next);
          state = next;
        }
        expect(all.reduce(takeLook, state)).toEqual(state);
      }),
    );
  });

  it('does not depend on the order of looks, and survives JSON', () => {
    fc.assert(
      fc.property(fc.array(looks, { maxLength: 10 }), (all) => {
        const state = all.reduce(takeLook, NO_LOOKS);
        expect([...all].reverse().reduce(takeLook, NO_LOOKS)).toEqual(state);
        const read = { ...NO_LOOKS, ...JSON.parse(JSON.stringify(state)) };
        // JSON has no -0, which means the same.
        expect(numbers(read)).toEqual(numbers(state));
      }),
    );
  });

  it('keeps directions apart', () => {
    const worse = takeLook(NO_LOOKS, { at: 1, difference: -0.1, logE: 5, guardLogE: undefined });
    expect(worse).toEqual({ worse: { logE: 5, at: 1 }, better: undefined, guard: undefined });
    const both = takeLook(worse, { at: 2, difference: 0.1, logE: 3, guardLogE: 2 });
    expect(both).toEqual({ worse: { logE: 5, at: 1 }, better: { logE: 3, at: 2 }, guard: { logE: 2, at: 2 } });
    expect(runningTwoSidedP(both)).toBe(Math.exp(-5));
  });

  it('counts a difference of 0 for both directions', () => {
    const state = takeLook(NO_LOOKS, { at: 1, difference: 0, logE: -1, guardLogE: undefined });
    expect([state.worse, state.better]).toEqual([
      { logE: -1, at: 1 },
      { logE: -1, at: 1 },
    ]);
    expect(runningTwoSidedP(state)).toBe(1);
  });

  it('has no p before the first look', () => {
    expect(runningTwoSidedP(NO_LOOKS)).toEqual({ absent: 'no_data' });
  });

  it('remembers the earliest of equal looks', () => {
    expect(larger({ logE: 1, at: 7 }, { logE: 1, at: 5 })).toEqual({ logE: 1, at: 5 });
  });
});
