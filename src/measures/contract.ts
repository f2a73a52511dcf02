import type { Joined } from '../vocabulary/events.ts';
import type { Catalogue } from './catalogue.ts';

/** How one action of the configuration becomes a grade (specification: measures 5.1). */
export interface GradeRule {
  /** A fixed grade, or the event's value. */
  readonly from: 'grade' | 'value';
  /** The fixed grade, 0 to LARGEST_VALUE; ignored when the grade comes from the value. */
  readonly grade: number;
  /** How several events of the action on one item combine. */
  readonly rule: 'max' | 'last' | 'sum';
  /** Highest grade this action can give, at most LARGEST_VALUE: what is above is cut. */
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

/**
 * What a measure keeps in a row (specification: measures 3):
 * mean: sums of one value per list. fraction: numerator and denominator. means: sums of two values that are averaged apart.
 * classes: the four cells of pooled slots. pairs: a fraction over (score, rating) pairs. pairMeans: a mean over lists with
 * pairs. apart: nothing, what it keeps (values by user, by item) stands apart from rows.
 */
export type SumsKind = 'mean' | 'fraction' | 'means' | 'classes' | 'pairs' | 'pairMeans' | 'apart';

/** The fields of one kind in a row, in this order. All are whole; those behind n and n+ in 1e-9. */
export interface SumsFields {
  /** n and n+: lists, and those of them with positives. */
  readonly counted: boolean;
  /** Sums of the values that stand in `out` behind the state, by name. */
  readonly values: readonly string[];
  /** Q: the sum of squares of the first value. */
  readonly squared: boolean;
  /** Counts that stand in `out` behind the values, added also for a list that is left out. They have no error. */
  readonly tail: readonly string[];
}

export const SUMS: Readonly<Record<SumsKind, SumsFields>> = {
  mean: { counted: true, values: ['S'], squared: true, tail: [] },
  fraction: { counted: false, values: ['above', 'below'], squared: false, tail: [] },
  means: { counted: true, values: ['S', 'S2'], squared: false, tail: [] },
  classes: { counted: false, values: ['TP', 'FP', 'FN', 'TN'], squared: false, tail: [] },
  pairs: { counted: false, values: ['above', 'below'], squared: false, tail: ['rated'] },
  pairMeans: { counted: true, values: ['S'], squared: true, tail: ['pairs', 'rated'] },
  apart: { counted: false, values: [], squared: false, tail: [] },
};

/** Fields of one measure in a row. mean: n, n+, S, Q. fraction: numerator, denominator. */
export const SUMS_WIDTH: Readonly<Record<SumsKind, number>> = {
  mean: 4,
  fraction: 2,
  means: 4,
  classes: 4,
  pairs: 3,
  pairMeans: 6,
  apart: 0,
};

/** Numbers that a measure writes for one list: its state, and up to four values. */
export const SCORE_WIDTH = 5;

/** The state of one measure after one list. */
export const LEFT_OUT = 0;
export const WITHOUT_POSITIVE = 1;
export const WITH_POSITIVE = 2;

/** What measures ask of a list beyond slots and feedback. Whoever makes `Joined` may leave out what nobody needs. */
export interface ScorerNeeds {
  /** `Joined.scores`. */
  readonly scores: boolean;
  /** `Joined.items`. */
  readonly items: boolean;
  /** `Joined.categories`. */
  readonly categories: boolean;
}

/** Measures compiled for one configuration; scores lists without allocation. */
export interface Scorer {
  /** Canonical names, in the order of the configuration. */
  readonly names: readonly string[];
  readonly kinds: readonly SumsKind[];
  /** Actions that must have an index in `Joined.action`. */
  readonly actions: readonly string[];
  readonly needs: ScorerNeeds;
  /** What measures of the list alone know of items. */
  readonly catalogue: Catalogue;
  /**
   * Scores one list. Measure m writes from out[SCORE_WIDTH m] on: its state (LEFT_OUT, WITHOUT_POSITIVE, WITH_POSITIVE),
   * then the values and the tail of its kind; apart: its value. What stands behind them has no meaning. Answers whether
   * the list has a positive by `relevantFrom`.
   */
  score(list: Joined, out: Float64Array): boolean;
}

/** One field of a row: a whole number that may have left the safe integers. */
export type Exact = number | bigint;
