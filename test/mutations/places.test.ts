import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Panes } from '../../src/accumulators/panes.ts';
import { brokenPlaces, placeHistories } from '../accumulators/place-histories.ts';
import { withMutation } from './loader.ts';
import { PLACE_MUTATIONS } from './places.ts';

const PANES_FILE = 'accumulators/panes.ts';
const { RECEVAL_MUTATION_SEED } = process.env;
/** RECEVAL_MUTATION_SEED searches again. */
const SEED = Number(RECEVAL_MUTATION_SEED ?? 1);
const MOST_RUNS = 3000;

function judge(make: typeof Panes, runs: number): { readonly failed: boolean; readonly numRuns: number } {
  const law = fc.property(placeHistories, (history) => brokenPlaces(history, make) === undefined);
  return fc.check(law, { seed: SEED, numRuns: runs, endOnFailure: true });
}

describe('places of cohorts with a weakened rule are caught', () => {
  let most = 0;

  it.each(PLACE_MUTATIONS.map((each) => [each.name, each] as const))('%s', async (_, { changes }) => {
    const { Panes: Mutated } = await withMutation<typeof import('../../src/accumulators/panes.ts')>(
      changes,
      [PANES_FILE],
      ([path]) => import(/* @vite-ignore */ path),
    );
    const { failed, numRuns } = judge(Mutated, MOST_RUNS);
    expect(failed, `not caught by ${numRuns} histories`).toBe(true);
    most = Math.max(most, numRuns);
  });

  it('and the rules as they are pass all the histories that catch them', () => {
    expect(judge(Panes, most)).toMatchObject({ failed: false, numRuns: most });
  });
});
