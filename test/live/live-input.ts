/** What a process would know of a shop, with a name as a stranger would choose it. */
import { PositionSums } from '../../src/accumulators/position-sums.ts';
import type { CohortHistory, HistoryQuestion, QualityRow } from '../../src/exporter/exporter-contract.ts';
import type { LiveInput } from '../../src/live/live.ts';
import { load } from '../config/fixture.ts';
import { meanRow, unitStatus, workerStatus } from '../metrics/statuses.ts';
import { experimentReport } from '../page/views.ts';
import { H, type Shop, shop } from '../unit/sampled-shop.ts';

export const SETTINGS = load(`
attribution: {horizons: [1m, 30m]}
measures: [ndcg@10, mrr]
windows: [5m, 1h]
cohorts: [[], [variant]]
positions: {ranks: 3}
experiments: {default: {control: A, variants: {A: 0.5, B: 0.5}}}
`);

const NOW = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;

/** @param minute since the process began; @param cohorts others beside the two variants */
export function liveInput(name: string, minute: number, cohorts = 0): LiveInput {
  const names = SETTINGS.measures.map(({ canonical }) => canonical);
  const rows = ['1m', '30m'].flatMap((horizon) =>
    ['5m', '1h'].flatMap((window): QualityRow[] => {
      const row = (by: readonly string[], values: readonly string[], n: number, mean: number): QualityRow => ({
        horizon,
        window,
        by,
        values,
        row: {
          ...meanRow(names, n, n, n * mean),
          positions: horizon === '30m' ? positionsOf(values[0], window) : undefined,
        },
        stderrs: names.map(() => 0.01),
      });
      return [
        row([], [], 2000, 0.4),
        row(['variant'], ['A'], 1000, 0.45),
        row(['variant'], [name], 1000, 0.35 - minute / 100),
        ...Array.from({ length: cohorts }, (_, i) => row(['variant'], [`cohort ${i}`], 10 + i, 0.4)),
      ];
    }),
  );
  const { experiments: [experiment] = [] } = experimentReport(name);
  if (experiment === undefined) throw new Error('there is an experiment');
  const unit = unitStatus(0, { watermark: NOW + minute * MINUTE - 30_000, openImpressions: 5 });
  const [counts] = unit.counts;
  Object.assign(counts.impressions, { read: 110, accepted: 100 });
  Object.assign(counts.feedback, { read: 500, attributed: 400 });
  counts.feedback.drops.orphan = 100;
  return {
    now: NOW + minute * MINUTE,
    snapshot: {
      rows,
      windows: [],
      decisions: [],
      experiments: [experiment.comparison],
      trails: [experiment.trail],
      resultTimes: new Map([['1m', NOW + (minute - 2) * MINUTE]]),
      impressions: 1000 + minute * 600,
    },
    status: workerStatus([unit, unitStatus(1, { stopped: 'gap' })]),
  };
}

/** A list with a click on its second item, and one that names none of its items. */
export function sampled(name: string): Shop {
  const sampling = shop();
  const { shows, does, at } = sampling;
  shows(name, 0, ['a', name, ...Array.from({ length: 98 }, (_, i) => `item ${i}`)]);
  does(name, name, 1500, 'click');
  does(name, `not ${name}`, 2000, name);
  at(3 * H);
  return sampling;
}

function positionsOf(variant: string | undefined, window: string): PositionSums | undefined {
  if (variant === undefined || variant.startsWith('cohort')) return undefined;
  const sums = new PositionSums(3);
  sums.exposed.set([1000, 990, 500]);
  const top = window === '1h' ? 0 : 100;
  sums.positives.set(variant === 'A' ? [400 + top, 200, 100] : [200 + top, 150, 100]);
  return sums;
}

/** What an exporter would know of the two variants since the process began. */
export function historyUpTo(minute: number): (question: HistoryQuestion) => CohortHistory {
  return ({ values: [name] }) => ({
    points: Array.from({ length: minute + 1 }, (_, i) => ({
      at: NOW + (i - 2) * MINUTE,
      value: name === 'A' ? 0.45 : (35 - i) / 100,
      stderr: 0.01,
    })),
    hoursTo: undefined,
    isReading: false,
  });
}
