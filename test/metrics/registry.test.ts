import { execFile } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { ItemSums } from '../../src/accumulators/item-sums.ts';
import { emptyRow } from '../../src/accumulators/row.ts';
import { rowField } from '../../src/accumulators/store/layout.ts';
import { noCounts } from '../../src/consumers/join/counts.ts';
import type { QualityDecision } from '../../src/exporter/cohort-watch.ts';
import type { QualityRow, QualitySnapshot } from '../../src/exporter/exporter-contract.ts';
import { itemPartsOf } from '../../src/measures/item-part.ts';
import { measureValue, sumsKind } from '../../src/measures/value.ts';
import { metricSpecs } from '../../src/metrics/metric-specs.ts';
import { Metrics, type MetricsOptions } from '../../src/metrics/registry.ts';
import { type WatchedDecision, watch } from '../../src/statistics/watched.ts';
import { FEEDBACK_DROPS, IMPRESSION_DROPS, INVALID_CODES } from '../../src/vocabulary/drops.ts';
import type { UnitStatus } from '../../src/worker/status.ts';
import { itWith } from '../services/it-with.ts';
import { PROMTOOL } from '../services/prometheus.ts';
import { type Family, parse, sampleValue } from './parse.ts';
import { settingsOf } from './settings.ts';
import { meanRow, rowsByField, unitStatus, workerStatus } from './statuses.ts';

const SETTINGS = settingsOf(`
measures: [mrr, ndcg@10, ndcg(gain=exp)@10, mrr(empty=one), mrr(empty=skip)]
windows: [5m]
attribution: {horizons: [1m, 5m, 30m]}
`);
const NAMES = SETTINGS.measures.map(({ canonical }) => canonical);
const ALL: MetricsOptions = { role: 'all', version: '1.2.3', node: 'v20.0.0' };

async function page(metrics: Metrics): Promise<ReadonlyMap<string, Family>> {
  return parse(await metrics.text());
}

function snapshotOf(rows: readonly QualityRow[], changes: Partial<QualitySnapshot> = {}): QualitySnapshot {
  return {
    rows,
    windows: [{ horizon: '1m', window: '5m', complete: true, lacks: [] }],
    decisions: [],
    experiments: [],
    resultTimes: new Map([['1m', 1_795_248_000_500]]),
    impressions: 1,
    ...changes,
  };
}

function decisionOf(label: 'healthy' | 'regressed', by: readonly string[] = ['variant']): QualityDecision {
  const rest = watch({
    at: 0,
    replaying: true,
    blocks: [],
    step: 300_000,
    pastOf: () => undefined,
    settings: { k: 0.5, h: 20, tolerance: 0.01 },
  });
  const decision: WatchedDecision =
    label === 'regressed' ? { ...rest, label, reason: 'below_baseline' } : { ...rest, label, reason: 'in_control' };
  return { by, values: by.map(() => 'B'), horizon: '1m', measure: 'mrr', decision, accepted: undefined };
}

function rowOf(by: readonly string[], values: readonly string[], row = meanRow(NAMES, 4, 2, 1)): QualityRow {
  return { horizon: '1m', window: '5m', by, values, row, stderrs: NAMES.map(() => ({ absent: 'no_vector' }) as const) };
}

/** Of what prom-client measures. */
const OF_PROCESS = /receval_(?:process|nodejs)_/;

const COUNTERS = (families: ReadonlyMap<string, Family>): Map<string, number> =>
  new Map(
    [...families]
      .filter(([name, { type }]) => type !== 'gauge' && !OF_PROCESS.test(name))
      .flatMap(([, { samples }]) =>
        samples.map(({ name, labels, value }) => [`${name} ${JSON.stringify(labels)}`, value] as const),
      ),
  );

