import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMeasure } from '../../src/measures/grammar/measure-name.ts';
import { NO_PATTERN, Patterns } from '../../src/measures/patterns.ts';
import { compile } from '../../src/measures/scorer.ts';
import type { Joined } from '../../src/vocabulary/events.ts';
import { alike, smallList, someMeasures } from './alike-lists.ts';
import { GRADING, joined } from './lists.ts';

const parse = (text: string) => parseMeasure(text, { relevantFrom: 1 });

/** A list of 20 slots with one event, whose action 0 counts by itself, action 1 by its value and action 2 as often as it comes. */
function listWith(
  change: Partial<Joined> & { readonly event?: readonly [slot: number, action: number, value: number] },
) {
  const { event: [slot, action, value] = [4, 0, 1], ...others } = change;
  const list: Joined = {
    length: 20,
    pageOffset: 0,
    ranks: undefined,
    firstSlot: undefined,
    events: 1,
    slot: Int32Array.of(slot, 0),
    action: Int32Array.of(action, 0),
    value: Float64Array.of(value, 0),
    ts: Float64Array.of(7, 0),
    ...others,
  };
  return list;
}

/** Events on a list of `listWith`. */
function eventsOf(...events: readonly (readonly [slot: number, action: number, value: number])[]): Partial<Joined> {
  return {
    events: events.length,
    slot: Int32Array.from(events, ([slot]) => slot),
    action: Int32Array.from(events, ([, action]) => action),
    value: Float64Array.from(events, ([, , value]) => value),
    ts: new Float64Array(events.length),
  };
}

const FIXED = { readsValue: false, addsUp: false };
const PATTERNS = new Patterns([FIXED, { readsValue: true, addsUp: false }, { readsValue: false, addsUp: true }]);

