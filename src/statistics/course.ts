/**
 * The course of an effect over the looks of a run: how large it is now, and from when to when it existed. Both are made from differences
 * of sums since the start, and decide nothing: a decision holds at all looks together, these are read once (specification: statistics
 * 9.3).
 */
import type { EpochMs } from '../vocabulary/events.ts';
import { NORMAL_95 } from '../vocabulary/numbers.ts';
import { isAbsent, type Result } from './absent.ts';
import { type Effect, type Lift, liftOf } from './effect.ts';
import type { Interval } from './mean.ts';

/** The mean of one variant since the start of the run; `weight` is its denominator. */
export interface ArmSoFar {
  readonly value: number;
  readonly weight: number;
}

/** Both variants at one look. */
export interface CoursePoint {
  readonly at: EpochMs;
  readonly control: ArmSoFar;
  readonly variant: ArmSoFar;
}

/** The lists between two looks. */
export interface Span {
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** Its error is that of all lists so far, in proportion to their number; it errs on the wide side if users come back. */
  readonly effect: Effect;
}

/** Least weight of each variant, and least duration, of the span that is shown as "now". */
const LEAST_WEIGHT = 400;
const LEAST_SPAN = 5 * 60_000;
/** The span is not extended further once its interval reaches no more than this share of the control's mean to each side. */
const PRECISE = 0.1;

/**
 * The newest lists: the shortest span whose interval is narrow enough, else the longest one of at most half of the run. The choice
 * depends on errors alone and not on the effect, so the interval is that of one look at a fixed time.
 * @param points in the order of time, the last of them now
 * @param effect since the start, as of the last point
 * @returns undefined: too few lists, or no error
 */
export function newestSpan(points: readonly CoursePoint[], effect: Result<Effect>): Span | undefined {
  const last = points.at(-1);
  const errors = last === undefined ? undefined : errorsOf(last, effect);
  if (last === undefined || errors === undefined) return undefined;
  const begin = points[0].at;
  let longest: Span | undefined;
  for (const point of points.slice(0, -1).reverse()) {
    if (last.at - point.at < LEAST_SPAN) continue;
    if (longest !== undefined && 2 * (last.at - point.at) > last.at - begin) break;
    const span = spanOf(point, last, errors);
    if (span === undefined) continue;
    longest = span;
    if (isPrecise(span.effect)) return span;
  }
  return longest;
}

/** The interval of the difference and of the lift over a span, at one look. */
export function boundsOf({ effect }: Span): { readonly difference: Interval; readonly lift: Result<Lift> } {
  const half = isAbsent(effect.error) ? Number.POSITIVE_INFINITY : NORMAL_95 * effect.error.stderr;
  return {
    difference: { lower: effect.difference - half, upper: effect.difference + half },
    lift: liftOf(effect, NORMAL_95),
  };
}

function isPrecise({ control, error }: Effect): boolean {
  return !isAbsent(error) && NORMAL_95 * error.stderr <= PRECISE * Math.abs(control);
}

/** Variances of the means, multiplied by their weights. */
interface Errors {
  readonly control: number;
  readonly variant: number;
}

function errorsOf({ control, variant }: CoursePoint, effect: Result<Effect>): Errors | undefined {
  if (isAbsent(effect) || isAbsent(effect.error)) return undefined;
  const { controlVariance, treatmentVariance } = effect.error;
  return { control: controlVariance * control.weight, variant: treatmentVariance * variant.weight };
}

function between(before: ArmSoFar, after: ArmSoFar): ArmSoFar {
  const weight = after.weight - before.weight;
  return { value: (after.value * after.weight - before.value * before.weight) / weight, weight };
}

function spanOf(from: CoursePoint, to: CoursePoint, errors: Errors): Span | undefined {
  const control = between(from.control, to.control);
  const variant = between(from.variant, to.variant);
  if (!(control.weight >= LEAST_WEIGHT && variant.weight >= LEAST_WEIGHT)) return undefined;
  const [controlVariance, treatmentVariance] = [errors.control / control.weight, errors.variant / variant.weight];
  const stderr = Math.sqrt(controlVariance + treatmentVariance);
  const error = { stderr, df: Number.POSITIVE_INFINITY, controlVariance, treatmentVariance, covariance: 0 };
  const difference = variant.value - control.value;
  if (!Number.isFinite(difference) || !(stderr > 0)) return undefined;
  return {
    from: from.at,
    to: to.at,
    effect: { control: control.value, treatment: variant.value, difference, error },
  };
}

