import { describe, expect, it } from 'vitest';
import type { JoinSettings } from '../../src/consumers/join/api.ts';
import type { Event, Impression } from '../../src/vocabulary/events.ts';
import { click, impression, log, record, SMALL } from './builders.ts';
import { referenceJoin } from './join.ts';

/** The horizons at which each feedback counts, or the reason of its drop, or waiting. */
function verdicts(
  impressions: readonly Impression[],
  feedback: readonly Event[],
  settings: JoinSettings = SMALL,
): (readonly number[] | string)[] {
  const result = referenceJoin(settings, [log(impressions), log(feedback)]);
  return result.feedback.map(({ verdict }) => {
    if (verdict.kind === 'attributed') return verdict.horizons;
    return verdict.kind === 'dropped' ? `${verdict.reason} by ${verdict.known}` : 'waiting';
  });
}
/** A watermark of `w` for the records after it. */
const upTo = (w: number): Event => click(w + 10, { requestId: 'other' });
const end = impression(2000, { requestId: 'end' });

describe('feedback is attributed', () => {
  it.each([
    [-6, 'orphan by deadline'],
    [-5, [0, 1]],
    [-4, [0, 1]],
    [19, [0, 1]],
    [20, [1]],
    [21, [1]],
    [39, [1]],
    [40, 'orphan by deadline'],
    [41, 'orphan by deadline'],
  ])('at %i ms after its impression: %j', (delay, expected) => {
    expect(verdicts([impression(1000), end], [click(1000 + delay), upTo(2000)])[0]).toEqual(expected);
  });

  it.each([
    [1019, [0, 1], [0, 0]],
    [1020, [1], [1, 0]],
    [1021, [1], [1, 0]],
    [1039, [1], [1, 0]],
    [1040, 'late by meeting', [0, 0]],
    [1041, 'late by meeting', [0, 0]],
  ])('with the watermark at %i: %j', (watermark, expected, missed) => {
    expect(verdicts([impression(1000)], [upTo(watermark), click(1010)])[1]).toEqual(expected);
    const result = referenceJoin(SMALL, [log([impression(1000)]), log([upTo(watermark), click(1010)])]);
    expect(result.counts[1].feedback.late).toEqual(missed);
  });

  it('to the first impression of the request that holds its item', () => {
    const pages = [
      impression(1000, { items: ['x'] }),
      impression(1000, { pageOffset: 1, items: ['a', 'y'] }),
      impression(1000, { pageOffset: 2, items: ['a', 'z'] }),
    ];
    const result = referenceJoin(SMALL, [log(pages), log([click(1010)])]);
    expect(result.feedback[0].verdict).toMatchObject({ kind: 'attributed', to: { offset: 1 } });
  });

  it('never to a duplicate', () => {
    const lists = [impression(1000, { items: ['x'] }), impression(1000), end];
    expect(verdicts(lists, [click(1010), upTo(2000)])[0]).toBe('not_in_list by deadline');
  });
});

describe('feedback is late', () => {
  it.each([
    [1054, 'waiting'],
    [1055, 'late by record'],
    [1056, 'late by record'],
  ])('on its own with the watermark at %i and its time at 1010: %s', (watermark, expected) => {
    expect(verdicts([], [upTo(watermark), click(1010)])[1]).toBe(expected);
  });

  it('when an impression before the one that holds its item had closed for it', () => {
    const pages = [impression(1000, { items: ['x'] }), impression(1030, { pageOffset: 1 })];
    expect(verdicts(pages, [upTo(1039), click(1031)])[1]).toEqual([0, 1]);
    expect(verdicts(pages, [upTo(1040), click(1031)])[1]).toBe('late by meeting');
    expect(verdicts(pages.toReversed(), [upTo(1040), click(1031)])[1]).toEqual([0, 1]);
  });

  it('when an impression had closed for it and none holds its item', () => {
    const pages = [impression(1000, { items: ['x'] })];
    expect(verdicts(pages, [upTo(1040), click(1031)])[1]).toBe('late by meeting');
  });
});

describe('feedback waits', () => {
  it.each([
    [1054, 'waiting'],
    [1055, 'orphan by deadline'],
    [1056, 'orphan by deadline'],
  ])('until the combined watermark, at %i, reaches its deadline: %s', (watermark, expected) => {
    const impressions = [impression(watermark + 10, { requestId: 'end' })];
    expect(verdicts(impressions, [click(1010), upTo(5000)])[0]).toBe(expected);
  });

  it('for an item in the list, however many lists without it there are', () => {
    const impressions = [impression(1000, { items: ['x'] })];
    expect(verdicts(impressions, [click(1010)])).toEqual(['waiting']);
    const ended = [...impressions, end];
    expect(verdicts(ended, [click(1010), upTo(5000)])[0]).toBe('not_in_list by deadline');
  });
});

describe('feedback is excluded', () => {
  it('with its record, and its list may have it as if it had not been', () => {
    const records = [{ ...record(0, []), excluded: [click(1010)] }, record(1, [click(1010)])];
    const result = referenceJoin(SMALL, [log([impression(1000)]), { ...log([]), records }]);
    expect(result.feedback.map(({ verdict }) => verdict)).toMatchObject([
      { kind: 'dropped', known: 'record', reason: 'excluded' },
      { kind: 'attributed' },
    ]);
  });

  it('on a list that is excluded only by itself: else it is an orphan', () => {
    const lists = { ...log([]), records: [{ ...record(0, []), excluded: [impression(1000)] }, record(1, [end])] };
    const result = referenceJoin(SMALL, [lists, log([click(1010), upTo(5000)])]);
    expect(result.feedback[0].verdict).toMatchObject({ reason: 'orphan' });
  });
});