describe('patterns', () => {
  it('of lists that any measures score differently are different', () => {
    let pairs = 0;
    fc.assert(
      fc.property(someMeasures, fc.array(smallList, { minLength: 10, maxLength: 30 }), (measures, lists) => {
        const found = alike(measures, lists);
        expect(found.broken).toBeUndefined();
        pairs += found.pairs;
      }),
      { numRuns: 300 },
    );
    expect(pairs).toBeGreaterThan(100);
  });

  it('are one for lists that differ in nothing but what measures do not read', () => {
    const pattern = PATTERNS.of(listWith({}));
    expect(pattern).not.toBe(NO_PATTERN);
    expect(PATTERNS.of(listWith({ ts: Float64Array.of(99) }))).toBe(pattern);
    expect(PATTERNS.of(listWith({ event: [4, 0, 17.3] }))).toBe(pattern);
    expect(PATTERNS.of(listWith({ scores: Float64Array.of(1) }))).toBe(pattern);
    expect(PATTERNS.of(listWith(eventsOf([4, 0, 1], [4, 0, 1])))).toBe(pattern);
    expect(PATTERNS.of(listWith(eventsOf([5, -1, 1], [4, 0, 1])))).toBe(pattern);
    expect(PATTERNS.of(listWith({ event: [4, -1, 1] }))).toBe(PATTERNS.of(listWith({ events: 0 })));
  });

  it('are one for the same events in any order', () => {
    const events = fc.tuple(fc.nat(19), fc.nat(2), fc.constantFrom(1, 4.5, Number.NaN));
    let found = 0;
    fc.assert(
      fc.property(fc.array(events, { minLength: 2, maxLength: 6 }), fc.infiniteStream(fc.nat()), (list, order) => {
        const other = [...list].map((event) => [order.next().value ?? 0, event] as const);
        const shuffled = other.sort(([a], [b]) => a - b).map(([, event]) => event);
        const pattern = PATTERNS.of(listWith(eventsOf(...list)));
        expect(PATTERNS.of(listWith(eventsOf(...shuffled)))).toBe(pattern);
        if (pattern !== NO_PATTERN) found++;
      }),
    );
    expect(found).toBeGreaterThan(20);
  });

  it('differ by everything that measures read', () => {
    const lists = [
      listWith({}),
      listWith({ length: 21 }),
      listWith({ pageOffset: 20 }),
      listWith({ length: 0, events: 0 }),
      listWith({ length: 0, events: 0, pageOffset: 20 }),
      listWith({ events: 0 }),
      listWith({ event: [5, 0, 1] }),
      listWith({ event: [4, 1, 1] }),
      listWith({ event: [4, 1, 0.5] }),
      listWith({ event: [4, 1, Number.NaN] }),
      listWith({ event: [4, 2, 1] }),
      listWith(eventsOf([4, 0, 1], [5, 0, 1])),
      listWith(eventsOf([4, 0, 1], [4, 1, 1])),
      listWith(eventsOf([4, 2, 1], [4, 2, 1])),
      listWith(eventsOf([4, 2, 1], [4, 2, 1], [4, 2, 1])),
      listWith(eventsOf([4, 0, 1], [5, 0, 1], [6, 0, 1], [7, 0, 1])),
    ].map((list) => PATTERNS.of(list));
    expect(new Set(lists).size).toBe(lists.length);
    expect(lists).not.toContain(NO_PATTERN);
  });

  it.each([
    ['seven events that differ', eventsOf(...[1, 2, 3, 4, 5, 6, 7].map((slot) => [slot, 0, 1] as const))],
    [
      'six events on a hundred slots',
      { length: 100, ...eventsOf(...[9, 10, 11, 12, 13, 14].map((slot) => [slot, 1, 1] as const)) },
    ],
    ['two values of one slot and action', { event: [4, 1, 2], ...eventsOf([4, 1, 2], [4, 1, 3]) }],
    ['explicit ranks', { ranks: Int32Array.from({ length: 20 }, (_, s) => s + 1) }],
    ['items that repeat', { firstSlot: new Int32Array(20) }],
    ['known items that were not shown', { known: [1] }],
    ['1024 slots', { length: 1024 }],
    ['2^31 slots before this page', { pageOffset: 2 ** 31 }],
    ['a value of 16', { event: [4, 1, 16] }],
    ['a value of 0', { event: [4, 1, 0] }],
    ['a value of -1', { event: [4, 1, -1] }],
    ['a value of 1/4', { event: [4, 1, 0.25] }],
  ] as const)('no list with %s has one', (_, change) => {
    expect(PATTERNS.of(listWith(change))).toBe(NO_PATTERN);
  });

  it('lists just inside these bounds have different ones', () => {
    const lists = [
      listWith({ length: 1023, event: [1022, 0, 1] }),
      listWith({ length: 1023, pageOffset: 2 ** 20 - 1, event: [1022, 0, 1] }),
      listWith({ length: 1023, pageOffset: 2 ** 20 - 1, event: [1022, 1, 15.5] }),
      listWith({ length: 1023, pageOffset: 2 ** 20 - 1, event: [1022, 1, 15] }),
    ].map((list) => PATTERNS.of(list));
    expect(new Set(lists).size).toBe(lists.length);
    for (const pattern of lists) expect(Number.isSafeInteger(pattern) && pattern !== NO_PATTERN).toBe(true);
  });

  it.each(['mae', 'spearman(by=score)', 'diversity'])('no list has one where %s reads more of it', (text) => {
    const catalogue = { size: 1, mostPopular: undefined, has: () => true, popularity: () => 1, category: () => 'c' };
    const scorer = compile([parse('mrr'), parse(text)], GRADING, catalogue);
    const list = joined({ offset: 0, slots: [{ item: 'a', rank: 1 }], events: [] }, scorer.actions);
    expect(scorer.patterns).toBeUndefined();
    expect(compile([parse('mrr')], GRADING).patterns?.of(list)).toBeGreaterThan(0);
  });
});
