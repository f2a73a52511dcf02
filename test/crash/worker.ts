import type { ExperimentSettings } from '../../src/config/settings.ts';
import type { createDecoder } from '../../src/consumers/decode/decoder.ts';
import { runOf } from '../../src/experiment/run-settings.ts';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';
import { compile } from '../../src/measures/scorer.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import type { Worker } from '../../src/worker/worker.ts';
import type { WorkerSettings } from '../../src/worker/worker-contract.ts';
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
const { measures: MEASURES } = parseMeasures(['mrr', 'ndcg@3', 'ctr'], GRADING);
const SCORER = compile(MEASURES, GRADING);
/** Shorter than that of the service, so that a short script has several looks. */
const LOOK_EVERY_MS = 8_000;
const ROLES = [
  { impressions: true, feedback: false },
  { impressions: false, feedback: true },
];

const EXPERIMENT: ExperimentSettings = {
  name: 'default',
  dimension: 'variant',
  control: 'A',
  variants: new Map([
    ['A', 1],
    ['B', 1],
  ]),
  primary: 'ndcg@3',
  guardrails: ['mrr'],
  horizon: HORIZONS[0],
  start: undefined,
  alpha: 0.05,
  nStar: 5000,
  tolerance: 0.01,
  lowerIsBetter: new Set(),
  interleaved: false,
};

const SETTINGS: WorkerSettings = {
  topics: ['impressions', 'feedback'],
  unit: (partition) => ({
    namespace: NAMESPACE,
    partition,
    partitions: PARTITIONS,
    generation: '1c',
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
      mostInCheckpoint: 2,
      keepMinutes: 20_000,
      keepHours: 3_600_000,
      keepVectors: 1_800_000,
      totals: ['all'],
      runs: [
        {
          name: EXPERIMENT.name,
          run: runOf(EXPERIMENT),
          dimension: EXPERIMENT.dimension,
          horizon: 0,
          variants: [...EXPERIMENT.variants.keys()],
          start: undefined,
        },
      ],
    },
    experiments: [EXPERIMENT],
    sources: [`impressions:${partition}`, `feedback:${partition}`],
  }),
  commitInterval: 1_500,
  /** Longer than it takes two processes to die and to be fenced after the end of the log. */
  idleAfter: 15_000,
  outOfOrderness: 2_000,
  maxSkew: 3_600_000,
  openLimit: 1_000_000,
  stateLimit: Number.POSITIVE_INFINITY,
  rowLimit: Number.POSITIVE_INFINITY,
  sessionTimeout: 2_000,
  looks: { every: LOOK_EVERY_MS, partitions: PARTITIONS, measures: MEASURES, unitTimeout: 600_000 },
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
            sampleUsers: true,
            drop: [{ '/bot': { exists: true } }],
          }),
        ),
      onClaim: () => {},
      log: { info: () => {}, warn: () => {} },
    });
}
