import type { Settings } from '../config/settings.ts';
import { RecentJoin } from '../findings/recent-join.ts';
import type { TopicCounts } from '../vocabulary/checkpoint.ts';
import { FEEDBACK_DROPS, type FeedbackDrop, IMPRESSION_DROPS, INVALID_CODES } from '../vocabulary/drops.ts';
import {
  COMMIT_OUTCOMES,
  type HistogramCounts,
  type StopCause,
  type UnitStatus,
  type WorkerStatus,
} from '../worker/status.ts';
import { type Exposition, joinLabels, labelText } from './exposition.ts';

type PipelineSettings = Pick<Settings, 'attribution' | 'kafka'>;

/** One series of a counter, and its number in a source. */
interface CounterSeries<Source> {
  readonly name: string;
  readonly labels: string;
  readonly of: (source: Source) => number;
}

/** Of the process as a whole. */
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
 * What a worker tells of itself as metrics. Every counter, with every reason, code, outcome and horizon, is there at 0
 * before anything happened, and only ever moves up.
 */
export class Pipeline {
  readonly #lifetime: readonly CounterSeries<readonly TopicCounts[]>[];
  readonly #claim: readonly CounterSeries<UnitStatus>[];
  readonly #lifetimeLedger: LifetimeLedger;
  readonly #claimLedger: ClaimLedger;
  readonly #process: number[] = PROCESS_COUNTERS.map(() => 0);
  readonly #joins: TopicJoins;
  /** Topics that carry feedback. */
  readonly #ofFeedback: ReadonlySet<string>;
  #status: WorkerStatus | undefined;

  constructor(settings: PipelineSettings) {
    const { topics } = settings.kafka;
    this.#joins = new TopicJoins(topics.map(({ name }) => name));
    this.#ofFeedback = new Set(topics.flatMap(({ name, role }) => (role.feedback ? [name] : [])));
    this.#lifetime = lifetimeCounters(settings);
    this.#claim = claimCounters(settings);
    this.#lifetimeLedger = new LifetimeLedger(this.#lifetime.length);
    this.#claimLedger = new ClaimLedger(this.#claim.length);
  }

  /** A unit was claimed whose checkpoint held these counts: whoever made them has told of them. */
  claimed(partition: number, counts: readonly TopicCounts[]): void {
    this.#lifetimeLedger.claimed(partition, numbers(this.#lifetime, counts));
    this.#joins.claimed(partition, counts);
  }

  /** Of the topics that carry feedback. */
  get joins(): readonly TopicJoin[] {
    return this.#joins.topics.filter(({ topic }) => this.#ofFeedback.has(topic));
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
    this.#joins.update(status);
    for (const [i, { of }] of PROCESS_COUNTERS.entries()) this.#process[i] = Math.max(this.#process[i], of(status));
  }

