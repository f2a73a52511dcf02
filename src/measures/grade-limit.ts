import { LARGEST_VALUE } from '../vocabulary/events.ts';
import type { Measure } from './definition.ts';
import { LARGEST_EXPONENT } from './gain.ts';

/** The highest grade that measures take, and why. */
export interface GradeLimit {
  readonly most: number;
  /** The measure that asks for no more; undefined: none does, values end there. */
  readonly by: { readonly measure: string; readonly reason: string } | undefined;
}

/** Up to where values go. */
const OF_VALUES: GradeLimit = { most: LARGEST_VALUE, by: undefined };

/**
 * What all of these measures take. A grade is a number from 0 up; only a gain of 2^grade - 1 has an end of its own. `err`
 * has one too, its `gmax`: a grade above it counts as gmax, by its formula.
 */
export function gradeLimit(measures: readonly Measure[]): GradeLimit {
  const raising = measures.find(({ params }) => params.get('gain') === 'exp');
  if (raising === undefined) return OF_VALUES;
  return { most: LARGEST_EXPONENT, by: { measure: raising.canonical, reason: 'because its gain is 2^grade - 1' } };
}
