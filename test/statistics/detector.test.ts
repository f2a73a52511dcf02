import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/simulate/random.ts';
import { median } from '../../src/statistics/baseline.ts';
import { CUSUM_START, clipped, cusumStep, isOn, RunningScale } from '../../src/statistics/watched-path.ts';

const WEEK = 2016;
const WINDOW = 288;
const SERIES = 200;
/** The path is computed again each so many blocks here; each time all the new blocks are looked at. */
const EVERY = 48;
const SETTINGS = { k: 0.5, h: 20 };

type Noise = (random: Random, length: number) => readonly number[];

function correlated(phi: number): Noise {
  return (random, length) => {
    let x = random.normal();
    return Array.from({ length }, () => {
      x = phi * x + Math.sqrt(1 - phi * phi) * random.normal();
      return x;
    });
  };
}

function shifted(sd: number, every: number): Noise {
  return (random, length) => {
    let shift = 0;
    return Array.from({ length }, (_, i) => {
      if (i % every === 0) shift = sd * random.normal();
      return random.normal() + shift;
    });
  };
}

const independent: Noise = (random, length) => Array.from({ length }, () => random.normal());
const twice: Noise = (random, length) => Array.from({ length }, () => 2 * random.normal());
const heavy: Noise = (random, length) =>
  Array.from({ length }, () => {
    const squares = [1, 2, 3, 4].reduce((sum) => sum + random.normal() ** 2, 0);
    return random.normal() / Math.sqrt(squares / 4);
  });

/** The scale after these residuals. */
function scaleOf(z: readonly number[]): number {
  const scale = new RunningScale();
  for (const value of z) scale.add(value);
  return scale.value;
}

/** S_low after each of these residuals, from 0. */
function lowPath(z: readonly number[], scale = scaleOf(z)): readonly number[] {
  let state = CUSUM_START;
  return z.map((value) => {
    const u = clipped(value, scale);
    state = cusumStep(state, { low: u, high: u }, SETTINGS);
    return state.low.s;
  });
}

/** The largest S_low of a week, computed again over the last 288 blocks as time continues; stops at h. */
function highest(z: readonly number[]): number {
  let top = 0;
  for (let end = WINDOW; end <= z.length && top < SETTINGS.h; end += EVERY) {
    const path = lowPath(z.slice(end - WINDOW, end));
    top = Math.max(top, ...(end === WINDOW ? path : path.slice(-EVERY)));
  }
  return top;
}

/** Four standard deviations of the difference between a share of 200 and one of 1,000 series, and one series for 0. */
function slack(share: number): number {
  return 4 * Math.sqrt(share * (1 - share) * (1 / SERIES + 1 / 1000)) + 2 / SERIES;
}

/** Share of weeks of 1,000 with a false low alarm, at these limits (specification: statistics 10.3). */
const LIMITS = [5, 8, 12, 20];
const FALSE_ALARMS: readonly (readonly [string, Noise, readonly number[]])[] = [
  ['independent normal', independent, [0.9, 0.12, 0.004, 0]],
  ['of twice the spread', twice, [0.893, 0.121, 0.001, 0]],
  ['autocorrelated by .3', correlated(0.3), [1, 0.85, 0.19, 0.003]],
  ['autocorrelated by .6', correlated(0.6), [1, 1, 0.96, 0.3]],
  ['heavy-tailed', heavy, [1, 0.94, 0.28, 0.012]],
  ['off by .5 anew each hour', shifted(0.5, 12), [1, 0.99, 0.7, 0.064]],
  ['off by .25 anew each day', shifted(0.25, WINDOW), [0.95, 0.61, 0.26, 0.082]],
];

