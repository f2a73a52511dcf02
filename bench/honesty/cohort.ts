/**
 * A cohort that is watched against its own past: four weeks of panes drawn from a seed, judged by what the exporter runs
 * (blocks, baselines, CUSUM), and what it said hour by hour.
 */
import { Random } from '../../src/simulate/random.ts';
import { pastOf } from '../../src/statistics/baseline.ts';
import type { Label } from '../../src/statistics/decision.ts';
import { watch } from '../../src/statistics/watched.ts';
import {
  type BlockPane,
  blocksOf,
  type ErrorSource,
  hourBlock,
  hourOf,
  usualShare,
} from '../../src/statistics/watched-blocks.ts';
import type { PathSettings } from '../../src/statistics/watched-path.ts';
import { HOUR } from '../../src/vocabulary/durations.ts';

export interface CohortSettings {
  /** Impressions in a step of five minutes, in the mean over a day. */
  readonly lists: number;
  /** Hours of history before the watched week. */
  readonly history: number;
  /** Standard deviation of a day's and of an hour's quality beyond all that repeats, as fractions. */
  readonly moods: readonly [day: number, hour: number];
  /** The measure loses this part, from `from` hours after the begin of the watched week on. */
  readonly drop: number;
  readonly from: number;
  /** Length of what is watched. */
  readonly hours: number;
}

const STEP = 300_000;
const STEPS_A_DAY = 288;
/** Share of the lists with a positive. */
const HITS = 0.2;
/** Reciprocal ranks of the first positive, and how often. */
const VALUES: readonly (readonly [value: number, share: number])[] = [
  [1, 0.34],
  [1 / 2, 0.22],
  [1 / 3, 0.16],
  [1 / 5, 0.15],
  [1 / 10, 0.13],
];
/** Cumulative shares. */
const PLACES = VALUES.map((_, i) => VALUES.slice(0, i + 1).reduce((sum, [, share]) => sum + share, 0));
const MEAN = VALUES.reduce((sum, [value, share]) => sum + value * share, 0);
const SQUARE = VALUES.reduce((sum, [value, share]) => sum + value * value * share, 0);
/** Users make lists alike: variances are so many times those of independent lists, and the errors know it to a tenth. */
const DESIGN = 1.5;
/** How often the label is looked at. */
export const EVERY_HOURS = 3;
const BEGIN = Date.UTC(2026, 0, 5);

/** Sums of each step. */
export function drawCohort(seed: number, { lists, history, moods, drop, from, hours }: CohortSettings): BlockPane[] {
  const random = new Random(seed, 'watched cohort');
  const begin = BEGIN + 21 * 24 * HOUR - history * HOUR;
  const fall = BEGIN + 21 * 24 * HOUR + from * HOUR;
  const end = BEGIN + 21 * 24 * HOUR + hours * HOUR;
  const panes: BlockPane[] = [];
  let [day, hour] = [0, 0];
  for (let start = begin; start < end; start += STEP) {
    if (start === begin || start % (24 * HOUR) === 0) day = moods[0] * random.normal();
    if (start % HOUR === 0) hour = moods[1] * random.normal();
    const clock = (2 * Math.PI * (start % (24 * HOUR))) / (24 * HOUR);
    const isWeekend = Math.floor(start / (24 * HOUR) + 3) % 7 >= 5;
    const traffic = lists * (1 - 0.6 * Math.cos(clock)) * (isWeekend ? 1.2 : 1);
    const quality = (1 + 0.1 * Math.sin(clock)) * (isWeekend ? 0.95 : 1) * (1 + day) * (1 + hour);
    const impressions = count(random, traffic);
    const share = Math.min(1, Math.max(0, HITS * quality * (start >= fall ? 1 - drop : 1)));
    const spread = Math.sqrt(DESIGN * impressions * share * (1 - share));
    const positives = Math.min(impressions, Math.max(0, Math.round(impressions * share + spread * random.normal())));
    const { sum, sumSquares } = valuesOf(random, positives);
    panes.push({ start, impressions, positives, n: impressions, sum, sumSquares, gap: false, closedByIdle: 0 });
  }
  return panes;
}

function count(random: Random, mean: number): number {
  return Math.max(0, Math.round(mean + Math.sqrt(mean) * random.normal()));
}

function valuesOf(random: Random, positives: number): { readonly sum: number; readonly sumSquares: number } {
  if (positives > 40) {
    const sum = positives * MEAN + Math.sqrt(DESIGN * positives * (SQUARE - MEAN * MEAN)) * random.normal();
    return { sum, sumSquares: positives * SQUARE };
  }
  let [sum, sumSquares] = [0, 0];
  for (let i = 0; i < positives; i++) {
    const point = random.next();
    const [value] = VALUES[PLACES.findIndex((place) => place > point)] ?? VALUES[0];
    sum += value;
    sumSquares += value * value;
  }
  return { sum, sumSquares };
}

/** What is said at the end of each hour of the watched span. */
export function judged(seed: number, settings: CohortSettings, rule: PathSettings): readonly Label[] {
  const panes = drawCohort(seed, settings);
  const random = new Random(seed, 'design effect');
  const source: ErrorSource = { from: 'lists', designEffect: DESIGN * (1 + 0.1 * random.normal()) };
  const watchedFrom = BEGIN + 21 * 24 * HOUR;
  const hours = hoursOf(panes);
  return Array.from({ length: Math.floor(settings.hours / EVERY_HOURS) }, (_, i) => {
    const to = watchedFrom + (i + 1) * EVERY_HOURS * HOUR;
    const near = hourOf(to - STEPS_A_DAY * STEP);
    const past = hours.filter(({ start }) => start < near && start >= to - 22 * 24 * HOUR);
    const usual = usualShare(past);
    const before = past.map((hour) => hourBlock(hour, { step: STEP, usual }, source));
    const span = { from: Math.max(near, panes[0].start), to, step: STEP, usual };
    const first = Math.round((span.from - panes[0].start) / STEP);
    const steps = blocksOf(panes.slice(first, first + STEPS_A_DAY + 24), span, source);
    return watch({
      at: to,
      replaying: false,
      blocks: [...before, ...steps],
      step: STEP,
      pastOf: pastOf(before),
      settings: rule,
    }).label;
  });
}

function hoursOf(panes: readonly BlockPane[]): readonly BlockPane[] {
  const hours = new Map<number, BlockPane>();
  for (const pane of panes) {
    const start = hourOf(pane.start);
    const sum = hours.get(start);
    if (sum === undefined) hours.set(start, { ...pane, start });
    else
      hours.set(start, {
        ...sum,
        impressions: sum.impressions + pane.impressions,
        positives: sum.positives + pane.positives,
        n: sum.n + pane.n,
        sum: sum.sum + pane.sum,
        sumSquares: sum.sumSquares + pane.sumSquares,
      });
  }
  return [...hours.values()];
}
