/** A small service with an experiment: its settings, and what its logs hold. */
import { shapeOf } from '../src/accumulators/row.ts';
import type { Store } from '../src/accumulators/store/store-port.ts';
import type { ExperimentSettings } from '../src/config/settings.ts';
import { createDecoder, type Decoder } from '../src/consumers/decode/decoder.ts';
import type { MemoryLog } from '../src/consumers/source/memory-source.ts';
import { runOf } from '../src/experiment/run-settings.ts';
import { parseMeasures } from '../src/measures/grammar/measure-name.ts';
import { compile } from '../src/measures/scorer.ts';
import { NO_PERMISSIONS } from '../src/unit/resume.ts';
import type { UnitDeps, UnitSettings } from '../src/unit/unit-contract.ts';

export const GRADING = {
  relevantFrom: 1,
  actions: [{ name: 'click', rule: { from: 'grade', grade: 1, rule: 'max', max: 30, veto: false } }],
} as const;

export const MEASURES = parseMeasures(['ndcg@10', 'mrr', 'ctr(avg=micro)'], GRADING).measures;
export const SCORER = compile(MEASURES, GRADING);
export const NAMESPACE = 'shop';
export const HORIZONS = [
  { text: '10s', ms: 10_000 },
  { text: '1m', ms: 60_000 },
];
/** Event time of the first impressions. */
export const BEGIN = 1_760_000_040_000;
const ROLES = [
  { impressions: true, feedback: false },
  { impressions: false, feedback: true },
];

export const EXPERIMENT: ExperimentSettings = {
  name: 'default',
  dimension: 'variant',
  control: 'A',
  variants: new Map([
    ['A', 0.5],
    ['B', 0.5],
  ]),
  primary: 'ndcg@10',
  guardrails: ['mrr'],
  horizon: HORIZONS[1],
  start: undefined,
  alpha: 0.05,
  nStar: 5000,
  tolerance: 0.01,
  lowerIsBetter: new Set(),
  interleaved: false,
};

/** The same experiment with more traffic for its control: another run. */
export const RAMPED: ExperimentSettings = {
  ...EXPERIMENT,
  variants: new Map([
    ['A', 0.9],
    ['B', 0.1],
  ]),
};

export function nameOfRun(experiment: ExperimentSettings): string {
  return runOf(experiment);
}

export function unitSettings(
  experiments: readonly ExperimentSettings[] = [EXPERIMENT],
  partition = 0,
  partitions = 1,
): UnitSettings {
  return {
    namespace: NAMESPACE,
    partition,
    partitions,
    generation: '1',
    permissions: NO_PERMISSIONS,
    fingerprint: { shape: '{}', additive: '[]' },
    join: {
      topics: ROLES,
      horizons: HORIZONS.map(({ ms }) => ms),
      outOfOrderness: 2_000,
      backward: 1_000,
      futureSkew: 60_000,
      feedbackPerImpression: 100,
      actions: SCORER.actions,
    },
    panes: {
      paneSize: 20_000,
      hour: 60_000,
      horizons: HORIZONS,
      dimensions: ['variant'],
      sets: [[]],
      clustered: [],
      shape: shapeOf(MEASURES),
      cohortsPerSet: 4,
      keepMinutes: 600_000,
      keepHours: 600_000,
      keepVectors: 600_000,
      totals: [],
      runs: experiments.map((experiment) => ({
        name: experiment.name,
        run: nameOfRun(experiment),
        dimension: experiment.dimension,
        horizon: HORIZONS.findIndex(({ ms }) => ms === experiment.horizon.ms),
        variants: [...experiment.variants.keys()],
        start: experiment.start,
      })),
    },
    experiments,
    sources: ['impressions', 'feedback'],
  };
}

export function decoders(make = createDecoder): readonly Decoder[] {
  const base = { adapter: 'canonical', dimensions: ['variant'], itemsPerList: 100, tsUnit: 'ms' } as const;
  const limits = { impressionBytes: 10_000, feedbackBytes: 10_000, positionBase: 1, sampleUsers: true } as const;
  return ROLES.map((role) => make({ ...base, ...limits, role }));
}

let ids = 0;
export function unitDeps(store: Store): UnitDeps {
  return { store, scorer: SCORER, decoders: decoders(), newId: () => `id-${ids++}`, now: () => undefined };
}

export interface Shown {
  readonly ts: number;
  readonly variant: string;
  /** undefined: nobody knows who. */
  readonly user?: string | undefined;
  /** Rank of the item that is clicked; undefined: none is. */
  readonly click?: number | undefined;
}

let requests = 0;
/** Appends one list, and the click on it; returns the offset of the list. */
export function append(
  log: MemoryLog,
  partition: number,
  { ts, variant, user, click }: Shown,
  requestId = `r${requests++}`,
): number {
  const items = ['a', 'b', 'c', 'd'];
  const list = { requestId, ts, variant, items, ...(user === undefined ? {} : { userId: user }) };
  const offset = log.append(0, partition, Buffer.from(JSON.stringify(list)), ts);
  if (click !== undefined) {
    const event = { requestId, itemId: items[click - 1], ts: ts + 500, action: 'click' };
    log.append(1, partition, Buffer.from(JSON.stringify(event)), ts + 500);
  }
  return offset;
}
