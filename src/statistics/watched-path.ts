/**
 * The CUSUM of a watched cohort from the oldest kept hour until now, with onset and size (specification: statistics 10.3): whole hours
 * first, blocks of steps at the end. It starts at S = 0 and is computed anew at every block, so it is a function of the kept panes and of
 * accepted levels: nothing else is stored, and everyone who computes it gets the same result.
 *
 * A lasting fall does not become the norm. While an alarm in the bad direction is on, its hours, from the onset on, are not used as a
 * baseline; when nothing else is left of the past, the last baseline of the same hour of the day takes its place. Blocks of an alarm that
 * has ended are not part of a start-up baseline. Its hours are part of the past like others, since weekends come back, but a rise above
 * them is no improvement. No alarm affects the scale. A lasting improvement becomes the norm as its hours become the past.
 */
import { HOUR } from '../vocabulary/durations.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { type Baseline, errorOf, MAD_TO_SD, type PastOf, residual, STARTUP, startupBaseline } from './baseline.ts';
import { type Block, hourOf } from './watched-blocks.ts';

/** Number of blocks of steps: a day of 5 minutes. Whole hours precede them. */
export const PATH_BLOCKS = 288;

export interface PathSettings extends CusumSettings {
  /** A change up to this fraction of the baseline adds nothing to S. */
  readonly tolerance: number;
  /** Whether a rise is bad. Default: false. */
  readonly lowerIsBetter?: boolean | undefined;
}

export interface WatchedHistory {
  /** Oldest first, not overlapping. */
  readonly blocks: readonly Block[];
  readonly step: DurationMs;
  readonly pastOf: PastOf;
}

/** One direction after one block. */
export interface Alarm extends CusumSide {
  /** Start of the block after which S was last 0; undefined: S is 0. */
  readonly onset: EpochMs | undefined;
  /** Change since then as a fraction of the baseline, negative for a fall; undefined: S is 0, or the baseline is. */
  readonly size: number | undefined;
}

/** The state after one block. A block that is not whole, or has no baseline, has no z and leaves S as it is. */
export interface PathPoint {
  readonly block: Block;
  readonly baseline: Baseline | undefined;
  readonly z: number | undefined;
  /** The alarm threshold h for a block of this many steps. */
  readonly limit: number;
  readonly low: Alarm;
  readonly high: Alarm;
  /** Whether at least half of the baseline's sources belong to alarms in the bad direction that have ended. */
  readonly isAfterAlarm: boolean;
}

interface WatchedPath {
  /** The scale at the newest block. */
  readonly scale: number;
  /** One per block, oldest first. */
  readonly points: readonly PathPoint[];
  /** The last alarm in the bad direction that ended; undefined: none did. */
  readonly ended: AlarmSpan | undefined;
}

/** An alarm, from its onset to the first block without it. */
export interface AlarmSpan {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/**
 * The threshold for a block of `steps` steps. `h` is meant for blocks of one step, of which a day has many. Longer blocks are fewer, and
 * each carries more information: three quarters of h gave no false alarm in 96 simulated weeks of 20 and 100 lists a step, 0.6 of it gave
 * four (docs/statistics.md).
 */
export function limitOf(h: number, steps: number): number {
  return steps > 1 ? LONG_BLOCKS * h : h;
}

const LONG_BLOCKS = 0.75;

export function watchedPath({ blocks, step, pastOf }: WatchedHistory, settings: PathSettings): WatchedPath {
  const { tolerance, lowerIsBetter = false } = settings;
  const badSide = lowerIsBetter ? 'high' : 'low';
  const pasts = new Pasts(pastOf);
  const scale = new RunningScale();
  const points: PathPoint[] = [];
  let state: Cusum = CUSUM_START;
  let change: Readonly<Record<'low' | 'high', Change>> = { low: NONE, high: NONE };
  let held: Baseline | undefined;
  let limit = settings.h;
  let firstNear = 0;
  for (const [i, block] of blocks.entries()) {
    const before = limit;
    limit = limitOf(settings.h, block.steps);
    if (limit !== before) state = rescaled(state, limit / before);
    const past = pasts.of(hourOf(block.start));
    while (blocks[firstNear].start < block.start - STARTUP_REACH * step) firstNear++;
    // Keeps a start-up baseline from following the fall that it is to show.
    const isFrozen = held !== undefined && Math.max(state.low.s, state.high.s) >= limit / 2;
    if (past === undefined && !isFrozen) held = startupAt({ blocks, step, isBad: pasts.isBad }, firstNear, i, held);
    const baseline = past ?? held;
    const found = baseline && residualOf(block, baseline, tolerance);
    if (found !== undefined && baseline !== undefined) {
      const { z, below, above } = found;
      const now = scale.value;
      const u = { low: clipped(z + below, now), high: clipped(z - above, now) };
      state = cusumStep(state, u, { k: settings.k, h: limit });
      change = {
        low: changeAfter(change.low, state.low, block, baseline),
        high: changeAfter(change.high, state.high, block, baseline),
      };
      if (Math.max(state.low.s, state.high.s) < limit / 2) scale.add(z);
      pasts.setAlarm(state[badSide].on ? change[badSide].onset : undefined, block.start);
    }
    const low = { ...state.low, ...shown(change.low) };
    const high = { ...state.high, ...shown(change.high) };
    points.push({ block, baseline, z: found?.z, limit, low, high, isAfterAlarm: past !== undefined && pasts.isLow });
  }
  return { scale: scale.value, points, ended: pasts.ended };
}

/** Baselines of the hours of a path, each computed once. */
class Pasts {
  readonly #pastOf: PastOf;
  #hour = Number.NaN;
  #past: Baseline | undefined;
  #isLow = false;
  /** The newest baseline by hour of the day. */
  readonly #newest = new Map<number, Baseline>();
  /** Spans of alarms in the bad direction that have ended, and the onset of the one that is on. */
  readonly #bad: AlarmSpan[] = [];
  #badFrom = Number.POSITIVE_INFINITY;

