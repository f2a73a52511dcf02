import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../src/experiment/comparison.ts';
import { evaluate } from '../../src/experiment/evaluate.ts';
import { NO_EXPERIMENT_LOOKS } from '../../src/experiment/experiment-looks.ts';
import type { ExperimentState } from '../../src/experiment/state.ts';
import { takeLooks } from '../../src/experiment/take-looks.ts';
import type { QualitySnapshot } from '../../src/exporter/exporter-contract.ts';
import { EXPERIMENT_METRICS } from '../../src/metrics/metric-specs.ts';
import { experimentsText, Metrics } from '../../src/metrics/registry.ts';
import { LABELS } from '../../src/statistics/decision.ts';
import type { Mean } from '../../src/statistics/mean.ts';
import { SETTINGS, sampleOf, state, variant, variantOfSums } from '../experiment/states.ts';
import { bucketSums } from '../statistics/vectors.ts';
import { type Family, parse, sampleValue } from './parse.ts';
import { settingsOf } from './settings.ts';

function looked(before: ExperimentState): Comparison {
  return evaluate({ ...before, looks: takeLooks(before) });
}

function shown(...comparisons: readonly Comparison[]): ReadonlyMap<string, Family> {
  return parse(experimentsText(comparisons));
}

function means(value: number): ReadonlyMap<string, Mean> {
  const mean: Mean = { value, stderr: 0.01, df: 255 };
  return new Map([
    ['ndcg@10', mean],
    ['mrr', mean],
  ]);
}

/** B is far below A on the primary measure, and on a guardrail. */
const NOTHING_READ: QualitySnapshot = {
  rows: [],
  windows: [],
  decisions: [],
  experiments: [],
  resultTimes: new Map(),
  impressions: 0,
};

const WORSE = state(
  { A: variant(means(0.5)), B: variant(means(0.4)) },
  { measures: ['ndcg@10', 'mrr'], settings: { ...SETTINGS, guardrails: ['mrr'] } },
);
const OF_PRIMARY = { experiment: 'default', variant: 'B', measure: 'ndcg@10', horizon: '30m' };
const NUMBERS = EXPERIMENT_METRICS.filter(({ labels }) => labels.includes('measure')).map(({ name }) => name);

