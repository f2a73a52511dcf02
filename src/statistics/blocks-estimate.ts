import type { Result } from './absent.ts';
import { type Moments, stretchedStderr, windowStderr } from './design-effect.ts';

/** Where the error of a block comes from, because a block has no sums by bucket (specification: statistics 2.4). */
export type ErrorSource =
  /** The spread of its lists, widened by the design effect of the hours that overlap it. */
  | { readonly from: 'lists'; readonly designEffect: Result<number> }
  /** For fractions: the error of the hours that overlap it, and their denominator. */
  | { readonly from: 'hours'; readonly stderr: Result<number>; readonly weight: number };

/** A mean and its standard error. `stderr` 0: all its values are equal, so that they do not tell their error. */
export interface Estimate {
  readonly value: number;
  readonly stderr: number;
}

/**
 * @param sums in ones, by the measure's policy; of a fraction: n is the denominator, sum the numerator
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

/** Users who are all alike make no lists dearer than they are. */
function isEqual(error: Result<number>): boolean {
  return typeof error !== 'number' && error.absent === 'zero_variance';
}
