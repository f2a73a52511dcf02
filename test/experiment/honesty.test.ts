/**
 * The promises of the decisions, counted on seeded streams (docs/statistics.md has the full run): a short form of
 * `npm run bench:honesty`. Tests that are not made for many looks must fail on the same streams.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { StreamSettings } from '../../bench/honesty/model.ts';
import { bothWays, compareShop, differences } from '../../bench/honesty/pipeline.ts';
import { BROKEN, watchCohorts, watchSplit } from '../../bench/honesty/ratio.ts';
import { SAME } from '../../bench/honesty/settings.ts';
import { type Watched, watch } from '../../bench/honesty/watch.ts';
import { SAMPLE_CAPACITY } from '../../src/statistics/user-sample.ts';

const [RETURNING] = SAME.values();
/** Where the intervals are as narrow as they get. */
const SHORT: StreamSettings = { ...RETURNING, users: 1000, looks: 40, lists: 10, nStar: 300 };

function seeds<Value>(n: number, run: (seed: number) => Value): Value[] {
  return Array.from({ length: n }, (_, i) => run(i + 1));
}

describe('two variants that are the same, looked at forty times', () => {
  const STREAMS = 100;
  let streams: readonly Watched[];
  const count = (holds: (one: Watched) => boolean): number => streams.filter(holds).length;
  beforeAll(() => {
    streams = seeds(STREAMS, (seed) => watch(seed, SHORT));
  });

  it('are called regressed or improved in at most 5 of 100 streams', () => {
    expect(count(({ regressed, improved }) => (regressed ?? improved) !== undefined)).toBeLessThanOrEqual(5);
  });

  it('show no sample ratio mismatch', () => {
    expect(count(({ srm }) => srm !== undefined)).toBe(0);
  });

  it('are distinguished in more than 40 by a test that takes lists as independent', () => {
    expect(count(({ listsEachLook }) => listsEachLook)).toBeGreaterThan(40);
  });

  it('are distinguished in more than 15 by the right error tested at each look, in 1 to 12 tested once', () => {
    expect(count(({ usersEachLook }) => usersEachLook)).toBeGreaterThan(15);
    expect(count(({ usersOnce }) => usersOnce)).toBeGreaterThanOrEqual(1);
    expect(count(({ usersOnce }) => usersOnce)).toBeLessThanOrEqual(12);
  });
});

describe('a treatment that is clicked less often by 5 %', () => {
  it('is called regressed in most streams of 20,000 users, and never improved', () => {
    const worse: StreamSettings = {
      ...SHORT,
      users: 20_000,
      looks: 10,
      activity: 1,
      taste: [2, 6],
      loss: 0.05,
      nStar: 5000,
    };
    const streams = seeds(8, (seed) => watch(seed, worse));
    expect(streams.filter(({ regressed }) => regressed !== undefined).length).toBeGreaterThanOrEqual(6);
    expect(streams.filter(({ improved }) => improved !== undefined)).toEqual([]);
  });
});

describe('a split of the users', () => {
  const split = { users: 30_000, looks: 10, capacity: SAMPLE_CAPACITY };

  it('that is off by 3 % is found in most streams', () => {
    const found = seeds(8, (seed) => watchSplit(seed, { ...split, deviation: 0.03 }));
    expect(found.filter((one) => one !== undefined).length).toBeGreaterThanOrEqual(5);
  });

  it('that is right is never found wrong', () => {
    const found = seeds(8, (seed) => watchSplit(seed, { ...split, deviation: 0 }));
    expect(found.filter((one) => one !== undefined)).toEqual([]);
  });
});

describe('a split of the users by cohort, looked at 24 times in twenty cohorts', () => {
  const split = { users: 12_000, looks: 24, cohorts: 20 };

  it('that is right in all has a p below .05 in at most 2 of 40 streams, and no warning; chi-square at each look has more', () => {
    const streams = seeds(40, (seed) => watchCohorts(seed, { ...split, lost: 0 }));
    expect(streams.filter(({ warned }) => warned.length > 0)).toEqual([]);
    expect(streams.filter(({ adjusted }) => adjusted < 0.05).length).toBeLessThanOrEqual(2);
    expect(streams.filter(({ chiSquareEachLook }) => chiSquareEachLook).length).toBeGreaterThan(2);
  });

  it('that loses half of the treatment in one is found there in most streams, and by all users seldom', () => {
    const streams = seeds(12, (seed) => watchCohorts(seed, { ...split, lost: 0.5 }));
    expect(streams.filter(({ warned }) => warned.includes(BROKEN)).length).toBeGreaterThanOrEqual(9);
    expect(streams.filter(({ warned }) => warned.some((cohort) => cohort !== BROKEN))).toEqual([]);
    expect(streams.filter(({ total }) => total).length).toBeLessThanOrEqual(2);
  });
});

describe('the whole data path', () => {
  it('gives the same looks to the last digit for a stream that is written as logs', async () => {
    const { direct, logged } = await bothWays(1, SHORT);
    const { looks, differ } = differences(direct, logged);
    expect(looks).toBe(SHORT.looks);
    expect(differ).toBe(0);
  });

  it('finds nothing in a simulated shop with two variants of one quality', async () => {
    const { comparison, trail } = await compareShop(1);
    expect(['insufficient', 'healthy']).toContain(comparison.variants[0].decision);
    expect(trail.get('treatment')?.length).toBeGreaterThan(20);
  });
});
