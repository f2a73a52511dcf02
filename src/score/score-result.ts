import type { Measure } from '../measures/definition.ts';
import type { MeasureReading } from './preset.ts';

/** Sums over all items of one list, as trec_eval prints them. */
export interface Counts {
  readonly retrieved: number;
  readonly relevant: number;
  readonly relevantRetrieved: number;
}

/** One query of one run. A value is NaN if the measure leaves the list out. */
export interface QueryScore {
  readonly query: string;
  readonly counts: Counts;
  /** Values by measure. */
  readonly values: readonly number[];
  /** The sums of the mean over queries (list-sums.ts), by measure. Absent: not compared. */
  readonly sums?: readonly (readonly number[])[];
  /** The p of a correlation, by measure; undefined: not requested. */
  readonly p?: readonly (number | undefined)[];
}

export interface RunScore {
  readonly name: string;
  /** Number of queries that count. */
  readonly queries: number;
  /** Means by measure; undefined: no value. */
  readonly mean: readonly (number | undefined)[];
  /** Sums over the queries. */
  readonly counts: Counts;
  /** Lists left out because they have no owner (`per=user`, `per=session`), by measure. */
  readonly withoutOwner: readonly number[];
  /** Lists in which the measure has no value, so that they are not in its mean, by measure. */
  readonly withoutValue: readonly number[];
  /** Number of empty graded lists; absent for a run. */
  readonly emptyLists?: number;
  /** Number of graded lists without `known`, if a measure needs all that is known (`ideal=all`). */
  readonly withoutKnown?: number;
  /** Number of slots whose item is not in the catalogue; undefined: no measure uses it. */
  readonly unknownItems: number | undefined;
  /** Queries in the order of the file; empty if not requested. */
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
  /** Number of judged items in its lists, at any place and of any grade, and of relevant ones that `--depth` cuts off. */
  readonly matched: number;
  readonly relevantCut: number;
  /** Number of items that were removed from its lists because nobody judged them (`--unjudged skip`). */
  readonly skipped: number;
  /**
   * Items in the top of its lists, and those that nobody judged; undefined: the judgements call no item irrelevant, so unjudged ones are
   * meant to be.
   */
  readonly top: TopItems | undefined;
  /** Lists that a reader who keeps scores in 32 bits would order differently; undefined: none. */
  readonly close: CloseScores | undefined;
}

export interface TopItems {
  /** Number of places of a list. */
  readonly places: number;
  readonly items: number;
  readonly unjudged: number;
  /** The first unjudged item and its query; undefined: there is none. */
  readonly first: { readonly query: string; readonly item: string } | undefined;
}

export interface CloseScores {
  readonly lists: number;
  /** The query of the first such list, and two neighbours in it. */
  readonly query: string;
  readonly items: readonly [string, string];
}

export interface ScoreResult {
  /** How the names of the measures were read. */
  readonly reading: MeasureReading;
  readonly measures: readonly Measure[];
  readonly runs: readonly RunScore[];
  readonly missing: readonly MissingQuery[];
  /** Evidence on runs; empty for graded lists. */
  readonly evidence: readonly RunEvidence[];
}
