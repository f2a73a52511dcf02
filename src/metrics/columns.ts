import { type Row, shapeOf, sumsOffsets } from '../accumulators/row.ts';
import type { Measure } from '../measures/definition.ts';
import { type Exact, SUMS_WIDTH } from '../measures/sums.ts';
import { measureScore, measureWeight } from '../measures/value.ts';
import { rowValue } from '../windows/row-value.ts';
import { hasScore, weighsImpressions } from './catalogue.ts';
import { labelText } from './exposition.ts';

/** Where a measure stands in a row, and how its series are labelled. */
export interface Column {
  readonly measure: Measure;
  /** `k` and `params`, where the measure has them. */
  readonly labels: string;
  readonly hasScore: boolean;
  readonly hasWeight: boolean;
  /** undefined: the row holds nothing for the measure. */
  value(row: Row): number | undefined;
  /** What is to be divided by the weight, or by the impressions. */
  score(sums: readonly Exact[]): number;
  weight(sums: readonly Exact[]): number;
}

/** One per measure, for rows of these measures. `catalogueSize`: number of its items. */
export function columnsOf(measures: readonly Measure[], catalogueSize = 0): readonly Column[] {
  const shape = shapeOf(measures);
  const { kinds } = shape;
  const offsets = sumsOffsets(shape);
  return measures.map((measure, m) => {
    const at = offsets[m];
    const own = (sums: readonly Exact[]): readonly Exact[] => sums.slice(at, at + SUMS_WIDTH[kinds[m]]);
    return {
      measure,
      labels: labelText({ k: measure.k?.toString(), params: paramsOf(measure) }),
      hasScore: hasScore(measure),
      hasWeight: hasScore(measure) && !weighsImpressions(measure),
      value: (row) => rowValue(measure, row, own(row.sums), catalogueSize).value,
      score: (sums) => measureScore(measure, own(sums)),
      weight: (sums) => measureWeight(measure, own(sums)),
    };
  });
}

/** The text between the parentheses of the canonical name. */
export function paramsOf({ canonical }: Measure): string | undefined {
  return /\((.*)\)/.exec(canonical)?.[1];
}
