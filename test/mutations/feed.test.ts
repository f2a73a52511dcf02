import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDecoder } from '../../src/consumers/decode/decoder.ts';
import { recordRows } from '../../src/consumers/engine/record-rows.ts';
import { createJoin } from '../../src/consumers/join/join.ts';
import { byTheHundred, type Fed, fed, MANY_EVENTS, oneByOne, type Parts, traceOf } from '../consumers/join/fed.ts';
import { BROAD, MANY_PAGES } from '../consumers/join/profile.ts';
import { compileEngines } from './compile-engines.ts';
import { FEED_MUTATIONS } from './feed.ts';
import { BEYOND_BOUNDS, LAYOUT_MUTATIONS } from './layout.ts';
import { withMutation } from './loader.ts';
import type { Mutation } from './mutation.ts';

const PARTS: Parts = { createDecoder, createJoin, recordRows };
const FILES = ['consumers/decode/decoder.ts', 'consumers/join/join.ts', 'consumers/engine/record-rows.ts'];
const MOST_RUNS = 3000;
/** For mutations that few logs show, the number of one that does: tried first, so that the test is quick. */
const LOGS: Readonly<Record<string, number>> = {
  'the predecessor of a duplicate is not needed': 115,
  'of many events the first are enough': 517,
};

/** With the assertions of the engine. */
function mutated({ changes }: Pick<Mutation, 'changes'>): Promise<Parts> {
  const load = async (paths: readonly string[]): Promise<Parts> => {
    const [decoder, join, rows] = await Promise.all(paths.map((path) => import(/* @vite-ignore */ path)));
    return { createDecoder: decoder.createDecoder, createJoin: join.createJoin, recordRows: rows.recordRows };
  };
  return withMutation(changes, FILES, load, 'checked');
}

/** The trace, or what the parts ended with. */
function seen(parts: Parts, log: Fed): unknown {
  try {
    return traceOf(parts, log, byTheHundred);
  } catch (error) {
    return error;
  }
}

const logs = fc.oneof(fed(BROAD), fed(MANY_PAGES), fed(MANY_EVENTS));

/** What the first assertion said that some log met; undefined: none did. */
function assertion(parts: Parts, runs: number): string | undefined {
  let said: string | undefined;
  const law = fc.property(logs, (log) => {
    const end = seen(parts, log);
    if (end instanceof Error && end.message.includes('met what cannot be')) said ??= end.message;
    return said === undefined;
  });
  fc.check(law, { seed: 1, numRuns: runs, endOnFailure: true });
  return said;
}

/** Whether the law is broken by one of so many logs of the seed, from this one on. */
function isBroken(parts: Parts, runs: number, from = 0): boolean {
  const law = fc.property(logs, (log) => {
    expect(seen(parts, log)).toEqual(traceOf(PARTS, log, oneByOne));
  });
  return fc.check(law, { seed: 1, path: String(from), numRuns: runs, endOnFailure: true }).failed;
}

beforeAll(() => compileEngines([{ changes: [] }, ...FEED_MUTATIONS, ...LAYOUT_MUTATIONS, ...BEYOND_BOUNDS]));

describe('a weakened rule of records that are fed by the hundred, or a mistake in how they lie in memory, is caught', () => {
  it.each([...FEED_MUTATIONS, ...LAYOUT_MUTATIONS].map((each) => [each.name, each] as const))(
    '%s',
    async (name, mutation) => {
      const parts = await mutated(mutation);
      const pinned = LOGS[name];
      const isCaught = (pinned !== undefined && isBroken(parts, 1, pinned)) || isBroken(parts, MOST_RUNS);
      expect(isCaught).toBe(true);
    },
  );

  it('and the rules as they are pass', async () => {
    const parts = await mutated({ changes: [] });
    expect(isBroken(parts, 500)).toBe(false);
    for (const at of Object.values(LOGS)) expect(isBroken(parts, 1, at), `log ${at}`).toBe(false);
  });
});

describe('an assertion of the engine stops', () => {
  it.each(BEYOND_BOUNDS.map((each) => [each.name, each] as const))('%s', async (_, mutation) => {
    expect(assertion(await mutated(mutation), 500)).toMatch(
      /^the engine met what cannot be: .+ \(engine\/\w+\.ts:\d+\)$/,
    );
  });

  it('nothing else', async () => {
    expect(assertion(await mutated({ changes: [] }), 500)).toBeUndefined();
  });
});
