/** From rows to standard errors: the sums by user bucket of a row, as the statistics take them. */
import { type Row, shapeOf } from './accumulators/row.ts';
import {
  columnsBeforeSums,
  DENOMINATOR,
  LEFT_OUT_LISTS,
  LISTS,
  MORE_POSITIVES,
  NUMERATOR,
  POSITIVES,
  SUM,
  type Vector,
  vectorOffsets,
} from './accumulators/vector.ts';
import { SUMS } from './measures/contract.ts';
import type { Measure } from './measures/family.ts';
import { isPlainRatio, measureValue, sumsKind } from './measures/value.ts';
import { absent, isAbsent, type Result } from './statistics/absent.ts';
import type { BucketSums } from './statistics/effect.ts';
import { jackknife } from './statistics/jackknife.ts';
import { type Mean, meanOfBuckets, PUBLISHED_BUCKETS } from './statistics/mean.ts';
import { denominator, type Empty, numerator } from './statistics/policy.ts';

/** Sums of rows are whole numbers of 1e-9. */
const PER_ONE = 1e9;

/**
 * Numerators and denominators by bucket, by the measure's policy, in ones: of a plain ratio (value.ts).
 * @param first column of the measure
 */
export function bucketSums(vector: Vector, measure: Measure, first: number): BucketSums {
  const m = new Float64Array(vector.buckets);
  const d = new Float64Array(vector.buckets);
  const kind = sumsKind(measure);
  const empty = emptyOf(measure);
  for (const bucket of vector.filled()) {
    const sum = (column: number): number => Number(vector.sum(bucket, column));
    if (kind === 'classes') {
      // Accuracy: TP and TN over all slots.
      m[bucket] = (sum(first) + sum(first + 3)) / PER_ONE;
      d[bucket] = m[bucket] + (sum(first + 1) + sum(first + 2)) / PER_ONE;
      continue;
    }
    if (!SUMS[kind].counted) {
      m[bucket] = sum(first + NUMERATOR) / PER_ONE;
      d[bucket] = sum(first + DENOMINATOR) / PER_ONE;
      continue;
    }
    const sums = {
      n: sum(LISTS) - sum(first + LEFT_OUT_LISTS),
      positives: sum(POSITIVES) + sum(first + MORE_POSITIVES),
      sum: sum(first + SUM) / PER_ONE,
    };
    m[bucket] = numerator(empty, sums);
    d[bucket] = denominator(empty, sums);
  }
  return { m, d };
}

/**
 * Value and standard error of a measure from its buckets, as they may be published: by the delta method for a plain
 * ratio, else by leaving out one bucket after the other (statistics.md section 2). Absent: `no_data`; `no_vector` for a
 * measure that stands apart from rows.
 * @param first column of the measure
 */
export function meanOfVector(vector: Vector, measure: Measure, first: number): Result<Mean> {
  if (sumsKind(measure) === 'apart') return absent('no_vector');
  if (isPlainRatio(measure)) {
    const { m, d } = bucketSums(vector, measure, first);
    return meanOfBuckets(m, d, PUBLISHED_BUCKETS);
  }
  const columns = totalsByBucket(vector, measure, first);
  const statistic = (totals: readonly number[]): number | undefined => measureValue(measure, totals);
  const value = statistic(columns.map((column) => column.reduce((total, part) => total + part, 0)));
  if (value === undefined) return absent('no_data');
  return { value, stderr: jackknife(columns, statistic, PUBLISHED_BUCKETS), df: vector.buckets - 1 };
}

/** The fields of a row by bucket, in their order, without squares and tails. */
function totalsByBucket(vector: Vector, measure: Measure, first: number): readonly Float64Array[] {
  const kind = sumsKind(measure);
  const { counted, values } = SUMS[kind];
  const start = first + columnsBeforeSums(kind);
  const sum = (bucket: number, column: number): number => Number(vector.sum(bucket, column));
  const fields = [
    ...(counted
      ? [
          (b: number) => sum(b, LISTS) - sum(b, first + LEFT_OUT_LISTS),
          (b: number) => sum(b, POSITIVES) + sum(b, first + MORE_POSITIVES),
        ]
      : []),
    ...values.map((_, i) => (b: number) => sum(b, start + i)),
  ];
  const columns = fields.map(() => new Float64Array(vector.buckets));
  for (const bucket of vector.filled()) {
    for (const [i, field] of fields.entries()) columns[i][bucket] = field(bucket);
  }
  return columns;
}

/** How lists without positives count in a mean. */
export function emptyOf(measure: Measure): Empty {
  const empty = measure.params.get('empty');
  return empty === 'skip' || empty === 'one' ? empty : 'zero';
}

/**
 * The standard error of each measure of a row, as it may be published. Absent: `no_data`, `few_buckets`,
 * `zero_variance`, `unbounded`; `no_vector` where the vector does not hold all lists of the row.
 * @param measures those of the row's shape, in its order
 */
export function stderrsOf(row: Row, measures: readonly Measure[]): readonly Result<number>[] {
  const { vector } = row;
  const columns = vectorOffsets(shapeOf(measures).kinds);
  return measures.map((measure, m) => {
    if (vector === undefined || listsOf(vector) !== row.impressions) return absent('no_vector');
    const mean = meanOfVector(vector, measure, columns[m]);
    return isAbsent(mean) ? mean : mean.stderr;
  });
}

/** Number of lists in a vector. */
export function listsOf(vector: Vector): number {
  return vector.filled().reduce((sum, bucket) => sum + Number(vector.sum(bucket, LISTS)), 0);
}
