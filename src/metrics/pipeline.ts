import type { Settings } from '../config/settings.ts';
import type { TopicHealth } from '../findings/live-findings.ts';
import type { TopicCounts } from '../vocabulary/checkpoint.ts';
import { FEEDBACK_DROPS, type FeedbackDrop, IMPRESSION_DROPS, INVALID_CODES } from '../vocabulary/drops.ts';
import { OTHER_COHORT } from '../vocabulary/events.ts';
import type { Unmapped, UnmetCondition } from '../vocabulary/unmapped.ts';
import {
  COMMIT_OUTCOMES,
  type HistogramCounts,
  STOP_CAUSES,
  type UnitStatus,
  type WorkerStatus,
} from '../worker/status.ts';
import { type Exposition, joinLabels, labelText } from './exposition.ts';
import { ClaimLedger, LifetimeLedger } from './ledgers.ts';
import { TopicsHealth } from './topics-health.ts';

type PipelineSettings = Pick<Settings, 'attribution' | 'kafka'>;

/** One series of a counter, and where its value comes from. */
interface CounterSeries<Source> {
  readonly name: string;
  readonly labels: string;
  readonly of: (source: Source) => number;
}

/** Counters of the process as a whole. */
const PROCESS_COUNTERS: readonly CounterSeries<WorkerStatus>[] = [
  ...COMMIT_OUTCOMES.map((outcome) => ({
    name: 'receval_commits_total',
    labels: labelText({ outcome }),
    of: ({ commits }: WorkerStatus) => commits[outcome],
  })),
  { name: 'receval_rewinds_total', labels: '', of: (status) => status.rewinds },
  { name: 'receval_gap_records_total', labels: '', of: (status) => status.gapRecords },
];

/**
 * The metrics of a worker. Every counter, with every reason, code, outcome and horizon, exists at 0 before anything happened, and never
 * decreases.
 */
export class Pipeline {
  readonly #lifetime: readonly CounterSeries<readonly TopicCounts[]>[];
  readonly #claim: readonly CounterSeries<UnitStatus>[];
  readonly #lifetimeLedger: LifetimeLedger;
  readonly #claimLedger: ClaimLedger;
  readonly #process: number[] = PROCESS_COUNTERS.map(() => 0);
  readonly #topics: TopicsHealth;
  readonly #unmapped: UnmappedSeries;
  #status: WorkerStatus | undefined;

  constructor(settings: PipelineSettings) {
    const { topics } = settings.kafka;
    const names = topics.map(({ name }) => name);
    this.#topics = new TopicsHealth(names);
    this.#unmapped = new UnmappedSeries(names);
    this.#lifetime = lifetimeCounters(settings);
    this.#claim = claimCounters(settings);
    this.#lifetimeLedger = new LifetimeLedger(this.#lifetime.length);
    this.#claimLedger = new ClaimLedger(this.#claim.length);
  }

  /** Called when a unit was claimed whose checkpoint contained these counts, which its former owner has exposed. */
  claimed(partition: number, counts: readonly TopicCounts[]): void {
    this.#lifetimeLedger.claimed(partition, numbers(this.#lifetime, counts));
    this.#topics.claimed(partition, counts);
    this.#unmapped.claimed(partition, counts);
  }

  /** The recent health of each topic. */
  get topics(): readonly TopicHealth[] {
    return this.#topics.now.map((health, topic) => ({ ...health, unmapped: this.#unmapped.of(topic) }));
  }

