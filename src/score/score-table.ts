import { COUNT_NAMES } from '../measures/grammar/other-tools.ts';
import { measureNames, type Names } from './preset.ts';
import type { Counts, QueryScore, RunScore, ScoreResult } from './score-result.ts';

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
