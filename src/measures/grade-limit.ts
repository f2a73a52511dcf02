import { LARGEST_VALUE } from '../vocabulary/events.ts';
import type { Measure } from './definition.ts';
import { LARGEST_EXPONENT } from './gain.ts';

/** The highest grade that measures accept, and why. */
export interface GradeLimit {
  readonly most: number;
  /** The measure with this limit; undefined: it is the limit of all values. */
  readonly by: { readonly measure: string; readonly reason: string } | undefined;
}

/** The limit of all values. */
const OF_VALUES: GradeLimit = { most: LARGEST_VALUE, by: undefined };

/**
 * The highest grade that all these measures accept. A grade is a number from 0 up; only a gain of 2^grade - 1 has a limit of its own. In
 * `err` a grade above `gmax` counts as gmax, by its formula.
 */
export function gradeLimit(measures: readonly Measure[]): GradeLimit {
  const raising = measures.find(({ params }) => params.get('gain') === 'exp');
  if (raising === undefined) return OF_VALUES;
  return { most: LARGEST_EXPONENT, by: { measure: raising.canonical, reason: 'because its gain is 2^grade - 1' } };
}
