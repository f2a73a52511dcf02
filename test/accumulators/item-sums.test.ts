import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addItems, encodeItems, ItemSums, type ItemsShape, readItems } from '../../src/accumulators/item-sums.ts';
import { emptyRow, type Row, type RowShape } from '../../src/accumulators/row.ts';
import { rowCodec } from '../../src/accumulators/row-codec.ts';
import { parseMeasure } from '../../src/measures/grammar/measure-name.ts';
import { LONGEST_RUN, REGISTERS, Registers } from '../../src/measures/registers.ts';
import { isOverItemLimit, rowValue } from '../../src/windows/windows.ts';
import { ITEMS, itemsText, LETTERS, shownOf } from './plain-items.ts';
import { mergeRows } from './rows.ts';

type Lists = readonly (readonly string[])[];

const anyLists: fc.Arbitrary<Lists> = fc.array(fc.array(fc.constantFrom(...LETTERS), { maxLength: 4 }), {
  maxLength: 6,
});

function sumsOf(lists: Lists, shape: ItemsShape = ITEMS): ItemSums {
  const sums = new ItemSums(shape);
  for (const items of lists) sums.add(shownOf(items, shape));
  return sums;
}

function merged(...all: readonly ItemSums[]): string {
  const sum = new ItemSums(ITEMS);
  for (const one of all) sum.merge(one);
  return encodeItems(sum);
}

describe('the items of a row', () => {
  it('are those of their lists', () => {
    fc.assert(
      fc.property(anyLists, (lists) => {
        expect(encodeItems(sumsOf(lists))).toBe(itemsText(ITEMS, lists));
      }),
    );
  });

  it('merge in any order and grouping to those of all lists at once', () => {
    fc.assert(
      fc.property(anyLists, anyLists, anyLists, (a, b, c) => {
        const whole = encodeItems(sumsOf([...a, ...b, ...c]));
        expect(merged(sumsOf(a), sumsOf(b), sumsOf(c))).toBe(whole);
        expect(merged(sumsOf(c), sumsOf(a), sumsOf(b))).toBe(whole);
        const later = sumsOf(b);
        later.merge(sumsOf(c));
        expect(merged(sumsOf(a), later)).toBe(whole);
      }),
    );
  });

  it('have one text if they are equal, and only then', () => {
    fc.assert(
      fc.property(anyLists, anyLists, (a, b) => {
        const [x, y] = [sumsOf(a), sumsOf(b)];
        expect(encodeItems(x) === encodeItems(y)).toBe(contentOf(x) === contentOf(y));
      }),
    );
  });

  it('read back from their text', () => {
    fc.assert(
      fc.property(anyLists, (lists) => {
        const text = encodeItems(sumsOf(lists));
        const read = readItems(JSON.parse(text), ITEMS);
        expect(encodeItems(read)).toBe(text);
        read.add(shownOf(['a']));
        expect(encodeItems(read)).toBe(itemsText(ITEMS, [...lists, ['a']]));
      }),
    );
  });

  it('are absent from a row until there are any, which is neutral', () => {
    const some = sumsOf([['a', 'b']]);
    expect(addItems(undefined, undefined)).toBeUndefined();
    const copy = addItems(undefined, some);
    expect(copy).not.toBe(some);
    expect(copy && encodeItems(copy)).toBe(encodeItems(some));
    expect(addItems(some, undefined)).toBe(some);
  });

  it('of other parts are refused', () => {
    expect(() => sumsOf([]).merge(new ItemSums({ ...ITEMS, parts: ITEMS.parts.slice(1) }))).toThrow('4 and 3 parts');
  });
});

