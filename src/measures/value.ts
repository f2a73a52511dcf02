import type { Exact, SumsKind } from './contract.ts';
import type { Measure } from './family.ts';

/** S, Q and the sums of a fraction are whole numbers of 1e-9. */
const PER_ONE = 1e9;

/** What the measure keeps in a row. */
export function sumsKind(measure: Measure): SumsKind {
  return measure.params.get('avg') === 'macro' ? 'mean' : 'fraction';
}

/**
 * The value of a measure from the sums of a row, or of any number of merged rows: n, n+, S, Q of a mean, numerator and
 * denominator of a fraction (measures.md section 2). A mean follows `empty`: lists without positives count as 0 (S / n),
 * are skipped (S / n+), or count as 1. undefined: nothing was counted, which is not 0.
 */
export function measureValue(measure: Measure, sums: readonly Exact[]): number | undefined {
  if (sumsKind(measure) === 'fraction') return fractionOf(Number(sums[0]), Number(sums[1]));
  return meanOf(measure, Number(sums[0]), Number(sums[1]), Number(sums[2]) / PER_ONE);
}

/** The n to print beside the value: lists counted (n, or n+ with `empty=skip`), or the denominator of a fraction. */
export function measureWeight(measure: Measure, sums: readonly Exact[]): number {
  if (sumsKind(measure) === 'fraction') return Number(sums[1]) / PER_ONE;
  return Number(measure.params.get('empty') === 'skip' ? sums[1] : sums[0]);
}

/** The mean of values that sum to `sum` over `n` lists, `positive` of them with positives. */
export function meanOf(measure: Measure, n: number, positive: number, sum: number): number | undefined {
  switch (measure.params.get('empty')) {
    case 'skip':
      return positive === 0 ? undefined : sum / positive;
    case 'one':
      return n === 0 ? undefined : (sum + n - positive) / n;
    default:
      return n === 0 ? undefined : sum / n;
  }
}

export function fractionOf(above: number, below: number): number | undefined {
  return below === 0 ? undefined : above / below;
}
