import { describe, expect, it } from 'vitest';
import type { JoinSettings } from '../../src/consumers/join/api.ts';
import { click, impression, log, record, SMALL } from './builders.ts';
import { referenceJoin } from './join.ts';
import type { TopicLog } from './logs.ts';

/** What becomes of each impression: the horizons at which it counts, or the reason of its drop. */
function verdicts(impressions: TopicLog, settings: JoinSettings = SMALL): (readonly number[] | string)[] {
  const topics = settings.topics.map((_, topic) => (topic === 0 ? impressions : log([])));
  return referenceJoin(settings, topics).impressions.map(({ verdict }) =>
    verdict.kind === 'accepted' ? verdict.horizons : verdict.reason,
  );
}
const other = { requestId: 'other' };

describe('an impression is late', () => {
  it.each([
    [99, [0, 1]],
    [100, [1]],
    [101, [1]],
    [119, [1]],
    [120, 'late'],
    [121, 'late'],
  ])('with the watermark at %i and its own time at 80: %j', (watermark, expected) => {
    expect(verdicts(log([impression(watermark + 10, other), impression(80)]))).toEqual([[0, 1], expected]);
  });

  it('by the watermark before its record, not by its companions in the record', () => {
    const records = [record(0, [impression(500, other), impression(80)])];
    expect(verdicts(log([], { records }))).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  it('not by an event that is dropped as future, nor beyond the record timestamp', () => {
    const records = [
      record(0, [impression(500, other)], 100),
      record(1, [impression(130, other)], 100),
      record(2, [impression(80)]),
    ];
    expect(verdicts(log([], { records }))).toEqual(['future', [0, 1], [0, 1]]);
  });

  it('by an event that is excluded, which moves the watermark as any other', () => {
    const excluded = { ...record(0, []), excluded: [impression(130, other)] };
    expect(verdicts(log([], { records: [excluded, record(1, [impression(80)])] }))).toEqual(['excluded', 'late']);
  });

  it('by an idle advance that applies before its record, at it, but not after it', () => {
    const late = (before: number): unknown =>
      verdicts(log([impression(0, other), impression(80)], { idleAdvances: [{ before, watermark: 120 }] }))[1];
    expect([late(0), late(1), late(2)]).toEqual(['late', 'late', [0, 1]]);
  });
});

describe('an impression is excluded', () => {
  it.each([
    [130, 'excluded'],
    [131, 'future'],
  ])('at %i with the record timestamp at 100: %j', (ts, expected) => {
    const records = [{ ...record(0, [], 100), excluded: [impression(ts)] }];
    expect(verdicts(log([], { records }))).toEqual([expected]);
  });

  it('whether or not it would be late, and is then none that another could duplicate', () => {
    const records = [record(0, [impression(500, other)]), { ...record(1, []), excluded: [impression(80)] }];
    expect(verdicts(log([], { records }))).toEqual([[0, 1], 'excluded']);
    const twice = [{ ...record(0, []), excluded: [impression(80)] }, record(1, [impression(80)])];
    expect(verdicts(log([], { records: twice }))).toEqual(['excluded', [0, 1]]);
  });
});

describe('an impression is future', () => {
  it.each([
    [129, [0, 1]],
    [130, [0, 1]],
    [131, 'future'],
  ])('at %i with the record timestamp at 100: %j', (ts, expected) => {
    expect(verdicts(log([], { records: [record(0, [impression(ts)], 100)] }))).toEqual([expected]);
  });

  it('never by its own time when the record has no timestamp', () => {
    const records = [record(0, [impression(100), impression(900, other)])];
    expect(verdicts(log([], { records }))).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  it('with all of its record when the wall clock said so', () => {
    const records = [record(0, [impression(100), impression(50, other)]), record(1, [impression(100)])];
    expect(verdicts(log([], { records, clockDrops: [0] }))).toEqual(['future', 'future', [0, 1]]);
  });
});

describe('an impression is a duplicate', () => {
  it.each([
    [61, [0, 1]],
    [60, [0, 1]],
    [59, 'duplicate'],
    [20, 'duplicate'],
    [-19, 'duplicate'],
    [-20, [0, 1]],
    [-21, [0, 1]],
  ])('at %i of an earlier one at 20: %j', (ts, expected) => {
    const settings = { ...SMALL, outOfOrderness: 1000 };
    expect(verdicts(log([impression(20), impression(ts)]), settings)).toEqual([[0, 1], expected]);
  });

  it('of a duplicate too', () => {
    expect(verdicts(log([impression(0), impression(35), impression(70)]))).toEqual([[0, 1], 'duplicate', 'duplicate']);
  });

  it('not of one that was late or future', () => {
    const late = [impression(130, other), impression(80), impression(81)];
    expect(verdicts(log(late))).toEqual([[0, 1], 'late', [1]]);
    const records = [record(0, [impression(131)], 100), record(1, [impression(131)], 101)];
    expect(verdicts(log([], { records }))).toEqual(['future', [0, 1]]);
  });

  it('only within its request id and page', () => {
    const pages = [
      impression(0),
      impression(0, { pageOffset: 10 }),
      impression(0, other),
      impression(0, { pageOffset: 10 }),
    ];
    expect(verdicts(log(pages))).toEqual([[0, 1], [0, 1], [0, 1], 'duplicate']);
  });

  it('also of one in the same record', () => {
    expect(verdicts(log([], { records: [record(0, [impression(0), impression(1)])] }))).toEqual([[0, 1], 'duplicate']);
  });
});

it('refused records count once, with their reason, and move nothing', () => {
  const records = [
    { kind: 'refused', offset: 0, side: 'impressions', reason: 'tombstone' },
    { kind: 'refused', offset: 1, side: 'impressions', reason: 'invalid' },
    { kind: 'refused', offset: 3, side: 'impressions', reason: 'invalid' },
  ] as const;
  const result = referenceJoin(SMALL, [log([], { records }), log([])]);
  expect(result.counts[0].impressions).toMatchObject({ read: 3, accepted: 0, drops: { tombstone: 1, invalid: 2 } });
  expect(result.watermark).toBe(-Infinity);
});

it('an impression that missed a horizon counts as late there, and closes at the others alone', () => {
  const result = referenceJoin(SMALL, [log([impression(110, other), impression(80)]), log([click(1000)])]);
  expect(result.counts[0].impressions).toMatchObject({ read: 2, accepted: 2, late: [1, 0] });
  const closed = referenceJoin(SMALL, [
    log([impression(110, other), impression(80), impression(1000)]),
    log([click(1000)]),
  ]);
  expect(closed.closings.map(({ at, horizon }) => [at, horizon])).toEqual([
    [120, 1],
    [130, 0],
    [150, 1],
  ]);
});
