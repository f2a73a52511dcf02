import { normalLower, normalQuantile } from '../../src/statistics/distributions.ts';

/** The critical value of one look: z(1 - α/2). */
export function fixedCritical(alpha: number): number {
  return -normalQuantile(alpha / 2);
}

/** Chance that a two-sided test shows an effect of this size: Φ(δ/SE - c) + Φ(-c - δ/SE). The oracle of `detectableEffect`. */
export function powerOf(effect: number, stderr: number, critical: number): number {
  const shift = effect / stderr;
  return normalLower(shift - critical) + normalLower(-critical - shift);
}
