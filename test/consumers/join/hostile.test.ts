/** What ids can cost: comparisons are counted, not time. `bench/hostile.ts` measures the same in CPU. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JoinSettings } from '../../../src/consumers/join/api.ts';
import { createJoin } from '../../../src/consumers/join/join.ts';
import { ReplayNotes } from '../../../src/consumers/join/topic.ts';
import type { Event } from '../../../src/vocabulary/events.ts';
import { click, impression, TWO_TOPICS } from '../../reference/builders.ts';
import { Collector } from './closings.ts';

const SETTINGS: JoinSettings = { ...TWO_TOPICS, hashSeed: 12_345 };

const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);

/** Steps of the join over these events, and its state while all of them are open and after they have closed. */
function run(events: readonly Event[], settings: JoinSettings = SETTINGS) {
  const engine = createJoin(settings, new Collector(settings));
  const next = [0, 0];
  for (const event of events) {
    const topic = event.kind === 'impression' ? 0 : 1;
    engine.record(topic, next[topic]++, event.ts, [event], undefined);
  }
  const open = engine.stateBytes;
  engine.idle(0, 1e6);
  engine.idle(1, 1e6);
  engine.advance();
  return { steps: engine.steps, open, after: engine.stateBytes, counts: engine.counts };
}

describe('what ids cost', () => {
  it.each([
    ['a suffix', (n: number) => `${String(n).padStart(5, '0')}?src=home-feed`],
    ['a suffix of hundreds of bytes', (n: number) => `${String(n).padStart(5, '0')}${'x'.repeat(300)}`],
    ['a prefix', (n: number) => `https://shop.example/item/${String(n).padStart(5, '0')}`],
    ['nothing but their length', (n: number) => (n * 2_654_435_761).toString(36).padStart(12, '0')],
  ])('is a few steps for each item of a list, whatever items have in common: %s', (_, idOf) => {
    const lists = range(20).map((k) => impression(1000, { requestId: `r${k}`, items: range(500).map(idOf) }));
    expect(run(lists).steps).toBeLessThan(2 * 20 * 500);
  });

  it('is a few steps for each click on a long list, and the index goes with the list', () => {
    const items = range(1000).map((n) => `item-${n}`);
    const clicks = range(20_000).map((n) => click(1001, { itemId: `item-${n % 1100}`, eventId: `e${n}` }));
    const events = [impression(1000, { items }), ...clicks];
    const { steps, open, after, counts } = run(events);
    expect(steps).toBeLessThan(10 * 20_000);
    expect(counts[1].feedback).toMatchObject({ attributed: 1000, drops: { not_in_list: 1800 } });
    const withoutIndex = run(events, { ...SETTINGS, searchUpTo: Number.POSITIVE_INFINITY });
    expect(withoutIndex.counts).toEqual(counts);
    expect(withoutIndex.steps).toBeGreaterThan(100 * 20_000);
    expect(open).toBeGreaterThan(withoutIndex.open + 10_000);
    expect(after).toBe(withoutIndex.after);
  });

  it('is a few steps for each click of a long chain of feedback, with event ids and without', () => {
    const settings = { ...SETTINGS, feedbackPerImpression: 1_000_000 };
    for (const eventId of [undefined, 'e']) {
      const clicks = range(10_000).map((n) =>
        click(1001 + (n % 5000), { eventId: eventId === undefined ? undefined : `${eventId}${n % 5000}` }),
      );
      const { steps, counts } = run([impression(1000), ...clicks], settings);
      expect(steps).toBeLessThan(5 * 10_000);
      expect(counts[1].feedback).toMatchObject({ attributed: 5000, drops: { duplicate: 5000 } });
    }
  });

  it('is a few steps for each event when a broken client has one request id for all', () => {
    const events = range(10_000).flatMap((n) => [
      impression(1000 + (n % 10), { requestId: 'undefined' }),
      click(1010, { requestId: 'undefined', itemId: 'none', eventId: `e${n}` }),
    ]);
    const { steps, counts } = run(events);
    expect(steps).toBeLessThan(5 * events.length);
    expect(counts[0].impressions).toMatchObject({ accepted: 1, drops: { duplicate: 9999 } });
  });
});

describe('what many pages of one request cost', () => {
  const spread = (k: number): number => 1000 + ((k * 7919) % 9000);
  const page = (k: number, items: readonly string[], ts = 1000) =>
    impression(ts, { requestId: 'r', pageOffset: k, items });
  const onIt = (k: number, itemId: string, ts = 1001) => click(ts, { requestId: 'r', itemId, eventId: `e${k}` });
  const SIZE = 2000;
  const cases: [string, (n: number) => Event[]][] = [
    [
      'each with an item of its own',
      (n) => [...range(n).map((k) => page(k, [`a${k}`])), ...range(n).map((k) => onIt(k, `a${k}`))],
    ],
    [
      'all with one item, at many times',
      (n) => range(n).flatMap((k) => [page(k, ['a'], spread(k)), onIt(k, 'a', spread(3 * k))]),
    ],
    [
      'that nothing fits',
      (n) => [...range(n).map((k) => page(k, ['a'])), ...range(n).map((k) => onIt(k, 'a', 11_000))],
    ],
    [
      'for which other items wait',
      (n) => [...range(n).map((k) => onIt(k, `a${k}`)), ...range(n).map((k) => page(k, ['b']))],
    ],
    [
      'for which their items wait',
      (n) => [...range(n).map((k) => onIt(k, `a${k}`, spread(k))), ...range(n).map((k) => page(k, [`a${n - k}`]))],
    ],
    [
      'for which feedback waits that they do not fit',
      (n) => [...range(n).map((k) => onIt(k, 'a', 11_000)), ...range(n).map((k) => page(k, ['a']))],
    ],
    ['again and again', (n) => range(4 * n).map((k) => page(k % 7, ['a'], 1000 + 5000 * (k % 2) + (k % 100)))],
  ];

  it.each(cases)('is a few steps for each event, however many they are: %s', (_, events) => {
    const [few, many] = [SIZE, 4 * SIZE].map((n) => run(events(n)).steps / events(n).length);
    expect(few).toBeLessThan(150);
    expect(many).toBeLessThan(few + 20);
  });

  it.each(cases)('and the index changes no result: %s', (_, events) => {
    const some = events(300);
    const without = run(some, { ...SETTINGS, searchUpTo: Number.POSITIVE_INFINITY });
    for (const searchUpTo of [0, 1, 64]) {
      const { counts, after } = run(some, { ...SETTINGS, searchUpTo });
      expect(counts).toEqual(without.counts);
      expect(after).toBe(without.after);
    }
  });
});

describe('notes of what a replay needs', () => {
  it('know the least offset that is needed, as a search of all does, in whatever order it is noted and let go', () => {
    const step = fc.record({ offset: fc.nat(60), until: fc.nat(400), forget: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const notes = new ReplayNotes(1280);
        const all: { offset: number; slice: number }[] = [];
        for (const { offset, until, forget } of steps) {
          notes.note(offset, -offset, until);
          all.push({ offset, slice: Math.floor(until / 10) });
          if (forget === 0) {
            notes.forget(until);
            for (let n = all.length - 1; n >= 0; n--) if ((all[n].slice + 1) * 10 <= until) all.splice(n, 1);
          }
          const least = Math.min(...all.map((note) => note.offset));
          const found = notes.least();
          expect(found?.offset ?? Number.POSITIVE_INFINITY).toBe(least);
          if (found !== undefined) expect(found.watermark).toBe(-least);
        }
      }),
    );
  });
});
