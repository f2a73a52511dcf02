import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../src/experiment/comparison.ts';
import { evaluate } from '../../src/experiment/evaluate.ts';
import { NO_EXPERIMENT_LOOKS } from '../../src/experiment/experiment-looks.ts';
import { planOf, REACHABLE_DAYS } from '../../src/experiment/experiment-plan.ts';
import type { Trail } from '../../src/experiment/take-looks.ts';
import { balancedUsers } from '../../src/statistics/exposure.ts';
import { multiplierAt } from '../../src/statistics/sequence.ts';
import { AS_OF, SETTINGS, sampleOf, state, variant } from './states.ts';

const DAY = 86_400_000;
const POWER = 0.8416212335729143;

function compared(users: readonly [number, number], stderr = 0.004, control = 0.3): Comparison {
  const mean = (value: number) => variant(new Map([['ndcg@10', { value, stderr, df: 255 }]]));
  return evaluate({
    ...state({ A: mean(control), B: mean(control) }, { sample: sampleOf([...users]), asOf: AS_OF }),
    looks: NO_EXPERIMENT_LOOKS,
  });
}

const started = (days: number): Trail => new Map([['B', [{ at: AS_OF - days * DAY, effect: 0, lower: -1, upper: 1 }]]]);
const settings = (more: { nStar?: number; start?: number } = {}) => ({
  alpha: SETTINGS.alpha,
  nStar: more.nStar ?? SETTINGS.nStar,
  start: more.start,
});

describe('the plan of an experiment', () => {
  it('names the users at which an effect is just seen with power .8, in the split that there is', () => {
    const split = fc.tuple(fc.integer({ min: 200, max: 3000 }), fc.integer({ min: 200, max: 3000 }));
    const error = fc.double({ min: 1e-4, max: 0.05, noNaN: true });
    fc.assert(
      fc.property(split, error, fc.integer({ min: 100, max: 1_000_000 }), ([a, b], stderr, nStar) => {
        const comparison = compared([a, b], stderr);
        const [{ effects }] = planOf(comparison, started(7), settings({ nStar }));
        const now = balancedUsers(comparison.users['A'], comparison.users['B']);
        const [primary] = comparison.variants[0].measures;
        if (primary.stderr === null || primary.control === null || effects === null) throw new Error('it has an error');
        for (const { effect, users } of effects) {
          const seen = (all: number): number => {
            const n = (all * now) / (a + b);
            const c = multiplierAt(n, { alpha: SETTINGS.alpha, nStar });
            return ((c + POWER) * (primary.stderr ?? 0) * Math.sqrt(now / n)) / 0.3;
          };
          expect(seen(users)).toBeLessThanOrEqual(effect * (1 + 1e-9));
          if (users > 1000) expect(seen(users * 0.99)).toBeGreaterThan(effect);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('plans for the first step of Holm where several variants are compared, and for intervals that are not adjusted', () => {
    const comparison = compared([700, 700]);
    const four = { ...comparison, variants: Array.from({ length: 4 }, () => comparison.variants[0]) };
    const [alone] = planOf(comparison, started(7), settings());
    const [first] = planOf(four, started(7), settings());
    expect(first.healthy).toEqual(alone.healthy);
    expect(first.withinReach).toBe(alone.withinReach);
    const nStar = SETTINGS.nStar;
    const k = (users: number): number => {
      const twice = -2 * Math.log(SETTINGS.alpha);
      return (users * (twice + Math.log1p(twice))) / nStar;
    };
    for (const { effect, users } of first.effects ?? []) {
      // p = exp(-log E) of z standard errors is alpha / 4.
      const c = Math.sqrt(
        ((2 * (k(users) + 1)) / k(users)) * (Math.log1p(k(users)) / 2 - Math.log(SETTINGS.alpha / 4)),
      );
      const seen = ((c + POWER) * 0.004 * Math.sqrt(2) * Math.sqrt(1400 / users)) / 0.3;
      expect(seen / effect).toBeCloseTo(1, 3);
    }
  });

  it('asks for fewer users the larger the effect, and for days in proportion', () => {
    const [{ effects, usersPerDay }] = planOf(compared([700, 700]), started(7), settings());
    expect(usersPerDay).toBe(200);
    expect(effects?.map(({ effect }) => effect)).toEqual([0.01, 0.02, 0.05, 0.1]);
    const users = effects?.map((one) => one.users) ?? [];
    expect([...users].sort((a, b) => b - a)).toEqual(users);
    for (const planned of effects ?? []) expect(planned.days).toBe(planned.users / 200);
  });

  it('says when equal variants are healthy, and what tolerance can be had in four weeks', () => {
    const comparison = compared([700, 700]);
    const [{ healthy, withinReach }] = planOf(comparison, started(7), settings());
    expect(healthy?.effect).toBe(comparison.tolerance);
    expect(healthy?.days).toBeGreaterThan(REACHABLE_DAYS);
    if (withinReach === null) throw new Error('there is a rate');
    expect(withinReach).toBeGreaterThan(comparison.tolerance);
    const [inReach] = planOf({ ...comparison, tolerance: withinReach }, started(7), settings());
    expect(inReach.healthy?.days).toBeGreaterThan(REACHABLE_DAYS * 0.999);
    expect(inReach.healthy?.days).toBeLessThan(REACHABLE_DAYS * 1.001);
  });

  it('takes the configured start for the begin of the run', () => {
    const [{ usersPerDay }] = planOf(compared([700, 700]), started(7), settings({ start: AS_OF - 14 * DAY }));
    expect(usersPerDay).toBe(100);
  });

  it('takes the rate from the first user on, not from the first look that has an error, nor from a start before it', () => {
    const comparison = compared([700, 700]);
    const began = AS_OF - 10 * DAY;
    for (const given of [{}, { start: AS_OF - 50 * DAY }]) {
      const [{ usersPerDay }] = planOf(comparison, started(7), { ...settings(given), began });
      expect(usersPerDay).toBe(140);
    }
  });

  it.each([
    [1 / 24, true],
    [0.9 / 24, false],
  ])('knows a rate after %d days: %s', (days, knows) => {
    const [{ usersPerDay, effects, withinReach }] = planOf(compared([700, 700]), started(days), settings());
    expect([usersPerDay !== null, withinReach !== null]).toEqual([knows, knows]);
    expect(effects?.every((planned) => (planned.days !== null) === knows)).toBe(true);
  });

  it('plans nothing without an error, without a baseline and without users', () => {
    const comparison = compared([700, 700]);
    const without = (primary: object): Comparison => ({
      ...comparison,
      variants: comparison.variants.map((one) => ({
        ...one,
        measures: one.measures.map((measure) => ({ ...measure, ...primary })),
      })),
    });
    for (const nothing of [without({ stderr: null }), without({ control: 0 }), compared([700, 0])]) {
      const [{ effects, healthy, withinReach }] = planOf(nothing, started(7), settings());
      expect([effects, healthy, withinReach]).toEqual([null, null, null]);
    }
  });
});
