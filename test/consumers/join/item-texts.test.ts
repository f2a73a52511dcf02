import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JoinSettings } from '../../../src/consumers/join/api.ts';
import { createJoin } from '../../../src/consumers/join/join.ts';
import { click, impression, TWO_TOPICS } from '../../reference/builders.ts';

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

/** Lists of numbers, as far apart as needs one more byte or just not, whose lower halves are often the same. */
const numbered = fc
  .record({
    beginning: fc.constantFrom('', 'itm_', 'a'.repeat(30)),
    digits: fc.constantFrom(0, 0, 9),
    least: fc.constantFrom(0, 1, 65_535, 1_000_000),
    distances: fc.array(
      fc.oneof(
        fc.constantFrom(0, 1, 65_535, 65_536, 65_537, 131_072, 16_777_215, 16_777_216, 16_777_217, 900_000_000),
        fc.nat(300_000),
      ),
      { maxLength: 130, size: 'max' },
    ),
    most: fc.constantFrom(65_535, 16_777_215, 999_999_999),
    other: fc.nat(70_000),
    alike: fc.boolean(),
  })
  .map(({ beginning, digits, least, distances, most, other, alike }) => {
    const name = (distance: number): string => beginning + String(least + distance).padStart(digits, '0');
    const items = distances.filter((distance) => distance <= most).map(name);
    return { items, asked: alike ? name(other) : beginning + String(other) };
  });

const SETTINGS: JoinSettings = { ...TWO_TOPICS, horizons: [1000], namesItems: true, hashSeed: 7 };

/** What one list of these items becomes, with a click on each of the items asked for. */
function closed(items: readonly string[], asked: readonly string[]) {
  const seen: { items: readonly string[]; names: readonly string[]; first: readonly number[]; slots: number[] }[] = [];
  const join = createJoin(SETTINGS, {
    accepted: () => 0,
    unref: () => {},
    closed: ({ list }, names) =>
      seen.push({
        items: (list.items ?? []).slice(0, list.length),
        names: names.items(3),
        first: [...(list.firstSlot?.subarray(0, list.length) ?? items.keys())],
        slots: [...list.slot.subarray(0, list.events)],
      }),
  });
  join.record(0, 0, undefined, [impression(1000, { items })], undefined);
  const bytes = join.stateBytes;
  for (const [n, itemId] of asked.entries()) {
    join.record(1, n, undefined, [click(1001, { itemId, eventId: `e${n}` })], undefined);
  }
  for (const topic of [0, 1]) join.idle(topic, 10_000);
  join.advance();
  const { drops } = join.counts[1].feedback;
  join.close();
  return { bytes, seen, notInList: drops.not_in_list };
}

describe('the items of a list in memory', () => {
  it('are found where they stand first, nothing else is, and they read back', () => {
    fc.assert(
      fc.property(fc.oneof(lists, numbered), ({ items, asked }) => {
        const all = [...items, asked];
        const { seen, notInList } = closed(items, all);
        const slots = all.map((item) => items.indexOf(item)).filter((slot) => slot >= 0);
        const first = items.map((item) => items.indexOf(item));
        expect(seen).toEqual([{ items, names: items.slice(0, 3), first, slots }]);
        expect(notInList).toBe(all.length - slots.length);
      }),
      { numRuns: 3000 },
    );
  });

  it('share what all begin with, so that long beginnings are kept once', () => {
    const items = Array.from({ length: 500 }, (_, s) => `${'catalogue/item/'.repeat(30)}${100 + s}`);
    const { bytes, seen } = closed(items, []);
    expect(seen[0].items).toEqual(items);
    // What lies in segments of 16 KiB was there before.
    expect(bytes).toBe(closed([], []).bytes);
  });
});