  update(status: WorkerStatus): void {
    const { units } = status;
    this.#status = {
      ...status,
      commitDuration: highest(this.#status?.commitDuration, status.commitDuration),
      feedbackDelay: highest(this.#status?.feedbackDelay, status.feedbackDelay),
    };
    this.#lifetimeLedger.update(new Map(units.map((unit) => [unit.partition, numbers(this.#lifetime, unit.counts)])));
    this.#claimLedger.update(new Map(units.map((unit) => [unit.partition, numbers(this.#claim, unit)])));
    this.#topics.update(status);
    this.#unmapped.update(units);
    for (const [i, { of }] of PROCESS_COUNTERS.entries()) this.#process[i] = Math.max(this.#process[i], of(status));
  }

  write(page: Exposition): void {
    write(page, this.#lifetime, this.#lifetimeLedger.sums);
    write(page, this.#claim, this.#claimLedger.sums);
    write(page, PROCESS_COUNTERS, this.#process);
    this.#unmapped.write(page);
    if (this.#status !== undefined) writeGauges(page, this.#status);
    writeJoins(page, this.topics);
  }
}

/** Keeps a histogram from decreasing, since the status does not include units that were released. */
function highest(before: HistogramCounts | undefined, now: HistogramCounts): HistogramCounts {
  if (before === undefined) return now;
  const counts = now.counts.map((count, i) => Math.max(count, before.counts[i]));
  return { bounds: now.bounds, counts, sum: Math.max(now.sum, before.sum) };
}

function numbers<Source>(series: readonly CounterSeries<Source>[], source: Source): readonly number[] {
  return series.map(({ of }) => of(source));
}

function write(
  page: Exposition,
  series: readonly { readonly name: string; readonly labels: string }[],
  sums: readonly number[],
): void {
  for (const [i, { name, labels }] of series.entries()) page.series(name)(labels, sums[i]);
}

/** Counters from the counts of a unit's topics since its first record; the checkpoint passes them from owner to owner. */
function lifetimeCounters({ attribution, kafka }: PipelineSettings): readonly CounterSeries<readonly TopicCounts[]>[] {
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

/** Counters from a unit's status since this process claimed it. */
function claimCounters({ attribution, kafka }: PipelineSettings): readonly CounterSeries<UnitStatus>[] {
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
    ...attribution.horizons.map(({ text }, h) => ({
      name: 'receval_unscored_impressions_total',
      labels: labelText({ horizon: text }),
      of: ({ unscored }: UnitStatus) => unscored[h],
    })),
    { name: 'receval_idle_advances_total', labels: '', of: (unit) => unit.idleAdvances },
    { name: 'receval_impressions_closed_by_idle_total', labels: '', of: (unit) => unit.closedByIdle },
  ];
}

/** Writes all gauges of a worker. An unknown value has no series. */
function writeGauges(page: Exposition, status: WorkerStatus): void {
  const { units, lastCommit, clockSkew } = status;
  for (const unit of units) writeUnit(page, status, unit);
  const replays = units.some(({ replaying, stopped }) => replaying && stopped === undefined);
  page.series('receval_replay_in_progress')('', Number(replays));
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
  for (const cause of STOP_CAUSES) {
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

/** Writes the shares of joined feedback. An unknown share has no series. */
function writeJoins(page: Exposition, topics: readonly TopicHealth[]): void {
  for (const { topic, joined, inList } of topics) {
    const labels = labelText({ topic });
    if (joined !== undefined) page.series('receval_join_share')(labels, joined);
    if (inList !== undefined) page.series('receval_item_share')(labels, inList);
  }
}

/** Share of feedback that was matched; NaN: none has been matched or dropped yet. */
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

/** Number of series of a topic: somewhat more than one unit names, since units may name different ones. The first is for all the others. */
const PLACES = 32;

/**
 * Records for which there is no map, by topic, field and value. A value is always counted under the same name, so no series ever
 * decreases.
 */
class UnmappedSeries {
  readonly #topics: readonly string[];
  readonly #ledger: LifetimeLedger;
  /** Names by topic. */
  readonly #names: readonly UnmetCondition[][];

  constructor(topics: readonly string[]) {
    this.#topics = topics;
    this.#ledger = new LifetimeLedger(PLACES * topics.length);
    this.#names = topics.map(() => [{ field: OTHER_COHORT, value: OTHER_COHORT }]);
  }

  claimed(partition: number, counts: readonly TopicCounts[]): void {
    this.#ledger.claimed(partition, this.#numbers(counts));
  }

  update(units: readonly { readonly partition: number; readonly counts: readonly TopicCounts[] }[]): void {
    this.#ledger.update(new Map(units.map(({ partition, counts }) => [partition, this.#numbers(counts)])));
  }

  /** The records of a topic, given by its index, as far as this process has counted them. */
  of(topic: number): Unmapped {
    return this.#names[topic].flatMap((name, place) => {
      const records = this.#ledger.sums[PLACES * topic + place];
      return records === 0 ? [] : [{ ...name, records }];
    });
  }

  write(page: Exposition): void {
    for (const [t, topic] of this.#topics.entries()) {
      for (const [place, { field, value }] of this.#names[t].entries()) {
        page.series('receval_unmapped_total')(
          labelText({ topic, field, value }),
          this.#ledger.sums[PLACES * t + place],
        );
      }
    }
  }

  #numbers(counts: readonly TopicCounts[]): readonly number[] {
    const numbers = new Array<number>(PLACES * this.#topics.length).fill(0);
    for (const [topic, { unmapped = [] }] of counts.entries()) {
      for (const one of unmapped) numbers[PLACES * topic + this.#placeOf(topic, one)] += one.records;
    }
    return numbers;
  }

  #placeOf(topic: number, { field, value }: UnmetCondition): number {
    const names = this.#names[topic];
    const known = names.findIndex((name) => name.field === field && name.value === value);
    if (known >= 0) return known;
    return names.length < PLACES ? names.push({ field, value }) - 1 : 0;
  }
}
