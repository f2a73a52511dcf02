/**
 * What a block is compared with (specification: statistics 10.2), the first that exists: the same hour of the week in the last three
 * weeks; the same hour of the last seven days; at start-up, somewhat older blocks. Hours are in UTC.
 *
 * For m values v with errors s, and q = mean s²: baseline b = median v, SE_b² = (pi/2) q/m (q/2 for m = 2), between² = max(0, spread² -
 * q). Start-up: b = mean v, SE_b² = q/m, between = 0. For the last days there is also the distance of the lowest and the highest from b,
 * minus 1.35 sqrt(q), which errors alone would cause.
 */

import { DAY } from '../vocabulary/durations.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { absent, finite, type Result } from './absent.ts';
import { type Block, type Estimate, hourOf } from './watched-blocks.ts';

export type BaselineKind = 'weekly' | 'daily' | 'startup';

export interface Baseline {
  readonly kind: BaselineKind;
  /** b. */
  readonly value: number;
  /** SE_b. */
  readonly stderr: number;
  /** Standard deviation of the values beyond their errors. */
  readonly between: number;
  /** sqrt(q), the typical error of one value. */
  readonly typical: number;
  /** How far values of the last days were below and above b, beyond their errors: the normal variation of a week. */
  readonly below: number;
  readonly above: number;
  /** m. */
  readonly values: number;
}

/** How many hours to look back to, and how many of them must be present. */
const WEEKLY = { hours: 3, least: 2, every: 7 * DAY } as const;
const DAILY = { hours: 7, least: 3, every: DAY } as const;
/** The start-up baseline: blocks of 24 steps that end 12 steps before the block itself, at least half of them. */
export const STARTUP = { steps: 24, lag: 12, least: 12 } as const;

/** Mean of the largest of seven normal values, in standard deviations. */
const EXTREME = 1.352;

/** Converts a median absolute deviation to the standard deviation of a normal distribution. */
export const MAD_TO_SD = 1.4826;

/** Starts of the hours that a block is compared with, newest first. A block lies in one hour. */
export function pastHours(at: EpochMs): { readonly weekly: readonly EpochMs[]; readonly daily: readonly EpochMs[] } {
  const hour = hourOf(at);
  const back = ({ hours, every }: { readonly hours: number; readonly every: number }): readonly EpochMs[] =>
    Array.from({ length: hours }, (_, i) => hour - (i + 1) * every);
  return { weekly: back(WEEKLY), daily: back(DAILY) };
}

/**
 * The baseline of past hours; undefined: too few are left. An undefined element stands for an hour that is not kept, incomplete, or too
 * small.
 */
export function pastBaseline(
  weekly: readonly (Estimate | undefined)[],
  daily: readonly (Estimate | undefined)[],
): Baseline | undefined {
  return (
    medianBaseline('weekly', present(weekly), WEEKLY.least) ?? medianBaseline('daily', present(daily), DAILY.least)
  );
}

/**
 * The baseline of the hour that starts at `hour`; undefined: the past is not long enough. Hours for which `isBad`, which belong to an
 * alarm, are left out.
 */
export type PastOf = (hour: EpochMs, isBad: (hour: EpochMs) => boolean) => Baseline | undefined;

/** Baselines from blocks that are hours. Blocks that are not whole are ignored. */
export function pastOf(hours: readonly Block[]): PastOf {
  const known = new Map<EpochMs, Estimate>();
  for (const { start, state, estimate } of hours) if (state === 'whole' && estimate) known.set(start, estimate);
  return (at, isBad) => {
    const estimate = (hour: EpochMs): Estimate | undefined => (isBad(hour) ? undefined : known.get(hour));
    const { weekly, daily } = pastHours(at);
    return pastBaseline(weekly.map(estimate), daily.map(estimate));
  };
}

/** The baseline of older blocks at start-up; undefined if there are none. */
export function startupBaseline(past: readonly Estimate[]): Baseline | undefined {
  if (past.length === 0) return undefined;
  const q = meanSquare(past);
  return checked({
    kind: 'startup',
    value: mean(past.map(({ value }) => value)),
    stderr: Math.sqrt(q / past.length),
    between: 0,
    typical: Math.sqrt(q),
    below: 0,
    above: 0,
    values: past.length,
  });
}

/**
 * z = (x - b) / sqrt(SE² + SE_b² + between²). A block whose values are all equal has no error of its own and takes the typical one of its
 * past. Otherwise the worst fall, to a block of zeros, would be missed. Absent if there is no error at all.
 */
export function residual(block: Estimate, baseline: Baseline): Result<number> {
  const error = errorOf(block, baseline);
  return error > 0 ? finite((block.value - baseline.value) / error) : absent('zero_variance');
}

/** The error by which a residual is divided, in the measure's unit. */
export function errorOf(block: Estimate, baseline: Baseline): number {
  const own = block.stderr > 0 ? block.stderr : baseline.typical;
  return Math.hypot(own, baseline.stderr, baseline.between);
}

function medianBaseline(kind: BaselineKind, past: readonly Estimate[], least: number): Baseline | undefined {
  const m = past.length;
  if (m < least) return undefined;
  const values = past.map(({ value }) => value);
  const q = meanSquare(past);
  const value = median(values);
  // Weekends differ from working days, so a change that any of the last days showed is not new. Weeks are compared by the same hour.
  const beyond = (change: number): number => (kind === 'daily' ? Math.max(0, change - EXTREME * Math.sqrt(q)) : 0);
  return checked({
    kind,
    value,
    stderr: Math.sqrt(m === 2 ? q / 2 : ((Math.PI / 2) * q) / m),
    between: Math.sqrt(Math.max(0, spreadOf(values) ** 2 - q)),
    typical: Math.sqrt(q),
    below: beyond(value - Math.min(...values)),
    above: beyond(Math.max(...values) - value),
    values: m,
  });
}

function present(past: readonly (Estimate | undefined)[]): readonly Estimate[] {
  return past.filter((estimate) => estimate !== undefined);
}

function meanSquare(past: readonly Estimate[]): number {
  return mean(past.map(({ stderr }) => stderr ** 2));
}

/** A baseline that overflowed a double is dropped. */
function checked(baseline: Baseline): Baseline | undefined {
  const { value, stderr, between, typical, below, above } = baseline;
  return [value, stderr, between, typical, below, above].every(Number.isFinite) ? baseline : undefined;
}

/** Mean range of m normal values, in standard deviations. */
const MEAN_RANGE: Readonly<Record<number, number>> = { 2: 1.128, 3: 1.693, 4: 2.059 };

/** Standard deviation of few values: range / d(m) for two to four of them, 1.4826 MAD for more. */
function spreadOf(values: readonly number[]): number {
  const d = MEAN_RANGE[values.length];
  if (d !== undefined) return (Math.max(...values) - Math.min(...values)) / d;
  const middle = median(values);
  return MAD_TO_SD * median(values.map((value) => Math.abs(value - middle)));
}

/** The middle value, or the mean of the two middle ones; NaN if there is none. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[half] : sorted[half - 1] / 2 + sorted[half] / 2;
}

/** The mean. There must be at least one value. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value / values.length, 0);
}
