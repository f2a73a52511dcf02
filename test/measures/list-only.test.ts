import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coverage } from '../../src/measures/coverage.ts';
import { distinct } from '../../src/measures/distinct.ts';
import { diversity } from '../../src/measures/diversity.ts';
import { duplicated } from '../../src/measures/duplicated.ts';
import { entropy } from '../../src/measures/entropy.ts';
import { type ExposureKind, Exposures, exposureOf } from '../../src/measures/exposures.ts';
import { gini } from '../../src/measures/gini.ts';
import { length } from '../../src/measures/length.ts';
import { measure } from '../../src/measures/measures.ts';
import { novelty } from '../../src/measures/novelty.ts';
import { popularity } from '../../src/measures/popularity.ts';
import { Registers, registerOf } from '../../src/measures/registers.ts';
import { short } from '../../src/measures/short.ts';
import type { Joined } from '../../src/vocabulary/events.ts';
import { CATALOGUE, LISTS } from './shown.ts';

function list(items: readonly string[], changes: Partial<Joined> = {}): Joined {
  const first = items.map((item) => items.indexOf(item));
  return {
    length: items.length,
    pageOffset: 0,
    ranks: undefined,
    firstSlot: first.some((slot, s) => slot !== s) ? Int32Array.from(first) : undefined,
    events: 0,
    slot: new Int32Array(0),
    action: new Int32Array(0),
    value: new Float64Array(0),
    ts: new Float64Array(0),
    items,
    ...changes,
  };
}

function exposuresOf(lists: readonly (readonly string[])[], kind: ExposureKind, limit = 100): Exposures {
  const exposures = new Exposures(limit);
  for (const items of lists) for (const [s, item] of items.entries()) exposures.add(item, exposureOf(kind, s + 1));
  return exposures;
}

function mean(value: (items: readonly string[]) => number): number {
  return LISTS.reduce((sum, items) => sum + value(items), 0) / LISTS.length;
}

const anyLists = fc.array(fc.array(fc.constantFrom(...'abcdefgh'), { maxLength: 8 }), { minLength: 1, maxLength: 8 });

describe('the worked examples', () => {
  const registers = new Registers();
  for (const item of LISTS.flat()) registers.add(registerOf(item));
  const counts = exposuresOf(LISTS, 'count').ascending();
  const byRank = exposuresOf(LISTS, 'log2').ascending();

  it.each([
    ['distinct', distinct(registers), 5],
    ['coverage', coverage(registers, 10), 0.5],
    ['gini', gini(counts, 5, false), 0.222222],
    ['gini(corrected=yes)', gini(counts, 5, true), 0.277778],
    ['gini(over=catalogue)', gini(counts, 10, false), 0.611111],
    ['gini(exposure=log2)', gini(byRank, 5, false), 0.360522],
    ['entropy', entropy(counts, false), 2.19716],
    ['entropy(norm=max)', entropy(counts, true), 0.946265],
    ['popularity', mean((items) => popularity(list(items), 3, CATALOGUE)), 25.111111],
    ['novelty(users=100)', mean((items) => novelty(list(items), 3, CATALOGUE, 100)), 2.734404],
    ['diversity', mean((items) => diversity(list(items), 3, CATALOGUE)), 7 / 9],
    ['length', mean((items) => length(list(items))), 3],
    ['short', mean((items) => short(list(items), 4)), 1],
    ['duplicated', mean((items) => duplicated(list(items))), 0],
  ])('%s', (_, value, expected) => {
    expect(value).toBeCloseTo(expected, 6);
  });
});

describe('gini and entropy', () => {
  it('are within their range, and even exposure is 0 and 1', () => {
    fc.assert(
      fc.property(anyLists, fc.constantFrom<ExposureKind>('count', 'log2'), (lists, kind) => {
        const ascending = exposuresOf(lists, kind).ascending();
        fc.pre(ascending.length > 1);
        for (const corrected of [true, false]) {
          expect(gini(ascending, ascending.length, corrected)).toBeGreaterThanOrEqual(0);
          expect(gini(ascending, ascending.length, corrected)).toBeLessThanOrEqual(1);
        }
        expect(entropy(ascending, true)).toBeGreaterThanOrEqual(0);
        expect(entropy(ascending, true)).toBeLessThanOrEqual(1);
        const even = ascending.map(() => 7);
        expect(gini(even, even.length, false)).toBe(0);
        expect(entropy(even, true)).toBeCloseTo(1, 12);
      }),
    );
  });

  it('are the definition by pairs: mean absolute difference over twice the mean', () => {
    fc.assert(
      fc.property(anyLists, fc.nat(5), (lists, unseen) => {
        const shown = exposuresOf(lists, 'count').ascending();
        fc.pre(shown.length > 0);
        const all = [...new Array<number>(unseen).fill(0), ...shown];
        const differences = all.flatMap((a) => all.map((b) => Math.abs(a - b))).reduce((sum, d) => sum + d, 0);
        const total = all.reduce((sum, x) => sum + x, 0);
        expect(gini(shown, all.length, false)).toBeCloseTo(differences / (2 * all.length * total), 12);
      }),
    );
  });

  it('grow and shrink as one item takes all', () => {
    expect(gini([0.001, 1000], 2, true)).toBeCloseTo(1, 5);
    expect(entropy([1], false)).toBe(0);
    expect(entropy([1], true)).toBeNaN();
    expect(gini([1], 1, true)).toBeNaN();
    expect(gini([], 0, false)).toBeNaN();
    expect(entropy([], false)).toBeNaN();
  });
});

