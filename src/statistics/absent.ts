/**
 * A result of `statistics/` is a value, or absent with a reason. No NaN, no infinity and no stand-in (an effect of 0, a
 * p of 1) takes the place of a number that does not exist. Absent means: no series in Prometheus, null with `reason` in
 * JSON (specification: statistics 11).
 *
 * Example: the mean of no impressions is `{ absent: 'no_data' }`.
 */
export const ABSENCES = [
  /** Nothing was counted. */
  'no_data',
  /** Too few users for the formula. */
  'few_users',
  /** Too few buckets, or clusters, that are not empty. */
  'few_buckets',
  /** Too few lists with a positive for a look that may decide. */
  'few_positives',
  /** All buckets have the same mean, so there is no spread to estimate an error from. */
  'zero_variance',
  /** The measure or the cohort keeps no sums by bucket. */
  'no_vector',
  /** The control's mean is 0, so nothing is relative to it. */
  'zero_baseline',
  /** The interval has no ends, or the number is beyond what a double holds. */
  'unbounded',
  /** Fewer than two variants have traffic by plan. */
  'single_variant',
  /** No impression names its user, or too few of a variant do. */
  'no_user_ids',
  /** An unsound experiment gives no evidence: records are missing, its split is off, its users cross over. */
  'incomplete',
  'srm',
  'crossover',
  /** There is no past to compare with. */
  'no_baseline',
] as const;

export type Absence = (typeof ABSENCES)[number];

export interface Absent {
  readonly absent: Absence;
}

/** A value, or why there is none. */
export type Result<Value> = Value | Absent;

export function absent(reason: Absence): Absent {
  return { absent: reason };
}

export function isAbsent(result: unknown): result is Absent {
  return typeof result === 'object' && result !== null && 'absent' in result;
}

/** The result as JSON has it. */
export function orNull<Value>(result: Result<Value>): Value | null {
  return isAbsent(result) ? null : result;
}

/** The number itself; `unbounded` where it overflowed a double. */
export function finite(value: number): Result<number> {
  return Number.isFinite(value) ? value : absent('unbounded');
}
