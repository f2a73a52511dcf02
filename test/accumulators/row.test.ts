import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addRow, copyRow, emptyRow, type Row, sumsStarts } from '../../src/accumulators/row.ts';
import { rowCodec } from '../../src/accumulators/row-codec.ts';
import { EMPTY, Vector, vectorStarts } from '../../src/accumulators/vector.ts';
import { SCORE_WIDTH, SUMS, SUMS_WIDTH } from '../../src/measures/sums.ts';
import { anyRow, EVERY_KIND, mergeRows, rowsOf, SHAPE } from './rows.ts';

const codec = rowCodec(SHAPE);

function merged(rows: readonly Row[]): Row {
  return rows.reduce(mergeRows, emptyRow(SHAPE));
}

describe('a row', () => {
  it('merges in any order', () => {
    fc.assert(
      fc.property(anyRow, anyRow, (a, b) => {
        expect(codec.encode(mergeRows(a, b))).toEqual(codec.encode(mergeRows(b, a)));
      }),
    );
  });

  it('merges in any grouping', () => {
    fc.assert(
      fc.property(anyRow, anyRow, anyRow, (a, b, c) => {
        expect(codec.encode(mergeRows(mergeRows(a, b), c))).toEqual(codec.encode(mergeRows(a, mergeRows(b, c))));
      }),
    );
  });

  it('does not change by merging the empty row', () => {
    fc.assert(
      fc.property(anyRow, (row) => {
        expect(codec.encode(mergeRows(row, emptyRow(SHAPE)))).toEqual(codec.encode(row));
        expect(codec.encode(mergeRows(emptyRow(SHAPE), row))).toEqual(codec.encode(row));
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
    expect(sumsStarts(SHAPE)).toEqual([0, 4, 6, 10]);
    expect(emptyRow(SHAPE).sums).toHaveLength(10);
  });

  it('of another shape is refused', () => {
    expect(() => mergeRows(emptyRow(SHAPE), emptyRow({ names: ['mrr'], kinds: ['mean'] }))).toThrow('one shape');
  });

  it('with vectors of different numbers of buckets is refused', () => {
    const a = { ...emptyRow(SHAPE), vector: new Vector(64, 11) };
    const b = { ...emptyRow(SHAPE), vector: new Vector(256, 11) };
    expect(() => mergeRows(a, b)).toThrow('64 and 256 buckets');
  });
});

describe('rows of measures of every kind', () => {
  const every = rowsOf(EVERY_KIND);
  const texts = rowCodec(EVERY_KIND);

  it('merge in any order and grouping, and read back', () => {
    fc.assert(
      fc.property(every, every, every, (a, b, c) => {
        const text = texts.encode(mergeRows(mergeRows(a, b), c));
        expect(texts.encode(mergeRows(c, mergeRows(b, a)))).toBe(text);
        expect(texts.encode(texts.decode(text))).toBe(text);
      }),
    );
  });

  it('hold as many fields as their kind says, and nothing for what stands apart', () => {
    expect(sumsStarts(EVERY_KIND)).toEqual([0, 4, 4, 6, 10, 14, 17, 23]);
    expect(vectorStarts(EVERY_KIND.kinds)).toEqual([3, 6, 6, 8, 12, 16, 18, 21]);
    for (const kind of EVERY_KIND.kinds) {
      const { counted, values, squared, tail } = SUMS[kind];
      expect(SUMS_WIDTH[kind]).toBe((counted ? 2 : 0) + values.length + (squared ? 1 : 0) + tail.length);
      expect(1 + values.length + tail.length).toBeLessThanOrEqual(SCORE_WIDTH);
    }
  });
});

describe('the text of a row', () => {
  it('reads back', () => {
    fc.assert(
      fc.property(anyRow, (row) => {
        const read = codec.decode(codec.encode(row));
        expect({ ...read, vector: undefined }).toEqual({ ...row, vector: undefined });
        expect(sumsOf(read.vector)).toEqual(sumsOf(row.vector));
      }),
    );
  });

  it('names the measures, and holds digits beyond the safe integers as strings', () => {
    const row = emptyRow(SHAPE);
    row.impressions = 3;
    row.positives = 2;
    row.userless = 1;
    row.sums.splice(0, 4, 3, 2, 1_500_000_000, 2n ** 60n);
    const vector = new Vector(4, 11);
    const columns = Int32Array.of(5, 10);
    vector.add(1, true, columns, Float64Array.of(1_000_000_000, 1_000_000_000), 2);
    vector.add(1, false, columns, Float64Array.of(0, 1_000_000_000), 2);
    vector.add(3, true, Int32Array.of(5, 8, 9), Float64Array.of(500_000_000, 1, -1), 3);
    vector.addTo(3, 5, 2n ** 60n);
    row.vector = vector;
    expect(codec.encode(row)).toBe(
      '{"impressions":3,"positives":2,"userless":1,"measures":{"mrr":[3,2,1500000000,"1152921504606846976"],' +
        '"ctr":[0,0],"ndcg@10":[0,0,0,0]},"vector":{"buckets":4,"filled":[1,3],"n":[2,1],"positives":[1,1],"measures":{' +
        '"mrr":{"S":[1000000000,"1152921505106846976"]},"ctr":{"above":[0,0],"below":[0,0]},' +
        '"ndcg@10":{"n":[2,0],"n+":[1,0],"S":[2000000000,0]}}}}',
    );
  });

  it('says how many lists are empty only where any is, in the head and in the vector', () => {
    const row = emptyRow(SHAPE);
    row.impressions = 2;
    row.vector = new Vector(4, 11);
    row.vector.add(1, false, Int32Array.of(EMPTY), Float64Array.of(1), 1);
    row.vector.add(2, false, Int32Array.of(), Float64Array.of(), 0);
    row.empty = 1;
    const head = '"impressions":2,"positives":0,"userless":0,"empty":1,"measures":';
    const vector = '"vector":{"buckets":4,"filled":[1,2],"n":[1,1],"positives":[0,0],"empty":[1,0],"measures":';
    const text = codec.encode(row);
    expect(text).toContain(head);
    expect(text).toContain(vector);
    // A version that did not count them, and one without any, wrote the same.
    const former = codec.decode(text.replaceAll(/"empty":(?:1|\[1,0\]),/g, ''));
    expect(former.empty).toBe(0);
    expect(codec.encode(former)).not.toContain('empty');
  });

  it('gives a new measure an empty start and loses a removed one', () => {
    fc.assert(
      fc.property(anyRow, (row) => {
        const other = rowCodec({ names: ['ndcg@10', 'new'], kinds: ['mean', 'mean'] });
        const read = other.decode(codec.encode(row));
        expect(read.sums).toEqual([...row.sums.slice(6), 0, 0, 0, 0]);
        expect(read.impressions).toBe(row.impressions);
        expect(sumsOf(read.vector)).toEqual(
          sumsOf(row.vector)?.map((sums) => [
            ...sums.slice(0, 3),
            ...sums.slice(8, 11),
            sums[0],
            sums[1] === 0 ? 0 : typeof sums[1] === 'bigint' ? -sums[1] : -sums[1],
            0,
          ]),
        );
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
    [withVector('{"buckets":3,"filled":[],"n":[],"positives":[],"measures":{}}'), 'vector.buckets: expected a power'],
    [withVector('{"buckets":2,"filled":[2],"n":[1],"positives":[1],"measures":{}}'), 'vector.filled[0]'],
    [withVector('{"buckets":2,"filled":[1,1],"n":[1,1],"positives":[1,1],"measures":{}}'), 'vector.filled[1]'],
    [withVector('{"buckets":2,"filled":[1],"n":[],"positives":[1],"measures":{}}'), 'vector.n: expected 1 sums'],
    [
      withVector('{"buckets":2,"filled":[1],"n":[1],"positives":[1],"measures":{"mrr":{"S":[0.5]}}}'),
      'vector.measures.mrr.S[0]: expected a whole number',
    ],
    [
      withVector('{"buckets":2,"filled":[1],"n":[1],"positives":[1],"measures":{"ctr":{}}}'),
      'ctr.above: expected a list',
    ],
  ])('%s is refused', (text, problem) => {
    expect(() => codec.decode(text)).toThrow(problem);
  });
});

function withVector(text: string): string {
  return `{"impressions":1,"positives":0,"userless":0,"measures":{},"vector":${text}}`;
}

/** All sums, by bucket, then column. */
function sumsOf(vector: Vector | undefined): (number | bigint)[][] | undefined {
  if (vector === undefined) return undefined;
  return Array.from({ length: vector.buckets }, (_, bucket) =>
    Array.from({ length: vector.width }, (__, column) => vector.sum(bucket, column)),
  );
}
