import type { Measure } from '../measures/definition.ts';
import { isPlainRatio, sumsKind } from '../measures/value.ts';
import { type Absence, type Absent, absent, isAbsent, type Result } from '../statistics/absent.ts';
import { tQuantile } from '../statistics/distributions.ts';
import { type Difference, fixedHorizon, pairedEffect } from '../statistics/effect.ts';
import { jackknife } from '../statistics/jackknife.ts';
import { type Interval, interval, intervalOfMean, meanOfBuckets } from '../statistics/mean.ts';
import { valueOfSums } from './list-values.ts';
import type { QueryScore, ScoreResult } from './score-result.ts';

/**
 * One run against another by one measure, paired by query: every query is known, so queries are the clusters
 * (specification: statistics 3.2). A value that does not exist is null, with the reason.
 */
export interface Comparison {
  readonly run: string;
  readonly baseline: string;
  readonly measure: string;
  /** Number of queries that have a value in both runs. */
  readonly queries: number;
  readonly effect: number | null;
  readonly stderr: number | null;
  readonly ci: readonly [lower: number, upper: number] | null;
  readonly p: number | null;
  readonly reason?: Absence;
}

/** Intervals and p are not adjusted for the number of comparisons. */
export const ALPHA = 0.05;

/**
 * Compares every run with the first.
 * @param names of the measures
 */
export function compareRuns({ measures, runs }: ScoreResult, names: readonly string[]): readonly Comparison[] {
  const [baseline, ...others] = runs;
  return others.flatMap((run) =>
    measures.map((measure, m): Comparison => {
      const { queries, control, treatment } = paired(baseline.perQuery, run.perQuery, m);
      const common = { run: run.name, baseline: baseline.name, measure: names[m], queries };
      return { ...common, ...tested(effectOf(measure, control, treatment)) };
    }),
  );
}

type Tested = Pick<Comparison, 'effect' | 'stderr' | 'ci' | 'p' | 'reason'>;

function tested(effect: Result<Difference>): Tested {
  const none = { effect: null, stderr: null, ci: null, p: null };
  if (isAbsent(effect)) return { ...none, reason: effect.absent };
  const { difference, error } = effect;
  if (isAbsent(error)) return { ...none, effect: difference, reason: error.absent };
  const found = fixedHorizon({ difference, error }, ALPHA);
  if (isAbsent(found)) return { ...none, effect: difference, reason: found.absent };
  return { effect: difference, stderr: error.stderr, ci: [found.lower, found.upper], p: found.p };
}

/** Columns of sums, each with one element per query. */
type Columns = readonly (readonly number[])[];

/**
 * Uses the paired formula for a mean, which is one sum over another. Other values (rmse, `of=means`, `per=class`) are jackknifed: one
 * query at a time is left out of both runs.
 */
function effectOf(measure: Measure, control: Columns, treatment: Columns): Result<Difference> {
  const kind = sumsKind(measure);
  if (kind === 'apart') return absent('no_vector');
  if (control.length === 0) return absent('no_data');
  if (isPlainRatio(measure) && kind !== 'classes') {
    return pairedEffect({ m: control[0], d: control[1] }, { m: treatment[0], d: treatment[1] });
  }
  const columns = [...control, ...treatment];
  const statistic = (totals: readonly number[]): number | undefined => {
    const before = valueOfSums(measure, totals.slice(0, control.length));
    const after = valueOfSums(measure, totals.slice(control.length));
    return before === undefined || after === undefined ? undefined : after - before;
  };
  const difference = statistic(columns.map((column) => column.reduce((sum, part) => sum + part, 0)));
  if (difference === undefined || !Number.isFinite(difference)) return absent('no_data');
  const stderr = jackknife(columns, statistic);
  return { difference, error: isAbsent(stderr) ? stderr : { stderr, df: control[0].length - 1 } };
}

/** The sums of the queries that have a value in both runs, as columns. */
function paired(
  control: readonly QueryScore[],
  treatment: readonly QueryScore[],
  m: number,
): { readonly queries: number; readonly control: Columns; readonly treatment: Columns } {
  const before = new Map(control.map((score) => [score.query, score]));
  const both = treatment.flatMap((score) => {
    const other = before.get(score.query);
    if (other === undefined || Number.isNaN(score.values[m]) || Number.isNaN(other.values[m])) return [];
    return [{ control: sumsOf(other, m), treatment: sumsOf(score, m) }];
  });
  const columns = (side: 'control' | 'treatment'): Columns =>
    both.length === 0 ? [] : both[0][side].map((_, column) => both.map((pair) => pair[side][column]));
  return { queries: both.length, control: columns('control'), treatment: columns('treatment') };
}

function sumsOf({ sums = [] }: QueryScore, m: number): readonly number[] {
  return sums[m] ?? [];
}

/**
 * The interval of a run's mean over queries: queries are the clusters (specification: statistics 2.1). A plain ratio has a formula,
 * others leave out one query at a time.
 * @param perQuery with sums
 * @param m index of the measure
 * @returns absent: `no_vector` if the measure is not a sum, or the reason why there is no error
 */
export function meanInterval(
  measure: Measure,
  perQuery: readonly QueryScore[],
  m: number,
  alpha: number,
): Interval | Absent {
  const kind = sumsKind(measure);
  if (kind === 'apart') return absent('no_vector');
  const sums = perQuery.flatMap(({ values, sums: own }) => (Number.isNaN(values[m]) ? [] : [own?.[m] ?? []]));
  if (sums.length === 0) return absent('no_data');
  const columns = sums[0].map((_, column) => sums.map((query) => query[column]));
  if (isPlainRatio(measure) && kind !== 'classes') {
    const mean = meanOfBuckets(columns[0], columns[1]);
    return isAbsent(mean) ? mean : intervalOfMean(mean, alpha);
  }
  const statistic = (totals: readonly number[]): number | undefined => valueOfSums(measure, totals);
  const value = statistic(columns.map((column) => column.reduce((sum, part) => sum + part, 0)));
  const stderr = jackknife(columns, statistic);
  if (value === undefined) return absent('no_data');
  if (isAbsent(stderr)) return stderr;
  const half = -tQuantile(alpha / 2, sums.length - 1) * stderr;
  return interval(value - half, value + half);
}
