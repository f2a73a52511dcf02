import type { Joined } from '../events.ts';

/** How one action of the configuration becomes a grade (measures.md section 3). */
export interface GradeRule {
  /** A fixed grade, or the event's value. */
  readonly from: 'grade' | 'value';
  /** The fixed grade, 0..30; ignored when the grade comes from the value. */
  readonly grade: number;
  /** How several events of the action on one item combine. */
  readonly rule: 'max' | 'last' | 'sum';
  /** Highest grade this action can give, at most 30. */
  readonly max: number;
  /** The slot's grade is 0 whatever else came. */
  readonly veto: boolean;
}

/** How feedback becomes grades: the slice of the configuration that measures know. */
export interface Grading {
  /** In the order of `Joined.action`'s indices. */
  readonly actions: readonly { readonly name: string; readonly rule: GradeRule }[];
  /** Lowest grade that is a positive: the default of `rel`. */
  readonly relevantFrom: number;
}

/** What a measure keeps in a row: sums of values, or the two sums of its fraction (measures.md section 2). */
export type SumsKind = 'mean' | 'fraction';

/** Fields of one measure in a row. mean: n, n+, S, Q. fraction: numerator, denominator. All whole; S, Q and both sums of a fraction in 1e-9. */
export const SUMS_WIDTH: Readonly<Record<SumsKind, number>> = { mean: 4, fraction: 2 };

/** The state of one measure after one list. */
export const LEFT_OUT = 0;
export const WITHOUT_POSITIVE = 1;
export const WITH_POSITIVE = 2;

/** Measures compiled for one configuration; scores lists without allocation. */
export interface Scorer {
  /** Canonical names, in the order of the configuration. */
  readonly names: readonly string[];
  readonly kinds: readonly SumsKind[];
  /** Actions that must have an index in `Joined.action`. */
  readonly actions: readonly string[];
  /**
   * Scores one list. Measure m writes three numbers from out[3m]: its state (LEFT_OUT, WITHOUT_POSITIVE, WITH_POSITIVE),
   * its value (mean) or numerator (fraction), and its denominator (fraction). Answers whether the list has a positive
   * by `relevantFrom`.
   */
  score(list: Joined, out: Float64Array): boolean;
}

/** One field of a row: a whole number that may have left the safe integers. */
export type Exact = number | bigint;
