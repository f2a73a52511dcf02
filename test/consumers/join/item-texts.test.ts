import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commonPrefix, ItemTexts } from '../../../src/consumers/join/item-texts.ts';
import { PackedFeedback } from '../../../src/consumers/packed/packed-feedback.ts';
import { PackedImpression } from '../../../src/consumers/packed/packed-impression.ts';
import type { Feedback, Impression } from '../../../src/vocabulary/events.ts';

const ending = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'b',
    'é',
    '日',
    '0198a3c4-5d6e-7f80-9a1b-2c3d4e5f6a7b',
    '0198a3c4-5d6e-7f80-9a1b-2c3d4e5f6a7c',
  ),
  fc.string({ maxLength: 40 }),
);
const beginning = fc.constantFrom(
  '',
  'itm_',
  'é',
  '日',
  'x'.repeat(31),
  'x'.repeat(36),
  '0198a3c4-5d6e-7f80-9a1b-2c3d4e5f6a7b',
);
/** Lists whose items mostly begin alike, and an item that may be one of them. */
const lists = fc
  .tuple(beginning, fc.array(ending, { maxLength: 12 }), ending, fc.boolean())
  .map(([start, ends, other, alike]) => ({
    items: ends.map((end) => start + end),
    asked: alike ? start + other : other,
  }));

function packedList(items: readonly string[]): PackedImpression {
  const list: Impression = {
    kind: 'impression',
    requestId: 'r',
    ts: 0,
    userId: undefined,
    offset: 0,
    items,
    ranks: undefined,
    dimensions: [],
  };
  return new PackedImpression().pack(list);
}

function packedItem(itemId: string): PackedFeedback {
  const click: Feedback = {
    kind: 'feedback',
    requestId: 'r',
    itemId,
    ts: 0,
    action: 'a',
    eventId: undefined,
    value: undefined,
  };
  return new PackedFeedback().pack(click);
}

describe('the items of a packed list', () => {
  it('are found where they stand first, nothing else is, and they read back', () => {
    const texts = new ItemTexts(7);
    const u8 = Buffer.alloc(4096);
    fc.assert(
      fc.property(lists, ({ items, asked }) => {
        const list = packedList(items);
        const end = texts.write(u8, 7, list, commonPrefix(list));
        expect(texts.repeats.found).toBe(new Set(items).size < items.length);
        for (const item of [...items, asked]) {
          const { u8: source, item: at } = packedItem(item);
          expect(texts.slotOf(u8, 7, items.length, source, at)).toBe(items.indexOf(item));
        }
        const read: string[] = [];
        expect(texts.read(u8, 7, items.length, read)).toBe(end);
        expect(read).toEqual(items);
      }),
      { numRuns: 3000 },
    );
  });

  it('share what all begin with, so that long beginnings are kept once', () => {
    const list = packedList(Array.from({ length: 20 }, (_, s) => `${'catalogue/item/'.repeat(3)}${100 + s}`));
    expect(commonPrefix(list)).toBe(46);
    const u8 = Buffer.alloc(4096);
    expect(new ItemTexts(7).write(u8, 0, list, 46)).toBe(2 + 46 + 20 * 3);
  });
});
