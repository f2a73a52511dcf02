import type { Measure } from '../measures/definition.ts';
import { OUT, type SumsKind, WITH_POSITIVE } from '../measures/sums.ts';
import { classesOf, fractionOf, ofMeans, sumsKind } from '../measures/value.ts';
import { assertNever } from '../vocabulary/events.ts';

const { tp: TP, fp: FP, fn: FN, tn: TN } = OUT.classes;

/**
 * What one list adds to the mean over queries, from what the scorer wrote for it, from out[at] on. The list has a value.
 * fraction, pairs: numerator and denominator. means: two values, n, n+. classes: TP, FP, FN, TN. Others: the value and 1.
 */
export function listSums(kind: SumsKind, value: number, out: Float64Array, at: number): readonly number[] {
  switch (kind) {
    case 'mean':
    case 'pairMeans':
    case 'apart':
      return [value, 1];
    case 'fraction':
    case 'pairs':
      return [out[at + OUT.fraction.above], out[at + OUT.fraction.below]];
    case 'means':
      return [out[at + OUT.means.first], out[at + OUT.means.second], 1, out[at] === WITH_POSITIVE ? 1 : 0];
    case 'classes':
      return [out[at + TP], out[at + FP], out[at + FN], out[at + TN]];
    default:
      return assertNever(kind);
  }
}

/** The measure of added sums, as its mean over these lists is; undefined: it has none. */
export function valueOfSums(measure: Measure, [a, b, c, d]: readonly number[]): number | undefined {
  const kind = sumsKind(measure);
  switch (kind) {
    case 'mean':
    case 'pairMeans':
      return b === 0 ? undefined : a / b;
    case 'fraction':
    case 'pairs':
      return fractionOf(measure, a, b);
    case 'means':
      return ofMeans(measure, c, d, a, b);
    case 'classes':
      return classesOf(measure, a, b, c, d);
    case 'apart':
      return undefined;
    default:
      return assertNever(kind);
  }
}
