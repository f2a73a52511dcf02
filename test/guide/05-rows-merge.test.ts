/** Chapter 5: results are kept as exact sums, so any split of a history merges to the same digits. */
import { describe, expect, it } from 'vitest';
import { fixed } from '../../src/accumulators/exact.ts';
import { addRow, emptyRow, type Row } from '../../src/accumulators/row.ts';
import { parseMeasure } from '../../src/measures/grammar/measure-name.ts';
import { measureValue } from '../../src/measures/value.ts';
import { mergeRows } from '../accumulators/rows.ts';

const MRR = parseMeasure('mrr', { relevantFrom: 1 });
const SHAPE = { names: ['mrr'], kinds: ['mean'] } as const;

/** The row of some lists, each given by the rank of its first positive; 0: none. */
function rowOf(ranks: readonly number[]): Row {
  const row = emptyRow(SHAPE);
  for (const rank of ranks) {
    const positive = rank > 0 ? 1 : 0;
    const value = rank > 0 ? 1 / rank : 0;
    // of mrr: n, n+, the sum, the sum of squares in billionths
    const sums = [1, positive, fixed(value), fixed(value * value)];
    addRow(row, { ...row, impressions: 1, positives: positive, userless: 0, sums });
  }
  return row;
}

describe('a row', () => {
  it('keeps whole numbers of a billionth', () => {
    const row = rowOf([1, 3, 0]); // 1 + 1/3 + 0; squares 1 + 1/9 + 0
    expect(row).toMatchObject({ impressions: 3, positives: 2 });
    expect(row.sums).toEqual([3, 2, 1_333_333_333, 1_111_111_111]);
  });

  it('gives the mean by one division at the end, by the rule for lists without positives', () => {
    const { sums } = rowOf([1, 3, 0]);
    expect(measureValue(MRR, sums)).toBe(1.333333333 / 3);
    expect(measureValue(parseMeasure('mrr(empty=skip)', { relevantFrom: 1 }), sums)).toBe(1.333333333 / 2);
  });

  it('without impressions has no value', () => {
    expect(measureValue(MRR, emptyRow(SHAPE).sums)).toBeUndefined();
  });
});

describe('merging', () => {
  const morning = [1, 2, 0, 3];
  const evening = [7, 0, 1];

  it('gives the row of all lists, wherever the history is cut', () => {
    const whole = rowOf([...morning, ...evening]);
    expect(mergeRows(rowOf(morning), rowOf(evening))).toEqual(whole);
    expect(mergeRows(rowOf(evening), rowOf(morning))).toEqual(whole);
  });

  it('is never an average of averages', () => {
    const both = measureValue(MRR, mergeRows(rowOf([1]), rowOf([0, 0, 0])).sums);
    expect(both).toBe(0.25); // 1 of 4 lists; the average of the averages 1 and 0 would be 0.5
  });

  it('is exact where doubles are not: half a billion thirds', () => {
    const third = rowOf([3]);
    let sum = emptyRow(SHAPE);
    for (let i = 0; i < 30; i++) sum = i === 0 ? third : mergeRows(sum, sum);
    expect(sum.impressions).toBe(2 ** 29);
    expect(BigInt(sum.sums[2])).toBe(333_333_333n * 2n ** 29n); // beyond 2^53, so a big integer
  });
});
