import type { Measure } from '../measures/definition.ts';
import type { MeasureReading } from './preset.ts';

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
  /** By measure: the sums of the mean over queries (list-sums.ts). Absent: not compared. */
  readonly sums?: readonly (readonly number[])[];
  /** By measure: p of a correlation; undefined: not requested. */
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
  /** By measure: lists left out because they have no owner (`per=user`, `per=session`). */
  readonly withoutOwner: readonly number[];
  /** By measure: lists in which it has no value, so that they are not in its mean. */
  readonly withoutValue: readonly number[];
  /** Graded lists that are empty; a run has none. */
  readonly emptyLists?: number;
  /** Graded lists without `known`, if a measure asks for all that is known (`ideal=all`). */
  readonly withoutKnown?: number;
  /** Slots whose item is not in the catalogue; undefined: no measure uses it. */
  readonly unknownItems: number | undefined;
  /** In the order of the file; empty if not requested. */
  readonly perQuery: readonly QueryScore[];
}

/** A query that one side lacks. */
export interface MissingQuery {
  readonly run: string;
  readonly query: string;
  readonly missingFrom: 'run' | 'qrels';
}

/** What shows whether a run can be trusted. */
export interface RunEvidence {
  readonly run: string;
  /** Ids of items from the first lists, and of judged items of their queries, to check whether they look alike. */
  readonly shown: readonly string[];
  readonly judged: readonly string[];
  /** Judged items in its lists, at any place and of any grade, and how many relevant ones `--depth` cuts off. */
  readonly matched: number;
  readonly relevantCut: number;
  /** Items that were taken out of its lists because nobody judged them (`--unjudged skip`). */
  readonly skipped: number;
  /** Items in the top of its lists, and those that nobody judged; undefined: the judgements call no item irrelevant, so unjudged ones are meant to be. */
  readonly top: TopItems | undefined;
  /** Lists that a reader who keeps scores in 32 bits orders otherwise; undefined: none. */
  readonly close: CloseScores | undefined;
}

export interface TopItems {
  /** Places of a list. */
  readonly places: number;
  readonly items: number;
  readonly unjudged: number;
  /** The first unjudged item and its query; undefined: there is none. */
  readonly first: { readonly query: string; readonly item: string } | undefined;
}

export interface CloseScores {
  readonly lists: number;
  /** Of the first of them, and two neighbours in it. */
  readonly query: string;
  readonly items: readonly [string, string];
}

export interface ScoreResult {
  /** How the names of the measures were read. */
  readonly reading: MeasureReading;
  readonly measures: readonly Measure[];
  readonly runs: readonly RunScore[];
  readonly missing: readonly MissingQuery[];
  /** A run of graded lists has none. */
  readonly evidence: readonly RunEvidence[];
}
