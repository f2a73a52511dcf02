import type { Row } from '../accumulators/row.ts';
import { shapeOf, sumsOffsets } from '../accumulators/row.ts';
import { vectorOffsets } from '../accumulators/vector.ts';
import type { Measure } from '../measures/definition.ts';
import { measureValue } from '../measures/value.ts';
import { absent, type Result } from '../statistics/absent.ts';
import { type ArmMean, heaviestShare } from '../statistics/arm.ts';
import { armOfVector, listsByBucket } from '../windows/bucket-sums.ts';
import type { VariantState } from './state.ts';

/** A variant's state from its row. @param measures those of the row's shape, in its order */
export function variantState(row: Row, measures: readonly Measure[]): VariantState {
  const { impressions, positives, userless, vector } = row;
  const shape = shapeOf(measures);
  const sums = sumsOffsets(shape);
  const columns = vectorOffsets(shape.kinds);
  const means = measures.map((measure, m): readonly [string, Result<ArmMean>] => {
    if (vector === undefined) return [measure.canonical, headMean(measure, row.sums.slice(sums[m], sums[m + 1]))];
    return [measure.canonical, armOfVector(vector, measure, columns[m])];
  });
  return {
    impressions,
    positives,
    userless,
    buckets: vector?.filled().length ?? 0,
    heaviest: vector === undefined ? 0 : heaviestShare(listsByBucket(vector)),
    means: new Map(means),
  };
}

/** A value without an error. */
function headMean(measure: Measure, sums: Row['sums']): Result<ArmMean> {
  const value = measureValue(measure, sums);
  return value === undefined
    ? absent('no_data')
    : { value, stderr: absent('no_vector'), df: 0, kish: 0, users: 0, spread: 0 };
}
