import { describe, expect, it } from 'vitest';
import { withQuickDetection } from '../../src/demo/detection.ts';
import { fullView, type ViewInput } from '../../src/demo/view.ts';
import type { QualityDecision } from '../../src/exporter-watch.ts';
import { type WatchedDecision, watch } from '../../src/statistics/watched.ts';
import { load } from '../config/fixture.ts';
import { meanRow, workerStatus } from '../metrics/statuses.ts';

const REST = watch({ at: 0, replaying: true, blocks: [], settings: { k: 0.5, h: 20, tolerance: 0.01 } });
const HEALTHY: WatchedDecision = { ...REST, label: 'healthy', reason: 'in_control' };
const REGRESSED: WatchedDecision = { ...REST, label: 'regressed', reason: 'below_baseline' };

function viewOf(yaml: string, decisions: readonly QualityDecision[]): string {
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
      resultTimes: new Map(),
      impressions: 8,
    },
    status: workerStatus([]),
    now: 0,
    speed: 60,
    regression: { variant: 'treatment', from: 1, to: 2, share: 0.8 },
  };
  return fullView(input);
}

const of = (variant: string, decision: WatchedDecision, measure = 'mrr'): QualityDecision => ({
  by: ['variant'],
  values: [variant],
  horizon: '1m',
  measure,
  decision,
});

describe('the table of the demo', () => {
  it('says of each variant how it does against its past', () => {
    const text = viewOf('', [of('control', HEALTHY), of('treatment', REGRESSED)]);
    expect(text).toMatch(/ mrr vs\. its past +healthy +regressed\n/);
  });

  it('says `not yet` before there is a decision, and while there is not enough for one', () => {
    expect(viewOf('', [of('treatment', REST)])).toMatch(/ mrr vs\. its past +not yet +not yet\n/);
  });

  it('does not take the decision on another measure', () => {
    expect(viewOf('', [of('control', REGRESSED, 'ndcg@10')])).toMatch(/ mrr vs\. its past +not yet +not yet\n/);
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
