/**
 * What rows keep of measures: the fields of each kind, their indexes, and the unit in which they are whole numbers. Everything that
 * writes, adds, reads or stores sums uses this file (specification: measures 3, windows 2).
 */

/** Values are summed as whole multiples of 1e-9: this many make 1. */
export const PER_ONE = 1e9;

/** One field of a row: a whole number, a bigint if it is not a safe integer. */
export type Exact = number | bigint;

/**
 * mean: sums of one value per list. fraction: numerator and denominator. means: sums of two values that are averaged separately. classes:
 * the four cells of pooled slots. pairs: a fraction over (score, rating) pairs. pairMeans: a mean over lists with pairs. apart: nothing,
 * because values by user or by item are kept outside of rows.
 */
export type SumsKind = 'mean' | 'fraction' | 'means' | 'classes' | 'pairs' | 'pairMeans' | 'apart';

/** The fields of one kind in a row, in this order. All are whole numbers; those after n and n+ are multiples of 1e-9. */
interface SumsFields {
  /** n and n+: lists, and those of them with positives. */
  readonly counted: boolean;
  /** Sums of the values that follow the state in `out`, by name. */
  readonly values: readonly string[];
  /** Q: the sum of squares of the first value. */
  readonly squared: boolean;
  /** Counts that follow the values in `out`. They are added even for a list that is left out, and have no error. */
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

/** Index of each field, by kind and name. */
export const FIELD = {
  mean: { n: 0, positives: 1, sum: 2, squares: 3 },
  fraction: { above: 0, below: 1 },
  means: { n: 0, positives: 1, first: 2, second: 3 },
  classes: { tp: 0, fp: 1, fn: 2, tn: 3 },
  pairs: { above: 0, below: 1, rated: 2 },
  pairMeans: { n: 0, positives: 1, sum: 2, squares: 3, pairs: 4, rated: 5 },
  apart: {},
} as const satisfies Readonly<Record<SumsKind, Readonly<Record<string, number>>>>;

/** Number of fields of one measure in a row. */
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

/** Indexes in `out` after the state, which is the first number of a measure: its values, then its tail. */
export const OUT = {
  mean: { value: 1 },
  fraction: { above: 1, below: 2 },
  means: { first: 1, second: 2 },
  classes: { tp: 1, fp: 2, fn: 3, tn: 4 },
  pairs: { above: 1, below: 2, rated: 3 },
  pairMeans: { value: 1, pairs: 2, rated: 3 },
  apart: { value: 1 },
} as const satisfies Readonly<Record<SumsKind, Readonly<Record<string, number>>>>;
