/**
 * The label of a cohort's newest block against its own past (specification: statistics 10.4). The first row that holds:
 *
 *    1  a replay runs, or there are fewer than 36 steps of blocks      insufficient  warming_up
 *    2  touched by a gap, or over 5 % closed by idle advances          invalid       incomplete
 *    3  low alarm on                                                   regressed     below_baseline
 *    4  still too few impressions or positives after an hour           insufficient  few_impressions
 *    5  no baseline                                                    insufficient  no_baseline
 *    6  high alarm on, but of what it is compared with half or more
 *       belongs to a low alarm that has ended                          healthy       recovered
 *    7  high alarm on                                                  improved      above_baseline
 *    8  a low alarm ended within a day                                 healthy       recovered
 *    9  otherwise                                                      healthy       in_control
 *
 * Row 3 comes before 4 and 5: a quiet night does not end an alarm. If lower is better, rows 3, 6 and 7 swap: a rise is regressed,
 * above_baseline.
 *
 * Row 1 counts steps, not blocks: otherwise a quiet cohort whose blocks are joined would never leave it.
 */
import { DAY } from '../vocabulary/durations.ts';
import { assertNever, type EpochMs } from '../vocabulary/events.ts';
import { type BaselineKind, STARTUP } from './baseline.ts';
import type { WatchedVerdict } from './decision.ts';
import { percent } from './explain-numbers.ts';
import { BLOCK_MINIMUM, type Block } from './watched-blocks.ts';
import {
  type Alarm,
  type AlarmSpan,
  type PathPoint,
  type PathSettings,
  type WatchedHistory,
  watchedPath,
} from './watched-path.ts';

export interface WatchedFacts extends WatchedHistory {
  /** Event time up to which there are blocks. */
  readonly at: EpochMs;
  readonly replaying: boolean;
  readonly settings: PathSettings;
}

export type WatchedDecision = WatchedVerdict & {
  /**
   * Event time since which the label has held, with any reason, according to the blocks; while warming up, the start of the first block.
   */
  readonly since: EpochMs;
  /** The newest block with its baseline, z and both alarms; undefined: there is none yet. */
  readonly newest: PathPoint | undefined;
  readonly scale: number;
  /** The last alarm in the bad direction that ended; undefined: none did. */
  readonly recovered: AlarmSpan | undefined;
  readonly settings: PathSettings;
};

/** Start-up baselines exist from this many steps on. */
const WARM_STEPS = STARTUP.steps + STARTUP.lag;

/** The label now. Every combination of facts gives one label with one of its reasons. */
export function watch({ at, replaying, settings, ...history }: WatchedFacts): WatchedDecision {
  const { blocks } = history;
  const { points, scale, ended: recovered } = watchedPath(history, settings);
  const newest = points.length === 0 ? undefined : points[points.length - 1];
  const rest = { newest, scale, recovered, settings };
  const warmFrom = firstWarm(blocks);
  if (newest === undefined || replaying || warmFrom === undefined) {
    return { label: 'insufficient', reason: 'warming_up', since: blocks[0]?.start ?? at, ...rest };
  }
  const verdict = verdictOf(newest, settings);
  let first = points.length - 1;
  while (first > warmFrom && verdictOf(points[first - 1], settings).label === verdict.label) first--;
  const isBack = recovered !== undefined && newest.block.end <= recovered.to + DAY;
  const named = verdict.label === 'healthy' && isBack ? RECOVERED : verdict;
  return { ...named, since: points[first].block.end, ...rest };
}

const RECOVERED: WatchedVerdict = { label: 'healthy', reason: 'recovered' };

/** Index of the first block with enough steps up to its end; undefined: none. */
function firstWarm(blocks: readonly Block[]): number | undefined {
  let steps = 0;
  const found = blocks.findIndex((block) => {
    steps += block.steps;
    return steps >= WARM_STEPS;
  });
  return found < 0 ? undefined : found;
}

function verdictOf(
  { block, z, low, high, isAfterAlarm }: PathPoint,
  { lowerIsBetter = false }: PathSettings,
): WatchedVerdict {
  if (block.state === 'incomplete') return { label: 'invalid', reason: 'incomplete' };
  if (lowerIsBetter ? high.on : low.on) {
    return { label: 'regressed', reason: lowerIsBetter ? 'above_baseline' : 'below_baseline' };
  }
  if (block.state === 'few') return { label: 'insufficient', reason: 'few_impressions' };
  if (z === undefined) return { label: 'insufficient', reason: 'no_baseline' };
  if (lowerIsBetter ? low.on : high.on) {
    if (isAfterAlarm) return RECOVERED;
    return { label: 'improved', reason: lowerIsBetter ? 'below_baseline' : 'above_baseline' };
  }
  return { label: 'healthy', reason: 'in_control' };
}

interface WatchedNames {
  /** For example `country=DE`, or `all traffic`. */
  readonly cohort: string;
  readonly measure: string;
}

const PAST: Readonly<Record<BaselineKind, string>> = {
  weekly: 'in this hour of the last weeks',
  daily: 'in this hour of the last days',
  startup: 'in the hours before',
};

/**
 * The decision in one or two sentences.
 *
 * Example: `ndcg@10 of country=DE has fallen by 4.2 % against what it was in this hour of the last weeks.`
 */
export function explainWatched(decision: WatchedDecision, { cohort, measure }: WatchedNames): string {
  const { newest, settings, label, reason } = decision;
  const advice =
    label === 'regressed'
      ? ' Look at what was released or changed when it began. If it is meant to be so, receval accept makes it the norm.'
      : '';
  const past = newest?.baseline === undefined ? 'before' : PAST[newest.baseline.kind];
  switch (reason) {
    case 'warming_up':
      return `${measure} of ${cohort} is not judged yet: the past is still being collected or replayed. Wait; it takes 36 steps (detect.step).`;
    case 'incomplete':
      return `The newest values of ${measure} of ${cohort} are incomplete: records are missing, or quiet partitions were closed before all feedback had come. Look for gaps in the topics, and for partitions that nobody writes to.`;
    case 'few_impressions':
      return `${cohort} has ${newest?.block.impressions ?? 0} impressions and ${newest?.block.positives ?? 0} lists with a positive in an hour; ${measure} is judged from ${BLOCK_MINIMUM.impressions} and ${BLOCK_MINIMUM.positives} on. If there should be more, check the traffic and the feedback topic; else watch a larger cohort.`;
    case 'no_baseline':
      return `There is no past to compare ${measure} of ${cohort} with at this hour. Wait: two weeks, three days, or 36 blocks without gaps are enough.`;
    case 'below_baseline':
      return `${measure} of ${cohort} has fallen by ${change(newest?.low)} against what it was ${past}.${advice}`;
    case 'above_baseline':
      return `${measure} of ${cohort} has risen by ${change(newest?.high)} against what it was ${past}.${advice}`;
    case 'recovered':
      return `${measure} of ${cohort} is back to the level of before ${isoTime(decision.recovered?.from)}; until ${isoTime(decision.recovered?.to)} it was ${settings.lowerIsBetter === true ? 'above' : 'below'} it.`;
    case 'in_control':
      return `${measure} of ${cohort} is as it was ${past}; no fall or rise beyond ${percent(settings.tolerance)} stands out.`;
    default:
      return assertNever(reason);
  }
}

function change(alarm: Alarm | undefined): string {
  return alarm?.size === undefined ? 'an amount without a scale (the past was 0)' : percent(alarm.size);
}

function isoTime(at: EpochMs | undefined): string {
  return at === undefined ? 'that' : new Date(at).toISOString();
}
