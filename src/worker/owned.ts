import { noCounts } from '../consumers/join/counts.ts';
import type { Bounds } from '../consumers/source/source-port.ts';
import type { Unit } from '../unit/unit.ts';
import type { InvalidCounts } from '../unit/unit-contract.ts';
import type { InvalidCode } from '../vocabulary/drops.ts';
import type { DurationMs, EpochMs, TopicRole } from '../vocabulary/events.ts';
import type { StopCause, UnitStatus } from './status.ts';

/** Why a topic is paused; pace.ts says what sets and ends each reason. All but `stopped` end by themselves. */
export type PauseReason = 'leads' | 'store' | 'clock' | 'stopped';

/** What a unit holds in memory. */
export interface Held {
  readonly open: number;
  readonly state: number;
  readonly rows: number;
}

export const NOTHING: Held = { open: 0, state: 0, rows: 0 };

/** A unit that we own, and what the worker knows about it. */
export interface Owned {
  readonly partition: number;
  readonly unit: Unit;
  /** What each topic carries. */
  readonly roles: readonly TopicRole[];
  /** Since when each topic has had nothing new; undefined: it has, or that is not known. */
  readonly silentSince: (EpochMs | undefined)[];
  /** Where the log of each topic ended when that was asked for last; undefined: the source did not know. */
  readonly ends: (Bounds | undefined)[];
  /** The records of each topic that were between the position and that end. */
  readonly lag: (number | undefined)[];
  /** The records among them that waited for the end of a transaction, by topic. */
  readonly inTransactions: number[];
  /** Why each topic is paused; empty: it is being read. */
  readonly pauseReasons: readonly Set<PauseReason>[];
  /** The topics that are ahead of the slowest and let it catch up. */
  readonly ahead: Set<number>;
  /** What the unit holds in memory, as counted last. */
  held: Held;
  /** The commit that is being sent; undefined: none is. */
  committing: Promise<void> | undefined;
  /** The number of its last commit among those of this worker; 0: there was none. */
  lastCommit: number;
  /** Why it is stopped; undefined: it is not. */
  stopped: StopCause | undefined;
  /** Whether it was released: another worker may own the unit, or a newer object here. Nothing is paused for it any more. */
  released: boolean;
}

/** What is known of a unit that was just claimed: nothing of its logs yet. */
export function newlyOwned(partition: number, unit: Unit, roles: readonly TopicRole[]): Owned {
  return {
    partition,
    unit,
    roles,
    silentSince: roles.map(() => undefined),
    ends: roles.map(() => undefined),
    lag: roles.map(() => undefined),
    inTransactions: roles.map(() => 0),
    pauseReasons: roles.map(() => new Set()),
    ahead: new Set(),
    held: NOTHING,
    committing: undefined,
    lastCommit: 0,
    stopped: undefined,
    released: false,
  };
}

/** The status of a unit that was never in memory, since its stored state cannot be used. */
export function refusedStatus(
  partition: number,
  stopped: StopCause,
  topics: readonly TopicRole[],
  horizons: number,
): UnitStatus {
  const none = new Array<number>(horizons).fill(0);
  return {
    partition,
    counts: topics.map(() => noCounts(horizons)),
    invalid: topics.map(() => new Map()),
    ignoredCohortKeys: 0,
    scored: { size: 0, fields: () => [], impressionsOf: () => undefined, get: () => undefined },
    unknownItems: none,
    unscored: none,
    idleAdvances: 0,
    closedByIdle: 0,
    topicWatermarks: topics.map(() => Number.NEGATIVE_INFINITY),
    watermark: Number.NEGATIVE_INFINITY,
    openImpressions: 0,
    waitingFeedback: 0,
    stateBytes: 0,
    replaying: false,
    stopped,
    lag: topics.map(() => undefined),
    inTransactions: topics.map(() => 0),
    waiting: 0,
    retentionHeadroom: topics.map(() => undefined),
  };
}