  write(page: Exposition): void {
    write(page, this.#lifetime, this.#lifetimeLedger.sums);
    write(page, this.#claim, this.#claimLedger.sums);
    write(page, PROCESS_COUNTERS, this.#process);
    if (this.#status !== undefined) writeGauges(page, this.#status);
    writeJoins(page, this.joins);
  }
}

/** Counts of units that left fall out of what is told; a histogram must not go down. */
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

/** Out of the counts of a unit's topics since its first record; the checkpoint carries them from owner to owner. */
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

/** Out of what a unit tells since this process claimed it. */
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
    { name: 'receval_idle_advances_total', labels: '', of: (unit) => unit.idleAdvances },
    { name: 'receval_impressions_closed_by_idle_total', labels: '', of: (unit) => unit.closedByIdle },
  ];
}

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

/** What a worker is like now: all series again. What is not known has no series. */
function writeGauges(page: Exposition, status: WorkerStatus): void {
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
function writeJoins(page: Exposition, joins: readonly TopicJoin[]): void {
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

const PER_TOPIC = 3;

/** How the feedback of one topic joins lately; shares are undefined before enough came. */
export interface TopicJoin {
  readonly topic: string;
  readonly joined: number | undefined;
  readonly inList: number | undefined;
}

/** How feedback joins, by topic: of the units of this process, since it claimed them. */
export class TopicJoins {
  readonly #ledger: LifetimeLedger;
  readonly #recent: readonly RecentJoin[];
  readonly #topics: readonly string[];
  #told: readonly number[];

  constructor(topics: readonly string[]) {
    this.#topics = topics;
    this.#ledger = new LifetimeLedger(PER_TOPIC * topics.length);
    this.#recent = topics.map(() => new RecentJoin());
    this.#told = new Array<number>(PER_TOPIC * topics.length).fill(0);
  }

  claimed(partition: number, counts: readonly TopicCounts[]): void {
    this.#ledger.claimed(partition, totals(counts));
  }

  update({ units }: Pick<WorkerStatus, 'units'>): void {
    this.#ledger.update(new Map(units.map(({ partition, counts }) => [partition, totals(counts)])));
    const sums = [...this.#ledger.sums];
    const [attributed, orphan, notInList] = [0, 1, 2].map((place) => (topic: number): number => {
      const at = PER_TOPIC * topic + place;
      return sums[at] - this.#told[at];
    });
    for (const [t, recent] of this.#recent.entries()) {
      recent.add({ attributed: attributed(t), orphan: orphan(t), notInList: notInList(t) });
    }
    this.#told = sums;
  }

  get topics(): readonly TopicJoin[] {
    return this.#topics.map((topic, t) => ({ topic, joined: this.#recent[t].joined, inList: this.#recent[t].inList }));
  }
}

function totals(counts: readonly TopicCounts[]): readonly number[] {
  return counts.flatMap(({ feedback: { attributed, drops } }) => [attributed, drops.orphan, drops.not_in_list]);
}

/**
 * Counters that never go down, out of totals of units that come and go. All lists of one ledger have one length and one
 * meaning.
 */

/** Totals since a unit's first record, which other processes continue: counted is what was added while the unit was ours. */
export class LifetimeLedger {
  readonly #sums: number[];
  /** By unit: the highest totals seen. */
  readonly #marks = new Map<number, number[]>();
  #present: ReadonlySet<number> = new Set();

  constructor(width: number) {
    this.#sums = new Array<number>(width).fill(0);
  }

  get sums(): readonly number[] {
    return this.#sums;
  }

  /** The unit was claimed with these totals: others counted them. */
  claimed(unit: number, totals: readonly number[]): void {
    this.#raise(unit, totals, false);
    this.#present = new Set([...this.#present, unit]);
  }

  /**
   * The totals of all units that are ours. A total below the highest seen adds nothing until it has passed that again:
   * after a rollback the same records are counted again. A unit that was away begins at what others have counted.
   */
  update(units: ReadonlyMap<number, readonly number[]>): void {
    for (const [unit, totals] of units) this.#raise(unit, totals, this.#present.has(unit) || !this.#marks.has(unit));
    this.#present = new Set(units.keys());
  }

  #raise(unit: number, totals: readonly number[], counts: boolean): void {
    const marks = this.#marks.get(unit) ?? new Array<number>(this.#sums.length).fill(0);
    this.#marks.set(unit, marks);
    for (const [i, total] of totals.entries()) {
      if (total <= marks[i]) continue;
      if (counts) this.#sums[i] += total - marks[i];
      marks[i] = total;
    }
  }
}

/** Totals since this process claimed a unit. A total that falls started again. */
export class ClaimLedger {
  readonly #sums: number[];
  #last: ReadonlyMap<number, readonly number[]> = new Map();

  constructor(width: number) {
    this.#sums = new Array<number>(width).fill(0);
  }

  get sums(): readonly number[] {
    return this.#sums;
  }

  /** The totals of all units that are ours. */
  update(units: ReadonlyMap<number, readonly number[]>): void {
    for (const [unit, totals] of units) {
      const last = this.#last.get(unit);
      for (const [i, total] of totals.entries()) {
        const before = last?.[i] ?? 0;
        this.#sums[i] += total < before ? total : total - before;
      }
    }
    this.#last = new Map([...units].map(([unit, totals]) => [unit, [...totals]] as const));
  }
}
