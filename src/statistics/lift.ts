import type { Result } from './absent.ts';
import { absent, finite, isAbsent } from './absent.ts';
import type { Effect, EffectError } from './effect.ts';
import type { Interval } from './mean.ts';
import { interval } from './mean.ts';

/**
 * The effect relative to the control, with bounds by Fieller's theorem (E. C. Fieller, J. R. Stat. Soc. B 1954; also in
 * Statsig's documentation `fieller-intervals.mdx`).
 *
 *     lift = (R_T - R_C) / |R_C|        r = R_T / R_C        g = c² v_C / R_C²
 *     bounds of r = ( r - g v/v_C ± (c/|R_C|) · sqrt( v_T - 2 r v + r² v_C - g (v_T - v²/v_C) ) ) / (1 - g)
 *
 * c: the t quantile, or the multiplier of `sequence.ts`. v_T, v_C, v: variances and covariance. Subtract 1; for R_C < 0
 * negate and swap. With g >= 1 there are no bounds: the control may be 0. Never the delta method: its interval can hold 0
 * while the test of the difference rejects; these bounds exclude 0 exactly when |Δ|/SE > c (specification: statistics 3.3).
 *
 * Example: means .7 and .41, variances .0111066 and .0044643, c 1.959964: lift .7073171, bounds (.0941695, 1.7084034).
 */
export interface Lift {
  readonly lift: number;
  readonly bounds: Result<Interval>;
  /** How uncertain the control is; from 1 on there are no bounds. Absent where the effect's error is. */
  readonly g: Result<number>;
}

/** Absent: `zero_baseline` where the control's mean is 0. Its bounds absent: the reason of the error, or `unbounded`. */
export function liftOf(effect: Effect, critical: number): Result<Lift> {
  const { control, treatment, difference, error } = effect;
  if (control === 0) return absent('zero_baseline');
  const lift = difference / Math.abs(control);
  if (!Number.isFinite(lift)) return absent('unbounded');
  if (isAbsent(error)) return { lift, bounds: error, g: error };
  const g = (critical / control) ** 2 * error.controlVariance;
  return { lift, bounds: g < 1 ? fieller(control, treatment, error, critical, g) : absent('unbounded'), g: finite(g) };
}

/** The root's argument in a form that rounding can't make negative: v_C (r - v/v_C)² + (1 - g)(v_T - v²/v_C). */
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