describe('feedback is a duplicate', () => {
  const twice = (first: Parameters<typeof click>[1], second: Parameters<typeof click>[1], ts = 1010): unknown =>
    verdicts([impression(1000)], [click(1010, first), click(ts, second)])[1];

  it('by its event id, whatever else it says', () => {
    expect(twice({ eventId: 'e' }, { eventId: 'e', itemId: 'b', action: 'buy', value: 3 }, 1015)).toBe(
      'duplicate by meeting',
    );
    expect(twice({ eventId: 'e' }, { eventId: 'f' })).toEqual([0, 1]);
    expect(twice({ eventId: 'e' }, {})).toEqual([0, 1]);
    expect(twice({}, { eventId: 'e' })).toEqual([0, 1]);
  });

  it('without an event id by item, action, value and time', () => {
    expect(twice({ value: 1 }, { value: 1 })).toBe('duplicate by meeting');
    expect(twice({}, {})).toBe('duplicate by meeting');
    expect(twice({}, { itemId: 'b' })).toEqual([0, 1]);
    expect(twice({}, { action: 'buy' })).toEqual([0, 1]);
    expect(twice({}, { value: 0 })).toEqual([0, 1]);
    expect(twice({}, {}, 1011)).toEqual([0, 1]);
  });

  it('only of what was attributed to the same impression, in its own topic', () => {
    const both = [impression(1000), impression(1050)];
    expect(verdicts(both, [click(1010, { eventId: 'e' }), click(1055, { eventId: 'e' })])).toEqual([
      [0, 1],
      [0, 1],
    ]);
    const settings = { ...SMALL, topics: [...SMALL.topics, { impressions: false, feedback: true }] };
    const result = referenceJoin(settings, [log([impression(1000)]), log([click(1010)]), log([click(1010)])]);
    expect(result.counts.map(({ feedback }) => feedback.attributed)).toEqual([0, 1, 1]);
  });
});

describe('feedback is capped', () => {
  const clicks = [1001, 1002, 1003].map((ts) => click(ts));

  it.each([
    [1, [[0, 1], 'capped by meeting', 'capped by meeting']],
    [2, [[0, 1], [0, 1], 'capped by meeting']],
    [
      3,
      [
        [0, 1],
        [0, 1],
        [0, 1],
      ],
    ],
  ])('beyond %i events of its topic on one impression', (feedbackPerImpression, expected) => {
    expect(verdicts([impression(1000)], clicks, { ...SMALL, feedbackPerImpression })).toEqual(expected);
  });

  it('after it was judged to be a duplicate', () => {
    const settings = { ...SMALL, feedbackPerImpression: 1 };
    expect(verdicts([impression(1000)], [clicks[0], clicks[0]], settings)[1]).toBe('duplicate by meeting');
  });

  it('by topic', () => {
    const settings = {
      ...SMALL,
      topics: [...SMALL.topics, { impressions: false, feedback: true }],
      feedbackPerImpression: 1,
    };
    const result = referenceJoin(settings, [log([impression(1000)]), log(clicks), log(clicks.slice(0, 1))]);
    expect(result.counts.map(({ feedback }) => feedback.drops.capped)).toEqual([0, 2, 0]);
  });
});

it('closings come by close time, then offset, with the feedback of each horizon by topic and offset', () => {
  const settings = { ...SMALL, topics: [...SMALL.topics, { impressions: false, feedback: true }] };
  const lists = [impression(1020, { requestId: 's' }), impression(1000), impression(1000, { pageOffset: 3 }), end];
  const first = [click(1025), click(1002, { itemId: 'b', value: 2 }), upTo(2000)];
  const second = [click(1001, { itemId: 'c', action: 'save' }), upTo(2000)];
  const result = referenceJoin(settings, [log(lists), log(first), log(second)]);
  const b = { slot: 1, action: 0, value: 2, ts: 1002 };
  const c = { slot: 2, action: -1, value: undefined, ts: 1001 };
  const a = { slot: 0, action: 0, value: undefined, ts: 1025 };
  expect(result.closings).toEqual([
    { at: 1020, horizon: 0, impression: lists[1], feedback: [b, c] },
    { at: 1020, horizon: 0, impression: lists[2], feedback: [] },
    { at: 1040, horizon: 0, impression: lists[0], feedback: [] },
    { at: 1040, horizon: 1, impression: lists[1], feedback: [a, b, c] },
    { at: 1040, horizon: 1, impression: lists[2], feedback: [] },
    { at: 1060, horizon: 1, impression: lists[0], feedback: [] },
  ]);
  expect(result).toMatchObject({ openImpressions: 1, waitingFeedback: 2, watermark: 1990 });
});

it('impressions stay open until the combined watermark reaches the longest horizon', () => {
  const open = (end: number): number =>
    referenceJoin(SMALL, [log([impression(1000)], { idleAdvances: [{ before: 1, watermark: end }] }), log([upTo(end)])])
      .openImpressions;
  expect([open(1039), open(1040), open(1041)]).toEqual([1, 0, 0]);
});

it('feedback may stand on the topic of the impressions, with its watermark', () => {
  const settings = { ...SMALL, topics: [{ impressions: true, feedback: true }] };
  const records = [
    record(0, [impression(1000), click(1001)]),
    record(1, [impression(1050, { requestId: 's' })]),
    record(2, [click(1002)]),
  ];
  const result = referenceJoin(settings, [log([], { records })]);
  expect(result.feedback.map(({ verdict }) => verdict.kind)).toEqual(['attributed', 'dropped']);
});
