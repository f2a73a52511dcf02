import { assertNever } from '../vocabulary/events.ts';
import { unbound } from './bound.ts';
import { type Measure, ofClasses } from './definition.ts';
import { type Exact, FIELD, PER_ONE, type SumsKind } from './sums.ts';

/** n, n+, S and Q have the same indexes in all means; so have both sides of all fractions. */
const { mean: MEAN, fraction: FRACTION, means: MEANS, classes: CLASSES, pairs: PAIRS, pairMeans: PAIR_MEANS } = FIELD;

/** What the measure keeps in a row. */
export function sumsKind({ definition: { kind }, params }: Measure): SumsKind {
  const per = params.get('per');
  if (kind === 'items' || per === 'user' || per === 'session') return 'apart';
  if (per === 'class') return 'classes';
  if (params.get('of') === 'means') return 'means';
  const isMean = (params.get('avg') ?? 'macro') === 'macro';
  if (kind === 'ratings') return isMean ? 'pairMeans' : 'pairs';
  return isMean ? 'mean' : 'fraction';
}

/** Whether the value is one sum over another, so that the plain delta method gives its error (specification: statistics 2.1). */
export function isPlainRatio(measure: Measure): boolean {
  const kind = sumsKind(measure);
  switch (kind) {
    case 'mean':
    case 'fraction':
    case 'pairMeans':
      return true;
    case 'pairs':
      return !isRoot(measure);
    case 'classes':
      return measure.params.get('avg') === 'micro';
    case 'means':
    case 'apart':
      return false;
    default:
      return assertNever(kind);
  }
}

/**
 * The value of a measure from the sums of a row, or of any number of merged rows, in the order of its kind
 * (sums.ts). A mean follows `empty`: lists without positives count as 0 (S / n), are skipped (S / n+), or count as 1.
 * undefined: nothing was counted, which is not 0, or the measure keeps its values outside of rows.
 */
export function measureValue(measure: Measure, sums: readonly Exact[]): number | undefined {
  const kind = sumsKind(measure);
  switch (kind) {
    case 'mean':
    case 'pairMeans':
      return meanOf(measure, Number(sums[MEAN.n]), Number(sums[MEAN.positives]), Number(sums[MEAN.sum]) / PER_ONE);
    case 'fraction':
    case 'pairs':
      return fractionOf(measure, Number(sums[FRACTION.above]), Number(sums[FRACTION.below]));
    case 'means':
      return ofMeans(
        measure,
        Number(sums[MEANS.n]),
        Number(sums[MEANS.positives]),
        Number(sums[MEANS.first]) / PER_ONE,
        Number(sums[MEANS.second]) / PER_ONE,
      );
    case 'classes':
      return classesOf(
        measure,
        Number(sums[CLASSES.tp]),
        Number(sums[CLASSES.fp]),
        Number(sums[CLASSES.fn]),
        Number(sums[CLASSES.tn]),
      );
    case 'apart':
      return undefined;
    default:
      return assertNever(kind);
  }
}

/**
 * The n to print beside the value: lists (n, or n+ with `empty=skip`), the denominator of a fraction, pairs, or the slots of
 * pooled classes.
 */
export function measureWeight(measure: Measure, sums: readonly Exact[]): number {
  const kind = sumsKind(measure);
  switch (kind) {
    case 'mean':
    case 'means':
    case 'pairMeans':
      return Number(measure.params.get('empty') === 'skip' ? sums[MEAN.positives] : sums[MEAN.n]);
    case 'fraction':
    case 'pairs':
      return Number(sums[FRACTION.below]) / PER_ONE;
    case 'classes':
      return sums.reduce<number>((total, cell) => total + Number(cell), 0) / PER_ONE;
    case 'apart':
      return 0;
    default:
      return assertNever(kind);
  }
}

/** The sum that is divided by the weight to get the value of a plain ratio, or the square of rmse. */
export function measureScore(measure: Measure, sums: readonly Exact[]): number {
  switch (sumsKind(measure)) {
    case 'fraction':
    case 'pairs':
      return Number(sums[FRACTION.above]) / PER_ONE;
    case 'classes':
      return (Number(sums[CLASSES.tp]) + Number(sums[CLASSES.tn])) / PER_ONE;
    case 'mean':
    case 'pairMeans': {
      const sum = Number(sums[MEAN.sum]) / PER_ONE;
      if (measure.params.get('empty') !== 'one') return sum;
      return sum + Number(sums[MEAN.n]) - Number(sums[MEAN.positives]);
    }
    default:
      return 0;
  }
}

/** For a measure of ratings: pairs of a rating and a score, and slots that have a rating; undefined: another measure. */
export function pairCounts(
  measure: Measure,
  sums: readonly Exact[],
): { readonly pairs: number; readonly rated: number } | undefined {
  const kind = sumsKind(measure);
  if (kind === 'pairs') {
    return { pairs: Number(sums[PAIRS.below]) / PER_ONE, rated: Number(sums[PAIRS.rated]) / PER_ONE };
  }
  if (kind === 'pairMeans') {
    return { pairs: Number(sums[PAIR_MEANS.pairs]) / PER_ONE, rated: Number(sums[PAIR_MEANS.rated]) / PER_ONE };
  }
  return undefined;
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

/** The fraction of two sums in the same unit, or its root for measures that are one. */
export function fractionOf(measure: Measure, above: number, below: number): number | undefined {
  if (below === 0) return undefined;
  return isRoot(measure) ? Math.sqrt(above / below) : above / below;
}

/** Whether the quotient of the sums is the square of the value. */
export function isRoot({ definition }: Measure): boolean {
  return definition.isRoot === true;
}

/** The value of two means over the same lists. */
export function ofMeans(
  measure: Measure,
  n: number,
  positive: number,
  firsts: number,
  seconds: number,
): number | undefined {
  const first = meanOf(measure, n, positive, firsts);
  const second = meanOf(measure, n, positive, seconds);
  if (first === undefined || second === undefined) return undefined;
  const { ofMeans: value } = measure.definition;
  if (value === undefined) throw unbound(measure);
  return value(measure, first, second);
}

/** The value of four cells, given in the same unit. */
export function classesOf(measure: Measure, tp: number, fp: number, fn: number, tn: number): number | undefined {
  const value = measure.definition.ofClass?.(measure);
  if (value === undefined) throw unbound(measure);
  return ofClasses({ tp, fp, fn, tn }, value, String(measure.params.get('avg')));
}
