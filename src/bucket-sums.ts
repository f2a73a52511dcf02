/** From rows to standard errors: the sums by user bucket of a row, as the statistics take them. */
import { type Row, shapeOf } from './accumulators/row.ts';
import {
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
import type { Measure } from './measures/family.ts';
import { sumsKind } from './measures/value.ts';
import { absent, isAbsent, type Result } from './statistics/absent.ts';
import type { BucketSums } from './statistics/effect.ts';
import { meanOfBuckets, PUBLISHED_BUCKETS } from './statistics/mean.ts';
import { denominator, type Empty, numerator } from './statistics/policy.ts';

/** Sums of rows are whole numbers of 1e-9. */
const PER_ONE = 1e9;

/** Numerators and denominators by bucket, by the measure's policy, in ones. @param first column of the measure */
export function bucketSums(vector: Vector, measure: Measure, first: number): BucketSums {
  const m = new Float64Array(vector.buckets);
  const d = new Float64Array(vector.buckets);
  const isFraction = sumsKind(measure) === 'fraction';
  const empty = emptyOf(measure);
  for (const bucket of vector.filled()) {
    const sum = (column: number): number => Number(vector.sum(bucket, column));
    if (isFraction) {
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
    const { m: above, d: below } = bucketSums(vector, measure, columns[m]);
    const mean = meanOfBuckets(above, below, PUBLISHED_BUCKETS);
    return isAbsent(mean) ? mean : mean.stderr;
  });
}

/** Number of lists in a vector. */
export function listsOf(vector: Vector): number {
  return vector.filled().reduce((sum, bucket) => sum + Number(vector.sum(bucket, LISTS)), 0);
}
