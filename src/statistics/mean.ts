import { type Absent, absent, finite, type Result } from './absent.ts';
import { tQuantile } from './distributions.ts';

/**
 * A mean over impressions as a ratio over users, and its standard error from sums by user bucket.
 *
 *     R = Σ m_b / D, D = Σ d_b, e_b = m_b - R d_b        SE² = B/(B-1) · Σ e_b² / D²        df = B - 1
 *     interval: R ± t(1 - alpha/2; df) · SE
 *
 * The delta method for ratios of users (Deng, Knoblich and Lu, "Applying the delta method in metric analytics", KDD
 * 2018), on buckets instead of users. Empty buckets count in B, with e_b = 0. One user's impressions are alike, so errors
 * that treat impressions as independent are .35 to .73 of the truth (specification: statistics 1.1, 2.1).
 *
 * Example: m 3 0 1 2 5 0 0 1 4 2 and d 10 4 6 8 20 1 3 5 12 9 give R .2307692, SE .0260922, df 9, and at alpha .05 the
 * interval (.1717445, .2897939).
 *
 * Where every cluster is known (one value per user, one query's list) the clusters are the buckets and d is all ones:
 * the formula is then SE = sd / sqrt(clusters).
 */
export interface Mean {
  readonly value: number;
  readonly stderr: Result<number>;
  /** B - 1. */
  readonly df: number;
}

export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** A published standard error needs this many buckets that are not empty; the formula needs two. */
export const PUBLISHED_BUCKETS = 8;

/**
 * The mean and its error.
 * @param m numerator of each bucket
 * @param d denominator of each bucket, none negative
 * @param leastBuckets how many must not be empty
 * @returns absent: `no_data`. Its error absent: `few_buckets`, `zero_variance`
 * @throws RangeError if the two differ in length
 */
export function meanOfBuckets(m: ArrayLike<number>, d: ArrayLike<number>, leastBuckets = 2): Result<Mean> {
  const residuals = residualsOf(m, d);
  if (residuals === undefined) return absent('no_data');
  const { value, scaled, filled } = residuals;
  if (!Number.isFinite(value)) return absent('unbounded');
  const df = scaled.length - 1;
  if (filled < Math.max(2, leastBuckets)) return { value, stderr: absent('few_buckets'), df };
  if (isFlat(residuals)) return { value, stderr: absent('zero_variance'), df };
  return { value, stderr: rootOfSpread(scaled), df };
}

/** sqrt(B/(B-1) · Σ x²); `zero_variance` if that is too small for a double. */
function rootOfSpread(scaled: Float64Array): Result<number> {
  let squares = 0;
  for (const x of scaled) squares += x * x;
  const stderr = finite(Math.sqrt((scaled.length / (scaled.length - 1)) * squares));
  return stderr === 0 ? absent('zero_variance') : stderr;
}

/**
 * The interval of a mean.
 * @param range the values that the measure can have; the interval is cut to it, for display
 */
export function intervalOfMean(mean: Mean, alpha: number, range?: Interval): Interval | Absent {
  if (typeof mean.stderr !== 'number') return mean.stderr;
  const half = -tQuantile(alpha / 2, mean.df) * mean.stderr;
  return interval(mean.value - half, mean.value + half, range);
}

/** The interval; `unbounded` if an end overflows a double. */
export function interval(lower: number, upper: number, range?: Interval): Result<Interval> {
  if (!Number.isFinite(lower) || !Number.isFinite(upper)) return absent('unbounded');
  if (range === undefined) return { lower, upper };
  return { lower: Math.max(range.lower, lower), upper: Math.min(range.upper, upper) };
}

/**
 * What each bucket has beyond its share of the mean, in the unit of the mean.
 *
 *     x_b = (m_b - R d_b) / D        R = Σ m_b / D, D = Σ d_b
 *
 * Residuals instead of sums of squares: a difference of large squares loses digits (specification: statistics 2.1).
 *
 * Example: m 3 1 and d 4 4 give R .5, D 8, x .125 -.125.
 */
export interface Residuals {
  /** R. */
  readonly value: number;
  /** x_b, 0 in empty buckets. */
  readonly scaled: Float64Array;
  /** Buckets that are not empty. */
  readonly filled: number;
  /** Upper limit of the rounding error of x_b, by bucket. */
  readonly noise: Float64Array;
}

/** Far above the rounding of a sum of a few hundred terms, far below any spread of counted values. */
const NOISE = 2 ** -40;

/**
 * @returns undefined: D is 0
 * @throws RangeError if m and d differ in length
 */
export function residualsOf(m: ArrayLike<number>, d: ArrayLike<number>): Residuals | undefined {
  if (m.length !== d.length) throw new RangeError(`${m.length} numerators and ${d.length} denominators: need one each`);
  let above = 0;
  let below = 0;
  for (let b = 0; b < d.length; b++) {
    above += m[b];
    below += d[b];
  }
  if (!(below > 0)) return undefined;
  const value = above / below;
  const scaled = new Float64Array(d.length);
  const noise = new Float64Array(d.length);
  let filled = 0;
  for (let b = 0; b < d.length; b++) {
    if (d[b] === 0 && m[b] === 0) continue;
    filled++;
    const share = value * d[b];
    scaled[b] = (m[b] - share) / below;
    noise[b] = (NOISE * (Math.abs(m[b]) + Math.abs(share))) / below;
  }
  return { value, scaled, filled, noise };
}

/** Whether all buckets have the same mean, up to rounding. */
function isFlat(residuals: Residuals): boolean {
  return residuals.scaled.every((x, b) => Math.abs(x) <= residuals.noise[b]);
}
