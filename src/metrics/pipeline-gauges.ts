import type { HistogramCounts, StopCause, UnitStatus, WorkerStatus } from '../worker/status.ts';
import { type Exposition, joinLabels, labelText } from './exposition.ts';
import type { TopicJoin } from './joins.ts';

const STOP_CAUSES: Readonly<Record<StopCause, string>> = {
  limit: 'limit',
  memory: 'memory',
  gap: 'gap',
  partitions: 'partitions',
  pairing: 'pairing',
  configuration: 'configuration',
  format: 'format',
  codec: 'codec',
  state_lost: 'state_lost',
  diverged: 'diverged',
};

/** What a worker is like now: all series anew. What is not known has no series. */
export function writeGauges(page: Exposition, status: WorkerStatus): void {
  const { units, lastCommit, clockSkew } = status;
  for (const unit of units) writeUnit(page, status, unit);
  page.series('receval_replay_in_progress')('', Number(units.some((unit) => unit.replaying)));
  page.series('receval_match_ratio')('', matchRatio(units));
  if (lastCommit !== undefined) page.series('receval_last_commit_timestamp_seconds')('', lastCommit / 1000);
  if (clockSkew !== undefined) page.series('receval_clock_skew_seconds')('', clockSkew / 1000);
  page.series('receval_fetched_bytes')('', status.fetchedBytes);
  const headrooms = units.flatMap(({ retentionHeadroom }) => retentionHeadroom.filter((one) => one !== undefined));
  page.series('receval_retention_headroom_seconds')('', Math.min(...headrooms) / 1000);
  writeHistogram(page, 'receval_commit_duration_seconds', status.commitDuration);
  writeHistogram(page, 'receval_feedback_delay_seconds', status.feedbackDelay);
}

function writeUnit(page: Exposition, { topics }: WorkerStatus, unit: UnitStatus): void {
  const partition = labelText({ partition: String(unit.partition) });
  page.series('receval_open_impressions')(partition, unit.openImpressions);
  page.series('receval_waiting_feedback')(partition, unit.waitingFeedback);
  page.series('receval_state_bytes')(partition, unit.stateBytes);
  for (const cause of Object.values(STOP_CAUSES)) {
    page.series('receval_unit_stopped')(joinLabels(partition, labelText({ cause })), Number(unit.stopped === cause));
  }
  for (const [t, topic] of topics.entries()) {
    const labels = joinLabels(labelText({ topic }), partition);
    page.series('receval_watermark_timestamp_seconds')(labels, unit.topicWatermarks[t] / 1000);
    const lag = unit.lag[t];
    if (lag === undefined) continue;
    page.series('receval_consumer_lag_messages')(labels, lag);
    page.series('receval_open_transaction_messages')(labels, unit.inTransactions[t]);
  }
}

/** What is not known yet has no series. */
export function writeJoins(page: Exposition, joins: readonly TopicJoin[]): void {
  for (const { topic, joined, inList } of joins) {
    const labels = labelText({ topic });
    if (joined !== undefined) page.series('receval_join_share')(labels, joined);
    if (inList !== undefined) page.series('receval_item_share')(labels, inList);
  }
}

/** NaN: no feedback was settled by matching yet. */
function matchRatio(units: readonly UnitStatus[]): number {
  let attributed = 0;
  let unmatched = 0;
  for (const { feedback } of units.flatMap((unit) => unit.counts)) {
    attributed += feedback.attributed;
    unmatched += feedback.drops.orphan + feedback.drops.not_in_list;
  }
  return attributed / (attributed + unmatched);
}

function writeHistogram(page: Exposition, name: string, { bounds, counts, sum }: HistogramCounts): void {
  const bucket = page.series(name, '_bucket');
  let upTo = 0;
  for (const [i, bound] of bounds.entries()) {
    upTo += counts[i];
    bucket(labelText({ le: String(bound) }), upTo);
  }
  upTo += counts[bounds.length];
  bucket(labelText({ le: '+Inf' }), upTo);
  page.series(name, '_sum')('', sum);
  page.series(name, '_count')('', upTo);
}
