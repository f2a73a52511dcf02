import { describe, expect, it } from 'vitest';
import { CohortSplits, comparedCohorts } from '../../src/experiment/cohort-splits.ts';
import type { CohortExposure } from '../../src/statistics/cohort-sample.ts';
import { holm } from '../../src/statistics/corrections.ts';
import { logBayesFactor } from '../../src/statistics/sample-ratio.ts';
import { AS_OF, SETTINGS } from './states.ts';

const HOUR = 3_600_000;

/** So many new users of one cohort in each variant, in the order of the variants. */
function users(cohort: string, counts: readonly number[], look = 0): CohortExposure[] {
  return counts.flatMap((count, variant) =>
    Array.from({ length: count }, (_, i) => ({
      userId: `${cohort}-${variant}-${look}-${i}`,
      variant,
      cohort,
      ts: AS_OF + look * HOUR,
    })),
  );
}

function compared(looks: readonly (readonly CohortExposure[])[], settings = SETTINGS) {
  const splits = new CohortSplits('country', settings);
  looks.forEach((exposures, look) => {
    splits.look(exposures, AS_OF + (look + 1) * HOUR);
  });
  return comparedCohorts([splits])[0];
}

function logE(counts: readonly number[]): number {
  const value = logBayesFactor(counts, [1, 1]);
  if (typeof value !== 'number') throw new Error('there is evidence');
  return value;
}

describe('the split of the users by cohort', () => {
  it('finds a broken cohort that the total hides, and says what is expected there', () => {
    const {
      by,
      cohorts,
      users: all,
    } = compared([[...users('DE', [600, 300]), ...users('FR', [2000, 2050]), ...users('US', [3000, 3200])]]);
    expect({ by, all }).toEqual({ by: 'country', all: 11_150 });
    expect(Math.exp(-logE([5600, 5550]))).toBeGreaterThan(1);
    expect(cohorts.map(({ value, warning }) => [value, warning])).toEqual([
      ['DE', true],
      ['US', false],
      ['FR', false],
    ]);
    expect(cohorts[0]).toMatchObject({ users: { A: 600, B: 300 }, expected: { A: 450, B: 450 } });
    expect(cohorts[0].deviation).toBeCloseTo(1 / 3, 12);
    expect(cohorts[0].p).toBeCloseTo(Math.exp(-logE([600, 300])), 15);
  });

  it('remembers the strongest evidence of all looks', () => {
    const { cohorts } = compared([users('DE', [400, 200]), users('DE', [0, 200], 1), users('DE', [500, 500], 2)]);
    expect(cohorts[0].users).toEqual({ A: 900, B: 900 });
    expect(cohorts[0].p).toBeCloseTo(Math.exp(-logE([400, 200])), 15);
    expect(cohorts[0].warning).toBe(true);
  });

  it('takes a smaller p among many cohorts than alone', () => {
    const odd = users('DE', [600, 480]);
    const p = Math.exp(-logE([600, 480]));
    const others = Array.from({ length: 50 }, (_, i) => users(`c${i}`, [30, 30])).flat();
    const alone = compared([odd]).cohorts[0];
    const among = compared([[...odd, ...others]]).cohorts[0];
    expect(alone).toMatchObject({ value: 'DE', pAdjusted: alone.p });
    expect(among.p).toBe(alone.p);
    expect(among.p).toBeCloseTo(p, 12);
    expect(among.pAdjusted).toBeCloseTo(Math.min(1, 51 * p), 12);
  });

  it.each([
    [0.00099, true],
    [0.00101, false],
  ])('of which p adjusted is about %d: a warning is %s', (near, warning) => {
    const counts = Array.from({ length: 400 }, (_, i) => [1000 + i, 1000]).find(
      (each) => Math.exp(-logE(each)) < 0.001,
    );
    if (counts === undefined) throw new Error('one of them is off');
    const [a, b] = near < 0.001 ? counts : [counts[0] - 1, counts[1]];
    const [{ pAdjusted, warning: told }] = compared([users('DE', [a, b])]).cohorts;
    expect(told).toBe(warning);
    expect(Math.abs((pAdjusted ?? 1) - 0.001)).toBeLessThan(0.0003);
  });

  it('adjusts over all dimensions that are asked for', () => {
    const odd = users('DE', [600, 480]);
    const by = (dimension: string, exposures: readonly CohortExposure[]) => {
      const splits = new CohortSplits(dimension, SETTINGS);
      splits.look(exposures, AS_OF + HOUR);
      return splits;
    };
    const other = [...users('ios', [30, 30]), ...users('web', [300, 300])];
    const [countries, platforms] = comparedCohorts([by('country', odd), by('platform', other)]);
    const family = [...countries.cohorts, ...platforms.cohorts];
    expect(family.map(({ pAdjusted }) => pAdjusted)).toEqual(holm(family.map(({ p }) => p ?? 1)));
    expect(countries.cohorts[0].pAdjusted).toBeCloseTo(3 * (countries.cohorts[0].p ?? 1), 12);
    expect([countries.by, platforms.by]).toEqual(['country', 'platform']);
  });

  it('counts a user once, in the cohort seen first, so that a move after the assignment is no mismatch', () => {
    const before = [...users('old', [1000, 1000]), ...users('new', [100, 100])];
    const moved = users('old', [100, 600]).map((one) => ({ ...one, cohort: 'new', ts: AS_OF + HOUR }));
    const { cohorts, users: all } = compared([before, moved]);
    expect(all).toBe(2200);
    expect(cohorts.map((one) => [one.value, one.users, one.p])).toEqual([
      ['old', { A: 1000, B: 1000 }, 1],
      ['new', { A: 100, B: 100 }, 1],
    ]);
  });

  it('keeps what was found of a cohort of which a coarser sample has nobody left', () => {
    const splits = new CohortSplits('country', SETTINGS, { capacity: 256 });
    splits.look(users('DE', [200, 0]), AS_OF + HOUR);
    splits.look(users('FR', [60_000, 60_000]), AS_OF + 2 * HOUR);
    const [{ cohorts, sampled, users: all }] = comparedCohorts([splits]);
    expect(sampled).toBeLessThanOrEqual(256);
    expect(Math.abs(all / 120_200 - 1)).toBeLessThan(0.2);
    expect(cohorts[0]).toMatchObject({ value: 'DE', users: { A: 0, B: 0 }, expected: null, warning: true });
    expect(cohorts[0].p).toBeCloseTo(Math.exp(-logE([200, 0])), 15);
  });

  it('leaves out a variant of weight 0, and has no answer where one variant is left', () => {
    const settings = (weights: readonly number[]) => ({
      ...SETTINGS,
      variants: new Map(weights.map((weight, v) => ['ABC'[v], weight] as const)),
    });
    const three = compared([users('DE', [300, 50, 900])], settings([1, 0, 3])).cohorts[0];
    expect(three).toMatchObject({ expected: { A: 300, B: 0, C: 900 }, deviation: 0, p: 1, warning: false });
    const one = compared([users('DE', [300, 50])], settings([1, 0])).cohorts[0];
    expect(one).toEqual({
      value: 'DE',
      users: { A: 300, B: 50 },
      expected: null,
      deviation: null,
      p: null,
      pAdjusted: null,
      warning: false,
      reason: 'single_variant',
    });
  });

  it('has no cohort where no user was seen', () => {
    expect(compared([[]])).toEqual({ by: 'country', users: 0, sampled: 0, cohorts: [] });
  });
});
