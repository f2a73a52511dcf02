import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { Panes } from '../../src/accumulators/panes.ts';
import { SCORE_WIDTH, WITH_POSITIVE } from '../../src/measures/sums.ts';
import { SHAPE } from './rows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const COHORTS = 3000;

/** Rows, with vectors for half of the sets, as a worker with many cohorts holds them. */
function manyCohorts(): Panes {
  const panes = new Panes({
    owner: { namespace: 'test', unit: 0, generation: '1' },
    paneSize: MINUTE,
    hour: HOUR,
    horizons: [{ text: '1m', ms: MINUTE }],
    dimensions: ['country', 'model'],
    sets: [['country'], ['model']],
    clustered: [['model']],
    shape: SHAPE,
    cohortsPerSet: COHORTS,
    keepMinutes: HOUR,
    keepHours: 2 * HOUR,
    keepVectors: 2 * HOUR,
    totals: ['all'],
    runs: [],
    closedUpTo: 0,
  });
  const out = new Float64Array(SCORE_WIDTH * SHAPE.names.length);
  for (let m = 0; m < SHAPE.names.length; m++) out.set([WITH_POSITIVE, 1e8], SCORE_WIDTH * m);
  for (let n = 0; n < 4 * COHORTS; n++) {
    const tag = panes.cohorts.tag([`country ${n % COHORTS}`, `model ${n % COHORTS}`]);
    panes.add({ at: 2 * MINUTE, ts: MINUTE, horizon: 0, tag, userless: false, bucket: n % 251 }, true, out);
    panes.cohorts.unref(tag);
  }
  panes.takeChanges();
  return panes;
}

it('the bytes that rows are said to take are about those that they take, and go when they go', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const inUse = (): number => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  let panes = manyCohorts();
  // What else is allocated meanwhile, of code and caches, only adds: the least of some is of the rows.
  let taken = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 4; n++) {
    const before = inUse();
    const next = manyCohorts();
    taken = Math.min(taken, inUse() - before);
    panes = next;
  }
  expect(taken).toBeGreaterThan(10_000_000);
  expect(panes.bytes / taken).toBeGreaterThan(0.7);
  expect(panes.bytes / taken).toBeLessThan(1.5);
  const full = panes.bytes;
  // The totals stay, and what was scored.
  panes.advance(100 * HOUR);
  panes.takeChanges();
  expect(panes.bytes).toBeLessThan(0.7 * full);
});
