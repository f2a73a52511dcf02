import fc from 'fast-check';
import { describe, it } from 'vitest';
import { createJoin } from '../../../src/consumers/join/join.ts';
import { runs } from '../../runs.ts';
import { checkCalls, readings } from './check-calls.ts';
import { BROAD, MANY_PAGES } from './profile.ts';

describe('a join reports what the reference says, in its order', () => {
  it.each([
    ['of broad logs', BROAD],
    ['of requests with many pages', MANY_PAGES],
  ])('%s', (_, profile) => {
    fc.assert(
      fc.property(readings(profile), (reading) => checkCalls(createJoin, reading)),
      { numRuns: runs(500) },
    );
  });
});