describe('exposures', () => {
  it('merge to those of all lists at once, in any order, above the limit too', () => {
    fc.assert(
      fc.property(anyLists, anyLists, fc.integer({ min: 1, max: 9 }), (a, b, limit) => {
        const merged = exposuresOf(a, 'log2', limit);
        merged.merge(exposuresOf(b, 'log2', limit));
        const other = exposuresOf(b, 'log2', limit);
        other.merge(exposuresOf(a, 'log2', limit));
        const once = exposuresOf([...a, ...b], 'log2', limit);
        expect(merged.isOver).toBe(once.isOver);
        expect(once.isOver).toBe(new Set([...a, ...b].flat()).size > limit);
        expect(new Map(merged.amounts)).toEqual(new Map(once.amounts));
        expect(new Map(other.amounts)).toEqual(new Map(once.amounts));
      }),
    );
  });

  it('go beyond the safe integers without rounding', () => {
    const exposures = new Exposures(1);
    exposures.add('a', Number.MAX_SAFE_INTEGER);
    exposures.add('a', 2);
    expect(exposures.amounts.get('a')).toBe(9007199254740993n);
  });

  it.each([
    [1, 1_000_000_000],
    [2, 630_929_754],
    [3, 500_000_000],
  ])('by rank: rank %i adds %i', (rank, amount) => {
    expect(exposureOf('log2', rank)).toBe(amount);
    expect(exposureOf('count', rank)).toBe(1);
  });
});

describe('items that the catalogue does not know', () => {
  it('are left out of popularity and novelty', () => {
    expect(popularity(list(['a', '?', 'b']), 3, CATALOGUE)).toBe(37.5);
    expect(novelty(list(['?', 'b']), 2, CATALOGUE, 100)).toBe(2);
    expect(popularity(list(['?']), 1, CATALOGUE)).toBeNaN();
    expect(novelty(list([]), 0, CATALOGUE, 100)).toBeNaN();
  });

  it('have the category of their event', () => {
    expect(diversity(list(['?', 'a']), 2, CATALOGUE)).toBeNaN();
    expect(diversity(list(['?', 'a'], { categories: ['x', ''] }), 2, CATALOGUE)).toBe(0);
    expect(diversity(list(['?', 'a'], { categories: ['new', ''] }), 2, CATALOGUE)).toBe(1);
  });
});

describe('one list', () => {
  it('of one category is not diverse, and its copies are pairs', () => {
    expect(diversity(list(['a', 'b']), 2, CATALOGUE)).toBe(0);
    expect(diversity(list(['a', 'a', 'c']), 3, CATALOGUE)).toBeCloseTo(2 / 3, 12);
    expect(diversity(list(['a']), 1, CATALOGUE)).toBeNaN();
  });

  it('is short below the bound, not at it', () => {
    expect([2, 3, 4].map((slots) => short({ length: slots }, 3))).toEqual([1, 0, 0]);
    expect(length({ length: 0 })).toBe(0);
  });

  it('repeats an item or not', () => {
    expect(duplicated(list(['a', 'b', 'a']))).toBe(1);
    expect(duplicated(list(['a', 'b']))).toBe(0);
  });
});

describe('a measure of lists at hand', () => {
  const lists = LISTS.map((items) => ({ items, positives: [] }));

  it.each([
    ['distinct', 5],
    ['distinct@1', 1],
    ['coverage', 0.5],
    ['gini', 0.222222],
    ['gini(over=catalogue)', 0.611111],
    ['gini(exposure=log2)', 0.360522],
    ['entropy(norm=max)', 0.946265],
    ['popularity', 25.111111],
    ['popularity@1', 50],
    ['novelty(users=100)', 2.734404],
    ['diversity', 7 / 9],
    ['diversity@2', 1 / 3],
    ['length', 3],
    ['short(below=4)', 1],
    ['duplicated', 0],
  ])('%s is %d', (name, expected) => {
    const one = measure(name, { catalogue: CATALOGUE });
    expect(one.mean(lists)).toBeCloseTo(expected, 6);
    expect(one.name).toBe(name);
  });

  it('has a value of a list without slots only where that means something', () => {
    const empty = [{ items: [], positives: [] }];
    const values = ['length', 'short', 'duplicated', 'distinct', 'gini', 'diversity'].map((name) =>
      measure(name).mean(empty),
    );
    expect(values).toEqual([0, 1, 0, undefined, undefined, undefined]);
  });

  it('says what it lacks', () => {
    expect(() => measure('coverage')).toThrow('needs a catalogue');
    expect(() => measure('gini(over=catalogue)')).toThrow('gini with over=catalogue needs a catalogue');
    expect(() => measure('novelty')).toThrow('novelty needs users, a whole number');
    expect(() => measure('novelty(users=49)', { catalogue: CATALOGUE })).toThrow(
      'the item "a" of the catalogue has popularity 50, more than users=49',
    );
    expect(() => measure('gini').mean([{ grades: [1] }])).toThrow('gini needs the items of a list');
  });
});
