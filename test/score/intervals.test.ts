import { describe, expect, it } from 'vitest';
import { parseMeasure } from '../../src/measures/grammar/measure-name.ts';
import { meanInterval } from '../../src/score/comparisons.ts';
import type { QueryScore } from '../../src/score/score-result.ts';

const counts = { retrieved: 1, relevant: 1, relevantRetrieved: 1 };

function queries(sums: readonly (readonly number[])[]): QueryScore[] {
  return sums.map((own, q) => ({ query: `q${q}`, counts, values: [own[0] / own[1]], sums: [own] }));
}

describe('the interval of a mean over queries', () => {
  it('is that of Student’s t', () => {
    const values = [0.2, 0.5, 0.6, 0.9];
    const found = meanInterval(
      parseMeasure('ap', { relevantFrom: 1 }),
      queries(values.map((value) => [value, 1])),
      0,
      0.05,
    );
    // Mean 0.55, standard deviation 0.2887, t(3) 3.1824.
    const half = (3.182446305284263 * Math.sqrt(0.25 / 3)) / 2;
    expect(found).toEqual({ lower: expect.closeTo(0.55 - half, 10), upper: expect.closeTo(0.55 + half, 10) });
  });

  it('what is no plain ratio has that of leaving out one query after the other', () => {
    const rmse = parseMeasure('rmse', { relevantFrom: 1 });
    const found = meanInterval(
      rmse,
      queries([
        [1, 1],
        [4, 1],
        [9, 1],
      ]),
      0,
      0.05,
    );
    const without = [6.5, 5, 2.5].map(Math.sqrt);
    const mean = (without[0] + without[1] + without[2]) / 3;
    const stderr = Math.sqrt((2 / 3) * without.reduce((sum, value) => sum + (value - mean) ** 2, 0));
    const half = 4.302652729911275 * stderr;
    const value = Math.sqrt(14 / 3);
    expect(found).toEqual({ lower: expect.closeTo(value - half, 8), upper: expect.closeTo(value + half, 8) });
  });

  it('is absent with its reason', () => {
    const of = (name: string, sums: readonly (readonly number[])[]) =>
      meanInterval(parseMeasure(name, { relevantFrom: 1 }), queries(sums), 0, 0.05);
    expect(of('ap', [])).toEqual({ absent: 'no_data' });
    expect(of('ap', [[0.5, 1]])).toEqual({ absent: 'few_buckets' });
    expect(
      of('ap', [
        [0.5, 1],
        [0.5, 1],
      ]),
    ).toEqual({ absent: 'zero_variance' });
    expect(of('coverage', [[0.5, 1]])).toEqual({ absent: 'no_vector' });
  });
});
