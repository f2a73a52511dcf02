import type { Measure } from '../measures/family.ts';

/** Sums over all items of one list, as trec_eval prints them. */
export interface Counts {
  readonly retrieved: number;
  readonly relevant: number;
  readonly relevantRetrieved: number;
}

/** One query of one run. A value is NaN where the measure leaves the list out. */
export interface QueryScore {
  readonly query: string;
  readonly counts: Counts;
  /** By measure. */
  readonly values: readonly number[];
  /** By measure, where the mean is a fraction: numerator and denominator; else the value and 1. Absent: not compared. */
  readonly fractions?: readonly number[];
  /** By measure: p of a correlation; undefined: nobody asked. */
  readonly p?: readonly (number | undefined)[];
}

export interface RunScore {
  readonly name: string;
  /** Number of queries that count. */
  readonly queries: number;
  /** By measure; undefined: no value. */
  readonly mean: readonly (number | undefined)[];
  /** Sums over the queries. */
  readonly counts: Counts;
  /** In the order of the file; empty where nobody asked. */
  readonly perQuery: readonly QueryScore[];
}

/** A query that one side lacks. */
export interface MissingQuery {
  readonly run: string;
  readonly query: string;
  readonly missingFrom: 'run' | 'qrels';
}

export interface ScoreResult {
  readonly measures: readonly Measure[];
  readonly runs: readonly RunScore[];
  readonly missing: readonly MissingQuery[];
}
