import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Panes } from '../../src/accumulators/panes.ts';
import { emptyRow, type Row, shapeOf } from '../../src/accumulators/row.ts';
import type { Measure } from '../../src/measures/definition.ts';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';
import { LEFT_OUT, WITH_POSITIVE, WITHOUT_POSITIVE } from '../../src/measures/sums.ts';
import { measureValue } from '../../src/measures/value.ts';
import { meanOfBuckets } from '../../src/statistics/mean.ts';
import { bucketSums, stderrsOf } from '../../src/windows/bucket-sums.ts';
import { byName } from '../measures/grammar/names.ts';

const { measures } = parseMeasures(['mrr', 'mrr(empty=skip)', 'mrr(empty=one)', 'precision(avg=micro)@5'], {
  relevantFrom: 1,
});
const NAMES = measures.map(({ canonical }) => canonical);
/** First column of each measure: after the three heads, three for a mean. */
const FIRST = [3, 6, 9, 12];

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

/** Panes of some measures with one total. */
function panesOf(some: readonly Measure[]): Panes {
  return new Panes({
    owner: { namespace: 'ns', unit: 0, generation: '1' },
    paneSize: 1000,
    hour: 10_000,
    horizons: [{ text: '10ms', ms: 10 }],
    dimensions: [],
    sets: [[]],
    clustered: [],
    shape: shapeOf(some),
    cohortsPerSet: 1,
    keepMinutes: 20,
    keepHours: 20,
    keepVectors: 20,
    totals: ['all'],
    runs: [],
    closedUpTo: Number.NEGATIVE_INFINITY,
  });
}

/** The row of some lists, as a total has it. A list without positives has the value 0. */
function rowOf(lists: readonly List[]): Row {
  const panes = panesOf(measures);
  const tag = panes.cohorts.tag([]);
  for (const { bucket, positive, value } of lists) {
    const state = value === undefined ? LEFT_OUT : positive ? WITH_POSITIVE : WITHOUT_POSITIVE;
    const mean = [state, positive ? (value ?? 0) : 0, 0, 0, 0];
    const fraction = [state, positive ? (value ?? 0) : 0, 5, 0, 0];
    panes.add(
      { at: 10, ts: 0, horizon: 0, tag, userless: false, bucket },
      positive,
      Float64Array.from([mean, mean, mean, fraction].flat()),
    );
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

const CURVED = [
  'rmse',
  'f1(of=means)@5',
  'f1(empty=skip,of=means)@5',
  'f1(per=class)@5',
  'recall(avg=weighted,per=class)@5',
];
const curved = parseMeasures(CURVED, { relevantFrom: 1 }).measures;

interface Scored {
  readonly bucket: number;
  readonly positive: boolean;
  readonly counts: boolean;
  readonly values: readonly number[];
}

/** The row of some lists of one measure. */
function curvedRow(measure: Measure, lists: readonly Scored[]): Row {
  const panes = panesOf([measure]);
  const tag = panes.cohorts.tag([]);
  for (const { bucket, positive, counts, values } of lists) {
    const state = !counts ? LEFT_OUT : positive ? WITH_POSITIVE : WITHOUT_POSITIVE;
    panes.add(
      { at: 10, ts: 0, horizon: 0, tag, userless: false, bucket },
      positive,
      Float64Array.from([state, ...(counts ? values : [0, 0, 0, 0])]),
    );
  }
  return panes.total('all').get('10ms||') ?? emptyRow(shapeOf([measure]));
}

describe('errors of what is no plain ratio', () => {
  it('are those of leaving out one bucket after the other', () => {
    const value = fc.constantFrom(0, 0.25, 0.5, 1);
    const lists = fc.array(
      fc.record({
        bucket: fc.nat(12),
        positive: fc.boolean(),
        counts: fc.constantFrom(true, true, true, false),
        values: fc.array(value, { minLength: 4, maxLength: 4 }),
      }),
      { minLength: 8, maxLength: 40 },
    );
    let known = 0;
    fc.assert(
      fc.property(fc.constantFrom(...curved.map(byName)), lists, (measure, all) => {
        const valueFrom = (some: readonly Scored[]) => measureValue(measure, curvedRow(measure, some).sums);
        const [stderr] = stderrsOf(curvedRow(measure, all), [measure]);
        const without = Array.from({ length: 256 }, (_, b) =>
          b > 12 ? valueFrom(all) : valueFrom(all.filter(({ bucket }) => bucket !== b)),
        );
        if (typeof stderr !== 'number') return;
        known++;
        const values = without.map((one) => one ?? Number.NaN);
        const mean = values.reduce((sum, one) => sum + one, 0) / 256;
        const squares = values.reduce((sum, one) => sum + (one - mean) ** 2, 0);
        expect(stderr).toBeCloseTo(Math.sqrt((255 / 256) * squares), 9);
      }),
    );
    expect(known).toBeGreaterThan(30);
  });

  it.each(CURVED.map((name, i) => [name, i] as const))('of %s need eight buckets, and lists', (_name, i) => {
    const lists = (buckets: number) =>
      Array.from({ length: buckets }, (_, bucket) => ({
        bucket,
        positive: true,
        counts: true,
        values: bucket % 2 === 0 ? [1, 1, 2, 3] : [0.5, 2, 1, 1],
      }));
    expect(stderrsOf(curvedRow(curved[i], lists(7)), [curved[i]])).toEqual([{ absent: 'few_buckets' }]);
    expect(stderrsOf(curvedRow(curved[i], lists(8)), [curved[i]])).toEqual([expect.any(Number)]);
    expect(stderrsOf(curvedRow(curved[i], []), [curved[i]])).toEqual([{ absent: 'no_vector' }]);
  });
});
