import { describe, expect, it } from 'vitest';
import { scheduledRegression, withQuickDetection, withShopExperiment } from '../../src/demo/shop-demo.ts';
import { fullView, type ViewInput } from '../../src/demo/view.ts';
import type { Comparison } from '../../src/experiment/comparison.ts';
import { evaluate } from '../../src/experiment/evaluate.ts';
import { takeLooks } from '../../src/experiment/take-looks.ts';
import type { QualityDecision } from '../../src/exporter/cohort-watch.ts';
import { type WatchedDecision, watch } from '../../src/statistics/watched.ts';
import { load } from '../config/fixture.ts';
import { SETTINGS, sampleOf, state, variant } from '../experiment/states.ts';
import { meanRow, workerStatus } from '../metrics/statuses.ts';

const REST = watch({
  at: 0,
  replaying: true,
  blocks: [],
  step: 300_000,
  pastOf: () => undefined,
  settings: { k: 0.5, h: 20, tolerance: 0.01 },
});
const HEALTHY: WatchedDecision = { ...REST, label: 'healthy', reason: 'in_control' };
const REGRESSED: WatchedDecision = { ...REST, label: 'regressed', reason: 'below_baseline' };

interface Given {
  readonly decisions?: readonly QualityDecision[];
  readonly experiments?: readonly Comparison[];
  readonly columns?: number;
}

function viewOf(yaml: string, { decisions = [], experiments = [], columns = 80 }: Given): string {
  const settings = withQuickDetection(load(yaml));
  const row = meanRow(
    settings.measures.map(({ canonical }) => canonical),
    4,
    2,
    1,
  );
  const cohort = { horizon: '1m', window: '5m', by: ['variant'], row, stderrs: [] };
  const input: ViewInput = {
    settings,
    snapshot: {
      rows: [
        { ...cohort, values: ['control'] },
        { ...cohort, values: ['treatment'] },
      ],
      windows: [],
      decisions,
      experiments,
      resultTimes: new Map(),
      impressions: 8,
    },
    status: workerStatus([]),
    now: 0,
    speed: 60,
    regression: { variant: 'treatment', from: 1, to: 2, share: 0.8 },
    columns,
  };
  return fullView(input);
}

const of = (variant: string, decision: WatchedDecision, measure = 'mrr'): QualityDecision => ({
  by: ['variant'],
  values: [variant],
  horizon: '1m',
  measure,
  decision,
  accepted: undefined,
});

describe('the table of the demo', () => {
  it('says of each variant how it does against its past', () => {
    const text = viewOf('', { decisions: [of('control', HEALTHY), of('treatment', REGRESSED)] });
    expect(text).toMatch(/ mrr vs\. its past +healthy +regressed\n/);
  });

  it('says `not yet` before there is a decision, and while there is not enough for one', () => {
    expect(viewOf('', { decisions: [of('treatment', REST)] })).toMatch(/ mrr vs\. its past +not yet +not yet\n/);
  });

  it('does not take the decision on another measure', () => {
    expect(viewOf('', { decisions: [of('control', REGRESSED, 'ndcg@10')] })).toMatch(
      / mrr vs\. its past +not yet +not yet\n/,
    );
  });
});

/** The shop's experiment after a look at these means of nDCG; the treatment has this many users. */
function compared(control: number, treatment: number, users = 300): Comparison {
  const of = (value: number) => variant(new Map([['ndcg@10', { value, stderr: 0.002, df: 255 }]]));
  const { experiments } = withShopExperiment(load(''));
  const before = state(
    { control: of(control), treatment: of(treatment) },
    { settings: { ...SETTINGS, ...experiments[0] }, sample: sampleOf([300, users]) },
  );
  return evaluate({ ...before, looks: takeLooks(before) });
}

