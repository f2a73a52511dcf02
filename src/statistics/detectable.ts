import type { Result } from './absent.ts';
import { finite } from './absent.ts';
import { normalQuantile } from './distributions.ts';

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
