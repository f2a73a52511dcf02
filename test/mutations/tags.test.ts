import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { UnitParts } from '../unit/claimed-unit.ts';
import { MANY_CONTEXTS, stored, type TagHistory, tagHistories } from '../unit/told-tags.ts';
import { compileEngines } from './compile-engines.ts';
import { withMutation } from './loader.ts';
import type { Mutation } from './mutation.ts';
import { TAG_MUTATIONS } from './tags.ts';

const FILES = ['unit/unit.ts', 'consumers/decode/decoder.ts', 'measures/scorer.ts'];

function mutated({ changes }: Pick<Mutation, 'changes'>): Promise<UnitParts> {
  return withMutation<UnitParts>(
    changes,
    FILES,
    async (paths) => {
      const [unit, decoder, scorer] = await Promise.all(paths.map((path) => import(/* @vite-ignore */ path)));
      return { Unit: unit.Unit, createDecoder: decoder.createDecoder, compile: scorer.compile };
    },
    'checked',
  );
}

let plain: UnitParts;
beforeAll(async () => {
  await compileEngines([{ changes: [] }, ...TAG_MUTATIONS]);
  plain = await mutated({ changes: [] });
});

/** Whether what is stored of this history differs from that of the rules as they are, where the host is asked for each tag. */
async function differs(parts: UnitParts, history: TagHistory): Promise<boolean> {
  const expected = JSON.stringify(await stored(plain, history, true));
  try {
    return JSON.stringify(await stored(parts, history, false)) !== expected;
  } catch {
    return true;
  }
}

/** Whether some history shows a difference. */
async function isBroken(parts: UnitParts, runs: number): Promise<boolean> {
  const law = fc.asyncProperty(tagHistories, async (history) => !(await differs(parts, history)));
  return (await fc.check(law, { seed: 1, numRuns: runs, endOnFailure: true })).failed;
}

describe('a weakened rule of tags that the engine knows is caught', () => {
  it.each(TAG_MUTATIONS.map((each) => [each.name, each] as const))('%s', async (_, mutation) => {
    const parts = await mutated(mutation);
    const { history } = mutation;
    expect(history === undefined ? await isBroken(parts, 300) : await differs(parts, history)).toBe(true);
  });

  it('and the rules as they are pass', async () => {
    expect(await isBroken(plain, 50)).toBe(false);
    expect(await differs(plain, MANY_CONTEXTS)).toBe(false);
  });
});
