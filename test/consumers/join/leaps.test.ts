/** A clock that is ahead moves nothing but its own records, and a pause of the log holds nothing up for long (specification: join 2.3). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJoin } from '../../../src/consumers/join/join.ts';
import { Leaps } from '../../../src/consumers/join/leaps.ts';
import type { JoinCheckpoint } from '../../../src/vocabulary/checkpoint.ts';
import type { EpochMs } from '../../../src/vocabulary/events.ts';
import { impression, TWO_TOPICS } from '../../reference/builders.ts';
import { runs } from '../../runs.ts';
import { Collector } from './closings.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SETTINGS = { ...TWO_TOPICS, horizons: [MINUTE, 5 * MINUTE], outOfOrderness: 10_000, futureSkew: 5 * MINUTE };

/** What becomes of lists that one topic shows at these times: the watermark after each, and the engine. */
function read(times: readonly EpochMs[], from?: JoinCheckpoint, first = 0) {
  const join = createJoin(SETTINGS, new Collector(SETTINGS), from);
  const after = times.map((ts, place) => {
    join.record(0, first + place, ts, [impression(ts, { requestId: `r${first + place}` })], undefined);
    return join.topicWatermark(0);
  });
  return { after, join };
}

/** Times of a log: in order but for what `outOfOrderness` allows, and never further apart than a record reaches. */
const steady = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 45_000 }), fc.integer({ min: 0, max: 9_999 })), {
    minLength: 2,
    maxLength: 40,
  })
  .map((steps) => {
    let time = HOUR;
    return steps.map(([step, back]) => {
      time += step;
      return time - back;
    });
  });

