import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDecoder } from '../../src/consumers/decode/decoder.ts';
import { recordRows } from '../../src/consumers/engine/record-rows.ts';
import { createJoin } from '../../src/consumers/join/join.ts';
import { byTheHundred, type Fed, fed, MANY_EVENTS, oneByOne, type Parts, traceOf } from '../consumers/join/fed.ts';
import { BROAD, MANY_PAGES } from '../consumers/join/profile.ts';
import { FEED_MUTATIONS } from './feed.ts';
import { withMutation } from './loader.ts';
import type { Mutation } from './mutation.ts';

const PARTS: Parts = { createDecoder, createJoin, recordRows };
const FILES = ['consumers/decode/decoder.ts', 'consumers/join/join.ts', 'consumers/engine/record-rows.ts'];
const MOST_RUNS = 3000;
/** For mutations that few logs show, the number of one that does: tried first, so that the test is quick. */
const LOGS: Readonly<Record<string, number>> = {
  'the witness of a duplicate is not needed': 160,
  'feedback of several topics waits in its order of coming': 275,
  'of many events the first are enough': 517,
};

function mutated({ changes }: Mutation): Promise<Parts> {
  return withMutation(changes, FILES, async (paths): Promise<Parts> => {
    const [decoder, join, rows] = await Promise.all(paths.map((path) => import(/* @vite-ignore */ path)));
    return { createDecoder: decoder.createDecoder, createJoin: join.createJoin, recordRows: rows.recordRows };
  });
}

/** The trace, or what the parts ended with. */
function seen(parts: Parts, log: Fed): unknown {
  try {
    return traceOf(parts, log, byTheHundred);
  } catch (error) {
    return error;
  }
}

/** Whether the law is broken by one of so many logs of the seed, from this one on. */
function isBroken(parts: Parts, runs: number, from = 0): boolean {
  const law = fc.property(fc.oneof(fed(BROAD), fed(MANY_PAGES), fed(MANY_EVENTS)), (log) => {
    expect(seen(parts, log)).toEqual(traceOf(PARTS, log, oneByOne));
  });
  return fc.check(law, { seed: 1, path: String(from), numRuns: runs, endOnFailure: true }).failed;
}

describe('a weakened rule of records that are fed by the hundred is caught', () => {
  it.each(FEED_MUTATIONS.map((each) => [each.name, each] as const))('%s', async (name, mutation) => {
    const parts = await mutated(mutation);
    const pinned = LOGS[name];
    const isCaught = (pinned !== undefined && isBroken(parts, 1, pinned)) || isBroken(parts, MOST_RUNS);
    expect(isCaught).toBe(true);
  });

  it('and the rules as they are pass', async () => {
    const parts = await mutated({ name: 'nothing', changes: [] });
    expect(isBroken(parts, 300)).toBe(false);
    for (const at of Object.values(LOGS)) expect(isBroken(parts, 1, at), `log ${at}`).toBe(false);
  });
});
