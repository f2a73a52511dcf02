/** Chapter 2: each list closes once per horizon, and each result is final. */
import { describe, expect, it } from 'vitest';
import { createJoin } from '../../src/consumers/join/join.ts';
import type { Event } from '../../src/vocabulary/events.ts';
import { click, EIGHT, impression, JOIN, onClosing, tick } from './shop.ts';

/** Feeds a list at eight and then feedback; returns how many events counted at [1 minute, 5 minutes]. */
function counted(feedback: readonly Event[]): number[] {
  const events = [0, 0];
  const join = createJoin(
    JOIN,
    onClosing(({ horizon, list }) => {
      events[horizon] = list.events;
    }),
  );
  join.record(0, 0, undefined, [impression('r1', EIGHT, ['red', 'blue'])], undefined);
  feedback.forEach((event, offset) => {
    join.record(1, offset, undefined, [event], undefined);
  });
  for (const topic of [0, 1]) join.idle(topic, EIGHT + 1_000_000);
  join.advance();
  return events;
}

describe('a click counts at every horizon that is longer than its age', () => {
  it('a millisecond before the minute: at both', () => {
    expect(counted([click('r1', 'red', EIGHT + 59_999)])).toEqual([1, 1]);
  });

  it('exactly at the minute: only at five minutes', () => {
    expect(counted([click('r1', 'red', EIGHT + 60_000)])).toEqual([0, 1]);
  });

  it('exactly at five minutes: nowhere', () => {
    expect(counted([click('r1', 'red', EIGHT + 300_000)])).toEqual([0, 0]);
  });

  it('before its list was shown: nowhere, unless the clocks of producers may differ (`backward`)', () => {
    expect(counted([click('r1', 'red', EIGHT - 1)])).toEqual([0, 0]);
  });
});

describe('the watermark decides what is over', () => {
  it('is ten seconds (`outOfOrderness`) behind the newest event, and the slowest topic decides', () => {
    const join = createJoin(
      JOIN,
      onClosing(() => {}),
    );
    join.record(0, 0, undefined, [impression('r1', EIGHT, ['red'])], undefined);
    join.record(1, 0, undefined, [click('r1', 'red', EIGHT + 30_000)], undefined);
    join.advance();
    expect(join.topicWatermark(0)).toBe(EIGHT - 10_000);
    expect(join.topicWatermark(1)).toBe(EIGHT + 20_000);
    expect(join.watermark).toBe(EIGHT - 10_000);
  });

  it('lets a click that is overtaken by nine seconds still count, and one that is overtaken by ten not', () => {
    // The tick at 08:01:08.999 puts the watermark of the feedback topic to 08:00:58.999: the minute is still open.
    const age59 = click('r1', 'red', EIGHT + 59_000);
    expect(counted([tick(EIGHT + 68_999), age59])).toEqual([1, 1]);
    // At 08:01:10 the watermark is 08:01:00. The minute is over; the five minutes are not.
    expect(counted([tick(EIGHT + 70_000), age59])).toEqual([0, 1]);
  });
});
