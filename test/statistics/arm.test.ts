/** What the two variants of an experiment lend each other, and what their sizes are. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAbsent } from '../../src/statistics/absent.ts';
import {
  type ArmMean,
  effectOfArms,
  heaviestShare,
  kishOf,
  LEAST_SPREAD,
  spreadOf,
  usersOfKish,
} from '../../src/statistics/arm.ts';
import { unpairedEffect } from '../../src/statistics/effect.ts';
import { balancedUsers } from '../../src/statistics/exposure.ts';
import { BUCKETS, bucketOf } from '../../src/vocabulary/user-words.ts';

const d = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 2, maxLength: 64 });
const filled = d.filter((cells) => cells.some((cell) => cell > 0));

function arm(more: Partial<ArmMean> = {}): ArmMean {
  return { value: 0.2, stderr: 0.01, df: 255, kish: 200, users: 1000, spread: 100, ...more };
}

function errorOf(control: ArmMean, treatment: ArmMean) {
  const effect = effectOfArms(control, treatment);
  if (isAbsent(effect) || isAbsent(effect.error)) throw new Error('there is an error');
  return effect.error;
}

describe('kish', () => {
  it('is the number of buckets where all are equally full, and 1 where one has all', () => {
    expect(kishOf([3, 3, 3, 3])).toBe(4);
    expect(kishOf([0, 7, 0, 0])).toBe(1);
    expect(kishOf([0, 0])).toBe(0);
    expect(kishOf([10, 4, 6, 8, 20, 1, 3, 5, 12, 9])).toBeCloseTo(78 ** 2 / 876, 12);
  });

  it('lies between 1 and the number of filled buckets, and does not depend on the unit', () => {
    fc.assert(
      fc.property(filled, (cells) => {
        const kish = kishOf(cells);
        expect(kish).toBeGreaterThanOrEqual(1 - 1e-12);
        expect(kish).toBeLessThanOrEqual(cells.filter((cell) => cell > 0).length + 1e-9);
        expect(kishOf(cells.map((cell) => 3 * cell))).toBeCloseTo(kish, 9);
      }),
    );
  });

  it.each([
    [1000, 1],
    [1000, 4],
    [20_000, 1],
  ])('of %d users with %d lists each shows their number to a fifth', (users, lists) => {
    const cells = new Float64Array(BUCKETS);
    for (let user = 0; user < users; user++) cells[bucketOf(`user-${user}`)] += lists;
    expect(usersOfKish(kishOf(cells), BUCKETS, users * lists) / users).toBeGreaterThan(0.8);
    expect(usersOfKish(kishOf(cells), BUCKETS, users * lists) / users).toBeLessThan(1.25);
  });

  it('has no more users than lists, however even the buckets are', () => {
    expect(usersOfKish(256, 256, 512)).toBe(512);
  });
});

describe('the heaviest share', () => {
  it('is what the fullest bucket has beyond the others', () => {
    expect(heaviestShare([4, 0, 0, 0])).toBe(1);
    expect(heaviestShare([2, 1, 1])).toBe(0.25);
    expect(heaviestShare([1, 1, 1, 1])).toBe(0);
    expect(heaviestShare([0, 0])).toBe(0);
  });

  it('shows a user with a third of the lists of 2,000 others to two points in a hundred', () => {
    const cells = new Float64Array(BUCKETS);
    for (let user = 0; user < 2000; user++) cells[bucketOf(`user-${user}`)] += 2;
    cells[bucketOf('bot')] += 2000;
    expect(Math.abs(heaviestShare(cells) - 1 / 3)).toBeLessThan(0.02);
  });
});

describe('the spread', () => {
  it('counts the buckets that the error rests on, whatever its unit', () => {
    expect(spreadOf([1, -1, 1, -1])).toBeCloseTo(4, 12);
    expect(spreadOf([0, 1e-300, 0, 0])).toBe(1);
    expect(spreadOf([])).toBe(0);
    expect(spreadOf([0, 0])).toBe(0);
  });
});

describe('the effect of two variants', () => {
  it('is the unpaired effect where both know their spread, with df from kish', () => {
    const [control, treatment] = [arm({ df: 255, kish: 101 }), arm({ value: 0.3, kish: 256 })];
    expect(effectOfArms(control, treatment)).toEqual(
      unpairedEffect({ ...control, df: 100 }, { ...treatment, df: 255 }),
    );
  });

  it.each(['treatment', 'control'] as const)('borrows for a %s in which all users are alike', (dead) => {
    const known = arm({ users: 4000 });
    const flat = arm({ value: 0, stderr: { absent: 'zero_variance' }, spread: 0, users: 1000 });
    const error = dead === 'treatment' ? errorOf(known, flat) : errorOf(flat, known);
    const lent = dead === 'treatment' ? error.treatmentVariance : error.controlVariance;
    expect(lent).toBeCloseTo(4 * 0.01 ** 2, 15);
  });

  it('borrows below the least spread, at it no longer, and never to the better', () => {
    const known = arm();
    const weak = (spread: number, stderr: number) => errorOf(known, arm({ spread, stderr })).treatmentVariance;
    expect(weak(LEAST_SPREAD - 0.1, 0.001)).toBeCloseTo(1e-4, 15);
    expect(weak(LEAST_SPREAD, 0.001)).toBeCloseTo(1e-6, 15);
    expect(weak(LEAST_SPREAD + 0.1, 0.001)).toBeCloseTo(1e-6, 15);
    expect(weak(1, 0.02)).toBeCloseTo(4e-4, 15);
  });

  it('has no error where neither has one, nor where one is not known', () => {
    const flat = arm({ stderr: { absent: 'zero_variance' }, spread: 0 });
    expect(effectOfArms(flat, flat)).toMatchObject({ error: { absent: 'zero_variance' } });
    const few = arm({ stderr: { absent: 'few_buckets' }, spread: 0 });
    expect(effectOfArms(arm(), few)).toMatchObject({ error: { absent: 'few_buckets' } });
    expect(effectOfArms(flat, few)).toMatchObject({ error: { absent: 'zero_variance' } });
    expect(effectOfArms(arm(), { absent: 'no_data' })).toEqual({ absent: 'no_data' });
  });

  it('of equal means is 0, and not what rounding left', () => {
    const [a, b] = [0.1 + 0.2, 0.3];
    expect(a - b).not.toBe(0);
    expect(effectOfArms(arm({ value: a }), arm({ value: b }))).toMatchObject({ difference: 0 });
    expect(effectOfArms(arm({ value: 0.3 }), arm({ value: 0.3 + 1e-9 }))).toMatchObject({
      difference: expect.closeTo(1e-9, 15),
    });
  });
});

describe('the users of two variants', () => {
  it('are their sum where they are as many, and four times the smaller where it is small', () => {
    expect(balancedUsers(500, 500)).toBe(1000);
    expect(balancedUsers(950, 50)).toBeCloseTo(190, 9);
    expect(balancedUsers(0, 50)).toBe(0);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e7 }), fc.integer({ min: 1, max: 1e7 }), (c, t) => {
        const users = balancedUsers(c, t);
        expect(users).toBe(balancedUsers(t, c));
        expect(users).toBeLessThanOrEqual((c + t) * (1 + 1e-12));
        expect(users).toBeLessThanOrEqual(4 * Math.min(c, t));
      }),
    );
  });
});
