/**
 * Minute panes become blocks, the units in which a cohort is watched (specification: statistics 10.1).
 *
 * An hour of UTC is cut into steps; its last step is shorter where the step does not divide it. A step with too few
 * impressions or positives is joined with the next ones of its hour. What remains at the end of the hour is joined with
 * the block before it, or is the whole hour and too small. So no block is longer than an hour or spans two, and the blocks of
 * an hour do not depend on where the kept panes begin, except in the first hour.
 */
import { DAY, HOUR } from '../vocabulary/durations.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { Result } from './absent.ts';
import { type Moments, stretchedStderr, windowStderr } from './design-effect.ts';

/** How far back blocks of steps reach at most. */
export const STEPS_REACH: DurationMs = DAY;
/**
 * How long minute panes are kept for blocks of steps. Blocks begin on the hour, the last cut may be up to an hour before the newest pane,
 * and one hour is spare.
 */
export const MINUTES_NEEDED: DurationMs = STEPS_REACH + 3 * HOUR;
/** The least impressions and positives of a block, and of an hour of the past. Fewer positives will do if as many were expected. */
export const BLOCK_MINIMUM = { impressions: 200, positives: 5 } as const;
/** Largest share of a block's impressions that idle advances may have closed. */
const IDLE_LIMIT = 0.05;

/**
 * The sums of one pane. n, sum and sumSquares are in units of 1, by the measure's policy; for a fraction they are denominator, numerator
 * and 0.
 */
export interface BlockPane extends Moments {
  readonly start: EpochMs;
  readonly impressions: number;
  readonly positives: number;
  /** Impressions that an idle advance closed. */
  readonly closedByIdle: number;
  /** Whether records of this pane are missing, or may be. */
  readonly gap: boolean;
}

/** Panes that end in (from, to]; all that start in [from, to) are final. A pane that is not passed is empty. */
interface BlockSpan {
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** A whole number of panes, at most an hour. */
  readonly step: DurationMs;
  /**
   * Share of the cohort's impressions that usually have a positive. With it a block ends when enough positives were expected, so that a
   * block without any counts as the worst fall. Default: 0, so that only observed positives count.
   */
  readonly usual?: number | undefined;
}

/**
 * whole: its value counts. incomplete: touched by a gap, or over 5 % of it closed by idle advances. few: the hour ended
 * before there were 200 impressions and 5 positives, observed or expected, or its measure has no value.
 */
export type BlockState = 'whole' | 'incomplete' | 'few';

export interface Block {
  readonly start: EpochMs;
  readonly end: EpochMs;
  /** Number of steps that it consists of. */
  readonly steps: number;
  readonly impressions: number;
  readonly positives: number;
  readonly state: BlockState;
  /** Always present in a whole block. */
  readonly estimate: Estimate | undefined;
}

/** Where the error of a block comes from, since a block has no sums by bucket (specification: statistics 2.4). */
export type ErrorSource =
  /** The spread of its lists, widened by the design effect of the hours that overlap it. */
  | { readonly from: 'lists'; readonly designEffect: Result<number> }
  /** For fractions: the error of the hours that overlap it, and their denominator. */
  | { readonly from: 'hours'; readonly stderr: Result<number>; readonly weight: number };

/** A mean and its standard error. `stderr` 0: all values are equal, so their error is unknown. */
export interface Estimate {
  readonly value: number;
  readonly stderr: number;
}

/**
 * The blocks of a span, oldest first. Steps outside the span are left out. So is a remainder that is too small, at the end of the span,
 * where more may come, and in an hour whose start is missing.
 * @throws RangeError for a step that is not above 0 and at most an hour
 */
export function blocksOf(panes: Iterable<BlockPane>, span: BlockSpan, source: ErrorSource): readonly Block[] {
  const { from, to, step, usual = 0 } = span;
  if (!(step > 0 && step <= HOUR))
    throw new RangeError(`a step of ${step} ms: expected more than 0 and at most an hour`);
  const found = new Map<EpochMs, Part>();
  for (const pane of panes) {
    if (pane.start < from || pane.start >= to) continue;
    const start = stepAt(pane.start, step);
    const part = { ...pane, end: pane.start, steps: 0 };
    const before = found.get(start);
    found.set(start, before === undefined ? part : joined(before, part));
  }
  const parts: Part[] = [];
  const first = stepAt(from, step);
  let open: Part | undefined;
  for (
    let start = first === from ? from : stepEnd(first, step);
    stepEnd(start, step) <= to;
    start = stepEnd(start, step)
  ) {
    const end = stepEnd(start, step);
    const part = { ...(found.get(start) ?? EMPTY), start, end, steps: 1 };
    open = open === undefined ? part : joined(open, part);
    if (isEnough(open, usual)) {
      parts.push(open);
      open = undefined;
    } else if (end % HOUR === 0) {
      const before = parts.length === 0 ? undefined : parts[parts.length - 1];
      if (before?.end === open.start && hourOf(before.start) === hourOf(start) && !isTorn(before) && !isTorn(open)) {
        parts[parts.length - 1] = joined(before, open);
      } else if (hourOf(open.start) >= from) {
        parts.push(open);
      }
      open = undefined;
    }
  }
  return parts.map((part) => blockOf(part, usual, source));
}

