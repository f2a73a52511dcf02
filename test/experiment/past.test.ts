/** What docs/statistics.md counts of cohorts against their own past, in short: a form of `npm run bench:honesty -- --only past`. */
import { describe, expect, it } from 'vitest';
import type { CohortSettings } from '../../bench/honesty/cohort.ts';
import { judged } from '../../bench/honesty/cohort.ts';
import { findingOf, RULE, STILL } from '../../bench/honesty/past-tables.ts';

const SEEDS = [5001, 5002, 5003];
const REAL: CohortSettings = { ...STILL, moods: [0.01, 0.005] };

describe('a cohort against its own past', () => {
  it.each([20, 1000, 30_000])(
    'whose days differ by 1 % has no false alarm in a week, with %i lists a step',
    (lists) => {
      for (const seed of SEEDS) expect(judged(seed, { ...REAL, lists }, RULE)).not.toContain('regressed');
    },
  );

  it.each([
    [20, 0.6],
    [20, 1],
    [300, 0.6],
    [3000, 0.1],
    [30_000, 0.1],
    [30_000, 1],
  ])('with %i lists a step is regressed within two days of a fall of %d, and stays so', (lists, drop) => {
    for (const seed of SEEDS) {
      const { delay, stays } = findingOf(seed, { ...REAL, lists, drop });
      expect(delay).toBeLessThanOrEqual(48);
      expect(stays).toBeGreaterThan(0.95);
    }
  });

  it('is set off by days that differ by 10 %: a tolerance of 3 % is none for them', () => {
    const wild: CohortSettings = { ...STILL, lists: 30_000, moods: [0.1, 0.02] };
    expect(SEEDS.filter((seed) => judged(seed, wild, RULE).includes('regressed')).length).toBeGreaterThan(0);
    const tolerant = { ...RULE, tolerance: 0.4 };
    for (const seed of SEEDS) expect(judged(seed, wild, tolerant)).not.toContain('regressed');
  });
});