describe('records of a clock that is ahead', () => {
  it('leave every other record where it was, however far they are ahead and wherever they stand', () => {
    const burst = fc.record({
      // The first record of a topic is all that is known of its time.
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      ahead: fc.array(fc.integer({ min: MINUTE + 10_000, max: 100 * HOUR }), { minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(steady, burst, (times, { at, ahead }) => {
        const place = 1 + Math.floor(at * (times.length - 1));
        const latest = Math.max(...times.slice(0, place));
        const all = [...times.slice(0, place), ...ahead.map((by) => latest + by), ...times.slice(place)];
        const plain = read(times);
        const disturbed = read(all);
        const others = disturbed.after.filter((_, one) => one < place || one >= place + ahead.length);
        expect(others).toEqual(plain.after);
        const { accepted, late, drops } = plain.join.counts[0].impressions;
        expect(disturbed.join.counts[0].impressions).toMatchObject({ accepted: accepted + ahead.length, late, drops });
      }),
      { numRuns: runs(300) },
    );
  });

  it('do so for the shortest horizon, too: 1 of 100 is 4 minutes ahead, and no list misses 1 m', () => {
    const times = Array.from({ length: 2400 }, (_, n) => HOUR + 1000 * n + (n % 100 === 50 ? 4 * MINUTE : 0));
    const { accepted, late } = read(times).join.counts[0].impressions;
    expect({ accepted, late }).toEqual({ accepted: 2400, late: [0, 0] });
  });

  it('differ themselves from reading to reading, and nothing else does: live the clock drops them, later they are lists', () => {
    const times = Array.from({ length: 500 }, (_, n) => HOUR + 1000 * n + (n === 250 ? 50 * MINUTE : 0));
    const live = createJoin(SETTINGS, new Collector(SETTINGS));
    for (const [place, ts] of times.entries()) {
      live.record(0, place, ts, [impression(ts, { requestId: `r${place}` })], HOUR + 1000 * place);
    }
    expect(live.counts[0].impressions).toMatchObject({ accepted: 499, late: [0, 0], drops: { future: 1, late: 0 } });
    const later = read(times).join;
    expect(later.counts[0].impressions).toMatchObject({ accepted: 500, late: [0, 0], drops: { future: 0, late: 0 } });
    expect(later.topicWatermark(0)).toBe(live.topicWatermark(0));
  });
});

describe('a pause of the log', () => {
  it('is over for dense records after one and a half reaches', () => {
    const times = [HOUR, ...Array.from({ length: 91 }, (_, n) => 2 * HOUR + 1000 * n)];
    const { after } = read(times);
    expect(after[90]).toBe(HOUR - 10_000);
    expect(after[91]).toBe(2 * HOUR + 90_000 - 10_000);
  });

  it('holds sparse records back by three of them', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: MINUTE / 2, max: HOUR }), { minLength: 1, maxLength: 30 }), (steps) => {
        let time = HOUR;
        const times = [time, ...steps.map((step) => (time += step))];
        for (const [place, watermark] of read(times).after.entries()) {
          expect(watermark).toBeGreaterThanOrEqual(times[Math.max(0, place - 3)] - 10_000);
          expect(watermark).toBeLessThanOrEqual(times[place] - 10_000);
        }
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('a clock that is behind all others', () => {
  const MINUTES = 30;

  /** A list every second, and by chance this share of them, in batches, from a host that is 20 minutes behind and comes first. */
  function mixed(share: number, batch: number, seed: number): readonly EpochMs[] {
    let state = seed;
    let isBehind = true;
    return Array.from({ length: 60 * MINUTES }, (_, n) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      if (n > 0 && n % batch === 0) isBehind = state / 2 ** 31 < share;
      return HOUR + 1000 * n - (isBehind ? 20 * MINUTE : 0);
    });
  }

  it.each([
    [0.1, 1],
    [0.1, 20],
    [0.3, 5],
  ])('comes first, writes %d of the records in batches of %i, and holds nothing back for long', (share, batch) => {
    for (let seed = 1; seed <= 20; seed++) {
      const { after } = read(mixed(share, batch, seed));
      const behind = (minute: number): number => HOUR + minute * MINUTE - after[60 * minute];
      expect([behind(15) < 3 * MINUTE, behind(MINUTES - 1) < MINUTE], `seed ${seed}`).toEqual([true, true]);
    }
  });
});

describe('the votes', () => {
  it('go along to the next level of a clock that goes on, and what they stood on goes with it', () => {
    const leaps = new Leaps(MINUTE);
    for (const raised of [HOUR, HOUR + 1, HOUR + 2, HOUR + 30_000]) expect(leaps.add(raised)).toBe(-Infinity);
    expect(leaps.toJSON()).toEqual([
      [HOUR, 1],
      [HOUR + 30_000, 4],
    ]);
    for (let n = 0; n < 4; n++) leaps.contradict();
    expect(leaps.toJSON()).toEqual([[HOUR, 1]]);
    leaps.contradict();
    expect(leaps.size).toBe(0);
  });
});

describe('what waits to be confirmed', () => {
  const times = [
    HOUR,
    HOUR + 10 * MINUTE,
    HOUR + 20 * MINUTE,
    HOUR + 30 * MINUTE,
    HOUR + 40 * MINUTE,
    HOUR + 50 * MINUTE,
  ];

  it('is kept in the checkpoint, and so is what was confirmed', () => {
    const whole = read(times);
    for (let cut = 1; cut < times.length; cut++) {
      const before = read(times.slice(0, cut)).join.checkpoint();
      const { replay } = before.topics[0];
      const { after } = read(times.slice(replay), JSON.parse(JSON.stringify(before)), replay);
      expect(after).toEqual(whole.after.slice(replay));
    }
    expect(whole.join.checkpoint().topics[0].leaps).toEqual({
      from: 0,
      levels: times.slice(3).map((time) => [time - 10_000, 1]),
    });
  });

  it('is not stored where nothing leapt', () => {
    expect(read([HOUR, HOUR + 1000]).join.checkpoint().topics[0].leaps).toBeUndefined();
  });

  it('begins after what an earlier build has judged, for which a leap was nothing special', () => {
    const { join } = read(times.slice(0, 2));
    const { leaps, ...topic } = join.checkpoint().topics[0];
    expect(leaps).toEqual({ from: 0, levels: [[times[1] - 10_000, 1]] });
    const { topics, ...rest } = join.checkpoint();
    const { after } = read(times, { ...rest, topics: [topic, topics[1]] });
    expect(after.map((watermark) => watermark + 10_000)).toEqual([
      times[0],
      times[1],
      times[1],
      times[1],
      times[1],
      times[2],
    ]);
  });
});