/** The status of a unit. `retention`: how long each topic keeps records; undefined: for ever, or not known. */
export function statusOf(owned: Owned, retention: readonly (DurationMs | undefined)[], now: EpochMs): UnitStatus {
  const { partition, unit, lag, inTransactions, ahead, stopped } = owned;
  const { join, committed } = unit;
  return {
    partition,
    counts: committed.counts,
    invalid: committed.invalid.map(bothSides),
    ignoredCohortKeys: unit.ignoredCohortKeys,
    scored: committed.scored,
    unknownItems: committed.unknownItems,
    unscored: committed.unscored,
    idleAdvances: unit.idleAdvances,
    closedByIdle: unit.closedByIdle,
    topicWatermarks: lag.map((_, topic) => join.topicWatermark(topic)),
    watermark: join.watermark,
    openImpressions: join.openImpressions,
    waitingFeedback: join.waitingFeedback,
    stateBytes: unit.stateBytes,
    replaying: unit.replaying,
    stopped,
    lag: [...lag],
    inTransactions: [...inTransactions],
    waiting: lag.reduce<number>(
      (sum, records, topic) => (ahead.has(topic) ? sum : sum + (records ?? 0) - inTransactions[topic]),
      0,
    ),
    retentionHeadroom: lag.map((_, topic) => headroom(unit, topic, lag[topic], retention[topic], now)),
  };
}

/** How long the oldest record that a replay needs will still be kept: for the whole retention time, if that record has yet to be written. */
function headroom(
  unit: Unit,
  topic: number,
  lag: number | undefined,
  retention: DurationMs | undefined,
  now: EpochMs,
): DurationMs | undefined {
  if (retention === undefined) return undefined;
  const { offsets, replayOffsets } = unit.committed;
  if (lag === 0 && replayOffsets[topic] === offsets[topic]) return retention;
  const since = unit.reading.neededSince(topic);
  return since === undefined ? undefined : retention - (now - since);
}

function bothSides({ impressions, feedback }: InvalidCounts): ReadonlyMap<InvalidCode, number> {
  const all = new Map(impressions);
  for (const [code, n] of feedback) all.set(code, (all.get(code) ?? 0) + n);
  return all;
}

/** A unit that has read this many records since its last commit is busy: storing them costs little beside reading them. */
export const BUSY_RECORDS = 100;
/** The longest time between two commits of a unit, about, however many units a worker owns. */
const LONGEST_WAIT_MS: DurationMs = 10_000;

interface CommitRate {
  readonly commitInterval: DurationMs;
  /** The bound of commits a second of units that are not busy; undefined: there is none. */
  readonly commitsPerSecond?: number | undefined;
}

/**
 * The units that commit when a commit interval has passed (specification: commit 1.1), those that have waited longest first. Busy units
 * always commit. The others commit as the rate allows, since a commit costs almost as much if little has changed.
 */
export function commitOrder(units: Iterable<Owned>, rate: CommitRate): readonly Owned[] {
  const all = [...units];
  const waiting = all.filter(({ unit }) => unit.hasToCommit).sort((a, b) => a.lastCommit - b.lastCommit);
  let left = turnsOf(all.length, rate);
  return waiting.filter((owned) => isBusy(owned) || left-- > 0);
}

/** The number of units that are not busy and commit in one interval. */
export function turnsOf(units: number, { commitInterval, commitsPerSecond }: CommitRate): number {
  if (commitsPerSecond === undefined) return units;
  const bound = Math.floor((commitsPerSecond * commitInterval) / 1000);
  return Math.max(1, bound, Math.ceil((units * commitInterval) / LONGEST_WAIT_MS));
}

/** Whether a unit commits at every interval. A commit without an answer is sent again at once, too, since nothing is read meanwhile. */
function isBusy({ unit }: Owned): boolean {
  if (unit.isUnanswered) return true;
  const { offsets } = unit.committed;
  return offsets.reduce((read, offset, topic) => read + unit.join.position(topic) - offset, 0) >= BUSY_RECORDS;
}
