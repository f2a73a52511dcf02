import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJoin } from '../../src/consumers/join/join.ts';
import { checkHistory } from '../consumers/join/check.ts';
import { histories, USUAL } from '../consumers/join/history.ts';
import { BROAD, MANY_PAGES } from '../consumers/join/profile.ts';
import type { CreateJoin } from '../consumers/join/worker.ts';
import { SMALL_BOUNDS } from '../simulation/product.ts';
import { CLOCK_DROP_MUTATIONS } from './bounds.ts';
import { JOIN_MUTATIONS } from './join.ts';
import { BOUNDARY_MUTATIONS } from './join-boundaries.ts';
import { INDEX_MUTATIONS } from './join-indexes.ts';
import { withMutation } from './loader.ts';
import type { Mutation } from './mutation.ts';

const JOIN_FILE = 'consumers/join/join.ts';
const { RECEVAL_MUTATION_SEED } = process.env;
/** With this seed the rarest control is caught within a few hundred histories. RECEVAL_MUTATION_SEED searches anew. */
const SEED = Number(RECEVAL_MUTATION_SEED ?? 1);
const MOST_RUNS = 5000;

/** The law of the join over `runs` histories, up to the first that breaks it. */
function judge(create: CreateJoin, runs: number): { readonly failed: boolean; readonly numRuns: number } {
  const either = fc.oneof(histories(BROAD, USUAL), histories(MANY_PAGES, USUAL));
  const law = fc.property(either, (history) => checkHistory(create, history));
  return fc.check(law, { seed: SEED, numRuns: runs, endOnFailure: true });
}

async function mutated({ changes }: Mutation): Promise<CreateJoin> {
  const module = await withMutation<typeof import('../../src/consumers/join/join.ts')>(
    changes,
    JOIN_FILE,
    (path) => import(/* @vite-ignore */ path),
  );
  return module.createJoin;
}

describe('a join with a weakened rule is caught', () => {
  let most = 0;

  const mutations = [...JOIN_MUTATIONS, ...BOUNDARY_MUTATIONS, ...INDEX_MUTATIONS, ...CLOCK_DROP_MUTATIONS];
  it.each(mutations.map((each) => [each.name, each] as const))('%s', async (_, mutation) => {
    const { failed, numRuns } = judge(await mutated(mutation), MOST_RUNS);
    expect(failed, `not caught by ${numRuns} histories`).toBe(true);
    most = Math.max(most, numRuns);
  });

  it('and the join as it is passes all the histories that catch them', () => {
    expect(judge(createJoin, most)).toMatchObject({ failed: false, numRuns: most });
  });

  it('and so does its copy without a change', async () => {
    const copy = await mutated({ name: 'nothing', changes: [] });
    expect(copy).not.toBe(createJoin);
    expect(judge(copy, 100).failed).toBe(false);
  });

  it('and so does one whose bounds are small', async () => {
    expect(judge(await mutated({ name: 'nothing', changes: SMALL_BOUNDS }), 1000).failed).toBe(false);
  });
});
