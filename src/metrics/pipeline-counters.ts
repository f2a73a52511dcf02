/** Which counters a worker has, and where their numbers stand in what it tells. */

import type { Settings } from '../config/settings.ts';
import type { TopicCounts } from '../vocabulary/checkpoint.ts';
import { FEEDBACK_DROPS, type FeedbackDrop, IMPRESSION_DROPS, INVALID_CODES } from '../vocabulary/drops.ts';
import { COMMIT_OUTCOMES, type UnitStatus, type WorkerStatus } from '../worker/status.ts';
import { labelText } from './exposition.ts';

export type PipelineSettings = Pick<Settings, 'attribution' | 'kafka'>;

/** One series of a counter, and its number in a source. */
export interface CounterSeries<Source> {
  readonly name: string;
  readonly labels: string;
  readonly of: (source: Source) => number;
}

/** Out of the counts of a unit's topics since its first record; the checkpoint carries them from owner to owner. */
export function lifetimeCounters({
  attribution,
  kafka,
}: PipelineSettings): readonly CounterSeries<readonly TopicCounts[]>[] {
  type Series = CounterSeries<readonly TopicCounts[]>;
  return kafka.topics.flatMap(({ name: topic, role }, t): readonly Series[] => {
    const both = [...(role.impressions ? IMPRESSION_DROPS : []), ...(role.feedback ? FEEDBACK_DROPS : [])];
    const drops = [...new Set(both)].map(
      (reason): Series => ({
        name: 'receval_drops_total',
        labels: labelText({ topic, reason }),
        of: (counts) => dropsOf(counts[t], reason),
      }),
    );
    const late = attribution.horizons.map(
      ({ text }, h): Series => ({
        name: 'receval_late_total',
        labels: labelText({ topic, horizon: text }),
        of: (counts) => counts[t].impressions.late[h] + counts[t].feedback.late[h],
      }),
    );
    const events: Series = {
      name: 'receval_events_total',
      labels: labelText({ topic }),
      of: (counts) => counts[t].impressions.read + counts[t].feedback.read,
    };
    return [events, ...drops, ...late];
  });
}

function dropsOf({ impressions, feedback }: TopicCounts, reason: FeedbackDrop): number {
  const ofImpressions: Readonly<Partial<Record<FeedbackDrop, number>>> = impressions.drops;
  return (ofImpressions[reason] ?? 0) + feedback.drops[reason];
}

/** Out of what a unit tells since this process claimed it. */
export function claimCounters({ attribution, kafka }: PipelineSettings): readonly CounterSeries<UnitStatus>[] {
  return [
    ...kafka.topics.flatMap(({ name: topic }, t) =>
      INVALID_CODES.map((code) => ({
        name: 'receval_invalid_total',
        labels: labelText({ topic, code }),
        of: ({ invalid }: UnitStatus) => invalid[t].get(code) ?? 0,
      })),
    ),
    { name: 'receval_ignored_cohort_keys_total', labels: '', of: (unit) => unit.ignoredCohortKeys },
    ...attribution.horizons.map(({ text }, h) => ({
      name: 'receval_unknown_items_total',
      labels: labelText({ horizon: text }),
      of: ({ unknownItems }: UnitStatus) => unknownItems[h],
    })),
    { name: 'receval_idle_advances_total', labels: '', of: (unit) => unit.idleAdvances },
    { name: 'receval_impressions_closed_by_idle_total', labels: '', of: (unit) => unit.closedByIdle },
  ];
}

/** Of the process as a whole. */
export const PROCESS_COUNTERS: readonly CounterSeries<WorkerStatus>[] = [
  ...COMMIT_OUTCOMES.map((outcome) => ({
    name: 'receval_commits_total',
    labels: labelText({ outcome }),
    of: ({ commits }: WorkerStatus) => commits[outcome],
  })),
  { name: 'receval_rewinds_total', labels: '', of: (status) => status.rewinds },
  { name: 'receval_gap_records_total', labels: '', of: (status) => status.gapRecords },
];
