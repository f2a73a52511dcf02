import { beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../src/simulate/random.ts';
import { isAbsent } from '../../src/statistics/absent.ts';
import { jackknife } from '../../src/statistics/jackknife.ts';
import { meanOfBuckets } from '../../src/statistics/mean.ts';
import { BUCKETS } from '../../src/vocabulary/user-words.ts';

const DRAWS = 300;
const USERS = 20_000;

function stderrOf(m: ArrayLike<number>, d: ArrayLike<number>): number {
  const mean = meanOfBuckets(m, d);
  if (isAbsent(mean) || isAbsent(mean.stderr)) throw new Error('absent');
  return mean.stderr;
}

describe('the error from buckets, over 300 draws of 20,000 users', () => {
  const ratios: number[] = [];
  const impressionRatios: number[] = [];
  const jackknifeRatios: number[] = [];

  beforeAll(() => {
    const random = new Random(7, 'simulated errors');
    const m = new Float64Array(USERS);
    const d = new Float64Array(USERS);
    for (let draw = 0; draw < DRAWS; draw++) {
      const bucketM = new Float64Array(BUCKETS);
      const bucketD = new Float64Array(BUCKETS);
      let impressions = 0;
      let liked = 0;
      for (let u = 0; u < USERS; u++) {
        // Some users come often; each has a taste of his own.
        const shown = 1 + Math.floor(random.exponential(3));
        const taste = random.next() ** 2;
        let successes = 0;
        for (let i = 0; i < shown; i++) if (random.next() < taste) successes++;
        m[u] = successes;
        d[u] = shown;
        const bucket = Math.floor(random.next() * BUCKETS);
        bucketM[bucket] += successes;
        bucketD[bucket] += shown;
        impressions += shown;
        liked += successes;
      }
      const truth = stderrOf(m, d);
      const stderr = stderrOf(bucketM, bucketD);
      const share = liked / impressions;
      ratios.push(stderr / truth);
      impressionRatios.push(Math.sqrt((share * (1 - share)) / impressions) / truth);
      const other = jackknife([bucketM, bucketD], ([above, below]) => above / below);
      if (isAbsent(other)) throw new Error(other.absent);
      jackknifeRatios.push(other / stderr);
    }
  });

  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

  it('is that from users within 2 %, on average', () => {
    expect(Math.abs(mean(ratios) - 1)).toBeLessThan(0.02);
  });

  it('spreads by 1 / sqrt(2 (B - 1))', () => {
    const center = mean(ratios);
    const spread = Math.sqrt(mean(ratios.map((ratio) => (ratio - center) ** 2)));
    expect(spread).toBeGreaterThan(0.037);
    expect(spread).toBeLessThan(0.057);
  });

  it('is that of the jackknife within 1 %', () => {
    expect(Math.max(...jackknifeRatios.map((ratio) => Math.abs(ratio - 1)))).toBeLessThan(0.01);
  });

  it('is far above the one that takes impressions as independent', () => {
    expect(mean(impressionRatios)).toBeLessThan(0.8);
  });
});
