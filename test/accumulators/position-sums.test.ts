import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodePositions,
  PositionSums,
  readPositions,
  subtractPositions,
} from '../../src/accumulators/position-sums.ts';
import { emptyRow } from '../../src/accumulators/row.ts';
import { rowCodec } from '../../src/accumulators/row-codec.ts';
import { listOf, placesOf } from './lists.ts';
import { placesText } from './plain-panes.ts';
import { mergeRows, SHAPE } from './rows.ts';

const RANKS = 4;
const anyPlaces = fc
  .record({
    slots: fc.subarray([1, 2, 3, 4, 5, 9], { minLength: 1 }),
    with: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  })
  .map(({ slots, with: hits }) => ({ slots, positives: slots.filter((_, s) => hits[s]) }));
const anyLists = fc.array(anyPlaces, { maxLength: 8 });
type Lists = typeof anyLists extends fc.Arbitrary<infer T> ? T : never;

function sumsOf(lists: Lists, ranks = RANKS): PositionSums {
  const sums = new PositionSums(ranks);
  for (const { slots, positives } of lists) {
    sums.add(listOf(slots), placesOf(positives));
  }
  return sums;
}

function rowWith(positions: PositionSums) {
  return { ...emptyRow(SHAPE), positions };
}

describe('the counts by rank of a row', () => {
  it('are those of their lists', () => {
    fc.assert(
      fc.property(anyLists, (lists) => {
        const sums = sumsOf(lists);
        const [text = `"positions":${encodePositions(new PositionSums(RANKS))}`] = placesText(lists, RANKS);
        expect(`"positions":${encodePositions(sums)}`).toBe(text);
      }),
    );
  });

  it('take a page of a long list at its own ranks', () => {
    const sums = new PositionSums(5);
    sums.add({ ...listOf([]), length: 3, pageOffset: 3, ranks: undefined }, { count: 1, ranks: Float64Array.of(5) });
    expect(encodePositions(sums)).toBe('{"exposed":[0,0,0,1,1],"positives":[0,0,0,0,1]}');
  });

  it('merge in any order and grouping to those of all lists at once, and come apart again', () => {
    fc.assert(
      fc.property(anyLists, anyLists, anyLists, (a, b, c) => {
        const sum = sumsOf(c);
        sum.merge(sumsOf(a));
        const later = sumsOf(b);
        later.merge(sum);
        expect(encodePositions(later)).toBe(encodePositions(sumsOf([...a, ...b, ...c])));
        const left = subtractPositions(later, sumsOf([...a, ...c]));
        expect(left && encodePositions(left)).toBe(sumsOf(b).isEmpty ? undefined : encodePositions(sumsOf(b)));
      }),
    );
  });

  it('are kept by a row, and neutral where there are none', () => {
    const codec = rowCodec({ ...SHAPE, ranks: RANKS });
    fc.assert(
      fc.property(anyLists, anyLists, (a, b) => {
        const [x, y] = [rowWith(sumsOf(a)), rowWith(sumsOf(b))];
        expect(codec.encode(mergeRows(x, y))).toBe(codec.encode(rowWith(sumsOf([...a, ...b]))));
        expect(codec.encode(mergeRows(x, emptyRow(SHAPE)))).toBe(codec.encode(x));
        expect(codec.encode(mergeRows(emptyRow(SHAPE), x))).toBe(codec.encode(x));
        expect(codec.encode(codec.decode(codec.encode(x)))).toBe(codec.encode(x));
      }),
    );
  });

  it('are read by a configuration with more ranks, with fewer, and with none', () => {
    const text = rowCodec({ ...SHAPE, ranks: RANKS }).encode(rowWith(sumsOf([{ slots: [1, 2, 3], positives: [2] }])));
    const readBy = (ranks: number | undefined) => rowCodec({ ...SHAPE, ranks }).decode(text).positions;
    expect([...(readBy(6)?.exposed ?? [])]).toEqual([1, 1, 1, 0, 0, 0]);
    expect([...(readBy(2)?.positives ?? [])]).toEqual([0, 1]);
    expect(readBy(undefined)).toBeUndefined();
  });

  it('are absent from rows of earlier versions', () => {
    const text = rowCodec(SHAPE).encode(emptyRow(SHAPE));
    expect(rowCodec({ ...SHAPE, ranks: RANKS }).decode(text).positions).toBeUndefined();
  });

  it.each([
    [{ exposed: [1], positives: [1, 2] }, 'positions.positives: expected 1 counts, one per rank, found 2'],
    [{ exposed: [1.5], positives: [1] }, 'positions.exposed'],
    [{ positives: [] }, 'positions.exposed'],
    [[], 'positions'],
  ])('are refused where they are wrong: %j', (json, message) => {
    expect(() => readPositions(json, RANKS)).toThrow(message);
  });

  it('of other ranks are refused', () => {
    expect(() => new PositionSums(3).merge(new PositionSums(4))).toThrow('3 and 4 ranks');
  });
});
