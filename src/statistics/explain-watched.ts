/** Decisions on cohorts against their own past, in plain words. */
import { assertNever, type EpochMs } from '../vocabulary/events.ts';
import type { BaselineKind } from './baseline.ts';
import { percent } from './explain-numbers.ts';
import type { WatchedDecision } from './watched.ts';
import { BLOCK_MINIMUM } from './watched-blocks.ts';
import type { Alarm } from './watched-path.ts';

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
