import { describe, expect, it } from 'vitest';
import type { JoinSettings } from '../../../src/consumers/join/api.ts';
import { createJoin } from '../../../src/consumers/join/join.ts';
import type { Feedback } from '../../../src/vocabulary/events.ts';
import { click, impression, record } from '../../reference/builders.ts';
import { checkHistory } from './check.ts';
import { Collector } from './closings.ts';
import type { History } from './history.ts';

const TOPICS = [
  { impressions: true, feedback: false },
  { impressions: false, feedback: true },
] as const;

describe('large lists', () => {
  it.each([63, 64, 65, 1000])('of %i items with as many events are closed in full', (size) => {
    const items = Array.from({ length: size }, (_, n) => `item-${n % (size - 1)}`);
    const ranks = items.map((_, slot) => 3 * slot + 1);
    const clicks: Feedback[] = items.map((itemId, n) => click(1000 + (n % 30), { itemId, value: n }));
    const history: History = {
      settings: {
        topics: TOPICS,
        horizons: [10, 40],
        outOfOrderness: 0,
        backward: 0,
        futureSkew: 1000,
        feedbackPerImpression: size,
        actions: ['click'],
        namesItems: true,
      },
      frame: { scale: 1, origin: 1000, step: 5 },
      topics: [
        { records: [record(0, [impression(1000, { items, ranks }), impression(1000, { pageOffset: 9 })])], end: 1 },
        { records: [record(0, clicks), record(1, [click(1000)])], end: 2 },
      ],
      steps: [{ do: 'read', topic: 1, records: 1, hole: 'skip', now: undefined }, { do: 'commit' }, { do: 'crash' }],
    };
    checkHistory(createJoin, history);
  });
});

describe('memory', () => {
  const SETTINGS: JoinSettings = {
    topics: TOPICS,
    horizons: [1000, 10_000],
    outOfOrderness: 100,
    backward: 0,
    futureSkew: 1000,
    feedbackPerImpression: 10,
    actions: ['click'],
    namesItems: true,
  };
  const PER_MS = 3;
  const ROUND_MS = 25_000;
  const MIB = 2 ** 20;
  const items = Array.from({ length: 50 }, (_, n) => `item-${n}`);

  it('does not grow with the length of the log, and goes back when everything has closed', () => {
    const collector = new Collector(SETTINGS);
    const engine = createJoin(SETTINGS, collector);
    const start = engine.stateBytes;
    const peaks: number[] = [];
    let offset = 0;
    for (let round = 0; round < 3; round++) {
      let peak = 0;
      for (let ms = 0; ms < ROUND_MS; ms++) {
        const ts = 1_000_000 + round * ROUND_MS + ms;
        for (let n = 0; n < PER_MS; n++, offset++) {
          const requestId = `request-${offset}`;
          engine.record(0, offset, ts, [impression(ts, { requestId, items })], undefined);
          const of = offset % 3 === 0 ? `orphan-${offset}` : requestId;
          engine.record(1, offset, ts, [click(ts, { requestId: of, itemId: 'item-9' })], undefined);
        }
        if (ms % 100 === 0) {
          engine.advance();
          collector.seen.length = 0;
          peak = Math.max(peak, engine.stateBytes);
        }
      }
      peaks.push(peak);
    }
    const [first, second, third] = peaks;
    expect(first).toBeGreaterThan(start + 5 * MIB);
    expect(second).toBeLessThanOrEqual(first + MIB);
    // But for segments that are partly filled.
    expect(third).toBeLessThanOrEqual(second + MIB / 16);

    for (const topic of [0, 1]) engine.idle(topic, 2_000_000);
    engine.advance();
    expect([engine.openImpressions, engine.waitingFeedback, collector.held]).toEqual([0, 0, 0]);
    // What is left is empty: of each of four kinds of record the segment in use and a spare one of 1 MiB, and hash tables.
    expect(engine.stateBytes).toBeLessThanOrEqual(start + 8.5 * MIB);
    expect(engine.stateBytes).toBeLessThan(first / 2);
  });
});
