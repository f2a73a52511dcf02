import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addRow, copyRow, emptyRow, mergeRows, type Row, sumsOffsets } from '../../src/accumulators/row.ts';
import { rowCodec } from '../../src/accumulators/row-codec.ts';
import { anyRow, SHAPE } from './rows.ts';

const codec = rowCodec(SHAPE);

function merged(rows: readonly Row[]): Row {
  return rows.reduce(mergeRows, emptyRow(SHAPE));
}

describe('a row', () => {
  it('merges in any order', () => {
    fc.assert(
      fc.property(anyRow, anyRow, (a, b) => {
        expect(mergeRows(a, b)).toEqual(mergeRows(b, a));
      }),
    );
  });

  it('merges in any grouping', () => {
    fc.assert(
      fc.property(anyRow, anyRow, anyRow, (a, b, c) => {
        expect(mergeRows(mergeRows(a, b), c)).toEqual(mergeRows(a, mergeRows(b, c)));
      }),
    );
  });

  it('does not change by merging the empty row', () => {
    fc.assert(
      fc.property(anyRow, (row) => {
        expect(mergeRows(row, emptyRow(SHAPE))).toEqual(row);
        expect(mergeRows(emptyRow(SHAPE), row)).toEqual(row);
      }),
    );
  });

  it('is the same for any split of a history, to the last digit of its text', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyRow, fc.nat(3)), { maxLength: 12 }), (history) => {
        const parts = [0, 1, 2, 3].map((part) => merged(history.filter(([, p]) => p === part).map(([row]) => row)));
        expect(codec.encode(merged(parts))).toBe(codec.encode(merged(history.map(([row]) => row))));
      }),
    );
  });

  it('leaves what it merges as it was', () => {
    fc.assert(
      fc.property(anyRow, anyRow, (a, b) => {
        const before = [codec.encode(a), codec.encode(b)];
        addRow(copyRow(a), b);
        mergeRows(a, b);
        expect([codec.encode(a), codec.encode(b)]).toEqual(before);
      }),
    );
  });

  it('knows where each measure begins', () => {
    expect(sumsOffsets(SHAPE)).toEqual([0, 4, 6, 10]);
    expect(emptyRow(SHAPE).sums).toHaveLength(10);
  });

  it('of another shape is refused', () => {
    expect(() => mergeRows(emptyRow(SHAPE), emptyRow({ names: ['mrr'], kinds: ['mean'] }))).toThrow('one shape');
  });

  it('with vectors of different numbers of buckets is refused', () => {
    const a = { ...emptyRow(SHAPE), vector: { buckets: 64, columns: new Map() } };
    const b = { ...emptyRow(SHAPE), vector: { buckets: 256, columns: new Map() } };
    expect(() => mergeRows(a, b)).toThrow('64 and 256 buckets');
  });
});

describe('the text of a row', () => {
  it('reads back', () => {
    fc.assert(
      fc.property(anyRow, (row) => {
        expect(codec.decode(codec.encode(row))).toEqual(row);
      }),
    );
  });

  it('names the measures, and holds digits beyond the safe integers as strings', () => {
    const row = emptyRow(SHAPE);
    row.impressions = 3;
    row.positives = 2;
    row.userless = 1;
    row.sums.splice(0, 4, 3, 2, 1_500_000_000, 2n ** 60n);
    row.vector = { buckets: 4, columns: new Map([['n', [0, 2, 0, 1]]]) };
    expect(codec.encode(row)).toBe(
      '{"impressions":3,"positives":2,"userless":1,"measures":{"mrr":[3,2,1500000000,"1152921504606846976"],' +
        '"ctr":[0,0],"ndcg@10":[0,0,0,0]},"vector":{"buckets":4,"columns":{"n":{"1":2,"3":1}}}}',
    );
  });

  it('gives a new measure an empty start and loses a removed one', () => {
    fc.assert(
      fc.property(anyRow, (row) => {
        const other = rowCodec({ names: ['ndcg@10', 'new'], kinds: ['mean', 'mean'] });
        const read = other.decode(codec.encode(row));
        expect(read.sums).toEqual([...row.sums.slice(6), 0, 0, 0, 0]);
        expect(read.impressions).toBe(row.impressions);
        expect(read.vector).toEqual(row.vector);
      }),
    );
  });

  it.each([
    ['not json', 'row: expected JSON'],
    ['[]', 'row: expected an object'],
    ['{"impressions":1.5,"positives":0,"userless":0,"measures":{}}', 'row.impressions: expected a whole number'],
    ['{"impressions":1,"positives":0,"userless":0}', 'row.measures: expected an object'],
    ['{"impressions":1,"positives":0,"userless":0,"measures":{"mrr":[1,1]}}', 'row.measures.mrr: expected 4 sums'],
    ['{"impressions":1,"positives":0,"userless":0,"measures":{"mrr":[1,1,0.5,1]}}', 'row.measures.mrr[2]'],
    [
      '{"impressions":1,"positives":0,"userless":0,"measures":{},"vector":{"buckets":2,"columns":{"n":{"2":1}}}}',
      'n.2',
    ],
  ])('%s is refused', (text, problem) => {
    expect(() => codec.decode(text)).toThrow(problem);
  });
});