describe('the A/B section of the demo', () => {
  it('shows the effect with its interval, the lift and the decision in plain words, and what it means', () => {
    const text = viewOf('', { experiments: [compared(0.48, 0.45)] });
    expect(text).toContain('  ndcg@10 against control (95 % interval, since the start, horizon 1m)\n');
    expect(text).toMatch(
      /\n {2}treatment {11}-0\.0300 \(-0\.\d{4} to -0\.\d{4}\) +-6\.\d % {3}REGRESSED\n {4}treatment is worse than control/,
    );
  });

  it.each([
    [0.48, 300, 'improved'],
    [0.402, 300, 'not enough known'],
    [0.4, 20, 'INVALID'],
  ])('at %d, with %d users, says %s', (value, users, words) => {
    expect(viewOf('', { experiments: [compared(0.4, value, users)] })).toContain(`   ${words}\n`);
  });

  it.each([80, 120])('fits a terminal of %d columns, and the usual 24 rows', (columns) => {
    for (const value of [0.48, 0.402, 0.3]) {
      const lines = viewOf('', { experiments: [compared(0.4, value)], columns })
        .trimEnd()
        .split('\n');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
      expect(lines.length).toBeLessThanOrEqual(23);
    }
  });

  it('breaks the explanation at blanks, and prints whole sentences: the first, and what fits', () => {
    const [comparison] = [compared(0.4, 0.402)];
    const [variant] = comparison.variants;
    const printed = (explanation: string): string => {
      const experiments = [{ ...comparison, variants: [{ ...variant, explanation }] }];
      return viewOf('', { experiments, columns: 80 }).replace(/\s+/g, ' ');
    };
    const long = `${'word '.repeat(60)}end.`;
    expect(printed(`${long} More of it.`)).toContain(long);
    expect(printed(`${long} More of it.`)).not.toContain('More of it.');
    expect(printed('By 2.1 % to 4.0 %. More of it.')).toContain('By 2.1 % to 4.0 %. More of it.');
  });

  it('is not there before the first look', () => {
    expect(viewOf('', {})).not.toContain('against control');
  });
});

describe("the demo's experiment", () => {
  it('is of the shop: its variants, from its start, at the shortest horizon', () => {
    const { experiments } = withShopExperiment(
      load('{cohorts: [[]], experiments: {other: {control: a, variants: {a: 1, b: 1}}}}'),
    );
    expect(experiments).toMatchObject([
      { name: 'default', dimension: 'variant', control: 'control', primary: 'ndcg@10', horizon: { text: '1m' } },
    ]);
    expect([...experiments[0].variants]).toEqual([
      ['control', 0.5],
      ['treatment', 0.5],
    ]);
  });

  it('takes measures and statistics from the configuration', () => {
    const given = 'primary: mrr, guardrails: [hit@10], alpha: 0.01, nStar: 99, start: "2026-01-01T00:00:00Z"';
    const { experiments, dimensions } = withShopExperiment(
      load(`{cohorts: [[]], experiments: {default: {control: a, variants: {a: 1, b: 1}, ${given}}}}`),
    );
    expect(experiments).toMatchObject([
      { primary: 'mrr', guardrails: ['hit@10'], alpha: 0.01, nStar: 99, start: undefined, control: 'control' },
    ]);
    expect(dimensions).toEqual(['variant']);
  });
});

describe('the schedule of the demo', () => {
  it.each([
    [1, 15, 15],
    [10, 15, 15],
    [60, 90, 60],
    [180, 90, 60],
  ])('at speed %d breaks the ranking after %d minutes of events, for %d', (speed, after, lasts) => {
    const { from, to } = scheduledRegression(1000, speed);
    expect([from, to]).toEqual([1000 + after * 60_000, 1000 + (after + lasts) * 60_000]);
  });
});

describe('the detection of the demo', () => {
  it('watches variants in blocks of one pane, and keeps the rest', () => {
    const settings = load('paneSize: 30s\ndetect: {k: 1, measures: [ndcg@10]}\n');
    const { sets, step, ...rest } = withQuickDetection(settings).detect;
    expect({ sets, step }).toEqual({ sets: [['variant']], step: 30_000 });
    const { sets: _, step: __, ...before } = settings.detect;
    expect(rest).toEqual(before);
  });

  it('watches what is configured where variants are no grouping set', () => {
    expect(withQuickDetection(load('cohorts: [[], [country]]\n')).detect.sets).toEqual([[]]);
  });
});
