import type { DurationMs } from '../vocabulary/events.ts';
import type { Owned } from './owned.ts';

/** A unit that has read this many records since its last commit is busy: storing them costs little beside reading them. */
export const BUSY_RECORDS = 100;
/** The longest time between two commits of a unit, about, however many units a worker owns. */
export const LONGEST_WAIT_MS: DurationMs = 10_000;

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