/** A whole hour of the past as one block. `step` and `usual` are those of the blocks after it. */
export function hourBlock(
  hour: BlockPane,
  { step, usual = 0 }: Pick<BlockSpan, 'step' | 'usual'>,
  source: ErrorSource,
): Block {
  return blockOf({ ...hour, end: hour.start + HOUR, steps: Math.ceil(HOUR / step) }, usual, source);
}

/**
 * Share of the impressions that usually have a positive: the upper quartile of the hours with enough impressions, so that
 * some weeks of a fall do not hide its size. 0 without such hours.
 */
export function usualShare(hours: readonly Pick<BlockPane, 'impressions' | 'positives'>[]): number {
  const shares = hours
    .filter(({ impressions }) => impressions >= BLOCK_MINIMUM.impressions)
    .map(({ impressions, positives }) => positives / impressions)
    .sort((a, b) => a - b);
  return shares.length === 0 ? 0 : shares[Math.floor((shares.length - 1) * 0.75)];
}

/** Start of the UTC hour that contains a time. */
export function hourOf(at: EpochMs): EpochMs {
  return Math.floor(at / HOUR) * HOUR;
}

interface Part extends BlockPane {
  readonly end: EpochMs;
  readonly steps: number;
}

const EMPTY = { impressions: 0, positives: 0, n: 0, sum: 0, sumSquares: 0, closedByIdle: 0, gap: false } as const;

function joined(a: Part, b: Part): Part {
  return {
    start: a.start,
    end: b.end,
    steps: a.steps + b.steps,
    impressions: a.impressions + b.impressions,
    positives: a.positives + b.positives,
    n: a.n + b.n,
    sum: a.sum + b.sum,
    sumSquares: a.sumSquares + b.sumSquares,
    closedByIdle: a.closedByIdle + b.closedByIdle,
    gap: a.gap || b.gap,
  };
}

function blockOf(part: Part, usual: number, source: ErrorSource): Block {
  const { start, end, steps, impressions, positives } = part;
  const estimate = estimateOf(part, source);
  const state = isTorn(part) ? 'incomplete' : isEnough(part, usual) && estimate !== undefined ? 'whole' : 'few';
  return { start, end, steps, impressions, positives, state, estimate };
}

function isEnough({ impressions, positives }: Pick<BlockPane, 'impressions' | 'positives'>, usual: number): boolean {
  if (impressions < BLOCK_MINIMUM.impressions) return false;
  return Math.max(positives, usual * impressions) >= BLOCK_MINIMUM.positives;
}

function isTorn({ gap, closedByIdle, impressions }: Pick<BlockPane, 'gap' | 'closedByIdle' | 'impressions'>): boolean {
  return gap || closedByIdle > IDLE_LIMIT * impressions;
}

/** Start of the step that contains a time, which is the end of the newest whole one; each hour starts a new step. */
export function stepAt(at: EpochMs, step: DurationMs): EpochMs {
  const hour = hourOf(at);
  return hour + Math.floor((at - hour) / step) * step;
}

function stepEnd(start: EpochMs, step: DurationMs): EpochMs {
  return Math.min(start + step, hourOf(start) + HOUR);
}

/**
 * @param sums in units of 1, by the measure's policy; for a fraction: n is the denominator, sum the numerator
 * @returns undefined: too little for a value and an error (no list, or one), or beyond what a double holds
 */
export function estimateOf(sums: Moments, source: ErrorSource): Estimate | undefined {
  const value = sums.sum / sums.n;
  const stderr =
    source.from === 'hours'
      ? stretchedStderr(source.stderr, source.weight, sums.n)
      : windowStderr(sums, isEqual(source.designEffect) ? 1 : source.designEffect);
  if (!(sums.n > 0) || !Number.isFinite(value)) return undefined;
  if (isEqual(stderr)) return { value, stderr: 0 };
  return typeof stderr === 'number' ? { value, stderr } : undefined;
}

/** Whether all users are alike, so that there is no design effect. */
function isEqual(error: Result<number>): boolean {
  return typeof error !== 'number' && error.absent === 'zero_variance';
}
