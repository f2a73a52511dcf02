import { describe, expect, test } from 'vitest';
import { emptyRow, shapeOf } from '../../src/accumulators/row.ts';
import { LEFT_OUT_LISTS, MORE_POSITIVES, SUM, Vector, vectorStarts } from '../../src/accumulators/vector.ts';
import { variantState } from '../../src/experiment/units.ts';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';

const { measures } = parseMeasures(['ndcg@10', 'ndcg(empty=skip)@10', 'ndcg(empty=one)@10', 'ctr'], {
  relevantFrom: 1,
});
const SHAPE = shapeOf(measures);
const STARTS = vectorStarts(SHAPE.kinds);

/** So many buckets with five lists each, four of them positive; S is 2 and bucket / 1000, the fraction 1 of 4. */
function rowOf(buckets: number, change: (vector: Vector, bucket: number) => void = () => {}) {
  const vector = new Vector(256, STARTS[STARTS.length - 1]);
  for (let bucket = 0; bucket < buckets; bucket++) {
    for (let i = 0; i < 5; i++) vector.add(bucket, i < 4, new Int32Array(0), new Float64Array(0), 0);
    for (const m of [0, 1, 2]) vector.addTo(bucket, STARTS[m] + SUM, 2e9 + bucket * 1e6);
    vector.addTo(bucket, STARTS[3], 1e9);
    vector.addTo(bucket, STARTS[3] + 1, 4e9);
    change(vector, bucket);
  }
  return { ...emptyRow(SHAPE), impressions: 5 * buckets, positives: 4 * buckets, userless: 1, vector };
}

function values(row: ReturnType<typeof rowOf>): readonly unknown[] {
  return [...variantState(row, measures).means.values()].map((mean) => ('absent' in mean ? mean.absent : mean.value));
}

describe('a variant from its row', () => {
  test('means follow the policy of the measure for lists without positives', () => {
    const sum = 10 * 2 + 0.045;
    const [zero, skip, one, fraction] = values(rowOf(10));
    expect(zero).toBeCloseTo(sum / 50, 12);
    expect(skip).toBeCloseTo(sum / 40, 12);
    expect(one).toBeCloseTo((sum + 10) / 50, 12);
    expect(fraction).toBe(0.25);
  });

  test('lists that a measure leaves out, and positives by its own rule, are taken into account', () => {
    const row = rowOf(10, (vector, bucket) => {
      for (const m of [0, 1]) {
        vector.addTo(bucket, STARTS[m] + LEFT_OUT_LISTS, 1);
        vector.addTo(bucket, STARTS[m] + MORE_POSITIVES, -1);
      }
    });
    const [zero, skip] = values(row);
    expect(zero).toBeCloseTo(20.045 / 40, 12);
    expect(skip).toBeCloseTo(20.045 / 30, 12);
  });

  test.each([
    [7, { absent: 'few_buckets' }],
    [8, expect.any(Number)],
    [9, expect.any(Number)],
  ])('%d buckets: the error is %j', (buckets, stderr) => {
    expect(variantState(rowOf(buckets), measures).means.get('ndcg@10')).toMatchObject({ stderr, df: 255 });
  });

  test('counts come from the head, buckets from the vector', () => {
    expect(variantState(rowOf(9), measures)).toMatchObject({ impressions: 45, positives: 36, userless: 1, buckets: 9 });
  });

  test('without a vector there are values, but no errors', () => {
    const row = { ...emptyRow(SHAPE), impressions: 4, sums: [4, 2, 3e9, 3e9, 0, 0, 0, 0, 4, 2, 3e9, 3e9, 1e9, 4e9] };
    const { means } = variantState(row, measures);
    expect(means.get('ndcg@10')).toMatchObject({ value: 0.75, stderr: { absent: 'no_vector' }, df: 0, kish: 0 });
    expect(means.get('ndcg(empty=skip)@10')).toEqual({ absent: 'no_data' });
    expect(means.get('ctr')).toMatchObject({ value: 0.25 });
  });
});
