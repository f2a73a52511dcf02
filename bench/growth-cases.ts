/** The cases of `npm run bench:growth`. */

/** What grows. */
export interface GrowthCase {
  readonly partitions: number;
  readonly cohorts: number;
  readonly measures: number;
  readonly horizons: number;
  /** Hour panes have sums by user bucket for every cohort. */
  readonly vectors: boolean;
  readonly experiments: number;
  /** Of a list. */
  readonly items: number;
  /** Of a list, on average. */
  readonly feedback: number;
  /** Events a second. */
  readonly rate: number;
  /** Seconds of event time that are read at once, between two commits on time; 1: as they come. */
  readonly catchUp: number;
}

const USUAL: GrowthCase = {
  partitions: 4,
  cohorts: 10,
  measures: 7,
  horizons: 3,
  vectors: false,
  experiments: 0,
  items: 20,
  feedback: 1.5,
  rate: 2000,
  catchUp: 1,
};

/** Whose events are parsed for comparison. */
export const REFERENCE: GrowthCase = { ...USUAL, partitions: 1 };

export const CASES: readonly (readonly [name: string, growth: GrowthCase])[] = [
  ['4 partitions, 10 cohorts, 7 measures, 3 horizons', USUAL],
  ['64 partitions', { ...USUAL, partitions: 64 }],
  ['256 partitions', { ...USUAL, partitions: 256 }],
  ['1,000 cohorts', { ...USUAL, cohorts: 1000 }],
  ['10,000 cohorts', { ...USUAL, cohorts: 10_000 }],
  ['1,000 cohorts with sums by user bucket', { ...USUAL, cohorts: 1000, vectors: true }],
  ['1 measure', { ...USUAL, measures: 1 }],
  ['29 measures', { ...USUAL, measures: 29 }],
  ['1 horizon', { ...USUAL, horizons: 1 }],
  ['6 horizons', { ...USUAL, horizons: 6 }],
  ['1 experiment', { ...USUAL, experiments: 1 }],
  ['5 experiments', { ...USUAL, experiments: 5 }],
  ['lists of 5 items', { ...USUAL, items: 5 }],
  ['lists of 100 items', { ...USUAL, items: 100 }],
  ['a feedback for ten lists', { ...USUAL, feedback: 0.1 }],
  ['ten feedback for each list', { ...USUAL, feedback: 10 }],
  ['a worker of 16 at 100,000 events a second', { ...USUAL, partitions: 16, rate: 6250 }],
  ['10,000 cohorts, 60 s read at once', { ...USUAL, cohorts: 10_000, catchUp: 60 }],
];
