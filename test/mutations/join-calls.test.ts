import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkCalls, readings } from '../consumers/join/check-calls.ts';
import { BROAD, MANY_PAGES } from '../consumers/join/profile.ts';
import { compileEngines } from './compile-engines.ts';
import { CALL_MUTATIONS } from './join-calls.ts';
import { withMutation } from './loader.ts';

const MOST_RUNS = 1000;

describe('a join that tells something else, or in another order, is caught', () => {
  beforeAll(() => compileEngines(CALL_MUTATIONS));

  it.each(CALL_MUTATIONS.map((each) => [each.name, each] as const))('%s', async (_, { changes }) => {
    const { createJoin } = await withMutation<typeof import('../../src/consumers/join/join.ts')>(
      changes,
      ['consumers/join/join.ts'],
      ([path]) => import(/* @vite-ignore */ path),
    );
    const either = fc.oneof(readings(BROAD), readings(MANY_PAGES));
    const law = fc.property(either, (reading) => checkCalls(createJoin, reading));
    const { failed } = fc.check(law, { seed: 1, numRuns: MOST_RUNS, endOnFailure: true });
    expect(failed, `not caught by ${MOST_RUNS} readings`).toBe(true);
  });
});