/** What the sums hold, not by their text. */
function contentOf({ lists, sketches }: ItemSums): string {
  return JSON.stringify([
    lists,
    sketches.map((sketch) =>
      sketch instanceof Registers
        ? [...sketch.runs]
        : sketch.isOver || [...sketch.amounts].sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  ]);
}

describe('the text of registers', () => {
  const shape: ItemsShape = { parts: ITEMS.parts.slice(0, 1), limit: 1 };
  const registers = fc
    .tuple(fc.nat(REGISTERS), fc.array(fc.integer({ min: 1, max: LONGEST_RUN }), { minLength: 1, maxLength: 40 }))
    .map(([filled, runs]) => {
      const sums = new ItemSums(shape);
      const [sketch] = sums.sketches;
      for (let i = 0; i < filled && sketch instanceof Registers; i++) {
        sketch.raise((i * 2081) % REGISTERS, runs[i % runs.length]);
      }
      return sums;
    });

  it('reads back however many are filled, and takes the shorter of two forms', () => {
    fc.assert(
      fc.property(registers, (sums) => {
        const text = encodeItems(sums);
        expect(text.length).toBeLessThanOrEqual(REGISTERS + 40);
        const [read] = readItems(JSON.parse(text), shape).sketches;
        const [written] = sums.sketches;
        if (!(read instanceof Registers && written instanceof Registers)) throw new Error('no registers');
        expect(Buffer.compare(read.runs, written.runs)).toBe(0);
      }),
    );
  });
});

describe('stored items', () => {
  const shape: ItemsShape = {
    parts: [
      { name: 'registers', holds: 'registers', k: Number.POSITIVE_INFINITY, known: false },
      { name: 'count@3', holds: 'count', k: 3, known: false },
    ],
    limit: 2,
  };

  it('look like this', () => {
    const sums = sumsOf([['b', 'a'], ['a']], shape);
    expect(encodeItems(sums)).toBe('{"registers":{"n":2,"runs":"bmCgqD"},"count@3":{"n":2,"amounts":{"a":2,"b":1}}}');
    expect(encodeItems(sumsOf([['a', 'b', 'c']], shape))).toContain('"count@3":{"n":1,"amounts":"over"}');
  });

  it('of another configuration give a new part an empty start, and lose a removed one', () => {
    const text = encodeItems(sumsOf([['a']], shape));
    const other: ItemsShape = { parts: [shape.parts[1], { ...shape.parts[1], name: 'count@9', k: 9 }], limit: 2 };
    expect(encodeItems(readItems(JSON.parse(text), other))).toBe(
      '{"count@3":{"n":1,"amounts":{"a":1}},"count@9":{"n":0,"amounts":{}}}',
    );
  });

  it('hold any item, whatever its name', () => {
    const names = ['__proto__', 'constructor', '"', '\\', '\u2028', '7', '\ud800', 'ü'];
    const all: ItemsShape = { parts: shape.parts.slice(1).map((part) => ({ ...part, k: 99 })), limit: 99 };
    const sums = sumsOf([names], all);
    const [read] = readItems(JSON.parse(encodeItems(sums)), all).sketches;
    if (read instanceof Registers) throw new Error('no exposures');
    expect([...read.amounts.keys()].sort()).toEqual([...names].sort());
  });

  it.each([
    ['[]', 'items: expected an object'],
    ['{"count@3":[]}', 'items.count@3: expected an object'],
    ['{"count@3":{"n":0.5,"amounts":{}}}', 'items.count@3.n: expected a whole number'],
    ['{"count@3":{"n":1,"amounts":{"a":0}}}', 'items.count@3.amounts: expected whole numbers above 0'],
    ['{"count@3":{"n":1,"amounts":{"a":"x"}}}', 'items.count@3.amounts: expected whole numbers above 0'],
    [
      '{"registers":{"n":1,"runs":"AAAA"}}',
      'items.registers.runs: expected 4096 digits, or three per register; found 4',
    ],
    ['{"registers":{"n":1,"runs":"AA!"}}', 'items.registers.runs: expected base64 digits'],
    ['{"registers":{"n":1,"runs":"AA/"}}', 'items.registers.runs: expected runs up to 53, found 63'],
  ])('%s are refused', (text, problem) => {
    expect(() => readItems(JSON.parse(text), shape)).toThrow(problem);
  });
});

describe('a row with items', () => {
  const shape: RowShape = { names: ['length'], kinds: ['mean'], items: ITEMS };
  const rowOf = (lists: Lists | undefined): Row => ({
    ...emptyRow(shape),
    items: lists === undefined ? undefined : sumsOf(lists),
  });

  it('merges with one that keeps none', () => {
    const codec = rowCodec(shape);
    const some = rowOf([['a', 'b']]);
    expect(codec.encode(mergeRows(rowOf(undefined), some))).toBe(codec.encode(some));
    expect(codec.encode(mergeRows(some, rowOf(undefined)))).toBe(codec.encode(some));
    expect(codec.encode(rowOf(undefined))).not.toContain('items');
  });

  it('is read without them by a shape that keeps none', () => {
    const text = rowCodec(shape).encode(rowOf([['a']]));
    expect(rowCodec({ names: ['length'], kinds: ['mean'] }).decode(text).items).toBeUndefined();
  });

  it('has values of items, with the number of lists behind them', () => {
    const value = (name: string, row: Row) => rowValue(parseMeasure(name, { relevantFrom: 1 }), row, [], 10);
    const row = rowOf([['a', 'b', 'a', 'c'], [], ['d']]);
    expect(value('distinct', row)).toEqual({ value: 4, n: 2 });
    expect(value('coverage@2', row)).toEqual({ value: 0.2, n: 2 });
    expect(value('entropy', row).n).toBe(2);
    expect(value('gini', row).value).toBeCloseTo(0.15, 12);
    expect(isOverItemLimit(row)).toBe(false);
    const over = rowOf([['a', 'b', 'c', 'd', 'e']]);
    expect(value('gini', over)).toEqual({ value: undefined, n: 1 });
    expect(value('distinct', over)).toEqual({ value: 5, n: 1 });
    expect(isOverItemLimit(over)).toBe(true);
    expect(value('gini', rowOf(undefined))).toEqual({ value: undefined, n: 0 });
    expect(value('distinct', rowOf([]))).toEqual({ value: undefined, n: 0 });
    expect(value('gini@7', row)).toEqual({ value: undefined, n: 0 });
  });
});