describe('the detector', () => {
  it.each(FALSE_ALARMS)('gives false alarms as simulated where residuals are %s', (name, noise, shares) => {
    const tops = Array.from({ length: SERIES }, (_, seed) => highest(noise(new Random(seed, name), WEEK)));
    for (const [i, limit] of LIMITS.entries()) {
      const share = tops.filter((top) => top >= limit).length / SERIES;
      expect(Math.abs(share - shares[i]), `h ${limit}: ${share} against ${shares[i]}`).toBeLessThanOrEqual(
        slack(shares[i]),
      );
    }
  });

  it('gives false alarms in most weeks at the limit of the textbooks, which the bounds of h = 20 refuse', () => {
    const tops = Array.from({ length: 40 }, (_, seed) => highest(independent(new Random(seed, 'control'), WEEK)));
    expect(tops.filter((top) => top >= 5).length / 40).toBeGreaterThan(slack(0) + 0.5);
  });

  it.each([
    [1, 43, 79],
    [2, 15, 20],
    [3, 9, 11],
    [5, 5, 6],
    [10, 3, 3],
  ])('sees a fall of %d standard errors after %d blocks, late ones after %d', (fall, median, late) => {
    const delays = Array.from({ length: SERIES }, (_, seed) => {
      const z = independent(new Random(seed, 'delay'), 2 * WINDOW).map((value, i) =>
        i < WINDOW ? value : value - fall,
      );
      for (let end = WINDOW + 1; end <= z.length; end++) {
        const path = lowPath(z.slice(end - WINDOW, end));
        if (path[path.length - 1] >= SETTINGS.h) return end - WINDOW;
      }
      return Number.POSITIVE_INFINITY;
    }).sort((a, b) => a - b);
    expect(Math.abs(delays[SERIES / 2] - median)).toBeLessThanOrEqual(Math.ceil(median * 0.15));
    expect(Math.abs(delays[SERIES * 0.95] - late)).toBeLessThanOrEqual(Math.ceil(late * 0.25));
  });

  it('never has a higher S_low for a larger residual, at one scale', () => {
    const residuals = fc.array(fc.double({ min: -50, max: 50, noNaN: true }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(residuals, fc.nat(), fc.double({ min: 0, max: 60, noNaN: true }), (z, place, more) => {
        const raised = z.map((value, i) => (i === place % z.length ? value + more : value));
        const before = lowPath(z, 1);
        lowPath(raised, 1).forEach((s, i) => {
          expect(s).toBeLessThanOrEqual(before[i]);
        });
      }),
    );
  });

  it('keeps S between 0 and h, for any residuals', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 60 }), (z) => {
        for (const s of lowPath(z)) {
          expect(s).toBeGreaterThanOrEqual(0);
          expect(s).toBeLessThanOrEqual(SETTINGS.h);
        }
      }),
    );
  });

  it('needs three wild blocks', () => {
    const path = lowPath([-1e6, -1e6, -1e6], 1);
    expect(path).toEqual([7.5, 15, 20]);
  });

  it.each([
    [19.9, false, false],
    [20, false, true],
    [20.1, false, true],
    [10.1, true, true],
    [10, true, false],
    [9.9, true, false],
  ])('at S = %d and h = 20, after alarm %s, has alarm %s', (s, was, is) => {
    expect(isOn(s, was, 20)).toBe(is);
  });

  it('takes errors at their word before there are 24 residuals, and has a scale of .5 at least then', () => {
    expect(scaleOf([])).toBe(1);
    const alike = (count: number, z: number) =>
      scaleOf(Array.from({ length: count }, (_, i) => (i % 2 === 0 ? z : -z)));
    expect(alike(23, 0.1)).toBe(1);
    expect(alike(24, 0.1)).toBe(0.5);
    expect(alike(24, 1)).toBeCloseTo(1.4826, 12);
  });

  it('has the scale of the last 288 residuals, however many came before', () => {
    const residuals = fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: 24, maxLength: 700 });
    fc.assert(
      fc.property(residuals, (z) => {
        const kept = z.slice(-288).map(Math.abs);
        expect(scaleOf(z)).toBe(Math.max(0.5, 1.4826 * median(kept)));
      }),
      { numRuns: 50 },
    );
  });
});
