import fc from 'fast-check';
import { expect, it } from 'vitest';
import { topicRecords } from '../consumers/join/logs.ts';
import { BROAD, settingsOf, timeFrames } from '../consumers/join/profile.ts';
import { referenceJoin } from '../reference/join.ts';
import type { TopicLog } from '../reference/logs.ts';
import { joinByRequest } from './join-by-request.ts';

const units = timeFrames.chain((frame) =>
  settingsOf(BROAD, frame).chain((settings) =>
    fc.record({
      settings: fc.constant(settings),
      logs: fc.tuple(
        ...settings.topics.map((role) =>
          fc
            .tuple(
              topicRecords(BROAD, role, frame),
              fc.array(fc.tuple(fc.nat(18), fc.nat(30)), { maxLength: 2 }),
              fc.array(fc.nat(15), { maxLength: 2 }),
            )
            .map(([{ records, end }, advances, drops]): TopicLog => {
              const first = records.length > 0 ? records[0].offset : end;
              return {
                records,
                idleAdvances: advances.map(([place, steps]) => ({
                  before: first + place,
                  watermark: frame.origin + steps * frame.step,
                })),
                clockDrops: drops.map((place) => first + place),
              };
            }),
        ),
      ),
    }),
  ),
);

it('the reference by request id says what the reference over the whole logs says', () => {
  let closings = 0;
  fc.assert(
    fc.property(units, ({ settings, logs }) => {
      const whole = referenceJoin(settings, logs);
      const parts = joinByRequest(settings, logs);
      expect(parts.counts).toEqual(whole.counts);
      expect(parts.watermark).toBe(whole.watermark);
      expect(parts.waitingFeedback).toBe(whole.waitingFeedback);
      const listed = whole.closings.map(({ horizon, impression, feedback }) =>
        JSON.stringify([horizon, impression, feedback.map(({ slot, value, ts }) => [slot, value, ts])]),
      );
      const closed = parts.closings.map(({ horizon, impression, feedback }) =>
        JSON.stringify([
          horizon,
          impression,
          feedback.map(({ itemId, value, ts }) => [impression.items.indexOf(itemId), value, ts]),
        ]),
      );
      expect(closed.sort()).toEqual(listed.sort());
      closings += closed.length;
    }),
    { numRuns: 1000 },
  );
  expect(closings).toBeGreaterThan(1000);
});
