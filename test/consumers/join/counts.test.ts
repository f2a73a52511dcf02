/** The counts of the engine (wasm/engine/counts.ts), as the host puts and reads them. */
import { describe, expect, it } from 'vitest';
import { countsOfTopic, noCounts, putCounts, readCounts } from '../../../src/consumers/join/counts.ts';
import type { TopicCounts } from '../../../src/vocabulary/checkpoint.ts';

const HORIZONS = 2;
/** Counted by the host. */
const COUNTED_BEFORE = ['undecodable', 'tombstone', 'invalid', 'future', 'excluded'];
const PLACES =
  'each reason has a place in src/consumers/join/counts.ts, and FEEDBACK_COUNTS and IMPRESSION_COUNTS of wasm/engine/counts.ts are one more than the last place before them';

/** What the engine counts, each time another number, from 1 on. */
function different(): { readonly counts: TopicCounts; readonly numbers: readonly number[] } {
  const counts = noCounts(HORIZONS);
  const numbers: number[] = [];
  const next = (): number => {
    numbers.push(numbers.length + 1);
    return numbers.length;
  };
  counts.impressions.accepted = next();
  counts.feedback.attributed = next();
  for (const { drops, late } of [counts.impressions, counts.feedback]) {
    const ofEngine = Object.keys(drops).filter((reason) => !COUNTED_BEFORE.includes(reason));
    Object.assign(drops, Object.fromEntries(ofEngine.map((reason) => [reason, next()])));
    for (const h of late.keys()) late[h] = next();
  }
  return { counts, numbers };
}

describe('each count of the engine', () => {
  it('has a place of its own', () => {
    const { counts, numbers } = different();
    const counted = new Float64Array(countsOfTopic(HORIZONS)).fill(Number.NaN);
    putCounts(counted, counts);
    expect([...counted.sort()], PLACES).toEqual(numbers);
  });

  it('is read where it was put', () => {
    const { counts } = different();
    const counted = new Float64Array(countsOfTopic(HORIZONS));
    putCounts(counted, counts);
    const read = noCounts(HORIZONS);
    readCounts(counted, read);
    expect(read, PLACES).toEqual(counts);
  });
});