/** An estimated time, and the span that contains it in 95 of 100 such runs. */
export interface Estimated {
  readonly at: EpochMs;
  readonly earliest: EpochMs;
  readonly latest: EpochMs;
}

/** The time during which an effect existed. */
export interface Episode {
  /** Whether the start of the run is a likely beginning. */
  readonly fromStart: boolean;
  /** undefined: the looks do not show that it began after the start of the run. */
  readonly began: Estimated | undefined;
  /** undefined: the looks do not show that it ended. */
  readonly ended: Estimated | undefined;
}

/** Twice the difference in log-likelihood within which 95 % of the possible times lie: chi-square with one degree of freedom. */
const LIKELY = 3.84;
/**
 * What a change must explain beyond no change, maximised over where it may be. Fewer than 5 in 100 constant effects, seen at up to 256
 * looks, reach it.
 */
const CHANGED = 10;

/**
 * The most likely span (i, j] of an effect that is constant from one look to another and absent before and after:
 *
 *     largest (Σ w_k d_k)² / Σ w_k over k in (i, j]        d_k, 1/w_k: difference in block k, and its variance
 *
 * (D. M. Hawkins, J. R. Stat. Soc. C 1977, for one change). A time is as likely as the best span that begins, or ends, there.
 * @param points in the order of time
 * @param direction of the effect: 1 is a rise
 * @returns undefined: there is no such span, or no error
 */
export function episodeOf(
  points: readonly CoursePoint[],
  effect: Result<Effect>,
  direction: 1 | -1,
): Episode | undefined {
  const last = points.at(-1);
  const errors = last === undefined ? undefined : errorsOf(last, effect);
  if (last === undefined || errors === undefined) return undefined;
  const { kept, weights, products } = prefixSums(points, errors);
  const ends = kept.length;
  const begins = new Float64Array(ends + 1);
  const until = new Float64Array(ends + 1);
  let best = { score: 0, from: 0, to: ends };
  for (let i = 0; i < ends; i++) {
    for (let j = i + 1; j <= ends; j++) {
      const product = direction * (products[j] - products[i]);
      const score = product > 0 ? product ** 2 / (weights[j] - weights[i]) : 0;
      begins[i] = Math.max(begins[i], score);
      until[j] = Math.max(until[j], score);
      if (score > best.score) best = { score, from: i, to: j };
    }
  }
  if (best.score === 0) return undefined;
  const isLikely = (score: number): boolean => score >= best.score - LIKELY;
  const isChange = (score: number): boolean => best.score - score > CHANGED;
  return {
    fromStart: isLikely(begins[0]),
    began: isChange(begins[0]) ? estimated(kept, best.from, begins, isLikely) : undefined,
    ended: isChange(until[ends]) ? estimated(kept, best.to, until, isLikely) : undefined,
  };
}

/** Cumulative sums up to each block, beginning with 0. Blocks in which one variant has no lists are part of the next. */
function prefixSums(
  points: readonly CoursePoint[],
  errors: Errors,
): { readonly kept: readonly EpochMs[]; readonly weights: readonly number[]; readonly products: readonly number[] } {
  const kept: EpochMs[] = [];
  const weights = [0];
  const products = [0];
  const none: ArmSoFar = { value: 0, weight: 0 };
  let before: Pick<CoursePoint, 'control' | 'variant'> = { control: none, variant: none };
  for (const point of points) {
    const control = between(before.control, point.control);
    const variant = between(before.variant, point.variant);
    const weight = 1 / (errors.control / control.weight + errors.variant / variant.weight);
    const difference = variant.value - control.value;
    if (!(control.weight > 0 && variant.weight > 0) || !Number.isFinite(weight) || !Number.isFinite(difference))
      continue;
    kept.push(point.at);
    weights.push(weights[weights.length - 1] + weight);
    products.push(products[products.length - 1] + weight * difference);
    before = point;
  }
  return { kept, weights, products };
}

/** Boundary i follows block i. A change within a block may be attributed to either end of it. */
function estimated(
  ends: readonly EpochMs[],
  boundary: number,
  scores: Float64Array,
  isLikely: (score: number) => boolean,
): Estimated {
  let [first, last] = [boundary, boundary];
  for (let i = 0; i < scores.length; i++) {
    if (!isLikely(scores[i])) continue;
    first = Math.min(first, i);
    last = Math.max(last, i);
  }
  const timeOf = (i: number): EpochMs => ends[Math.max(0, Math.min(ends.length - 1, i - 1))];
  return { at: timeOf(boundary), earliest: timeOf(first - 1), latest: timeOf(last + 1) };
}
