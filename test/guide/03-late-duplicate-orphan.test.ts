/** Chapter 3: nothing vanishes. What does not count is dropped for one reason of a closed list, and counted. */
import { describe, expect, it } from 'vitest';
import { createJoin } from '../../src/consumers/join/join.ts';
import type { Event } from '../../src/vocabulary/events.ts';
import { click, EIGHT, impression, JOIN, onClosing, tick } from './shop.ts';

const MINUTE = 60_000;
const LIST = impression('r1', EIGHT, ['red', 'blue']);

/** Reasons by count, for logs of the two topics, once everything has closed. */
function drops(impressions: readonly Event[], feedback: readonly Event[]): Record<string, number> {
  const join = createJoin(
    { ...JOIN, feedbackPerImpression: 2 },
    onClosing(() => {}),
  );
  [impressions, feedback].forEach((log, topic) => {
    log.forEach((event, offset) => {
      join.record(topic, offset, undefined, [event], undefined);
    });
  });
  for (const topic of [0, 1]) join.idle(topic, EIGHT + 1000 * MINUTE);
  join.advance();
  const found = [join.counts[0].impressions.drops, join.counts[1].feedback.drops].flatMap((of) => Object.entries(of));
  return Object.fromEntries(found.filter(([, n]) => n > 0));
}

describe('impressions', () => {
  it('written twice: the second is a duplicate', () => {
    expect(drops([LIST, LIST], [])).toEqual({ duplicate: 1 });
  });

  it('page two of a request is no duplicate: its identity is request id and offset', () => {
    expect(drops([LIST, impression('r1', EIGHT, ['green', 'grey'], 2)], [])).toEqual({});
  });

  it('that come after their window has closed are late', () => {
    const younger = impression('r2', EIGHT + 6 * MINUTE, ['red']); // the watermark is now 08:05:50
    expect(drops([younger, LIST], [])).toEqual({ late: 1 });
  });
});

describe('feedback', () => {
  it('on a request that nobody saw is an orphan; so is feedback after the window', () => {
    expect(drops([LIST], [click('r7', 'red', EIGHT)])).toEqual({ orphan: 1 });
    expect(drops([LIST], [click('r1', 'red', EIGHT + 5 * MINUTE)])).toEqual({ orphan: 1 });
  });

  it('on an item that was not shown is not in the list', () => {
    expect(drops([LIST], [click('r1', 'pink', EIGHT + 1)])).toEqual({ not_in_list: 1 });
  });

  it('sent twice is a duplicate; the same click a second later is another click', () => {
    expect(drops([LIST], [click('r1', 'red', EIGHT + 1), click('r1', 'red', EIGHT + 1)])).toEqual({ duplicate: 1 });
    expect(drops([LIST], [click('r1', 'red', EIGHT + 1), click('r1', 'red', EIGHT + 1001)])).toEqual({});
  });

  it('that a condition leaves out is excluded, and not judged otherwise', () => {
    const join = createJoin(
      JOIN,
      onClosing(() => {}),
    );
    join.record(1, 0, undefined, [], undefined, [click('r7', 'red', EIGHT)]);
    expect(join.counts[1].feedback).toMatchObject({ read: 1, drops: { excluded: 1, orphan: 0 } });
  });

  it('above the limit of its impression, here two, is capped', () => {
    expect(
      drops(
        [LIST],
        [1, 2, 3].map((s) => click('r1', 'red', EIGHT + s)),
      ),
    ).toEqual({ capped: 1 });
  });

  it('that arrives when its window is over is late', () => {
    const passed = tick(EIGHT + 6 * MINUTE); // an orphan itself
    expect(drops([LIST], [passed, click('r1', 'red', EIGHT + 1)])).toEqual({ orphan: 1, late: 1 });
  });
});
