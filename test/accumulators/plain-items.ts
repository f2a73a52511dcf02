import type { ItemsShape } from '../../src/accumulators/item-sums.ts';
import type { ItemCatalogue } from '../../src/measures/item-catalogue.ts';
import { registerOf } from '../../src/measures/registers.ts';
import { ShownItems } from '../../src/measures/shown-items.ts';
import type { Joined } from '../../src/vocabulary/events.ts';

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** One part of each kind, whose limit a few items exceed. */
export const ITEMS: ItemsShape = {
  parts: [
    { name: 'registers', holds: 'registers', k: Number.POSITIVE_INFINITY, known: false },
    { name: 'registers(known)@2', holds: 'registers', k: 2, known: true },
    { name: 'count', holds: 'count', k: Number.POSITIVE_INFINITY, known: false },
    { name: 'log2@3', holds: 'log2', k: 3, known: false },
  ],
  limit: 4,
};

export const LETTERS = [...'abcdef', 'é"'];
const KNOWN = ['a', 'b', 'c'];

/** Knows three letters. */
export const SMALL_CATALOGUE: ItemCatalogue = {
  size: KNOWN.length,
  mostPopular: undefined,
  has: (item) => KNOWN.includes(item),
  popularity: () => undefined,
  category: () => undefined,
};

export function joinedOf(items: readonly string[]): Joined {
  return {
    length: items.length,
    pageOffset: 0,
    ranks: undefined,
    firstSlot: undefined,
    events: 0,
    slot: new Int32Array(0),
    action: new Int32Array(0),
    value: new Float64Array(0),
    ts: new Float64Array(0),
    items,
  };
}

/** The items of one list, ready to be added. */
export function shownOf(items: readonly string[], shape: ItemsShape = ITEMS): ShownItems {
  const shown = new ShownItems(shape.parts, SMALL_CATALOGUE);
  shown.load(joinedOf(items));
  return shown;
}

/** The text of what a row keeps of all lists that were ever added to it, from the lists themselves. */
export function itemsText({ parts, limit }: ItemsShape, lists: readonly (readonly string[])[]): string {
  const texts = parts.map(({ name, holds, k, known }) => {
    const slots = lists.flatMap((items) =>
      items
        .map((item, s) => ({ item, rank: s + 1 }))
        .filter(({ item, rank }) => rank <= k && (!known || KNOWN.includes(item))),
    );
    const n = lists.filter((items) => items.length > 0).length;
    if (holds === 'registers') return `"${name}":{"n":${n},"runs":"${runsText(slots.map(({ item }) => item))}"}`;
    const items = [...new Set(slots.map(({ item }) => item))].sort();
    if (items.length > limit) return `"${name}":{"n":${n},"amounts":"over"}`;
    const amounts = items.map((item) => {
      const own = slots.filter((slot) => slot.item === item);
      const amount = own.reduce(
        (sum, { rank }) => sum + (holds === 'count' ? 1 : Math.round(1e9 / Math.log2(rank + 1))),
        0,
      );
      return `${JSON.stringify(item)}:${amount}`;
    });
    return `"${name}":{"n":${n},"amounts":{${amounts.join(',')}}}`;
  });
  return `{${texts.join(',')}}`;
}

/** A few items never fill so many registers that all are written. */
function runsText(items: readonly string[]): string {
  const runs = new Map<number, number>();
  for (const register of items.map(registerOf)) {
    const index = Math.floor(register / 64);
    runs.set(index, Math.max(runs.get(index) ?? 0, register % 64));
  }
  return [...runs]
    .sort(([a], [b]) => a - b)
    .map(([index, run]) => DIGITS[Math.floor(index / 64)] + DIGITS[index % 64] + DIGITS[run])
    .join('');
}
