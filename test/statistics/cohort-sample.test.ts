import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CohortExposure, CohortSample, MOST_COHORTS } from '../../src/statistics/cohort-sample.ts';
import { exposureOf } from '../../src/statistics/exposure.ts';
import { SampleUnion } from '../../src/statistics/sample-union.ts';
import { UserSample } from '../../src/statistics/user-sample.ts';
import { sampleKey } from '../../src/vocabulary/user-words.ts';

const VARIANTS = 3;
const K = 64;

const exposure: fc.Arbitrary<CohortExposure> = fc.record({
  userId: fc.integer({ min: 0, max: 300 }).map((n) => `user-${n}`),
  variant: fc.integer({ min: 0, max: VARIANTS - 1 }),
  cohort: fc.constantFrom('DE', 'FR', 'US', 'BR', '__none__'),
  ts: fc.integer({ min: 0, max: 40 }),
});
const history = fc.array(exposure, { maxLength: 600, size: 'max' });

/** Looks at times 10, 20, ...: each takes the exposures before it. */
function inLooks(events: readonly CohortExposure[]): readonly (readonly CohortExposure[])[] {
  return [0, 1, 2, 3, 4].map((look) => events.filter(({ ts }) => Math.floor(ts / 10) === look));
}

function sampleOf(events: readonly CohortExposure[], capacity: number): CohortSample {
  const sample = new CohortSample(VARIANTS, { capacity });
  for (const look of inLooks(events)) sample.take(look);
  return sample;
}

const counted = (sample: CohortSample) => ({ level: sample.level, counts: Object.fromEntries(sample.counts()) });

/** The definition: the first exposure of each user in a table, then the smallest level that fits. */
function byTable(events: readonly CohortExposure[], capacity: number): ReturnType<typeof counted> {
  const named: string[] = [];
  for (const look of inLooks(events)) {
    const times = (cohort: string) => look.filter((one) => one.cohort === cohort).length;
    const fresh = [...new Set(look.map(({ cohort }) => cohort))].filter((cohort) => !named.includes(cohort)).sort();
    named.push(...fresh.sort((a, b) => times(b) - times(a)));
  }
  const rank = ({ ts, variant, cohort }: CohortExposure) => [ts, variant, named.indexOf(cohort)];
  const sorted = [...events].sort((a, b) => {
    const [x, y] = [rank(a), rank(b)];
    return x[0] - y[0] || x[1] - y[1] || x[2] - y[2];
  });
  const table = new Map<string, CohortExposure>();
  for (const event of sorted) if (!table.has(event.userId)) table.set(event.userId, event);
  let level = 0;
  const kept = () => [...table.values()].filter(({ userId }) => sampleKey(userId) / 2 ** 21 < 2 ** (32 - level));
  while (kept().length > capacity) level++;
  const counts: Record<string, number[]> = {};
  for (const { cohort, variant } of kept()) {
    counts[cohort] ??= new Array<number>(VARIANTS).fill(0);
    counts[cohort][variant]++;
  }
  return { level, counts };
}

describe('a sample of users by cohort', () => {
  it('is what a table of first exposures would give', () => {
    const levels = new Set<number>();
    fc.assert(
      fc.property(history, (events) => {
        const sample = sampleOf(events, K);
        levels.add(sample.level);
        expect(counted(sample)).toEqual(byTable(events, K));
      }),
    );
    expect(levels.size).toBeGreaterThan(2);
  });

  it('does not depend on the order within a look, or on repetition', () => {
    fc.assert(
      fc.property(history, (events) => {
        const again = [...events].reverse();
        expect(counted(sampleOf(again, K))).toEqual(counted(sampleOf(events, K)));
        const twice = [...events, ...events];
        expect(counted(sampleOf(twice, K))).toEqual(counted(sampleOf(events, K)));
      }),
    );
  });

  it('has cohorts that sum to the sample of all users, also where users change their cohort', () => {
    fc.assert(
      fc.property(history, fc.constantFrom(K, 1000), (events, capacity) => {
        const sample = sampleOf(events, capacity);
        const all = new UserSample(capacity);
        for (const { userId, variant, ts } of events) all.add(userId, variant, ts);
        const union = new SampleUnion();
        union.add(all);
        const { level, first, sampled } = exposureOf(union.exposed(), VARIANTS);
        const sums = new Array<number>(VARIANTS).fill(0);
        for (const counts of sample.counts().values()) for (const [v, n] of counts.entries()) sums[v] += n;
        expect({ level: sample.level, sums, sampled: sample.sampled }).toEqual({ level, sums: first, sampled });
      }),
    );
  });

  it('never holds more users than it may', () => {
    const sample = new CohortSample(2, { capacity: K });
    for (let n = 0; n < 5000; n++) {
      sample.take([{ userId: `u${n}`, variant: n % 2, cohort: `c${n % 7}`, ts: n }]);
      expect(sample.sampled).toBeLessThanOrEqual(K);
    }
    expect(sample.level).toBeGreaterThan(5);
  });
});

describe('the cohorts with a name', () => {
  const many = (from: number, to: number, ts: number, times = 1): CohortExposure[] =>
    Array.from({ length: (to - from) * times }, (_, i) => {
      const cohort = `c${String(from + (i % (to - from))).padStart(3, '0')}`;
      return { userId: `${cohort}-${i}-${ts}`, variant: i % 2, cohort, ts };
    });

  it.each([
    [MOST_COHORTS - 1, false],
    [MOST_COHORTS, false],
    [MOST_COHORTS + 1, true],
  ])('of %i: the rest is one (%s)', (n, rest) => {
    const sample = new CohortSample(2);
    sample.take(many(0, n, 0));
    expect(sample.counts().has('__other__')).toBe(rest);
    expect(sample.counts().size).toBe(n);
    expect(sample.sampled).toBe(n);
  });

  it('are the busiest of a look, and keep their name', () => {
    const sample = new CohortSample(2);
    sample.take([...many(0, 150, 0), ...many(140, 150, 0, 3)]);
    for (const busy of ['c140', 'c149']) expect(sample.counts().has(busy)).toBe(true);
    expect(sample.counts().has('c089')).toBe(true);
    expect(sample.counts().has('c090')).toBe(false);
    const named = new Set(sample.counts().keys());
    sample.take(many(200, 300, 1, 50));
    expect(new Set(sample.counts().keys())).toEqual(named);
    expect([...sample.counts().values()].flat().reduce((sum, n) => sum + n, 0)).toBe(150 + 30 + 5000);
  });
});
