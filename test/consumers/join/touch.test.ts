/** Feedback without the id of its list, against the rule in its plainest form (specification: join 10). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOUCHES, Touch, type TouchCounts, type TouchSettings } from '../../../src/consumers/join/touch.ts';
import { type Event, NO_ID } from '../../../src/vocabulary/events.ts';
import { click, impression, log, TWO_TOPICS } from '../../reference/builders.ts';
import { type Delivered, delivered, difference, histories, released, sumOf } from './touch-logs.ts';

describe('feedback without the id of its list', () => {
  it.each(TOUCHES)('touch %s: goes where the rule says, whatever the interleaving', (touch) => {
    const seen: TouchCounts[] = [];
    fc.assert(
      fc.property(histories(touch), (history) => {
        seen.push({ ...released(history, Touch).counts });
        expect(difference(history, Touch)).toBeUndefined();
      }),
      { numRuns: 2000, seed: 20_261_130 },
    );
    // Everything that the rule tells apart has occurred.
    const { looked, several, none, listsWithoutKey } = sumOf(seen);
    expect(Math.min(several, none, looked - several - none, listsWithoutKey)).toBeGreaterThan(500);
  });

  it('that of one user does not depend on the others', () => {
    const one = fc.record({
      user: fc.constantFrom('u', 'v', 'w'),
      isList: fc.boolean(),
      items: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }),
      item: fc.constantFrom('a', 'b', 'c'),
      pace: fc.integer({ min: 0, max: 4000 }),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), fc.constantFrom(...TOUCHES), (all, touch) => {
        let time = 0;
        const events = all.map(({ user, isList, items, item, pace }, n) => {
          time += pace;
          return isList
            ? impression(time, { requestId: `r${n}`, joinKey: user, items })
            : click(time, { requestId: NO_ID, joinKey: user, itemId: item });
        });
        const settings: TouchSettings = { ...TWO_TOPICS, topics: [BOTH], touch, latest: Number.POSITIVE_INFINITY };
        const named = namedBy(settings, events);
        for (const user of ['u', 'v', 'w']) {
          const isOwn = ({ joinKey }: Event): boolean => joinKey === user;
          expect(named.filter(isOwn)).toEqual(namedBy(settings, events.filter(isOwn)));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is found among many lists of one user as among few', () => {
    // One user with hundreds of lists, of which an index is made and forgotten; the same lists of hundreds of users have none.
    const settings: TouchSettings = { ...TWO_TOPICS, topics: [BOTH], touch: 'last', latest: Number.POSITIVE_INFINITY };
    const events = Array.from({ length: 1500 }, (_, n): readonly Event[] => {
      const [own, item] = [{ requestId: `r${n}`, joinKey: 'u', items: [`i${n % 400}`, `j${n}`] }, `i${(n * 7) % 400}`];
      return [impression(n * 50, own), click(n * 50 + 20, { requestId: NO_ID, joinKey: 'u', itemId: item })];
    }).flat();
    const newest = events.map((event, at) => {
      if (event.kind === 'impression') return event;
      const fitting = events.slice(0, at).filter((list) => list.kind === 'impression' && event.ts - list.ts < 10_000);
      const holding = fitting.filter((list) => list.kind === 'impression' && list.items.includes(event.itemId));
      return { ...event, requestId: (holding.at(-1) ?? fitting.at(-1))?.requestId };
    });
    expect(namedBy(settings, events)).toEqual(newest);
  });
});

const BOTH = { impressions: true, feedback: true };

function namedBy(settings: TouchSettings, events: readonly Event[]): readonly Event[] {
  const touch = new Touch<Delivered>(settings);
  const records = log(events).records.flatMap((record) => {
    touch.read(0, delivered(record, 0));
    return touch.release(0);
  });
  touch.ended(0);
  return [...records, ...touch.release(0)].flatMap(({ decoded }) => ('events' in decoded ? decoded.events : []));
}

describe('memory', () => {
  const settings: TouchSettings = { ...TWO_TOPICS, touch: 'last', latest: Number.POSITIVE_INFINITY };
  const feedback = (ts: number, offset: number): Delivered => ({
    ...delivered(log([click(ts, { requestId: NO_ID, joinKey: 'u' })]).records[0], 1),
    offset,
    value: new Uint8Array(1000),
  });

  it('lists are forgotten when no feedback can mean them any more', () => {
    const touch = new Touch<Delivered>(settings);
    let most = 0;
    for (let n = 0; n < 3000; n++) {
      const list = impression(n * 100, { requestId: `r${n}`, joinKey: `u${n}` });
      touch.read(0, delivered(log([list]).records[0], 0));
      touch.read(1, feedback(n * 100, n));
      touch.release(0);
      touch.release(1);
      most = Math.max(most, touch.remembered);
    }
    // Those of twice the window of 10 s, and of an eighth of it until they are looked for.
    expect(most).toBeLessThanOrEqual(215);
    expect(most).toBeGreaterThan(200);
  });

  it('feedback that is dated ahead holds no more than so many bytes of what is behind it', () => {
    const touch = new Touch<Delivered>({ ...settings, mostBytes: 50_000 });
    const out: Delivered[] = [];
    touch.read(0, delivered(log([impression(0, { joinKey: 'u', requestId: 'r' })]).records[0], 0));
    for (let n = 0; n < 200; n++) {
      touch.read(1, feedback(n === 0 ? 1e9 : 5, n));
      out.push(...touch.release(1));
      expect(n + 1 - out.length).toBeLessThanOrEqual(51);
    }
    touch.ended(0);
    out.push(...touch.release(1));
    expect(out.map(({ offset }) => offset)).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  it('nothing waits once the impressions have ended', () => {
    const touch = new Touch<Delivered>(settings);
    touch.ended(0);
    for (let n = 0; n < 10; n++) {
      touch.read(1, feedback(n, n));
      expect(touch.release(1)).toHaveLength(1);
    }
  });
});
