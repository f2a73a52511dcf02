import type { Result } from './absent.ts';
import { absent, finite } from './absent.ts';
import { normalLower, normalQuantile } from './distributions.ts';

/**
 * How small an effect could have been seen.
 *
 *     MDE = (c + z(power)) · SE        power of an effect δ = Φ(δ/SE - c) + Φ(-c - δ/SE)
 *
 * c: c(N) of `sequence.ts`, or z(1 - α/2) for one look. It describes the present SE; it is no forecast, and is never
 * computed from the observed effect (J. Cohen, "Statistical power analysis", 1988; specification: statistics 7).
 *
 * Example: SE .1247836, power .8: .3495920 for one look at α .05, .4844306 with c(6868) = 3.0405438, which is 1.1815382
 * of a control of .41.
 */
export function detectableEffect(stderr: number, critical: number, power = 0.8): Result<number> {
  return finite((critical + normalQuantile(power)) * stderr);
}

/** The critical value of one look: z(1 - α/2). */
export function fixedCritical(alpha: number): number {
  return -normalQuantile(alpha / 2);
}

/** An effect as a share of |R_C|. Absent: `zero_baseline`. */
export function relativeSize(effect: number, control: number): Result<number> {
  return control === 0 ? absent('zero_baseline') : finite(effect / Math.abs(control));
}

/** Chance that a two-sided test shows an effect of this size. */
export function powerOf(effect: number, stderr: number, critical: number): Result<number> {
  if (!(stderr > 0)) return absent('zero_variance');
  const shift = effect / stderr;
  return normalLower(shift - critical) + normalLower(-critical - shift);
}
