import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeItems, ItemSums, readItems } from '../../src/accumulators/item-sums.ts';
import { emptyRow } from '../../src/accumulators/row.ts';
import { ItemNumbers, PackedItems } from '../../src/windows/packed-items.ts';
import { RunningWindows } from '../../src/windows/running-windows.ts';
import { ITEMS, LETTERS, shownOf } from '../accumulators/plain-items.ts';
import { SHAPE } from '../accumulators/rows.ts';

type Lists = readonly (readonly string[])[];

/** Whose amounts, times `by`, need 32 bits, 53 bits, or a big integer. */
const anyItems: fc.Arbitrary<{ readonly lists: Lists; readonly by: string }> = fc.record({
  lists: fc.array(fc.array(fc.constantFrom(...LETTERS), { maxLength: 4 }), { maxLength: 6 }),
  by: fc.constantFrom('1', '4294967295', '4294967296', '9007199254740993'),
});

function sumsOf({ lists, by }: { readonly lists: Lists; readonly by: string }): ItemSums {
  const sums = new ItemSums(ITEMS);
  for (const items of lists) sums.add(shownOf(items));
  const json = JSON.parse(encodeItems(sums), (key, value) =>
    typeof value === 'number' && key !== 'n' ? String(BigInt(value) * BigInt(by)) : value,
  );
  return readItems(json, ITEMS);
}

describe('packed items', () => {
  it('add to any others what they were made of, whatever the size of their amounts', () => {
    fc.assert(
      fc.property(fc.array(anyItems, { maxLength: 4 }), anyItems, (all, others) => {
        const numbers = new ItemNumbers();
        const packed = all.map((items) => new PackedItems(sumsOf(items), numbers));
        const [sum, plain] = [sumsOf(others), sumsOf(others)];
        for (const items of packed) items.addTo(sum);
        for (const items of all) plain.merge(sumsOf(items));
        expect(encodeItems(sum)).toBe(encodeItems(plain));
      }),
    );
  });

  it('have their items as long as somebody refers to them, in any order, and no longer', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyItems, fc.nat(5)), { maxLength: 8 }), (steps) => {
        const numbers = new ItemNumbers();
        const held: { readonly packed: PackedItems; readonly text: string }[] = [];
        for (const [items, at] of steps) {
          const sums = sumsOf(items);
          held.push({ text: encodeItems(sums), packed: new PackedItems(sums, numbers) });
          if (at < held.length) held.splice(at, 1)[0].packed.unref();
          for (const { packed, text } of held) {
            const sum = new ItemSums(ITEMS);
            packed.addTo(sum);
            expect(encodeItems(sum)).toBe(text);
          }
        }
        for (const { packed } of held) packed.unref();
        expect(numbers.size).toBe(0);
      }),
    );
  });

  it('are those of the panes of a window, which goes on over panes that it has forgotten', () => {
    const windows = new RunningWindows([2]);
    for (let pane = 0; pane < 5; pane++) {
      const items = sumsOf({ lists: [[`only ${pane}`]], by: '1' });
      windows.add(pane, new Map([['1m||', { ...emptyRow(SHAPE), items }]]));
      for (const _ of windows.moving(pane + 1));
      windows.forget(pane - 1);
    }
    const [[, row]] = windows.rows(0);
    const last = sumsOf({ lists: [['only 3'], ['only 4']], by: '1' });
    expect(row.items && encodeItems(row.items)).toBe(encodeItems(last));
  });
});

describe('numbers of items', () => {
  it('tell items apart, and are given again when nobody holds them', () => {
    const numbers = new ItemNumbers();
    const [a, b] = [numbers.ref('a'), numbers.ref('b')];
    expect(numbers.ref('a')).toBe(a);
    expect([numbers.item(a), numbers.item(b), numbers.size]).toEqual(['a', 'b', 2]);
    numbers.unref(a);
    expect([numbers.item(a), numbers.size]).toEqual(['a', 2]);
    numbers.unref(a);
    expect(numbers.size).toBe(1);
    expect(numbers.ref('c')).toBe(a);
    expect([numbers.item(a), numbers.item(b)]).toEqual(['c', 'b']);
  });
});
