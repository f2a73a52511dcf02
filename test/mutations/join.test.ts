import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createJoin } from '../../src/consumers/join/join.ts';
import { checkHistory } from '../consumers/join/check.ts';
import { histories, USUAL } from '../consumers/join/history.ts';
import { BROAD, MANY_PAGES } from '../consumers/join/profile.ts';
import type { CreateJoin } from '../consumers/join/worker.ts';
import { SMALL_BLOCKS } from '../simulation/product.ts';
import { CLOCK_DROP_MUTATIONS } from './bounds.ts';
import { compileEngines } from './compile-engines.ts';
import { JOIN_MUTATIONS } from './join.ts';
import { BOUNDARY_MUTATIONS } from './join-boundaries.ts';
import { HISTORIES } from './join-histories.ts';
import { INDEX_MUTATIONS } from './join-indexes.ts';
import { LEAP_MUTATIONS } from './leaps.ts';
import { withMutation } from './loader.ts';
import type { Mutation } from './mutation.ts';

const JOIN_FILE = 'consumers/join/join.ts';
const { RECEVAL_MUTATION_SEED } = process.env;
/** RECEVAL_MUTATION_SEED searches again with that seed; else the pinned histories come first. */
const SEED = Number(RECEVAL_MUTATION_SEED ?? 1);
const MOST_RUNS = 10_000;

/** The law of the join over the histories of the seed, of these numbers, up to the first that breaks it. */
function judge(create: CreateJoin, runs: number, from = 0): { readonly failed: boolean; readonly at: number } {
  const either = fc.oneof(histories(BROAD, USUAL), histories(MANY_PAGES, USUAL));
  const law = fc.property(either, (history) => checkHistory(create, history));
  const { failed, numRuns } = fc.check(law, { seed: SEED, path: String(from), numRuns: runs, endOnFailure: true });
  return { failed, at: from + numRuns - 1 };
}

async function mutated({ changes }: Mutation): Promise<CreateJoin> {
  const module = await withMutation<typeof import('../../src/consumers/join/join.ts')>(
    changes,
    [JOIN_FILE],
    ([path]) => import(/* @vite-ignore */ path),
  );
  return module.createJoin;
}

/** The number of the first history that shows the mutation, the pinned one if that does; undefined: none of so many does. */
function caught(create: CreateJoin, pinned: number | undefined): number | undefined {
  if (RECEVAL_MUTATION_SEED === undefined && pinned !== undefined && judge(create, 1, pinned).failed) return pinned;
  const { failed, at } = judge(create, MOST_RUNS);
  return failed ? at : undefined;
}

describe('a join with a weakened rule is caught', () => {
  const catching = new Set<number>();

  const mutations = [
    ...JOIN_MUTATIONS,
    ...BOUNDARY_MUTATIONS,
    ...INDEX_MUTATIONS,
    ...CLOCK_DROP_MUTATIONS,
    ...LEAP_MUTATIONS,
  ];
  beforeAll(() => compileEngines(mutations));

  it.each(mutations.map((each) => [each.name, each] as const))('%s', async (name, mutation) => {
    const at = caught(await mutated(mutation), HISTORIES[name]);
    if (at === undefined) {
      expect.fail(`not caught by ${MOST_RUNS} histories: draw what shows it (test/consumers/join/logs.ts, profile.ts)`);
    }
    catching.add(at);
    // Else it would be searched for again by everybody, which takes minutes.
    if (RECEVAL_MUTATION_SEED === undefined && at !== (HISTORIES[name] ?? at)) {
      expect.fail(
        `${name}: history ${HISTORIES[name]} shows it no more; pin ${at} in test/mutations/join-histories.ts`,
      );
    }
  });

  it('and the join as it is passes the histories that catch them', () => {
    for (const at of catching) expect(judge(createJoin, 1, at), `history ${at}`).toMatchObject({ failed: false });
  });

  it('and so does its copy without a change', async () => {
    const copy = await mutated({ name: 'nothing', changes: [] });
    expect(copy).not.toBe(createJoin);
    expect(judge(copy, 100).failed).toBe(false);
  });

  it('and so does one whose bounds are small', async () => {
    expect(judge(await mutated({ name: 'nothing', changes: [SMALL_BLOCKS] }), 500).failed).toBe(false);
  });
});
