import { decoders, JOIN_SETTINGS, scorer } from '../../bench/stages.ts';
import { DIMENSIONS, HORIZONS, SETS } from '../../bench/workload.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import type { WorkerDeps, WorkerSettings } from '../../src/worker/worker-contract.ts';

export const SCORER = scorer();
export const TOPICS = ['impressions', 'feedback'];

/** Of a worker on topics with so many partitions, which joins the traffic of the benchmarks. */
export function settingsFor(partitions: number): WorkerSettings {
  return {
    topics: TOPICS,
    unit: (partition) => ({
      namespace: 'test',
      partition,
      partitions,
      generation: '1',
      permissions: NO_PERMISSIONS,
      fingerprint: { shape: '', additive: '' },
      join: JOIN_SETTINGS,
      panes: {
        paneSize: 60_000,
        hour: 3_600_000,
        horizons: HORIZONS,
        dimensions: DIMENSIONS,
        sets: SETS,
        clustered: SETS,
        shape: SCORER,
        cohortsPerSet: 50,
        keepMinutes: 7_200_000,
        keepHours: 7_200_000,
        keepVectors: 7_200_000,
        totals: ['all'],
        runs: [],
      },
      experiments: [],
      sources: TOPICS.map((topic) => `${topic}:${partition}`),
    }),
    commitInterval: 1000,
    idleAfter: 30_000,
    outOfOrderness: 10_000,
    maxSkew: 120_000,
    openLimit: 1_000_000,
    stateLimit: Number.POSITIVE_INFINITY,
    rowLimit: Number.POSITIVE_INFINITY,
    sessionTimeout: 30_000,
    looks: { every: 60_000, partitions: 1, measures: [], unitTimeout: 600_000 },
  };
}

/** What a worker of these tests needs besides its source, store and clock. */
export function quietDeps(): Omit<WorkerDeps, 'source' | 'store' | 'clock'> {
  let ids = 0;
  return {
    decoders: () => decoders(),
    scorer: SCORER,
    newId: () => `id${ids++}`,
    onClaim: () => {},
    startOffset: async () => 0,
    log: { info: () => {}, warn: () => {} },
  };
}
