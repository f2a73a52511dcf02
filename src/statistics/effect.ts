import { absent, finite, isAbsent, type Result } from './absent.ts';
import { normalQuantile, probability, tLower, tQuantile } from './distributions.ts';
import { type Interval, interval, type Mean, type Residuals, residualsOf } from './mean.ts';

/**
 * How much the treatment's mean differs from the control's.
 *
 *     unpaired: Δ = R_T - R_C, SE² = SE_T² + SE_C², df = SE⁴ / (SE_T⁴/df_T + SE_C⁴/df_C)
 *     paired:   SE² = B/(B-1) · Σ (x_Tb - x_Cb)², df = B - 1, covariance = B/(B-1) · Σ x_Tb x_Cb, x_b = e_b / D
 *     p = 2 F_t(-|Δ|/SE; df), interval Δ ± t · SE
 *
 * Unpaired (B. L. Welch, Biometrika 1947) for two variants of one experiment, whose users differ. Paired for any other two
 * rows, because the same users may be in both; their common hash gives the covariance (specification: statistics 3).
 *
 * Example: m 4 1 1 3 5 0 1 2 4 2, d 11 4 7 8 18 2 3 5 10 9 against the vectors of `mean.ts`: Δ .0679321; unpaired SE
 * .0387431, df 17.846, p .0966926; paired SE .0252721, df 9, p .0248768.
 */
export interface Effect {
  readonly control: number;
  readonly treatment: number;
  readonly difference: number;
  readonly error: Result<EffectError>;
}

interface EffectError {
  readonly stderr: number;
  readonly df: number;
  /** Variances of the two means. */
  readonly controlVariance: number;
  readonly treatmentVariance: number;
  /** Covariance of the two means; 0 if unpaired. */
  readonly covariance: number;
}

/** Valid for one look at a time that was fixed in advance; for looks at any time see `sequence.ts`. */
interface FixedHorizon extends Interval {
  readonly t: number;
  readonly df: number;
  readonly p: number;
  /** The t quantile: the interval is Δ ± critical · SE. */
  readonly critical: number;
}

export function unpairedEffect(control: Result<Mean>, treatment: Result<Mean>): Result<Effect> {
  if (isAbsent(control)) return control;
  if (isAbsent(treatment)) return treatment;
  return effectOf(control.value, treatment.value, welch(control, treatment));
}

function welch(control: Mean, treatment: Mean): Result<EffectError> {
  if (typeof control.stderr !== 'number') return control.stderr;
  if (typeof treatment.stderr !== 'number') return treatment.stderr;
  const controlVariance = control.stderr ** 2;
  const treatmentVariance = treatment.stderr ** 2;
  const variance = controlVariance + treatmentVariance;
  const df = 1 / ((controlVariance / variance) ** 2 / control.df + (treatmentVariance / variance) ** 2 / treatment.df);
  return errorOf({ stderr: Math.sqrt(variance), df, controlVariance, treatmentVariance, covariance: 0 });
}

/** Sums of one row by bucket: numerators and denominators, equally long. */
export interface BucketSums {
  readonly m: ArrayLike<number>;
  readonly d: ArrayLike<number>;
}

/**
 * The effect between two rows that may share users.
 * @param leastBuckets how many buckets must not be empty in each
 * @throws RangeError if the numbers of buckets differ: fold the finer one first
 */
export function pairedEffect(control: BucketSums, treatment: BucketSums, leastBuckets = 2): Result<Effect> {
  if (control.d.length !== treatment.d.length) {
    throw new RangeError(`${control.d.length} buckets against ${treatment.d.length}: fold the finer vector first`);
  }
  const c = residualsOf(control.m, control.d);
  const t = residualsOf(treatment.m, treatment.d);
  if (c === undefined || t === undefined) return absent('no_data');
  const least = Math.max(2, leastBuckets);
  const error = c.filled < least || t.filled < least ? absent('few_buckets') : paired(c, t);
  return effectOf(c.value, t.value, error);
}

function paired(control: Residuals, treatment: Residuals): Result<EffectError> {
  const buckets = control.scaled.length;
  let squares = 0;
  let controlSquares = 0;
  let treatmentSquares = 0;
  let products = 0;
  let flat = true;
  for (let b = 0; b < buckets; b++) {
    const c = control.scaled[b];
    const t = treatment.scaled[b];
    squares += (t - c) ** 2;
    controlSquares += c * c;
    treatmentSquares += t * t;
    products += t * c;
    flat &&= Math.abs(t - c) <= control.noise[b] + treatment.noise[b];
  }
  if (flat) return absent('zero_variance');
  const factor = buckets / (buckets - 1);
  return errorOf({
    stderr: Math.sqrt(factor * squares),
    df: buckets - 1,
    controlVariance: factor * controlSquares,
    treatmentVariance: factor * treatmentSquares,
    covariance: factor * products,
  });
}

function errorOf(error: EffectError): Result<EffectError> {
  if (error.stderr === 0) return absent('zero_variance');
  return Object.values(error).every(Number.isFinite) ? error : absent('unbounded');
}

