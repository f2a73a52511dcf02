import type { Measure } from '../measures/definition.ts';
import { COUNT_NAMES } from '../measures/grammar/other-tools.ts';
import { type MeasureReading, measureNames, type Names } from './preset.ts';

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

/** Which rows a table has in addition to the means. */
interface RowsAsked {
  readonly perQuery: boolean;
  /** Show only this query, and no mean; undefined: all queries. */
  readonly query: string | undefined;
}

/** One row: a run's means, or one of its queries. `values` are in the order of the columns; undefined: no value. */
export interface ScoreRow {
  readonly run: string;
  /** `all` for the means. */
  readonly query: string;
  readonly values: readonly (number | undefined)[];
}

export interface ScoreTable {
  /** Names of the columns with values. */
  readonly columns: readonly string[];
  /** Number of leading columns that are whole numbers. */
  readonly counts: number;
  readonly rows: readonly ScoreRow[];
}

/** The row of the means: trec_eval's word. */
export const ALL = 'all';

/** What is in the header of a table. */
interface ColumnsAsked {
  readonly names: Names;
  /** Whether the counts of items precede the measures. */
  readonly withCounts: boolean;
}

export function scoreTable(
  { measures, runs, reading }: ScoreResult,
  { names, withCounts }: ColumnsAsked,
  asked: RowsAsked,
): ScoreTable {
  const counted = (counts: Counts): readonly number[] => (withCounts ? countsOf(counts) : []);
  const rows = runs.flatMap((run): ScoreRow[] => {
    const queries = asked.perQuery ? queriesOf(run, asked.query) : [];
    const rowsOfQueries = queries.map(({ query, counts, values }) => ({
      run: run.name,
      query,
      values: [...counted(counts), ...Array.from(values, (value) => (Number.isNaN(value) ? undefined : value))],
    }));
    const mean = { run: run.name, query: ALL, values: [...counted(run.counts), ...run.mean] };
    return asked.query === undefined ? [...rowsOfQueries, mean] : rowsOfQueries;
  });
  const counts = withCounts ? COUNT_NAMES : [];
  return { columns: [...counts, ...measureNames(measures, names, reading)], counts: counts.length, rows };
}

/** The requested queries of a run. */
export function queriesOf({ perQuery }: RunScore, query: string | undefined): readonly QueryScore[] {
  return query === undefined ? perQuery : perQuery.filter((one) => one.query === query);
}

/** The counts in the order of `COUNT_NAMES`. */
export function countsOf({ retrieved, relevant, relevantRetrieved }: Counts): readonly number[] {
  return [retrieved, relevant, relevantRetrieved];
}
