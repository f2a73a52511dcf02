import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Panes } from '../src/accumulators/panes.ts';
import { emptyRow, type Row, shapeOf } from '../src/accumulators/row.ts';
import { bucketSums, stderrsOf } from '../src/bucket-sums.ts';
import { LEFT_OUT, WITH_POSITIVE, WITHOUT_POSITIVE } from '../src/measures/contract.ts';
import type { Measure } from '../src/measures/family.ts';
import { parseMeasures } from '../src/measures/name.ts';
import { meanOfBuckets } from '../src/statistics/mean.ts';

const { measures } = parseMeasures(['mrr', 'mrr(empty=skip)', 'mrr(empty=one)', 'precision(avg=micro)@5'], {
  relevantFrom: 1,
});
const NAMES = measures.map(({ canonical }) => canonical);
/** First column of each measure: after the two heads, three for a mean. */
const FIRST = [2, 5, 8, 11];

interface List {
  readonly bucket: number;
  readonly positive: boolean;
  /** undefined: left out. */
  readonly value: number | undefined;
}

const list = (buckets: number): fc.Arbitrary<List> =>
  fc.record({
    bucket: fc.nat(buckets - 1),
    positive: fc.boolean(),
    value: fc.option(fc.constantFrom(0.25, 0.5, 1), { nil: undefined }),
  });

/** The row of some lists, as a total has it. A list without positives has the value 0. */
function rowOf(lists: readonly List[]): Row {
  const panes = new Panes({
    owner: { namespace: 'ns', unit: 0, generation: 'g' },
    paneSize: 1000,
    hour: 10_000,
    horizons: [{ text: '10ms', ms: 10 }],
    dimensions: [],
    sets: [[]],
    clustered: [],
    shape: shapeOf(measures),
    cohortsPerSet: 1,
    keepMinutes: 20,
    keepHours: 20,
    keepVectors: 20,
    totals: ['all'],
    settledUpTo: Number.NEGATIVE_INFINITY,
  });
  const tag = panes.cohorts.tag([]);
  for (const { bucket, positive, value } of lists) {
    const state = value === undefined ? LEFT_OUT : positive ? WITH_POSITIVE : WITHOUT_POSITIVE;
    const mean = [state, positive ? (value ?? 0) : 0, 0];
    const fraction = [state, positive ? (value ?? 0) : 0, 5];
    panes.add(10, 0, 0, tag, false, positive, Float64Array.from([mean, mean, mean, fraction].flat()), bucket);
  }
  return panes.total('all').get('10ms||') ?? emptyRow(shapeOf(measures));
}

/** What one list adds to numerator and denominator. */
function parts(measure: Measure, { positive, value }: List): readonly [number, number] {
  if (value === undefined) return [0, 0];
  if (measure.params.get('avg') === 'micro') return [positive ? value : 0, 5];
  if (positive) return [value, 1];
  switch (measure.params.get('empty')) {
    case 'skip':
      return [0, 0];
    case 'one':
      return [1, 1];
    default:
      return [0, 1];
  }
}

describe('sums by user bucket', () => {
  it('are those of the lists of each bucket, by the policy of each measure', () => {
    fc.assert(
      fc.property(fc.array(list(256), { minLength: 1, maxLength: 40 }), fc.nat(3), (lists, which) => {
        const { vector } = rowOf(lists);
        if (vector === undefined) throw new Error('a total without a vector');
        const { m, d } = bucketSums(vector, measures[which], FIRST[which]);
        const sums = lists.map((one) => ({ bucket: one.bucket, parts: parts(measures[which], one) }));
        for (let bucket = 0; bucket < 256; bucket++) {
          const own = sums.filter((one) => one.bucket === bucket).map((one) => one.parts);
          expect(m[bucket]).toBe(own.reduce((sum, [above]) => sum + above, 0));
          expect(d[bucket]).toBe(own.reduce((sum, [, below]) => sum + below, 0));
        }
      }),
    );
  });

  it('give each measure the error of its buckets', () => {
    const buckets = [0, 1, 2, 3, 5, 8, 13, 21, 34];
    const lists = buckets.flatMap((bucket, i) => [
      { bucket, positive: true, value: i % 2 === 0 ? 1 : 0.5 },
      { bucket, positive: i % 3 === 0, value: 0.25 },
    ]);
    const stderrs = stderrsOf(rowOf(lists), measures);
    measures.forEach((measure, i) => {
      const m = new Float64Array(256);
      const d = new Float64Array(256);
      for (const one of lists) {
        const [above, below] = parts(measure, one);
        m[one.bucket] += above;
        d[one.bucket] += below;
      }
      expect(meanOfBuckets(m, d)).toMatchObject({ stderr: stderrs[i] });
      expect(stderrs[i], NAMES[i]).toBeGreaterThan(0);
    });
  });

  it.each([7, 8, 9])('need eight buckets that are not empty: %d', (filled) => {
    const lists = Array.from({ length: filled }, (_, bucket) => ({ bucket, positive: bucket % 2 === 0, value: 1 }));
    const [mrr] = stderrsOf(rowOf(lists), measures);
    if (filled < 8) expect(mrr).toEqual({ absent: 'few_buckets' });
    else expect(mrr).toBeTypeOf('number');
  });

  it('say why there is no error', () => {
    const alike = Array.from({ length: 10 }, (_, bucket) => ({ bucket, positive: true, value: 0.5 }));
    expect(stderrsOf(rowOf(alike), measures)[0]).toEqual({ absent: 'zero_variance' });
    const leftOut = alike.map((one) => ({ ...one, value: undefined }));
    expect(stderrsOf(rowOf(leftOut), measures)[0]).toEqual({ absent: 'no_data' });
    expect(stderrsOf({ ...rowOf(alike), vector: undefined }, measures)[0]).toEqual({ absent: 'no_vector' });
    expect(stderrsOf({ ...rowOf(alike), impressions: 11 }, measures)[0]).toEqual({ absent: 'no_vector' });
  });
});
