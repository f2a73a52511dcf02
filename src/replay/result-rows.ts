/** Rows of a replay's result: a cohort at a horizon, with its measures and with its lists that are still open. */
import { type Row, shapeOf, sumsStarts } from '../accumulators/row.ts';
import type { Settings } from '../config/settings.ts';
import { isClustered } from '../measures/clusters.ts';
import type { Measure } from '../measures/definition.ts';
import { pairCounts } from '../measures/value.ts';
import { type Absence, isAbsent, type Result } from '../statistics/absent.ts';
import type { DurationMs } from '../vocabulary/events.ts';
import { allYoung, type YoungLists } from '../vocabulary/young-lists.ts';
import { stderrsOf } from '../windows/bucket-sums.ts';
import { type CohortRow, rowValue } from '../windows/windows.ts';
import type { Open } from './open-lists.ts';
import type { UserMean, UserMeans } from './user-means.ts';

/** One measure of one cohort. `value` is null if undefined; `stderr` is null, with its reason, if absent. */
export interface ResultMeasure {
  readonly value: number | null;
  /** Number of lists counted, or the denominator of a fraction, or the number of users or sessions. */
  readonly n: number;
  readonly stderr: number | null;
  readonly reason?: Absence;
  /** For a measure of score against rating: number of slots with both, and their share of the slots with a rating; null: none has one. */
  readonly pairs?: number;
  readonly scoredShare?: number | null;
  /** For a mean over users or sessions: number of lists left out because they have no such id. */
  readonly withoutId?: number;
}

export interface ResultRow {
  readonly by: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly horizon: string;
  readonly window: string;
  readonly impressions: number;
  readonly positives: number;
  /** Number of lists without slots (`isEmptyList`); absent: there are none. */
  readonly empty?: number;
  /** Number of lists that are in none of these numbers, because they were younger than the horizon when the feedback ended. */
  readonly open: number;
  /** Present if there are some: ISO times up to which feedback must reach for the first of them to count, and for all of them. */
  readonly knownFrom?: string;
  readonly allKnownFrom?: string;
  readonly measures: Readonly<Record<string, ResultMeasure>>;
  /** Counts by rank from 1 on, if they are kept: lists with an item at that rank, and lists with a positive there. */
  readonly positions?: { readonly exposed: readonly number[]; readonly positives: readonly number[] };
}

export function resultRow(
  settings: Settings,
  { by, values, row }: CohortRow,
  horizon: string,
  window: string,
  userMean: (measure: Measure) => UserMean | undefined,
): Omit<ResultRow, 'open'> {
  return {
    by,
    labels: Object.fromEntries(by.map((dimension, i) => [dimension, values[i]])),
    horizon,
    window,
    impressions: row.impressions,
    positives: row.positives,
    ...(row.empty === 0 ? {} : { empty: row.empty }),
    measures: measuresOf(settings, row, userMean),
    ...(row.positions === undefined
      ? {}
      : { positions: { exposed: [...row.positions.exposed], positives: [...row.positions.positives] } }),
  };
}

/** Means over users of one row, which are stored outside of the rows. */
export function userMeansOf(
  users: UserMeans | undefined,
  rows: readonly CohortRow[],
  horizon: number,
  { by, values }: CohortRow,
): (measure: Measure) => UserMean | undefined {
  if (users === undefined) return () => undefined;
  const named = new Set(rows.filter((row) => row.by.join() === by.join()).map((row) => row.values.join(',')));
  return (measure) => (isClustered(measure) ? users.of(measure, horizon, by, values, named) : undefined);
}

function measuresOf(
  { measures, itemFile }: Settings,
  row: Row,
  userMean: (measure: Measure) => UserMean | undefined,
): Readonly<Record<string, ResultMeasure>> {
  const starts = sumsStarts(shapeOf(measures));
  const stderrs = stderrsOf(row, measures);
  return Object.fromEntries(
    measures.map((measure, m): readonly [string, ResultMeasure] => {
      const mean = userMean(measure);
      if (mean !== undefined) {
        const { value, n, stderr, withoutId } = mean;
        return [measure.canonical, { value, n, ...errorOf(stderr), withoutId }];
      }
      const sums = row.sums.slice(starts[m], starts[m + 1]);
      const { value = null, n } = rowValue(measure, row, sums, itemFile?.size ?? 0);
      const counts = pairCounts(measure, sums);
      const pairs =
        counts === undefined
          ? {}
          : { pairs: counts.pairs, scoredShare: counts.rated === 0 ? null : counts.pairs / counts.rated };
      return [measure.canonical, { value, n, ...errorOf(stderrs[m]), ...pairs }];
    }),
  );
}

function errorOf(stderr: Result<number>): Pick<ResultMeasure, 'stderr' | 'reason'> {
  return isAbsent(stderr) ? { stderr: null, reason: stderr.absent } : { stderr };
}

/** Adds the delay by which the watermark follows, `outOfOrderness`, so that these are times of feedback. */
export function openOf(
  open: Open | undefined,
  outOfOrderness: DurationMs,
): Pick<ResultRow, 'open' | 'knownFrom' | 'allKnownFrom'> {
  if (open === undefined) return { open: 0 };
  const [knownFrom, allKnownFrom] = [open.first, open.last].map((at) => new Date(at + outOfOrderness).toISOString());
  return { open: open.lists, knownFrom, allKnownFrom };
}

/** The open lists of these rows together: none, or one entry. */
export function youngLists(...rows: readonly ResultRow[]): readonly YoungLists[] {
  const all = allYoung(
    rows.flatMap(({ open: lists, knownFrom, allKnownFrom }) =>
      knownFrom === undefined || allKnownFrom === undefined ? [] : [{ lists, knownFrom, allKnownFrom }],
    ),
  );
  return all === undefined ? [] : [all];
}

/** Orders rows by grouping set, then cohort, then horizon as text, so that the order depends only on the rows. */
export function compareRows(a: ResultRow, b: ResultRow): number {
  const key = (row: ResultRow): string =>
    JSON.stringify([row.by.length, row.by, row.by.map((dimension) => row.labels[dimension]), row.window, row.horizon]);
  return key(a) < key(b) ? -1 : 1;
}
