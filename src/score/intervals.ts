import type { Measure } from '../measures/definition.ts';
import { isPlainRatio, sumsKind } from '../measures/value.ts';
import { type Absent, absent, isAbsent } from '../statistics/absent.ts';
import { tQuantile } from '../statistics/distributions.ts';
import { jackknife } from '../statistics/jackknife.ts';
import { type Interval, interval, intervalOfMean, meanOfBuckets } from '../statistics/mean.ts';
import { valueOfSums } from './list-sums.ts';
import type { QueryScore } from './score-result.ts';

/**
 * The interval of a run's mean over queries: queries are the clusters (specification: statistics 2.1). A plain ratio by its formula,
 * what is none by leaving out one query after the other.
 *
 * @param perQuery with sums @param m place of the measure
 * @returns absent: `no_vector` where the measure is no sum, and what the error lacks
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