/** Equal means may come from different sums. Differences below this share are rounding, and far below any error. */
const ROUNDING = 2 ** -40;

function effectOf(control: number, treatment: number, error: Result<EffectError>): Result<Effect> {
  const exact = treatment - control;
  if (!Number.isFinite(exact)) return absent('unbounded');
  const isRounding = Math.abs(exact) <= ROUNDING * Math.max(Math.abs(control), Math.abs(treatment));
  return { control, treatment, difference: isRounding ? 0 : exact, error };
}

/** The input of a test at a fixed time. */
export interface Difference {
  readonly difference: number;
  readonly error: Result<Pick<EffectError, 'stderr' | 'df'>>;
}

export function fixedHorizon({ difference, error }: Difference, alpha: number): Result<FixedHorizon> {
  if (isAbsent(error)) return error;
  const { stderr, df } = error;
  const t = difference / stderr;
  const critical = -tQuantile(alpha / 2, df);
  const bounds = interval(difference - critical * stderr, difference + critical * stderr);
  if (isAbsent(bounds) || !Number.isFinite(t)) return absent('unbounded');
  return { ...bounds, t, df, p: probability(2 * tLower(-Math.abs(t), df)), critical };
}

/**
 * The effect relative to the control, with bounds by Fieller's theorem (E. C. Fieller, J. R. Stat. Soc. B 1954; also in
 * Statsig's documentation `fieller-intervals.mdx`).
 *
 *     lift = (R_T - R_C) / |R_C|        r = R_T / R_C        g = c² v_C / R_C²
 *     bounds of r = ( r - g v/v_C ± (c/|R_C|) · sqrt( v_T - 2 r v + r² v_C - g (v_T - v²/v_C) ) ) / (1 - g)
 *
 * c: the t quantile, or the multiplier of `sequence.ts`. v_T, v_C, v: variances and covariance. Subtract 1; for R_C < 0
 * negate and swap. With g >= 1 there are no bounds: the control may be 0. Never the delta method: its interval can contain 0
 * while the test of the difference rejects; these bounds exclude 0 exactly when |Δ|/SE > c (specification: statistics 3.3).
 *
 * Example: means .7 and .41, variances .0111066 and .0044643, c 1.959964: lift .7073171, bounds (.0941695, 1.7084034).
 */
export interface Lift {
  readonly lift: number;
  readonly bounds: Result<Interval>;
  /** How uncertain the control is; from 1 on there are no bounds. Absent if the effect's error is. */
  readonly g: Result<number>;
}

/**
 * The lift of an effect. Absent: `zero_baseline` if the control's mean is 0. Its bounds are absent for the reason of the error, or as
 * `unbounded`.
 */
export function liftOf(effect: Effect, critical: number): Result<Lift> {
  const { control, treatment, difference, error } = effect;
  if (control === 0) return absent('zero_baseline');
  const lift = difference / Math.abs(control);
  if (!Number.isFinite(lift)) return absent('unbounded');
  if (isAbsent(error)) return { lift, bounds: error, g: error };
  const g = (critical / control) ** 2 * error.controlVariance;
  return { lift, bounds: g < 1 ? fieller(control, treatment, error, critical, g) : absent('unbounded'), g: finite(g) };
}

/** The radicand in a form that rounding cannot make negative: v_C (r - v/v_C)² + (1 - g)(v_T - v²/v_C). */
function fieller(
  control: number,
  treatment: number,
  error: EffectError,
  critical: number,
  g: number,
): Result<Interval> {
  const { controlVariance, treatmentVariance, covariance } = error;
  const slope = controlVariance === 0 ? 0 : covariance / controlVariance;
  const ratio = treatment / control;
  const rest = Math.max(0, treatmentVariance - slope * covariance);
  const root = Math.sqrt(controlVariance * (ratio - slope) ** 2 + (1 - g) * rest);
  const half = (critical / Math.abs(control)) * root;
  const lower = (ratio - g * slope - half) / (1 - g) - 1;
  const upper = (ratio - g * slope + half) / (1 - g) - 1;
  return control > 0 ? interval(lower, upper) : interval(-upper, -lower);
}

/**
 * The smallest effect that could have been detected.
 *
 *     MDE = (c + z(power)) · SE        power of an effect δ = Φ(δ/SE - c) + Φ(-c - δ/SE)
 *
 * c: c(N) of `sequence.ts`, or z(1 - α/2) for one look. It describes the present SE; it is not a forecast, and is never
 * computed from the observed effect (J. Cohen, "Statistical power analysis", 1988; specification: statistics 7).
 *
 * Example: SE .1247836, power .8: .3495920 for one look at α .05, .4844306 with c(6868) = 3.0405438, which is 1.1815382
 * of a control of .41.
 */
export function detectableEffect(stderr: number, critical: number, power = 0.8): Result<number> {
  return finite((critical + normalQuantile(power)) * stderr);
}
