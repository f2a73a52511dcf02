/** The memory that joins share: each gives back what it took, whatever it held when it was closed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { engine } from '../../../src/consumers/engine/engine.ts';
import type { JoinSettings, UnitJoin } from '../../../src/consumers/join/api.ts';
import { createJoin } from '../../../src/consumers/join/join.ts';
import type { Event } from '../../../src/vocabulary/events.ts';
import { click, impression, TWO_TOPICS } from '../../reference/builders.ts';

const SETTINGS: JoinSettings = { ...TWO_TOPICS, searchUpTo: 4 };
const SINK = { accepted: () => 1, unref: () => {}, closed: () => {} };

/** Few requests with many pages, long lists, long chains of feedback and much that waits: each kind of index is made. */
const events: fc.Arbitrary<readonly Event[]> = fc.array(
  fc
    .record({
      isClick: fc.boolean(),
      ts: fc.integer({ min: 1000, max: 4000 }),
      request: fc.integer({ min: 0, max: 3 }),
      page: fc.integer({ min: 0, max: 9 }),
      item: fc.integer({ min: 0, max: 30 }),
    })
    .map(({ isClick, ts, request, page, item }): Event => {
      const requestId = `r${request}`;
      if (isClick) return click(ts, { requestId, itemId: `item-${item}`, eventId: `e${ts}` });
      return impression(ts, {
        requestId,
        pageOffset: page,
        items: Array.from({ length: item }, (_, s) => `item-${s}`),
      });
    }),
  { maxLength: 300, size: 'max' },
);

function fill(join: UnitJoin, all: readonly Event[]): void {
  const next = [0, 0];
  for (const event of all) {
    const topic = event.kind === 'impression' ? 0 : 1;
    join.record(topic, next[topic]++, undefined, [event], undefined);
  }
}

describe('the memory of a join', () => {
  it('is what it says, and is given back when it is closed, by any order of closing', () => {
    const own = engine();
    fc.assert(
      fc.property(events, events, fc.boolean(), (one, other, isFirst) => {
        // What all joins share is as large as these events ask for.
        const tried = (): number => {
          const join = createJoin(SETTINGS, SINK);
          fill(join, [...one, ...other]);
          join.close();
          return own.takenBytes();
        };
        tried();
        const empty = tried();
        const joins = [createJoin(SETTINGS, SINK), createJoin(SETTINGS, SINK)];
        fill(joins[0], one);
        fill(joins[1], other);
        const held = joins[0].stateBytes + joins[1].stateBytes;
        expect(own.takenBytes() - empty).toBe(held);
        const [first, last] = isFirst ? joins : joins.toReversed();
        first.close();
        expect(own.takenBytes() - empty).toBe(last.stateBytes);
        expect(first.stateBytes).toBe(0);
        last.close();
        expect(own.takenBytes()).toBe(empty);
      }),
      { numRuns: 300 },
    );
  });

  it('leaves its counts behind, and takes nothing more', () => {
    const join = createJoin(SETTINGS, SINK);
    fill(join, [impression(1000), click(1001)]);
    const { openImpressions } = join;
    const counts = structuredClone(join.counts);
    join.close();
    join.close();
    createJoin(SETTINGS, SINK).close();
    expect(join.counts).toEqual(counts);
    expect(join.openImpressions).toBe(openImpressions);
    expect(join.delays.sum).toBe(0.001);
    expect(() => fill(join, [click(1001)])).toThrow('the join is closed');
  });

  it('of many is shared: a thousand with nothing open hold a few KiB each', () => {
    const joins = Array.from({ length: 1000 }, () => createJoin(SETTINGS, SINK));
    const bytes = joins.reduce((sum, { stateBytes }) => sum + stateBytes, 0);
    for (const join of joins) join.close();
    expect(bytes).toBeLessThan(1000 * 8192);
  });
});