describe('the gauges of experiments', () => {
  it('show what the comparison says', () => {
    const comparison = looked(WORSE);
    const families = shown(comparison);
    const [primary] = comparison.variants[0].measures;
    expect(primary.ci).not.toBeNull();
    const values = NUMBERS.map((name) => sampleValue(families, name, OF_PRIMARY));
    expect(values).toEqual([
      primary.effect,
      primary.ci?.[0],
      primary.ci?.[1],
      primary.pTwoSided,
      primary.logE,
      primary.mde,
    ]);
    expect(sampleValue(families, 'receval_experiment_srm_p_value', { experiment: 'default' })).toBe(comparison.srm.p);
  });

  it('show the two-sided p of a guardrail too, whose own p is one-sided', () => {
    const comparison = looked(WORSE);
    const [, guardrail] = comparison.variants[0].measures;
    expect(guardrail.role).toBe('guardrail');
    const p = sampleValue(shown(comparison), 'receval_experiment_p_value', { ...OF_PRIMARY, measure: 'mrr' });
    expect(p).toBe(guardrail.pTwoSided);
    expect(p).not.toBe(guardrail.p);
  });

  it('show p of all looks, and the effect of this one', () => {
    const looks = takeLooks(WORSE);
    const now = state(
      { A: variant(means(0.5)), B: variant(means(0.499)) },
      { measures: WORSE.measures, settings: WORSE.settings, looks },
    );
    const families = shown(evaluate(now));
    expect(sampleValue(families, 'receval_experiment_p_value', OF_PRIMARY)).toBeLessThan(0.001);
    expect(sampleValue(families, 'receval_experiment_log_e_value', OF_PRIMARY)).toBeLessThan(0);
    expect(sampleValue(families, 'receval_experiment_effect', OF_PRIMARY)).toBeCloseTo(-0.001, 12);
  });

  it('show the share of empty lists of every variant that has lists, the control too', () => {
    const empty = { value: 0.25, stderr: 0.01, df: 255, kish: 256, users: 3000, spread: 100 };
    const found = state({
      A: variant(means(0.5), { impressions: 4000 }),
      B: variant(new Map([...means(0.4), ['empty', empty]]), { impressions: 4000, empty: 1000 }),
    });
    const share = (before: ExperimentState, name: string) =>
      sampleValue(shown(looked(before)), 'receval_experiment_empty_share', { experiment: 'default', variant: name });
    expect([share(found, 'A'), share(found, 'B')]).toEqual([0, 0.25]);
    expect([share(WORSE, 'A'), share(WORSE, 'B')]).toEqual([0, 0]);
    const alone = shown(looked(state({ A: variant(means(0.5)) }))).get('receval_experiment_empty_share');
    expect(alone?.samples.map(({ labels }) => labels['variant'])).toEqual(['A']);
  });

  it('say of each variant which label holds, as 1 of five', () => {
    const samples = shown(looked(WORSE)).get('receval_experiment_decision')?.samples ?? [];
    expect(samples.map(({ labels, value }) => [labels['decision'], value])).toEqual(
      LABELS.map((label) => [label, Number(label === 'regressed')]),
    );
    for (const { labels } of samples) expect(labels).toMatchObject({ experiment: 'default', variant: 'B' });
  });

  it('have no series for what is absent, never 0', () => {
    const nobody = state({}, { sample: sampleOf([0, 0]), asOf: undefined, looks: NO_EXPERIMENT_LOOKS });
    const families = shown(evaluate(nobody));
    for (const name of [...NUMBERS, 'receval_experiment_srm_p_value']) expect(families.get(name)?.samples).toEqual([]);
    expect(families.get('receval_experiment_decision')?.samples).toHaveLength(5);
  });

  it('are finite, agree with each other and stay within their labels, whatever the sums', () => {
    const known = new Map(EXPERIMENT_METRICS.map(({ name, labels }) => [name, [...labels].sort()] as const));
    fc.assert(
      fc.property(bucketSums(64), bucketSums(64), (a, b) => {
        const families = shown(looked(state({ A: variantOfSums(a), B: variantOfSums(b) })));
        for (const [name, { samples }] of families) {
          for (const { labels, value } of samples) {
            expect(Number.isFinite(value)).toBe(true);
            expect(Object.keys(labels).sort()).toEqual(known.get(name));
          }
        }
        const [effect, lower, upper] = NUMBERS.map((name) => sampleValue(families, name, OF_PRIMARY));
        if (effect === undefined || lower === undefined || upper === undefined) {
          expect([lower, upper]).toEqual([undefined, undefined]);
          return;
        }
        expect(lower).toBeLessThanOrEqual(effect);
        expect(effect).toBeLessThanOrEqual(upper);
      }),
      { seed: 11, numRuns: 100 },
    );
  });

  it.each(['exporter', 'all'] as const)(
    'stand on the page of the role %s, anew when they have changed',
    async (role) => {
      const metrics = new Metrics(settingsOf(), { role, version: '1', node: '20' });
      const decided = async () => parse(await metrics.text()).get('receval_experiment_decision')?.samples.length;
      expect(await decided()).toBe(0);
      await metrics.take({ snapshot: { ...NOTHING_READ, experiments: [looked(WORSE)] } });
      expect(await decided()).toBe(5);
      await metrics.take({});
      expect(await decided()).toBe(5);
      await metrics.take({ snapshot: { ...NOTHING_READ, experiments: [] } });
      expect(await decided()).toBe(0);
    },
  );

  it('are not on the page of a worker', async () => {
    const metrics = new Metrics(settingsOf(), { role: 'worker', version: '1', node: '20' });
    await metrics.take({ snapshot: { ...NOTHING_READ, experiments: [looked(WORSE)] } });
    expect(await metrics.text()).not.toContain('receval_experiment_');
  });
});
