import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RowTextParts, rowTextHistories, takenTexts } from '../accumulators/row-text-histories.ts';
import { compileEngines } from './compile-engines.ts';
import { withMutation } from './loader.ts';
import type { Mutation } from './mutation.ts';
import { ROW_TEXT_MUTATIONS } from './row-texts.ts';

const FILES = [
  'accumulators/list-sums.ts',
  'consumers/engine/engine-blocks.ts',
  'accumulators/row-table.ts',
  'accumulators/row-texts.ts',
  'accumulators/row-codec.ts',
];

function mutated({ changes }: Pick<Mutation, 'changes'>): Promise<RowTextParts> {
  return withMutation<RowTextParts>(
    changes,
    FILES,
    async (paths) => Object.assign({}, ...(await Promise.all(paths.map((path) => import(/* @vite-ignore */ path))))),
    'checked',
  );
}

let plain: RowTextParts;
beforeAll(async () => {
  await compileEngines([{ changes: [] }, ...ROW_TEXT_MUTATIONS]);
  plain = await mutated({ changes: [] });
});

/** Whether the engine writes some row in another way than the codec as it is. */
function isBroken(parts: RowTextParts, runs: number): boolean {
  const law = fc.property(rowTextHistories, (history) => {
    const expected = JSON.stringify(takenTexts(plain, history, 'codec'));
    return JSON.stringify(takenTexts(parts, history, 'engine')) === expected;
  });
  return fc.check(law, { seed: 1, numRuns: runs, endOnFailure: true }).failed;
}

describe('a weakened rule of rows that the engine writes is caught', () => {
  it.each(ROW_TEXT_MUTATIONS.map((each) => [each.name, each] as const))('%s', async (_, mutation) => {
    expect(isBroken(await mutated(mutation), 100)).toBe(true);
  });

  it('and the rules as they are pass', () => {
    expect(isBroken(plain, 30)).toBe(false);
  });
});
