/**
 * The label of a cohort against its own past, of its newest block (statistics.md section 11.2). The first row that holds:
 *
 *    1  a replay runs, or there are fewer than 36 steps of blocks      insufficient  warming_up
 *    2  touched by a gap, or over 5 % closed by idle advances          invalid       incomplete
 *    3  still too few impressions or positives after an hour           insufficient  few_impressions
 *    4  no baseline                                                    insufficient  no_baseline
 *    5  low alarm on, and the fall is not below the tolerance          regressed     below_baseline
 *    6  high alarm on, and the rise is not below the tolerance         improved      above_baseline
 *    7  otherwise                                                      healthy       in_control
 *
 * Of a measure of which less is better, rows 5 and 6 change places: a rise is regressed, above_baseline.
 *
 * Row 1 counts steps, not blocks: a quiet cohort whose blocks are joined would else never leave it.
 */
import { assertNever, type EpochMs } from '../events.ts';
import { STARTUP } from './baseline.ts';
import type { Block } from './blocks.ts';
import type { CusumSettings } from './cusum.ts';
import type { WatchedVerdict } from './decision-labels.ts';
import { type Alarm, type PathPoint, type WatchedBlock, watchedPath } from './watched-path.ts';

export interface WatchedSettings extends CusumSettings {
  /** Smallest change that counts, as a fraction of the baseline. */
  readonly tolerance: number;
  /** Whether a fall is an improvement. Default: false. */
  readonly lowerIsBetter?: boolean | undefined;
}

export interface WatchedFacts {
  /** Event time up to which blocks are given. */
  readonly at: EpochMs;
  readonly replaying: boolean;
  /** Oldest first: PATH_BLOCKS and what start-up baselines need before them; fewer while there are none. */
  readonly blocks: readonly WatchedBlock[];
  readonly settings: WatchedSettings;
}

export type WatchedDecision = WatchedVerdict & {
  /**
   * Event time since which the label, with any reason, has held, by the blocks at hand; while warming up, the start of
   * the first block.
   */
  readonly since: EpochMs;
  /** The newest block with its baseline, z, and both alarms; undefined: there is none yet. */
  readonly newest: PathPoint | undefined;
  readonly scale: number;
  readonly settings: WatchedSettings;
};

/** Start-up baselines exist from here on. */
const WARM_STEPS = STARTUP.blocks + STARTUP.lag;

/** The label now. Total: any facts give one label with one of its reasons. */
export function watch({ at, replaying, blocks, settings }: WatchedFacts): WatchedDecision {
  const { points, scale } = watchedPath(blocks, settings);
  const newest = points.length === 0 ? undefined : points[points.length - 1];
  const rest = { newest, scale, settings };
  const warmFrom = firstWarm(blocks);
  if (newest === undefined || replaying || warmFrom === undefined) {
    return { label: 'insufficient', reason: 'warming_up', since: blocks[0]?.block.start ?? at, ...rest };
  }
  const verdict = verdictOf(newest, settings);
  let first = points.length - 1;
  const warm = Math.max(0, warmFrom - (blocks.length - points.length));
  while (first > warm && verdictOf(points[first - 1], settings).label === verdict.label) first--;
  return { ...verdict, since: points[first].block.end, ...rest };
}

/** Index of the first block with enough steps up to its end; undefined: none. */
function firstWarm(blocks: readonly WatchedBlock[]): number | undefined {
  let steps = 0;
  const found = blocks.findIndex(({ block }) => {
    steps += block.steps;
    return steps >= WARM_STEPS;
  });
  return found < 0 ? undefined : found;
}

function verdictOf({ block, z, low, high }: PathPoint, settings: WatchedSettings): WatchedVerdict {
  const { tolerance, lowerIsBetter = false } = settings;
  const cause = stateVerdict(block);
  if (cause !== undefined) return cause;
  if (z === undefined) return { label: 'insufficient', reason: 'no_baseline' };
  const fell = counts(low, -1, tolerance);
  const rose = counts(high, 1, tolerance);
  if (lowerIsBetter) {
    if (rose) return { label: 'regressed', reason: 'above_baseline' };
    if (fell) return { label: 'improved', reason: 'below_baseline' };
  } else {
    if (fell) return { label: 'regressed', reason: 'below_baseline' };
    if (rose) return { label: 'improved', reason: 'above_baseline' };
  }
  return { label: 'healthy', reason: 'in_control' };
}

function stateVerdict({ state }: Block): WatchedVerdict | undefined {
  switch (state) {
    case 'incomplete':
      return { label: 'invalid', reason: 'incomplete' };
    case 'few':
      return { label: 'insufficient', reason: 'few_impressions' };
    case 'whole':
      return undefined;
    default:
      return assertNever(state);
  }
}

/** A change from a baseline of 0 has no size and is not small. */
function counts({ on, size }: Alarm, direction: 1 | -1, tolerance: number): boolean {
  return on && (size === undefined || direction * size >= tolerance);
}
