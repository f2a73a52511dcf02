import type { DurationMs } from '../vocabulary/events.ts';
import type { Owned } from './owned.ts';

/** A unit that has read so many records since its last commit is busy: what storing them costs is little beside reading them. */
export const BUSY_RECORDS = 100;
/** However many units a worker owns, each commits about this often. */
export const LONGEST_WAIT_MS: DurationMs = 10_000;

interface CommitRate {
  readonly commitInterval: DurationMs;
  /** Commits a second of units that are not busy; undefined: no bound. */
  readonly commitsPerSecond?: number | undefined;
}

/**
 * The units that commit when a commit interval has passed (specification: commit 1.1), those that waited longest first. Busy units always do; of
 * the others as many as the rate lets: what a commit costs hardly depends on how little has changed.
 */
export function commitOrder(units: Iterable<Owned>, rate: CommitRate): readonly Owned[] {
  const all = [...units];
  const waiting = all.filter(({ unit }) => unit.hasToCommit).sort((a, b) => a.lastCommit - b.lastCommit);
  let left = turnsOf(all.length, rate);
  return waiting.filter((owned) => isBusy(owned) || left-- > 0);
}

/** How many units commit per interval that are not busy. */
export function turnsOf(units: number, { commitInterval, commitsPerSecond }: CommitRate): number {
  if (commitsPerSecond === undefined) return units;
  const bound = Math.floor((commitsPerSecond * commitInterval) / 1000);
  return Math.max(1, bound, Math.ceil((units * commitInterval) / LONGEST_WAIT_MS));
}

/** A commit without an answer is sent again as soon as it can be: nothing is read meanwhile. */
function isBusy({ unit }: Owned): boolean {
  if (unit.isUnanswered) return true;
  const { offsets } = unit.committed;
  return offsets.reduce((read, offset, topic) => read + unit.join.position(topic) - offset, 0) >= BUSY_RECORDS;
}