describe('the page', () => {
  it.each(['exporter', 'worker', 'all'] as const)(
    'of role %s has HELP and TYPE of all its metrics from the start',
    async (role) => {
      const families = [...(await page(new Metrics(SETTINGS, { ...ALL, role })))];
      const own = families.filter(([name]) => !OF_PROCESS.test(name));
      const expected = metricSpecs(SETTINGS).filter(
        (metric) => role === 'all' || metric.role === role || metric.role === 'both',
      );
      expect(own.map(([name, { type, help }]) => ({ name, type, help }))).toEqual(
        expected.map(({ name, type, help }) => ({ name, type, help })),
      );
    },
  );

  it('has every label that it uses in the catalogue', async () => {
    const metrics = new Metrics(SETTINGS, ALL);
    await metrics.take(everything());
    const labels = new Map(metricSpecs(SETTINGS).map((metric) => [metric.name, metric.labels] as const));
    for (const [name, { samples, type }] of await page(metrics)) {
      const known = [...(labels.get(name) ?? []), ...(type === 'histogram' ? ['le'] : [])];
      if (labels.has(name))
        for (const sample of samples) expect(known).toEqual(expect.arrayContaining(Object.keys(sample.labels)));
    }
  });

  it('reports its version, its process and Node', async () => {
    const metrics = new Metrics(SETTINGS, ALL);
    await metrics.take({});
    const families = await page(metrics);
    expect(sampleValue(families, 'receval_build_info', { version: '1.2.3', node: 'v20.0.0' })).toBe(1);
    expect(sampleValue(families, 'receval_process_start_time_seconds')).toBeGreaterThan(1.7e9);
    expect(families.has('receval_nodejs_eventloop_lag_p99_seconds')).toBe(true);
    expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('is rendered when it is requested, and not when something is taken', async () => {
    const metrics = new Metrics(SETTINGS, ALL);
    let reads = 0;
    const unit: UnitStatus = {
      ...unitStatus(0),
      get waitingFeedback() {
        return ++reads;
      },
    };
    const row: QualityRow = {
      ...rowOf([], []),
      get stderrs() {
        reads++;
        return [];
      },
    };
    for (let second = 0; second < 3; second++) {
      await metrics.take({ status: workerStatus([unit]), snapshot: snapshotOf([row]) });
    }
    expect(reads).toBe(0);
    await metrics.text();
    expect(reads).toBeGreaterThan(1);
  });

  it('shows what was taken before the call as a whole, though more is taken meanwhile', async () => {
    const metrics = new Metrics(SETTINGS, ALL);
    const scoredBy = (n: number) =>
      workerStatus([unitStatus(0, { scored: rowsByField([rowField('1m', '', ''), meanRow(NAMES, n, 1, 1)]) })]);
    const calls = [
      metrics.take({ status: scoredBy(1) }),
      metrics.text(),
      metrics.take({}),
      metrics.take({ status: scoredBy(3) }),
      metrics.text(),
    ];
    const texts = (await Promise.all(calls)).filter((text) => text !== undefined);
    const scored = texts.map((text) =>
      sampleValue(parse(text), 'receval_scored_impressions_total', { horizon: '1m', by: '' }),
    );
    expect(scored).toEqual([1, 3]);
  });

  itWith(PROMTOOL, 'passes promtool check metrics', async (promtool) => {
    const metrics = new Metrics(SETTINGS, ALL);
    await metrics.take(everything());
    const text = await metrics.text();
    const { code, printed } = await new Promise<{ code: number | null; printed: string }>((resolve) => {
      const child = execFile(promtool, ['check', 'metrics'], (_, out, err) =>
        resolve({ code: child.exitCode, printed: out + err }),
      );
      child.stdin?.end(text);
    });
    expect(printed).toBe('');
    expect(code).toBe(0);
  });
});

describe('the gauges of quality', () => {
  async function shown(snapshot: QualitySnapshot, settings = SETTINGS): Promise<ReadonlyMap<string, Family>> {
    const metrics = new Metrics(settings, { ...ALL, role: 'exporter' });
    await metrics.take({ snapshot });
    return page(metrics);
  }

  it('carry the window, the horizon, the grouping set and its dimensions, k and params', async () => {
    const families = await shown(snapshotOf([rowOf([], []), rowOf(['variant', 'country'], ['B', 'DE'])]));
    const cohort = { window: '5m', horizon: '1m', by: 'variant,country', variant: 'B', country: 'DE' };
    const all = { window: '5m', horizon: '1m', by: '' };
    expect(sampleValue(families, 'receval_mrr', cohort)).toBe(0.25);
    expect(sampleValue(families, 'receval_mrr', { ...all, params: 'empty=skip' })).toBe(0.5);
    expect(sampleValue(families, 'receval_mrr', { ...all, params: 'empty=one' })).toBe(0.75);
    expect(sampleValue(families, 'receval_ndcg', { ...cohort, k: '10' })).toBe(0.25);
    expect(sampleValue(families, 'receval_ndcg', { ...cohort, k: '10', params: 'gain=exp' })).toBe(0.25);
    expect(sampleValue(families, 'receval_window_impressions', cohort)).toBe(4);
    expect(sampleValue(families, 'receval_window_positives', cohort)).toBe(2);
    expect(families.get('receval_ndcg_stderr')?.samples).toEqual([]);
  });

  it('have standard errors beside them where these are known', async () => {
    const stderrs = NAMES.map((_, m) => (m === 0 ? 0.0125 : ({ absent: 'few_buckets' } as const)));
    const families = await shown(snapshotOf([{ ...rowOf(['variant'], ['B']), stderrs }, rowOf([], [])]));
    const samples = families.get('receval_mrr_stderr')?.samples;
    expect(samples?.map(({ labels, value }) => [labels, value])).toEqual([
      [{ window: '5m', horizon: '1m', by: 'variant', variant: 'B' }, 0.0125],
    ]);
    expect(families.get('receval_ndcg_stderr')).toMatchObject({ type: 'gauge', samples: [] });
  });

  it('show the weights of a cohort whose measures have no value', async () => {
    const families = await shown(
      snapshotOf([rowOf([], [], { ...emptyRow({ names: NAMES, kinds: NAMES.map(() => 'mean') }), impressions: 3 })]),
    );
    for (const name of ['receval_mrr', 'receval_ndcg']) expect(families.get(name)?.samples).toEqual([]);
    expect(sampleValue(families, 'receval_window_impressions', { window: '5m', horizon: '1m', by: '' })).toBe(3);
  });

  it('lose the series of a cohort that has no data any more', async () => {
    const metrics = new Metrics(SETTINGS, ALL);
    await metrics.take({ snapshot: snapshotOf([rowOf(['variant'], ['A']), rowOf(['variant'], ['B'])]) });
    expect((await page(metrics)).get('receval_window_impressions')?.samples).toHaveLength(2);
    await metrics.take({ snapshot: snapshotOf([rowOf(['variant'], ['A'])]) });
    expect(
      (await page(metrics)).get('receval_window_impressions')?.samples.map(({ labels }) => labels['variant']),
    ).toEqual(['A']);
  });

  it('say of each watched cohort which label holds, as 1 of five', async () => {
    const families = await shown(snapshotOf([], { decisions: [decisionOf('regressed'), decisionOf('healthy', [])] }));
    const samples = families.get('receval_quality_decision')?.samples ?? [];
    expect(samples).toHaveLength(10);
    const of = (cohort: object) =>
      samples
        .filter(({ labels }) => isDeepStrictEqual({ ...labels, decision: '' }, { ...cohort, decision: '' }))
        .map(({ labels, value }) => [labels['decision'], value]);
    const where = { measure: 'mrr', horizon: '1m' };
    expect(of({ ...where, by: 'variant', variant: 'B' })).toEqual([
      ['insufficient', 0],
      ['healthy', 0],
      ['regressed', 1],
      ['improved', 0],
      ['invalid', 0],
    ]);
    expect(of({ ...where, by: '' })).toContainEqual(['healthy', 1]);
  });

  it('say from when on the level of a watched cohort was accepted', async () => {
    const level = { by: ['variant'], values: ['B'], measure: 'mrr', from: 1_700_000_000_000, at: 1, note: 'meant' };
    const accepted = { ...decisionOf('healthy'), accepted: level };
    const families = await shown(snapshotOf([], { decisions: [accepted, decisionOf('healthy', [])] }));
    const labels = { measure: 'mrr', horizon: '1m', by: 'variant', variant: 'B' };
    expect(families.get('receval_quality_accepted_timestamp_seconds')?.samples).toMatchObject([
      { labels, value: 1_700_000_000 },
    ]);
  });

  it('are recreated when nothing but a decision is new', async () => {
    const metrics = new Metrics(SETTINGS, ALL);
    const first = snapshotOf([rowOf([], [])], { decisions: [decisionOf('healthy')] });
    await metrics.take({ snapshot: first });
    await metrics.take({ snapshot: { ...first, decisions: [] } });
    expect((await page(metrics)).get('receval_quality_decision')?.samples).toEqual([]);
    expect((await page(metrics)).get('receval_window_impressions')?.samples).toHaveLength(1);
  });

  it.each([
    [9, 5, 1],
    [10, 10, 0],
    [11, 10, 0],
  ])('say no more of decisions than a limit of %d series holds', async (series, shownSeries, capped) => {
    const metrics = new Metrics({ ...SETTINGS, limits: { ...SETTINGS.limits, series } }, ALL);
    await metrics.take({
      snapshot: snapshotOf([], { decisions: [decisionOf('healthy'), decisionOf('healthy', [])] }),
    });
    expect((await page(metrics)).get('receval_quality_decision')?.samples).toHaveLength(shownSeries);
    expect(sampleValue(await page(metrics), 'receval_series_capped_total', {})).toBe(capped);
  });

  it('leave out what was added later than the window began, and nothing else', async () => {
    const rows = [rowOf([], []), rowOf(['variant'], ['B'])];
    const windows = [{ horizon: '1m', window: '5m', complete: true, lacks: ['cohorts variant', 'measure mrr'] }];
    const families = await shown(snapshotOf(rows, { windows }));
    const all = { window: '5m', horizon: '1m', by: '' };
    expect(sampleValue(families, 'receval_mrr', all)).toBeUndefined();
    expect(sampleValue(families, 'receval_ndcg', { ...all, k: '10' })).toBeDefined();
    expect(sampleValue(families, 'receval_ndcg', { ...all, k: '10', by: 'variant', variant: 'B' })).toBeUndefined();
    expect(sampleValue(families, 'receval_window_complete', { window: '5m', horizon: '1m' })).toBe(1);
    const asked = await shown(snapshotOf(rows, { windows }), { ...SETTINGS, incompleteWindows: 'show' });
    expect(sampleValue(asked, 'receval_mrr', all)).toBeDefined();
  });

  it('leave out, of a set that was added for items, the measures of items alone', async () => {
    const settings = settingsOf(
      'measures: [mrr, distinct@10]\nwindows: [5m]\ncohorts: [[], [variant]]\nitemSets: [[variant]]',
    );
    const items = new ItemSums({ parts: itemPartsOf(settings.measures), limit: 100 });
    items.lists[0] = 4;
    const row = { ...meanRow(['mrr'], 4, 2, 1), items };
    const shownOf = async (lacks: readonly string[]) => {
      const windows = [{ horizon: '1m', window: '5m', complete: true, lacks }];
      const families = await shown(snapshotOf([rowOf(['variant'], ['B'], row)], { windows }), settings);
      return ['receval_mrr', 'receval_distinct'].map((name) => families.get(name)?.samples.length);
    };
    expect(await shownOf([])).toEqual([1, 1]);
    expect(await shownOf(['itemSets variant'])).toEqual([1, 0]);
    expect(await shownOf(['cohorts variant'])).toEqual([0, 0]);
  });

  it('tell completeness and freshness', async () => {
    const windows = [
      { horizon: '1m', window: '5m', complete: true, lacks: [] },
      { horizon: '5m', window: '5m', complete: false, lacks: [] },
    ];
    const families = await shown(snapshotOf([], { windows }));
    expect(sampleValue(families, 'receval_window_complete', { window: '5m', horizon: '1m' })).toBe(1);
    expect(sampleValue(families, 'receval_window_complete', { window: '5m', horizon: '5m' })).toBe(0);
    expect(sampleValue(families, 'receval_result_timestamp_seconds', { horizon: '1m' })).toBe(1_795_248_000.5);
    expect(sampleValue(families, 'receval_result_timestamp_seconds', { horizon: '5m' })).toBeUndefined();
  });

  it('are of complete windows, unless the others are asked for', async () => {
    const rows = [{ ...rowOf(['variant'], ['B'], meanRow(NAMES, 4, 2, 1)), stderrs: NAMES.map(() => 0.1) }];
    const windows = [{ horizon: '1m', window: '5m', complete: false, lacks: [], completeAt: 1_795_248_300_000 }];
    const [hidden, asked, whole] = await Promise.all([
      shown(snapshotOf(rows, { windows })),
      shown(snapshotOf(rows, { windows }), { ...SETTINGS, incompleteWindows: 'show' }),
      shown(snapshotOf(rows)),
    ]);
    for (const name of [
      'receval_mrr',
      'receval_mrr_stderr',
      'receval_window_impressions',
      'receval_window_positives',
    ]) {
      const counts = [hidden, asked, whole].map((families) => families.get(name)?.samples.length);
      expect([name, ...counts.map((count) => (count ?? 0) > 0)]).toEqual([name, false, true, true]);
    }
    const labels = { window: '5m', horizon: '1m' };
    expect(sampleValue(hidden, 'receval_window_complete_timestamp_seconds', labels)).toBe(1_795_248_300);
    expect(whole.get('receval_window_complete_timestamp_seconds')?.samples).toEqual([]);
  });

  it('equal what prom-client would show', async () => {
    const value = fc.constantFrom('A', 'B"', 'C\\', 'é', '__other__');
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(value, fc.nat(5), fc.nat(5), fc.double({ min: 0, max: 5, noNaN: true })), {
          selector: ([name]) => name,
        }),
        async (cohorts) => {
          const rows = cohorts.map(([name, n, positive, sum]) =>
            rowOf(['variant'], [name], meanRow(NAMES, n, positive, sum)),
          );
          const registry = new Registry();
          const labelNames = ['window', 'horizon', 'by', 'variant', 'k', 'params'];
          const mrr = new Gauge({ name: 'receval_mrr', help: 'h', labelNames, registers: [registry] });
          for (const measure of SETTINGS.measures.filter(({ name }) => name === 'mrr')) {
            const m = NAMES.indexOf(measure.canonical);
            expect(sumsKind(measure)).toBe('mean');
            for (const { values, row } of rows) {
              const one = measureValue(measure, row.sums.slice(4 * m, 4 * m + 4));
              const params = /\((.*)\)/.exec(measure.canonical)?.[1];
              const labels = { window: '5m', horizon: '1m', by: 'variant', variant: values[0] };
              if (one !== undefined) mrr.set(params === undefined ? labels : { ...labels, params }, one);
            }
          }
          const theirs = parse(await registry.metrics()).get('receval_mrr');
          expect((await shown(snapshotOf(rows))).get('receval_mrr')?.samples).toEqual(theirs?.samples);
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each([
    [60, ['', 'variant', 'variant,country'], 0],
    [59, ['', 'variant', 'variant,country'], 1],
    [30, ['', 'variant', 'variant,country'], 3],
    [29, ['', 'variant', 'variant,country'], 4],
  ])('beyond a limit of %d series keep all sets, and count what has lost its name', async (series, left, capped) => {
    const rows = [
      rowOf([], []),
      rowOf(['variant'], ['A']),
      rowOf(['variant'], ['B']),
      rowOf(['variant', 'country'], ['A', 'DE']),
      rowOf(['variant', 'country'], ['A', 'FR']),
      rowOf(['variant', 'country'], ['B', 'FR']),
      rowOf(['variant', 'country'], ['__other__', '__other__']),
    ].slice(0, 6);
    const families = await shown(snapshotOf(rows), { ...SETTINGS, limits: { ...SETTINGS.limits, series } });
    expect([...new Set(families.get('receval_window_impressions')?.samples.map(({ labels }) => labels['by']))]).toEqual(
      left,
    );
    expect(sampleValue(families, 'receval_series_capped_total')).toBe(capped);
  });
});

describe('the counters of a worker', () => {
  async function told(...steps: readonly (readonly UnitStatus[])[]): Promise<ReadonlyMap<string, Family>> {
    const metrics = new Metrics(SETTINGS, { ...ALL, role: 'worker' });
    for (const units of steps) await metrics.take({ status: workerStatus(units) });
    return page(metrics);
  }

  it('are all there at 0 before anything happened', async () => {
    const families = await page(new Metrics(SETTINGS, { ...ALL, role: 'worker' }));
    for (const [topic, reasons] of [
      ['impressions', IMPRESSION_DROPS],
      ['feedback', FEEDBACK_DROPS],
    ] as const) {
      expect(
        families
          .get('receval_drops_total')
          ?.samples.filter(({ labels }) => labels['topic'] === topic)
          .map(({ labels }) => labels['reason']),
      ).toEqual(reasons);
      expect(sampleValue(families, 'receval_events_total', { topic })).toBe(0);
      const none = { topic, field: '__other__', value: '__other__' };
      expect(sampleValue(families, 'receval_unmapped_total', none)).toBe(0);
      for (const horizon of ['1m', '5m', '30m'])
        expect(sampleValue(families, 'receval_late_total', { topic, horizon })).toBe(0);
      for (const code of INVALID_CODES) expect(sampleValue(families, 'receval_invalid_total', { topic, code })).toBe(0);
    }
    for (const outcome of ['ok', 'already', 'fenced', 'conflict', 'unknown'])
      expect(sampleValue(families, 'receval_commits_total', { outcome })).toBe(0);
    for (const name of [
      'rewinds',
      'gap_records',
      'lost_keys',
      'idle_advances',
      'impressions_closed_by_idle',
      'series_capped',
      'ignored_cohort_keys',
    ]) {
      expect(sampleValue(families, `receval_${name}_total`)).toBe(0);
    }
    for (const horizon of ['1m', '5m', '30m']) {
      expect(sampleValue(families, 'receval_scored_impressions_total', { horizon, by: '' })).toBe(0);
      expect(sampleValue(families, 'receval_ndcg_score_total', { horizon, by: '', k: '10' })).toBe(0);
    }
    expect([...COUNTERS(families).values()].every((value) => value === 0)).toBe(true);
  });

  it('show reasons of both sides once where a topic carries both', async () => {
    const settings = settingsOf('kafka: {topics: {impressions: {name: events}, feedback: [{name: events}]}}');
    const families = await page(new Metrics(settings, { ...ALL, role: 'worker' }));
    const reasons = families.get('receval_drops_total')?.samples.map(({ labels }) => labels['reason']) ?? [];
    expect(reasons).toEqual([...new Set(reasons)]);
    expect(reasons.toSorted()).toEqual([...new Set([...IMPRESSION_DROPS, ...FEEDBACK_DROPS])].sort());
  });

  it('of records that no map is for are bounded, whatever units name, and never decrease', async () => {
    const metrics = new Metrics(SETTINGS, { ...ALL, role: 'worker' });
    const unit = (partition: number, records: number) =>
      unitStatus(partition, {
        counts: [
          {
            ...noCounts(3),
            unmapped: Array.from({ length: 20 }, (_, i) => ({ field: '/kind', value: `${partition}"${i}`, records })),
          },
          noCounts(3),
        ],
      });
    await metrics.take({ status: workerStatus([unit(0, 1)]) });
    const [first, all] = [await page(metrics), [0, 1, 2].map((partition) => unit(partition, 2))];
    expect(sampleValue(first, 'receval_unmapped_total', { topic: 'impressions', field: '/kind', value: '0"7' })).toBe(
      1,
    );
    expect(metrics.topics[0].unmapped).toHaveLength(20);
    await metrics.take({ status: workerStatus(all) });
    const second = await page(metrics);
    const samples = second
      .get('receval_unmapped_total')
      ?.samples.filter(({ labels }) => labels['topic'] === 'impressions');
    expect(samples).toHaveLength(32);
    expect(samples?.reduce((sum, { value }) => sum + value, 0)).toBe(3 * 20 * 2);
    for (const { labels, value } of first.get('receval_unmapped_total')?.samples ?? []) {
      expect(sampleValue(second, 'receval_unmapped_total', labels)).toBeGreaterThanOrEqual(value);
    }
  });

  it('add up the units, and both sides of a topic', async () => {
    const one = noCounts(3);
    one.impressions.read = 5;
    one.feedback.read = 7;
    one.impressions.drops.late = 1;
    one.feedback.drops.late = 2;
    one.feedback.drops.orphan = 3;
    one.feedback.attributed = 9;
    one.impressions.late[1] = 4;
    const counts = [one, noCounts(3)];
    const families = await told([unitStatus(0, { counts }), unitStatus(4, { counts })]);
    expect(sampleValue(families, 'receval_events_total', { topic: 'impressions' })).toBe(24);
    expect(sampleValue(families, 'receval_drops_total', { topic: 'impressions', reason: 'late' })).toBe(6);
    expect(sampleValue(families, 'receval_late_total', { topic: 'impressions', horizon: '5m' })).toBe(8);
    expect(sampleValue(families, 'receval_match_ratio')).toBe(0.75);
  });

  it('divide to the means of the measures', async () => {
    const row = meanRow(NAMES, 8, 4, 2.5);
    const scored = rowsByField([rowField('5m', 'variant', 'B'), row]);
    const families = await told([unitStatus(0, { scored })]);
    const labels = { horizon: '5m', by: 'variant', variant: 'B' };
    const impressions = sampleValue(families, 'receval_scored_impressions_total', labels) ?? 0;
    const score = (params?: string): number =>
      sampleValue(families, 'receval_mrr_score_total', params === undefined ? labels : { ...labels, params }) ??
      Number.NaN;
    expect(impressions).toBe(8);
    expect(score() / impressions).toBe(0.3125);
    expect(score('empty=one') / impressions).toBe(0.8125);
    const weight = sampleValue(families, 'receval_mrr_weight_total', { ...labels, params: 'empty=skip' }) ?? 0;
    expect(score('empty=skip') / weight).toBe(0.625);
    expect(sampleValue(families, 'receval_mrr_weight_total', labels)).toBeUndefined();
  });

  it('tell what units are like now', async () => {
    const families = await told([
      unitStatus(3, {
        topicWatermarks: [1_795_248_000_000, Number.NEGATIVE_INFINITY],
        openImpressions: 7,
        waitingFeedback: 8,
        replaying: true,
        stopped: 'gap',
        lag: [0, undefined],
        retentionHeadroom: [90_000, 60_000],
      }),
    ]);
    const partition = '3';
    expect(families.get('receval_watermark_timestamp_seconds')?.samples).toEqual([
      {
        name: 'receval_watermark_timestamp_seconds',
        labels: { topic: 'impressions', partition },
        value: 1_795_248_000,
      },
    ]);
    expect(families.get('receval_consumer_lag_messages')?.samples).toHaveLength(1);
    expect(sampleValue(families, 'receval_consumer_lag_messages', { topic: 'impressions', partition })).toBe(0);
    expect(sampleValue(families, 'receval_open_impressions', { partition })).toBe(7);
    expect(sampleValue(families, 'receval_waiting_feedback', { partition })).toBe(8);
    expect(sampleValue(families, 'receval_unit_stopped', { partition, cause: 'gap' })).toBe(1);
    expect(sampleValue(families, 'receval_unit_stopped', { partition, cause: 'limit' })).toBe(0);
    expect(sampleValue(families, 'receval_retention_headroom_seconds')).toBe(60);
    expect(sampleValue(families, 'receval_last_commit_timestamp_seconds')).toBeUndefined();
    expect(sampleValue(families, 'receval_clock_skew_seconds')).toBeUndefined();
  });

  it('tell of a replay, but not of one that a stopped unit will not continue: it would mute alerts for good', async () => {
    const replays = async (...units: readonly UnitStatus[]): Promise<number | undefined> =>
      sampleValue(await told(units), 'receval_replay_in_progress');
    const stopped = unitStatus(0, { replaying: true, stopped: 'codec' });
    expect(await replays(unitStatus(0, { replaying: true }))).toBe(1);
    expect(await replays(stopped, unitStatus(1))).toBe(0);
    expect(await replays(stopped, unitStatus(1, { replaying: true }))).toBe(1);
  });

  it('write histograms with cumulative buckets', async () => {
    const metrics = new Metrics(SETTINGS, ALL);
    await metrics.take({
      status: workerStatus([], { commitDuration: { bounds: [0.01, 0.1], counts: [3, 2, 1], sum: 4.5 } }),
    });
    const families = await page(metrics);
    const name = 'receval_commit_duration_seconds';
    expect(['0.01', '0.1', '+Inf'].map((le) => sampleValue(families, `${name}_bucket`, { le }))).toEqual([3, 5, 6]);
    expect([sampleValue(families, `${name}_sum`), sampleValue(families, `${name}_count`)]).toEqual([4.5, 6]);
  });

  const anyUnit = fc
    .record({
      partition: fc.nat(2),
      read: fc.nat(9),
      ok: fc.nat(9),
      variant: fc.constantFrom('A', 'B', '__other__'),
      n: fc.nat(9),
      idle: fc.nat(5),
      invalid: fc.nat(3),
    })
    .map(({ partition, read, variant, n, idle, invalid }) => {
      const counts = [noCounts(3), noCounts(3)];
      counts[0].impressions.read = read;
      const scored = rowsByField([rowField('1m', 'variant', variant), meanRow(NAMES, n, Math.min(n, 2), n / 3)]);
      return unitStatus(partition, {
        counts,
        scored,
        idleAdvances: idle,
        invalid: [new Map([['not_json', invalid]]), new Map()],
      });
    });

  it('never go down, whatever units come, go, fall back and start over', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.uniqueArray(anyUnit, { selector: ({ partition }) => partition }),
            fc.nat(9),
            fc.array(fc.nat(5), { minLength: 3, maxLength: 3 }),
          ),
          { minLength: 2, maxLength: 12 },
        ),
        async (steps) => {
          const metrics = new Metrics(SETTINGS, { ...ALL, role: 'worker' });
          let before = COUNTERS(await page(metrics));
          for (const [units, ok, counts] of steps) {
            const commits = { ok, already: 0, fenced: 0, conflict: 0, unknown: 0 };
            await metrics.take({
              status: workerStatus(units, { commits, commitDuration: { bounds: [0.01, 0.1], counts, sum: counts[0] } }),
            });
            const now = COUNTERS(await page(metrics));
            for (const [series, value] of before) expect(now.get(series), series).toBeGreaterThanOrEqual(value);
            before = now;
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('keep their number: who comes when the limit is reached is counted with the rest', async () => {
    // A row has five scores, and three weights.
    const settings = { ...SETTINGS, limits: { ...SETTINGS.limits, series: 2 * 8 } };
    const metrics = new Metrics(settings, { ...ALL, role: 'worker' });
    for (const variant of ['A', 'B', 'C', 'D']) {
      const scored = rowsByField([rowField('1m', 'variant', variant), meanRow(NAMES, 5, 2, 1)]);
      await metrics.take({ status: workerStatus([unitStatus(0, { scored })]) });
    }
    const families = await page(metrics);
    const byVariant = families
      .get('receval_scored_impressions_total')
      ?.samples.filter(({ labels }) => labels['by'] === 'variant');
    expect(byVariant?.map(({ labels, value }) => [labels['variant'], value])).toEqual([
      ['A', 5],
      ['B', 5],
      ['__other__', 10],
    ]);
    expect(sampleValue(families, 'receval_series_capped_total')).toBe(2);
  });

  it('count what units added to the rest of a set, by set, once, and from the start', async () => {
    const metrics = new Metrics(SETTINGS, ALL);
    const folded = async (by: string): Promise<number | undefined> =>
      sampleValue(await page(metrics), 'receval_folded_impressions_total', { horizon: '1m', by });
    expect([await folded('variant'), await folded('')]).toEqual([0, undefined]);
    const told = async (...units: readonly (readonly [partition: number, rest: number])[]): Promise<void> => {
      const status = units.map(([partition, n]) =>
        unitStatus(partition, {
          scored: rowsByField(
            [rowField('1m', 'variant', '__other__'), meanRow(NAMES, n, 1, 1)],
            [rowField('1m', 'variant', 'B'), meanRow(NAMES, 100, 1, 1)],
            [rowField('1m', '', ''), meanRow(NAMES, 100 + n, 1, 1)],
          ),
        }),
      );
      await metrics.take({ status: workerStatus(status) });
    };
    await told([0, 3]);
    await told([0, 3], [1, 4]);
    await told([0, 5], [1, 4]);
    // Another worker owned it meanwhile.
    await told([1, 4]);
    await told([0, 2], [1, 4]);
    expect([await folded('variant'), await folded('')]).toEqual([11, undefined]);
  });

  it('count a unit that is claimed while what was before is still being added up', async () => {
    const counts = (read: number) => {
      const of = [noCounts(3), noCounts(3)];
      of[0].impressions.read = read;
      return of;
    };
    const metrics = new Metrics(SETTINGS, { ...ALL, role: 'worker' });
    const before = metrics.take({ status: workerStatus([]) });
    metrics.claimed(0, counts(5));
    await Promise.all([before, metrics.take({ status: workerStatus([unitStatus(0, { counts: counts(8) })]) })]);
    expect(sampleValue(await page(metrics), 'receval_events_total', { topic: 'impressions' })).toBe(3);
  });

  it('count what a unit scored since its claim once, though it is reported again and again', async () => {
    const at = (n: number): UnitStatus =>
      unitStatus(0, { scored: rowsByField([rowField('1m', '', ''), meanRow(NAMES, n, 1, 1)]) });
    const total = async (...steps: readonly (readonly UnitStatus[])[]): Promise<number | undefined> =>
      sampleValue(await told(...steps), 'receval_scored_impressions_total', { horizon: '1m', by: '' });
    expect(await total([at(5)], [at(5)], [at(8)])).toBe(8);
    expect(await total([at(5)], [at(2)])).toBe(7);
    expect(await total([at(5)], [], [at(6)])).toBe(11);
  });
});

function everything(): { snapshot: QualitySnapshot; status: ReturnType<typeof workerStatus> } {
  const scored = rowsByField(
    [rowField('1m', '', ''), meanRow(NAMES, 5, 2, 1)],
    [rowField('1m', 'variant,country', 'B,DE'), meanRow(NAMES, 5, 2, 1)],
  );
  return {
    snapshot: snapshotOf([rowOf([], []), rowOf(['variant', 'country'], ["B'é", 'DE'])]),
    status: workerStatus([unitStatus(0, { scored, stopped: 'limit', topicWatermarks: [1e12, 1e12], lag: [1, 2] })], {
      lastCommit: 1_795_248_000_000,
      clockSkew: -20,
    }),
  };
}
