import { shapeOf, sumsOffsets } from '../accumulators/row.ts';
import { type Exact, SUMS_WIDTH } from '../measures/contract.ts';
import type { Measure } from '../measures/family.ts';
import { measureValue } from '../measures/value.ts';
import { hasScore, weighsImpressions } from './catalogue.ts';
import { labelText } from './exposition.ts';

/** S, Q and both sums of a fraction are whole numbers of 1e-9. */
const PER_ONE = 1e9;

/** Where a measure stands in a row, and how its series are labelled. */
export interface Column {
  readonly measure: Measure;
  /** `k` and `params`, where the measure has them. */
  readonly labels: string;
  readonly hasScore: boolean;
  readonly hasWeight: boolean;
  /** undefined: the row holds nothing for the measure. */
  value(sums: readonly Exact[]): number | undefined;
  /** What is to be divided by the weight, or by the impressions. */
  score(sums: readonly Exact[]): number;
  weight(sums: readonly Exact[]): number;
}

/** One per measure, for rows of these measures. */
export function columnsOf(measures: readonly Measure[]): readonly Column[] {
  const shape = shapeOf(measures);
  const { kinds } = shape;
  const offsets = sumsOffsets(shape);
  return measures.map((measure, m) => {
    const at = offsets[m];
    const isFraction = kinds[m] === 'fraction';
    const empty = measure.params.get('empty');
    return {
      measure,
      labels: labelText({ k: measure.k?.toString(), params: paramsOf(measure) }),
      hasScore: hasScore(measure),
      hasWeight: hasScore(measure) && !weighsImpressions(measure),
      value: (sums) => measureValue(measure, sums.slice(at, at + SUMS_WIDTH[kinds[m]])),
      score: (sums) => {
        if (isFraction) return Number(sums[at]) / PER_ONE;
        const sum = Number(sums[at + 2]) / PER_ONE;
        return empty === 'one' ? sum + Number(sums[at]) - Number(sums[at + 1]) : sum;
      },
      weight: (sums) => {
        if (isFraction) return Number(sums[at + 1]) / PER_ONE;
        return Number(empty === 'skip' ? sums[at + 1] : sums[at]);
      },
    };
  });
}

/** The text between the parentheses of the canonical name. */
function paramsOf({ canonical }: Measure): string | undefined {
  return /\((.*)\)/.exec(canonical)?.[1];
}
