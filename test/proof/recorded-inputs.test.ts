import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import type { TopicCheckpoint } from '../../src/vocabulary/checkpoint.ts';
import { record } from '../reference/builders.ts';
import { type ClockDrops, RecordedInputs } from './recorded-inputs.ts';

const SKEW = 300_000;
const AT = 1_000_000_000;

interface Look extends Partial<TopicCheckpoint> {
  readonly by: number;
}

/** One unit whose first topic was found like that, look by look. */
function seenOf(...looks: readonly Look[]): RecordedInputs {
  const inputs = new RecordedInputs(new Redis({ lazyConnect: true }), 1, AT - 1000);
  for (const { by, ...checkpoint } of looks) {
    inputs.see(
      0,
      [{ committed: 0, replay: 0, replayWatermark: 0, idleAdvances: [], clockDrops: [], ...checkpoint }],
      null,
      by,
    );
  }
  return inputs;
}

/** The log: each record so far ahead of AT, beyond what is allowed. */
function dropsOf(inputs: RecordedInputs, ...ahead: readonly number[]): ClockDrops {
  const records = ahead.map((ms, offset) => record(offset, [], AT + SKEW + ms));
  return inputs.clockDrops(0, 0, records, SKEW);
}

function drops(inputs: RecordedInputs, ...ahead: readonly number[]): readonly number[] {
  return dropsOf(inputs, ...ahead).known;
}

it('has the verdicts of every checkpoint that it saw', () => {
  const seen = seenOf({ committed: 3, clockDrops: [[1, 2]], by: AT }, { committed: 9, replay: 9, by: AT + 5000 });
  expect(drops(seen, 1, 1, 1)).toEqual([1]);
});

it('knows the verdict on a record that no replay needed any more when it was first seen, while it was still ahead', () => {
  const seen = seenOf({ committed: 1, replay: 1, by: AT });
  expect(drops(seen, 3000)).toEqual([0]);
  expect(drops(seen, -1)).toEqual([]);
  const later = seenOf({ by: AT }, { committed: 2, replay: 1, by: AT + 4000 });
  expect(drops(later, 4001, 4001)).toEqual([0]);
  expect(drops(later, 4000, 4001)).toEqual([]);
});

it('forgets what did not happen when Redis went back, and takes what happened instead', () => {
  const gone = { committed: 2, replay: 2, by: AT };
  expect(drops(seenOf(gone, { by: AT + 1000 }), 3000, 3000)).toEqual([]);
  expect(drops(seenOf(gone, { committed: 1, replay: 1, by: AT + 1000 }), 3000, 3000)).toEqual([0]);
});

it('does not know the verdict on a record that it found read when the clock had come past it', () => {
  const late = seenOf({ by: AT }, { committed: 4, replay: 4, by: AT + 5000 });
  // One that was never ahead, two that were, for 2 s and for 4 s, and one that still is.
  expect(dropsOf(late, -1000, 2000, 4000, 5001)).toEqual({ known: [3], possible: [2, 1] });
});
