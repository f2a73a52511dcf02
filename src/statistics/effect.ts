import type { Result } from './absent.ts';
import { absent, isAbsent } from './absent.ts';
import { probability, tLower, tQuantile } from './distributions.ts';
import type { Interval, Mean } from './mean.ts';
import { interval } from './mean.ts';
import type { Residuals } from './residuals.ts';
import { residualsOf } from './residuals.ts';

/**
 * How much the treatment's mean differs from the control's.
 *
 *     unpaired: Δ = R_T - R_C, SE² = SE_T² + SE_C², df = SE⁴ / (SE_T⁴/df_T + SE_C⁴/df_C)
 *     paired:   SE² = B/(B-1) · Σ (x_Tb - x_Cb)², df = B - 1, covariance = B/(B-1) · Σ x_Tb x_Cb, x_b = e_b / D
 *     p = 2 F_t(-|Δ|/SE; df), interval Δ ± t · SE
 *
 * Unpaired (B. L. Welch, Biometrika 1947) for two variants of one experiment: different users. Paired for any other two
 * rows, because the same users may be in both; the common hash gives the covariance (specification: statistics 3).
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

export interface EffectError {
  readonly stderr: number;
  readonly df: number;
  /** Variances of the two means. */
  readonly controlVariance: number;
  readonly treatmentVariance: number;
  /** Of the two means; 0 if unpaired. */
  readonly covariance: number;
}

/** Right for one look at a time that was fixed in advance; for looks at any time see `sequence.ts`. */
export interface FixedHorizon extends Interval {
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
 * @param leastBuckets how many must not be empty in each
 * @throws RangeError where the numbers of buckets differ: fold the finer one first
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

/** Equal means may come from other sums: what is below this share of them is rounding, and far below any error. */
const ROUNDING = 2 ** -40;

function effectOf(control: number, treatment: number, error: Result<EffectError>): Result<Effect> {
  const exact = treatment - control;
  if (!Number.isFinite(exact)) return absent('unbounded');
  const isRounding = Math.abs(exact) <= ROUNDING * Math.max(Math.abs(control), Math.abs(treatment));
  return { control, treatment, difference: isRounding ? 0 : exact, error };
}

/** What a test at a fixed time looks at. */
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
