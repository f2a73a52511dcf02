/** What the delays between lists and their feedback mean: clocks of another zone, of another unit, or a little apart. */
import type { DurationMs } from '../vocabulary/events.ts';
import { quantile } from './log-facts.ts';

const HALF_HOUR: DurationMs = 1_800_000;
/** Zones lie between UTC-12 and UTC+14, so two of them are at most 26 hours apart. */
const FARTHEST: DurationMs = 26 * 3_600_000;
/** Below this many nothing is said of clocks. */
const FEWEST = 2;

export interface ClockOffset {
  /** Whole half hours that feedback is dated after its lists, beside the time that people take; negative: before. */
  readonly offset: DurationMs;
  /** Share of the delays that lie where that explains them. */
  readonly share: number;
}

/**
 * A constant offset of half hours. People click soon after they saw a list, so without an offset most delays are short and none is
 * below 0. With one the earliest delays begin just at a multiple of half an hour that is not 0, and most follow within it.
 */
export function clockOffset(sorted: readonly DurationMs[]): ClockOffset | undefined {
  if (sorted.length < FEWEST) return undefined;
  const early = quantile(sorted, 0.02);
  // A clock that is a few seconds apart makes a delay fall just below.
  const offset = Math.floor((early + 30_000) / HALF_HOUR) * HALF_HOUR;
  if (offset === 0 || Math.abs(offset) > FARTHEST) return undefined;
  const after = sorted.map((delay) => delay - offset);
  const soon = after.filter((delay) => delay >= -30_000 && delay < HALF_HOUR).length / after.length;
  const middle = quantile(after, 0.5);
  const begins = early - offset;
  return soon >= 0.7 && middle < HALF_HOUR / 2 && begins < HALF_HOUR / 4 ? { offset, share: soon } : undefined;
}

/** Half hours as in the name of a zone: `+01:00`. */
export function zoneText(offset: DurationMs): string {
  const minutes = Math.abs(Math.round(offset / 60_000));
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Feedback that is dated a little before its list: its share, and by how much nearly all of it. */
export function beforeList(sorted: readonly DurationMs[]): { readonly share: number; readonly by: DurationMs } {
  const before = sorted.filter((delay) => delay < 0);
  if (before.length === 0) return { share: 0, by: 0 };
  return { share: before.length / sorted.length, by: -quantile(before, 0.01) };
}
