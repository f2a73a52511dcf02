import type { createDecoder } from '../../src/consumers/decode/decoder.ts';
import { parseMeasures } from '../../src/measures/name.ts';
import { compile } from '../../src/measures/scorer.ts';
import { NO_PERMISSIONS } from '../../src/resume.ts';
import type { Worker } from '../../src/worker.ts';
import type { WorkerSettings } from '../../src/worker-contract.ts';
import type { MakeWorker } from './life.ts';
import { DIMENSIONS, FEEDBACK_LIMIT, FUTURE_SKEW_MS, HORIZONS, PARTITIONS } from './script.ts';
import { NAMESPACE } from './world.ts';

const GRADING = {
  relevantFrom: 1,
  actions: ['click', 'purchase'].map((name, i) => ({
    name,
    rule: { from: 'grade', grade: 2 * i + 1, rule: 'max', max: 30, veto: false } as const,
  })),
};
const SCORER = compile(parseMeasures(['mrr', 'ndcg@3', 'ctr'], GRADING).measures, GRADING);
const ROLES = [
  { impressions: true, feedback: false },
  { impressions: false, feedback: true },
];

const SETTINGS: WorkerSettings = {
  topics: ['impressions', 'feedback'],
  unit: (partition) => ({
    namespace: NAMESPACE,
    partition,
    partitions: PARTITIONS,
    generation: '1',
    permissions: NO_PERMISSIONS,
    fingerprint: { shape: '', additive: '' },
    join: {
      topics: ROLES,
      horizons: HORIZONS.map(({ ms }) => ms),
      outOfOrderness: 2_000,
      backward: 500,
      futureSkew: FUTURE_SKEW_MS,
      feedbackPerImpression: FEEDBACK_LIMIT,
      actions: SCORER.actions,
    },
    panes: {
      paneSize: 4_000,
      hour: 20_000,
      horizons: HORIZONS,
      dimensions: DIMENSIONS,
      sets: [[], ['variant', 'country']],
      clustered: [[], ['variant', 'country']],
      shape: SCORER,
      cohortsPerSet: 4,
      keepMinutes: 20_000,
      keepHours: 3_600_000,
      keepVectors: 1_800_000,
      totals: ['all'],
    },
    sources: [`impressions:${partition}`, `feedback:${partition}`],
  }),
  commitInterval: 1_500,
  /** Longer than it takes two processes to die and to be fenced after the end of the log. */
  idleAfter: 15_000,
  outOfOrderness: 2_000,
  maxSkew: 3_600_000,
  openLimit: 1_000_000,
  sessionTimeout: 2_000,
};

/** Of one copy of the sources: decoded events are for the worker of the same copy. */
export interface Sources {
  readonly Worker: typeof Worker;
  readonly createDecoder: typeof createDecoder;
}

export function workersOf(sources: Sources): MakeWorker {
  return (deps) =>
    new sources.Worker(SETTINGS, {
      ...deps,
      scorer: SCORER,
      decoders: () =>
        ROLES.map((role) =>
          sources.createDecoder({
            adapter: 'canonical',
            role,
            dimensions: DIMENSIONS,
            itemsPerList: 100,
            impressionBytes: 10_000,
            feedbackBytes: 10_000,
            tsUnit: 'ms',
            positionBase: 1,
          }),
        ),
      onClaim: () => {},
      log: { info: () => {}, warn: () => {} },
    });
}
