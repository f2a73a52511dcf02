/** Converts a row's sums by user bucket to the inputs of the statistics, and these to standard errors. */
import { type Row, shapeOf } from '../accumulators/row.ts';
import {
  columnsBeforeSums,
  DENOMINATOR,
  EMPTY,
  LEFT_OUT_LISTS,
  LISTS,
  MORE_POSITIVES,
  NUMERATOR,
  POSITIVES,
  SUM,
  type Vector,
  vectorStarts,
} from '../accumulators/vector.ts';
import type { Measure } from '../measures/definition.ts';
import { FIELD, PER_ONE, SUMS } from '../measures/sums.ts';
import { isPlainRatio, measureValue, sumsKind } from '../measures/value.ts';
import { absent, isAbsent, type Result } from '../statistics/absent.ts';
import { type ArmMean, kishOf, spreadOf, usersOfKish } from '../statistics/arm.ts';
import type { BucketSums } from '../statistics/effect.ts';
import { jackknifed } from '../statistics/jackknife.ts';
import { type Mean, meanOfBuckets, PUBLISHED_BUCKETS, residualsOf } from '../statistics/mean.ts';
import { denominator, type Empty, numerator } from '../statistics/policy.ts';

/** The cells of classes have the same order as columns and as fields. */
const { tp: TP, fp: FP, fn: FN, tn: TN } = FIELD.classes;

/**
 * Numerators and denominators of a plain ratio (value.ts) by bucket, in units of 1, by the measure's policy.
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
      // Accuracy is TP plus TN over all slots.
      m[bucket] = (sum(first + TP) + sum(first + TN)) / PER_ONE;
      d[bucket] = m[bucket] + (sum(first + FP) + sum(first + FN)) / PER_ONE;
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
 * Value and standard error of a measure from its buckets, as they may be published: by the delta method for a plain ratio, else by
 * leaving out one bucket at a time (specification: statistics 2.1, 2.3). Absent: `no_data`; `no_vector` for a measure that is not kept in
 * rows.
 * @param first column of the measure
 */
function meanOfVector(vector: Vector, measure: Measure, first: number): Result<Mean> {
  const mean = armOfVector(vector, measure, first);
  return isAbsent(mean) ? mean : { value: mean.value, stderr: mean.stderr, df: mean.df };
}

/**
 * Like `meanOfVector`, for one variant of an experiment, with the weights on which its error is based. For a measure that is not a plain
 * ratio these are numbers of lists.
 */
export function armOfVector(vector: Vector, measure: Measure, first: number): Result<ArmMean> {
  if (sumsKind(measure) === 'apart') return absent('no_vector');
  if (isPlainRatio(measure)) return armOfSums(vector, bucketSums(vector, measure, first));
  const columns = totalsByBucket(vector, measure, first);
  const statistic = (totals: readonly number[]): number | undefined => measureValue(measure, totals);
  const value = statistic(columns.map((column) => column.reduce((total, part) => total + part, 0)));
  if (value === undefined) return absent('no_data');
  const { stderr, shifts } = jackknifed(columns, statistic, PUBLISHED_BUCKETS);
  return { value, stderr, df: vector.buckets - 1, ...sizes(vector, listsByBucket(vector)), spread: spreadOf(shifts) };
}

/** The share of empty lists of one variant, from their number in each bucket. */
export function emptyShare(vector: Vector): Result<ArmMean> {
  return armOfSums(vector, { m: byBucket(vector, EMPTY), d: listsByBucket(vector) });
}

function armOfSums(vector: Vector, { m, d }: BucketSums): Result<ArmMean> {
  const mean = meanOfBuckets(m, d, PUBLISHED_BUCKETS);
  if (isAbsent(mean)) return mean;
  const scaled = isAbsent(mean.stderr) ? [] : (residualsOf(m, d)?.scaled ?? []);
  let weight = 0;
  for (let b = 0; b < d.length; b++) weight += d[b];
  return { ...mean, ...sizes(vector, d), spread: spreadOf(scaled), weight };
}

function sizes(vector: Vector, d: ArrayLike<number>): Pick<ArmMean, 'kish' | 'users'> {
  const kish = kishOf(d);
  return { kish, users: usersOfKish(kish, vector.buckets, listsOf(vector)) };
}

/** The fields of a row by bucket, in order, without squares and tails. */
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
 * `zero_variance`, `unbounded`; `no_vector` if the vector does not contain all lists of the row.
 * @param measures those of the row's shape, in its order
 */
export function stderrsOf(row: Row, measures: readonly Measure[]): readonly Result<number>[] {
  const { vector } = row;
  const columns = vectorStarts(shapeOf(measures).kinds);
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

export function listsByBucket(vector: Vector): Float64Array {
  return byBucket(vector, LISTS);
}

function byBucket(vector: Vector, column: number): Float64Array {
  const sums = new Float64Array(vector.buckets);
  for (const bucket of vector.filled()) sums[bucket] = Number(vector.sum(bucket, column));
  return sums;
}
