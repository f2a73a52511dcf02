import type { RowsByField } from '../accumulators/scored-rows.ts';
import { Delays } from '../consumers/join/api.ts';
import type { CommittedState } from '../unit/unit-contract.ts';
import type { Divergence } from '../unit/unit-reading.ts';
import type { TopicCounts } from '../vocabulary/checkpoint.ts';
import type { InvalidCode } from '../vocabulary/drops.ts';
import type { DurationMs, EpochMs, Offset } from '../vocabulary/events.ts';

/** Counts of observed values. `counts[i]` is the number of values up to `bounds[i]` and above the bound before; the last count has no bound. */
export interface HistogramCounts {
  /** Upper bounds in seconds, ascending. */
  readonly bounds: readonly number[];
  /** The number of values in each bucket: one more than there are bounds. */
  readonly counts: readonly number[];
  /** The sum of all values, in seconds. */
  readonly sum: number;
}

/** The largest tolerated difference between our clock and the store's; above it, ours judges nothing (specification: faults 5.3). */
export const LARGEST_SKEW: DurationMs = 30_000;

/** Why a unit is stopped (specification: faults 8). */
export const STOP_CAUSES = [
  'limit',
  'memory',
  'gap',
  'partitions',
  'pairing',
  'configuration',
  'format',
  'damaged',
  'codec',
  'state_lost',
  'diverged',
] as const;
export type StopCause = (typeof STOP_CAUSES)[number];

/** A stopped unit, and why. */
export interface StoppedUnit {
  readonly partition: number;
  readonly cause: StopCause;
}

/** What a unit holds in memory now, which is nothing once it is released. */
export interface UnitMemory {
  readonly openImpressions: number;
  readonly waitingFeedback: number;
  /** The bytes of all that is open or waits, and of rows, cohorts and experiments. */
  readonly stateBytes: number;
}

/** What a worker reports about one unit. Counters show the state after the last commit that was answered OK or ALREADY. */
export interface UnitStatus extends UnitMemory {
  readonly partition: number;
  /** How often events were counted or dropped, by topic. */
  readonly counts: readonly TopicCounts[];
  readonly invalid: readonly ReadonlyMap<InvalidCode, number>[];
  readonly ignoredCohortKeys: number;
  /** Closings committed since this process claimed the unit, by `<horizon>|<by>|<values>` (layout.ts). */
  readonly scored: RowsByField;
  /** Slots of these closings whose item is not in the catalogue, by horizon. */
  readonly unknownItems: readonly number[];
  /** Lists that closed but are in no sum, as their feedback was not read, by horizon. */
  readonly unscored: readonly number[];
  readonly idleAdvances: number;
  readonly closedByIdle: number;
  /** The watermark of each topic now, not at the last commit; -Infinity: nothing was seen yet. */
  readonly topicWatermarks: readonly EpochMs[];
  readonly watermark: EpochMs;
  readonly replaying: boolean;
  readonly stopped: StopCause | undefined;
  /** The records of each topic between our position and the end of the log; undefined: the end is not known. */
  readonly lag: readonly (number | undefined)[];
  /** The records among them that cannot be read until a transaction ends, by topic. */
  readonly inTransactions: readonly number[];
  /** The records that could be read now: without those in transactions, and without topics that let others catch up. */
  readonly waiting: number;
  /** The time until retention reaches the oldest record of each topic that a replay needs; undefined: never, or not known. */
  readonly retentionHeadroom: readonly (DurationMs | undefined)[];
}

export const COMMIT_OUTCOMES = ['ok', 'already', 'fenced', 'conflict', 'unknown'] as const;
type CommitOutcomeName = (typeof COMMIT_OUTCOMES)[number];

/** What a worker reports about itself, from which metrics are made. */
export interface WorkerStatus {
  /** The names of the topics, in the order of `UnitStatus.counts`. */
  readonly topics: readonly string[];
  readonly units: readonly UnitStatus[];
  readonly commits: Readonly<Record<CommitOutcomeName, number>>;
  readonly commitDuration: HistogramCounts;
  /** The event time from impression to attributed feedback. */
  readonly feedbackDelay: HistogramCounts;
  readonly lastCommit: EpochMs | undefined;
  readonly rewinds: number;
  readonly gapRecords: number;
  /** The number of keys of rows that claims have found gone from the store. */
  readonly lostKeys: number;
  /** The bytes that were fetched and not handed over yet. */
  readonly fetchedBytes: number;
  /** Our clock minus the store's; undefined: not known. */
  readonly clockSkew: DurationMs | undefined;
}

/** The upper bounds of the histogram of commits, in seconds. */
const COMMIT_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What a worker counts over its life, independent of the units that it owns. */
export class Tally {
  readonly #topics: readonly string[];
  readonly #commits: Record<CommitOutcomeName, number> = { ok: 0, already: 0, fenced: 0, conflict: 0, unknown: 0 };
  readonly #durations = COMMIT_SECONDS.map(() => 0).concat(0);
  #durationSum = 0;
  #lastCommit: EpochMs | undefined;
  #rewinds = 0;
  #gapRecords = 0;
  #lostKeys = 0;
  /** The end of the last gap, by partition and topic. */
  readonly #countedBelow = new Map<string, Offset>();
  /** Our clock minus the store's; undefined: not known. */
  clockSkew: DurationMs | undefined;

  constructor(topics: readonly string[]) {
    this.#topics = topics;
  }