  constructor(pastOf: PastOf) {
    this.#pastOf = pastOf;
  }

  of(hour: EpochMs): Baseline | undefined {
    if (hour === this.#hour) return this.#past;
    const ofDay = Math.round(hour / HOUR) % 24;
    const found = this.#pastOf(hour, (at) => at + HOUR > this.#badFrom);
    if (found !== undefined) this.#newest.set(ofDay, found);
    this.#hour = hour;
    this.#past = found ?? (Number.isFinite(this.#badFrom) ? this.#newest.get(ofDay) : undefined);
    this.#isLow = found !== undefined && this.#isMostlyBad(hour, found);
    return this.#past;
  }

  /** Whether at least half of the hours of the newest baseline belong to alarms that have ended. */
  get isLow(): boolean {
    return this.#isLow;
  }

  #isMostlyBad(hour: EpochMs, { values }: Baseline): boolean {
    if (this.#bad.length === 0) return false;
    const sound = this.#pastOf(hour, (at) => this.isBad(at, at + HOUR));
    return sound === undefined || 2 * sound.values <= values;
  }

  /** Whether a part of [from, to) belongs to an alarm in the bad direction. */
  readonly isBad = (from: EpochMs, to: EpochMs): boolean =>
    to > this.#badFrom || this.#bad.some((span) => from < span.to && to > span.from);

  get ended(): AlarmSpan | undefined {
    return this.#bad.at(-1);
  }

  /**
   * Records the alarm at the block that begins at `at`.
   * @param onset that of the alarm that is on; undefined: none is on
   */
  setAlarm(onset: EpochMs | undefined, at: EpochMs): void {
    if (onset === undefined && Number.isFinite(this.#badFrom)) this.#bad.push({ from: this.#badFrom, to: at });
    this.#badFrom = onset ?? Number.POSITIVE_INFINITY;
  }
}

/** How many steps before a block its start-up baseline begins. */
const STARTUP_REACH = STARTUP.steps + STARTUP.lag;

/**
 * The mean of somewhat older blocks, if they cover enough.
 * @param first index of the oldest that may be used
 * @param held the previous baseline, which stays if an alarm has left too few blocks
 */
function startupAt(
  { blocks, step, isBad }: Pick<WatchedHistory, 'blocks' | 'step'> & Pick<Pasts, 'isBad'>,
  first: number,
  at: number,
  held: Baseline | undefined,
): Baseline | undefined {
  const end = blocks[at].start - STARTUP.lag * step;
  const past: Block[] = [];
  let bad = 0;
  for (let i = first; i < at && blocks[i].end <= end; i++) {
    if (isBad(blocks[i].start, blocks[i].end)) bad++;
    else if (blocks[i].state === 'whole') past.push(blocks[i]);
  }
  const steps = past.reduce((sum, block) => sum + block.steps, 0);
  if (steps >= STARTUP.least) return startupBaseline(past.flatMap(({ estimate }) => estimate ?? []));
  return bad > 0 ? held : undefined;
}

interface Residual {
  readonly z: number;
  /** How large a fall and a rise may be without affecting S, in the unit of z. */
  readonly below: number;
  readonly above: number;
}

function residualOf({ state, estimate }: Block, baseline: Baseline, tolerance: number): Residual | undefined {
  if (state !== 'whole' || estimate === undefined) return undefined;
  const z = residual(estimate, baseline);
  if (typeof z !== 'number') return undefined;
  const error = errorOf(estimate, baseline);
  const free = tolerance * Math.abs(baseline.value);
  const inErrors = (change: number): number => Math.min(Math.max(free, change) / error, Number.MAX_VALUE);
  return { z, below: inErrors(baseline.below), above: inErrors(baseline.above) };
}

/** Sums since S was last 0, weighted by impressions: of x - b, and of b. */
interface Change {
  readonly onset: EpochMs | undefined;
  readonly above: number;
  readonly below: number;
}

const NONE: Change = { onset: undefined, above: 0, below: 0 };

function changeAfter(change: Change, { s }: CusumSide, block: Block, baseline: Baseline): Change {
  if (s === 0 || block.estimate === undefined) return NONE;
  const { impressions, estimate } = block;
  return {
    onset: change.onset ?? block.start,
    above: change.above + impressions * (estimate.value - baseline.value),
    below: change.below + impressions * baseline.value,
  };
}

function shown({ onset, above, below }: Change): Pick<Alarm, 'onset' | 'size'> {
  const size = above / Math.abs(below);
  return { onset, size: Number.isFinite(size) ? size : undefined };
}

/** Number of residuals whose median is the scale. */
const KEPT = 288;

/** With fewer residuals, errors are used unscaled. */
const LEAST = 24;

const LEAST_SCALE = 0.5;

/**
 * The scale of older residuals: max(.5, 1.4826 · median |z|) of the last 288, 1 while there are fewer than 24. The caller leaves out what
 * belongs to an alarm, so the scale cannot adapt to the fall that it is to measure.
 */
export class RunningScale {
  readonly #ring = new Float64Array(KEPT);
  readonly #sorted = new Float64Array(KEPT);
  #count = 0;
  #next = 0;

  get value(): number {
    const n = this.#count;
    if (n < LEAST) return 1;
    const half = n >> 1;
    const middle = n % 2 === 1 ? this.#sorted[half] : (this.#sorted[half - 1] + this.#sorted[half]) / 2;
    return Math.max(LEAST_SCALE, MAD_TO_SD * middle);
  }

  add(z: number): void {
    const size = Math.abs(z);
    if (this.#count === KEPT) this.#remove(this.#ring[this.#next]);
    this.#ring[this.#next] = size;
    this.#next = (this.#next + 1) % KEPT;
    const at = this.#place(size);
    this.#sorted.copyWithin(at + 1, at, this.#count);
    this.#sorted[at] = size;
    this.#count++;
  }

  #remove(size: number): void {
    const at = this.#place(size);
    this.#sorted.copyWithin(at, at + 1, this.#count);
    this.#count--;
  }

  /** Index of the first value that is not smaller. */
  #place(size: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sorted[middle] < size) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * CUSUM of residuals (Page 1954), low and high, with a scale, a clip and hysteresis (specification: statistics 10.3):
 *
 *     u = clip(z / scale, -8, 8)
 *     S_low = min(h, max(0, S_low - u_low - k))   S_high = min(h, max(0, S_high + u_high - k))   on at S >= h, off at S <= h/2
 *
 * The scale absorbs errors that are wrong by a factor. Because of the clip, one wild block is not enough at an h of 8 or more.
 */
interface CusumSettings {
  /** What is subtracted at each step, in scales. Smaller falls are not detected. */
  readonly k: number;
  /** Limit of S, above 0. */
  readonly h: number;
}

/** One direction. */
interface CusumSide {
  /** S, 0 to h. */
  readonly s: number;
  readonly on: boolean;
}

interface Cusum {
  readonly low: CusumSide;
  readonly high: CusumSide;
}

const CLIP = 8;

const QUIET: CusumSide = { s: 0, on: false };
/** The state before the first block. */
export const CUSUM_START: Cusum = { low: QUIET, high: QUIET };

/** u: a residual in scales, at most 8 on either side. */
export function clipped(z: number, scale: number): number {
  return Math.max(-CLIP, Math.min(CLIP, z / scale));
}

/** One u for both directions, or one for each if a tolerance separates them. */
interface Steps {
  readonly low: number;
  readonly high: number;
}

/** The state after one more block. */
export function cusumStep(state: Cusum, u: Steps, settings: CusumSettings): Cusum {
  return { low: sideStep(state.low, -u.low, settings), high: sideStep(state.high, u.high, settings) };
}

/** The same state at a threshold that is `factor` times as high: S keeps its share of it. */
function rescaled({ low, high }: Cusum, factor: number): Cusum {
  return { low: { ...low, s: low.s * factor }, high: { ...high, s: high.s * factor } };
}

/**
 * Whether the alarm is on at S.
 * @param was whether it was on before
 */
export function isOn(s: number, was: boolean, h: number): boolean {
  return s >= h || (was && s > h / 2);
}

function sideStep(side: CusumSide, rise: number, { k, h }: CusumSettings): CusumSide {
  const s = Math.min(h, Math.max(0, side.s + rise - k));
  return { s, on: isOn(s, side.on, h) };
}
