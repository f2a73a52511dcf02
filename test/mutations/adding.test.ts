import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { added, histories, type Parts } from '../accumulators/added.ts';
import { ADDING_MUTATIONS, BOUND_MUTATIONS, FEW_PLACES } from './adding.ts';
import { compileEngines } from './compile-engines.ts';
import { withMutation } from './loader.ts';
import type { Mutation } from './mutation.ts';

const FILES = ['consumers/join/join.ts', 'accumulators/panes.ts', 'unit/unit-scoring.ts', 'measures/scorer.ts'];
const MOST_RUNS = 500;

function mutated({ changes }: Pick<Mutation, 'changes'>): Promise<Parts> {
  return withMutation<Parts>(
    changes,
    FILES,
    async (paths) => {
      const [join, panes, scoring, scorer] = await Promise.all(paths.map((path) => import(/* @vite-ignore */ path)));
      return {
        createJoin: join.createJoin,
        Panes: panes.Panes,
        UnitScoring: scoring.UnitScoring,
        compile: scorer.compile,
      };
    },
    'checked',
  );
}

let plain: Parts;
beforeAll(async () => {
  await compileEngines([{ changes: [] }, { changes: FEW_PLACES }, ...ADDING_MUTATIONS, ...BOUND_MUTATIONS]);
  plain = await mutated({ changes: [] });
});

/** Whether some history shows that closings come to something else than where the host adds each, by the rules as they are. */
function isBroken(parts: Parts, runs: number): boolean {
  const law = fc.property(histories, (history) => {
    const { told: _, ...byEngine } = added(parts, history, true);
    const { told: __, ...byHost } = added(plain, history, false);
    expect(byEngine).toEqual(byHost);
  });
  return fc.check(law, { seed: 1, numRuns: runs, endOnFailure: true }).failed;
}

describe('a weakened rule of closings that the engine adds itself is caught', () => {
  it.each(ADDING_MUTATIONS.map((each) => [each.name, each] as const))('%s', async (_, mutation) => {
    expect(isBroken(await mutated(mutation), MOST_RUNS)).toBe(true);
  });

  it.each(BOUND_MUTATIONS.map((each) => [each.name, each] as const))('%s', async (_, mutation) => {
    expect(added(await mutated(mutation), mutation.history, true)).not.toEqual(added(plain, mutation.history, true));
  });

  it('and the rules as they are pass', () => {
    expect(isBroken(plain, 100)).toBe(false);
  });

  it('and so do they where patterns take their places from each other', async () => {
    expect(isBroken(await mutated({ changes: FEW_PLACES }), 200)).toBe(false);
  });
});