  /** Counts a commit that was applied; `seconds`: how long the answer took. */
  committed(answer: 'OK' | 'ALREADY', seconds: number, at: EpochMs): void {
    this.outcome(answer === 'OK' ? 'ok' : 'already');
    const bucket = COMMIT_SECONDS.findIndex((bound) => seconds <= bound);
    this.#durations[bucket < 0 ? COMMIT_SECONDS.length : bucket]++;
    this.#durationSum += seconds;
    this.#lastCommit = at;
  }

  outcome(name: CommitOutcomeName): void {
    this.#commits[name]++;
  }

  lostKeys(keys: number): void {
    this.#lostKeys += keys;
  }

  rewound(): void {
    this.#rewinds++;
  }

  /**
   * Counts `records` of a topic that are gone unread, all of them below `start`. Lost records that were counted before are not counted
   * again, even if another claim finds them again before the gap was skipped, or before the skip was stored.
   */
  lost(
    partition: number,
    topic: number,
    { start, records }: { readonly start: Offset; readonly records: number },
  ): void {
    const place = `${partition}/${topic}`;
    const counted = this.#countedBelow.get(place) ?? 0;
    this.#gapRecords += Math.min(records, Math.max(0, start - counted));
    this.#countedBelow.set(place, Math.max(counted, start));
  }

  status(
    units: readonly UnitStatus[],
    delays: readonly CommittedState['delays'][],
    fetchedBytes: number,
  ): WorkerStatus {
    return {
      topics: this.#topics,
      units,
      commits: { ...this.#commits },
      commitDuration: { bounds: COMMIT_SECONDS, counts: [...this.#durations], sum: this.#durationSum },
      feedbackDelay: {
        bounds: Delays.bounds,
        counts: [...Delays.bounds, 0].map((_, i) => delays.reduce((sum, { counts }) => sum + counts[i], 0)),
        sum: delays.reduce((sum, d) => sum + d.sum, 0),
      },
      lastCommit: this.#lastCommit,
      rewinds: this.#rewinds,
      gapRecords: this.#gapRecords,
      lostKeys: this.#lostKeys,
      fetchedBytes,
      clockSkew: this.clockSkew,
    };
  }
}

// What to do about what has stopped, or is gone, worded once: for the log, /readyz, the page, doctor and the runbook. Holds no secret.

const SEE_LOG = 'the log says which limit to raise, and to what';
const OR_WORKERS = 'or start more workers, so that each has fewer partitions';
const REBUILD = 'stop all workers and start one once with --rebuild';

/** The advice where Redis lost a part of what it held. */
export const RESTORE_ADVICE = `restore Redis from a backup, or ${REBUILD}`;

/** The advice where Redis may have lost all that it held. */
export const STATE_LOST_ADVICE =
  `${RESTORE_ADVICE}: everything is then counted again from the earliest record that is retained, and earlier windows are marked ` +
  'incomplete. If Redis was only restarted, run receval doctor first: its check "redis reload" shows whether this server loses all state at each restart';

/** What to do about a stopped unit. The log says more if more is known of the unit. */
export const STOP_ADVICE: Readonly<Record<StopCause, string>> = {
  limit: `more lists are open than limits.openImpressions lets this worker hold. Raise it, ${OR_WORKERS}; ${SEE_LOG}`,
  memory: `what is open does not fit into the memory of this worker. Give it more, ${OR_WORKERS}; ${SEE_LOG}`,
  gap: 'records that are to be read are gone from Kafka. Let the topics keep them for longer, and restart with start.onGap: skip to go on without those',
  partitions:
    'a topic is gone, or has another number of partitions than at the start. The log says which, and what to do',
  pairing:
    'the partitions of the same number are not assigned to the same worker. Give all workers of the group the same kafka.topics and version',
  configuration:
    'its rows were stored under other settings. Restore these, or stop all workers and start one once with --new-generation',
  format: 'another version wrote what is stored. Run that one, or take another namespace and kafka.groupId',
  damaged: `what Redis holds of it is damaged, at the key that the log names: ${RESTORE_ADVICE}`,
  codec:
    'a batch cannot be decoded. receval doctor names its offsets and the command that skips it; start.onUndecodable: skip skips all such',
  state_lost: `it was read before, but nothing of it is stored: the state was lost, or redis.url or namespace is not the right one. Else ${STATE_LOST_ADVICE}`,
  diverged:
    'the topic was deleted and created again, or put back. Take another namespace and kafka.groupId for the new topic, or restore the old one, and restart',
};

/** The message for the log when rows that a checkpoint lists are gone. */
export const LOST_ROWS = 'rows of the unit are gone from Redis';

export const LOST_ROWS_ADVICE =
  'another program deleted them, Redis evicted them, or nothing was written for five weeks. Windows are incomplete up to the end of what ' +
  `was lost, and a run of an experiment lacks these lists. To count them again from Kafka, ${REBUILD}`;

/** The details for the log when another record is at an offset that was counted. */
export function otherRecord(topic: string, { offset, differs }: Divergence): object {
  return { topic, offset, differs, advice: `another record stands where one was counted: ${STOP_ADVICE.diverged}` };
}

/** The details for the log when a topic ends now before the offset that it had reached. */
export function lostLog(topic: string, { held, end }: { readonly held: Offset; readonly end: Offset }): object {
  return { topic, held, end, advice: `the log ends before records that were counted: ${STOP_ADVICE.diverged}` };
}
