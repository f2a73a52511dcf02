/** Records that the engine reads and judges by itself, many at a time, against the same records decoded and judged one by one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDecoder } from '../../../src/consumers/decode/decoder.ts';
import { recordRows } from '../../../src/consumers/engine/record-rows.ts';
import { createJoin } from '../../../src/consumers/join/join.ts';
import { runs } from '../../runs.ts';
import { byTheHundred, fed, known, MANY_EVENTS, oneByOne, traceOf } from './fed.ts';
import { BROAD, MANY_PAGES } from './profile.ts';

const PARTS = { createDecoder, createJoin, recordRows };

describe('records that are fed by the hundred are judged as one by one', () => {
  it.each([
    ['of broad logs', BROAD],
    ['of requests with many pages', MANY_PAGES],
    ['of lists with many events', MANY_EVENTS],
  ])('%s', (_, profile) => {
    fc.assert(
      fc.property(fed(profile), (log) => {
        expect(traceOf(PARTS, log, byTheHundred)).toEqual(traceOf(PARTS, log, oneByOne));
      }),
      { numRuns: runs(350) },
    );
  });

  it('by the engine itself, mostly', () => {
    expect(known.unknown).toBeGreaterThan(known.all / 50);
    expect(known.unknown).toBeLessThan(known.all / 2);
  });
});
