import { describe, expect, it } from 'vitest';
import { rowField } from '../../src/accumulators/store/layout.ts';
import { noCounts } from '../../src/consumers/join/counts.ts';
import { evaluate } from '../../src/experiment/evaluate.ts';
import { takeLooks } from '../../src/experiment/take-looks.ts';
import type { QualitySnapshot } from '../../src/exporter/exporter-contract.ts';
import { metricSpecs } from '../../src/metrics/metric-specs.ts';
import { Metrics, type MetricsUpdate } from '../../src/metrics/registry.ts';
import type { Mean } from '../../src/statistics/mean.ts';
import { watch } from '../../src/statistics/watched.ts';
import type { TopicCounts } from '../../src/vocabulary/checkpoint.ts';
import type { UnitStatus } from '../../src/worker/status.ts';
import { state, variant } from '../experiment/states.ts';
import { type Family, parse } from './parse.ts';
import { settingsOf } from './settings.ts';
import { meanRow, rowsByField, unitStatus, workerStatus } from './statuses.ts';

const SETTINGS = settingsOf('{measures: [mrr, mrr(empty=skip), ndcg@10], cohorts: [[], [variant]]}');
const NAMES = SETTINGS.measures.map(({ canonical }) => canonical);
const HORIZON = SETTINGS.attribution.horizons[0].text;
const LATER = 1_795_248_000_000;
/** More settled events than a share needs to be reported. */
const JOINED = 1000;

/** Nothing is unknown to this process, nothing absent, nothing too rare to be reported. */
const OPTIONS = { role: 'all', version: '1', node: '20', memoryLimit: 1, openLimit: 1, stateLimit: 1 } as const;

function countsOf(attributed: number): readonly TopicCounts[] {
  const counts = SETTINGS.kafka.topics.map(() => noCounts(SETTINGS.attribution.horizons.length));
  for (const { feedback } of counts) {
    feedback.read = 2 * attributed;
    feedback.attributed = attributed;
    feedback.drops.not_in_list = attributed / 2;
    feedback.drops.orphan = attributed / 2;
  }
  return counts;
}

function unitOf(attributed: number): UnitStatus {
  return unitStatus(0, {
    counts: countsOf(attributed),
    scored: rowsByField([rowField(HORIZON, 'variant', 'B'), meanRow(NAMES, 4, 2, 1)]),
    topicWatermarks: [LATER, LATER],
    lag: [1, 2],
    retentionHeadroom: [90_000, 60_000],
  });
}

function snapshot(): QualitySnapshot {
  const mean: Mean = { value: 0.4, stderr: 0.01, df: 255 };
  const better: Mean = { ...mean, value: 0.5 };
  const compared = state({
    A: variant(new Map([['ndcg@10', better]])),
    B: variant(new Map([['ndcg@10', mean]])),
  });
  const settings = { k: 0.5, h: 20, tolerance: 0.01 };
  const decision = watch({ at: 0, replaying: true, blocks: [], step: 300_000, pastOf: () => undefined, settings });
  const cohort = { by: ['variant'], values: ['B'] };
  const accepted = { ...cohort, measure: 'mrr', from: LATER, at: LATER, note: '' };
  return {
    rows: [{ ...cohort, horizon: HORIZON, window: '5m', row: meanRow(NAMES, 4, 2, 1), stderrs: NAMES.map(() => 0.1) }],
    windows: [{ horizon: HORIZON, window: '5m', complete: true, lacks: [], completeAt: LATER }],
    decisions: [{ ...cohort, horizon: HORIZON, measure: 'mrr', decision, accepted }],
    experiments: [evaluate({ ...compared, looks: takeLooks(compared) })],
    resultTimes: new Map([[HORIZON, LATER]]),
    impressions: 4,
  };
}

const EVERYTHING: MetricsUpdate = {
  snapshot: snapshot(),
  status: workerStatus([unitOf(JOINED)], { lastCommit: LATER, clockSkew: 20 }),
  deadLetters: { written: 1, failed: 1, dropped: 1 },
  access: [
    {
      setting: 'kafka.tls',
      problem: undefined,
      validity: { begins: new Date(LATER), ends: new Date(LATER) },
    },
  ],
  redis: { usedBytes: 1, limitBytes: 2, evicted: 3 },
};

async function shown(): Promise<ReadonlyMap<string, Family>> {
  const metrics = new Metrics(SETTINGS, OPTIONS);
  metrics.claimed(0, countsOf(0));
  await metrics.take({ status: workerStatus([unitOf(0)]) });
  await metrics.take(EVERYTHING);
  return parse(await metrics.text());
}

/** Of these names those that have HELP and TYPE at most, and no series. */
function silent(names: readonly string[], families: ReadonlyMap<string, Family>): readonly string[] {
  return names.filter((name) => (families.get(name)?.samples ?? []).length === 0);
}

describe('a process that knows everything', () => {
  it('writes a series of every metric that is listed', async () => {
    const listed = metricSpecs(SETTINGS).map(({ name }) => name);
    const unwritten = silent(listed, await shown());
    expect(unwritten, 'write a value of each in src/metrics, and give one to this process if it is new').toEqual([]);
  });

  it('is found out when it writes none of a metric', async () => {
    const families = new Map(await shown());
    families.set('receval_listed_alone', { help: 'Nobody writes it.', type: 'gauge', samples: [] });
    const names = ['receval_open_impressions', 'receval_listed_alone', 'receval_not_even_listed'];
    expect(silent(names, families)).toEqual(['receval_listed_alone', 'receval_not_even_listed']);
  });
});
