import type { Measure } from '../measures/definition.ts';
import { LEFT_OUT, OUT, SCORE_WIDTH, type SumsKind, WITH_POSITIVE } from '../measures/sums.ts';
import { classesOf, fractionOf, meanOf, ofMeans, sumsKind } from '../measures/value.ts';
import { assertNever } from '../vocabulary/events.ts';

const { tp: TP, fp: FP, fn: FN, tn: TN } = OUT.classes;

/**
 * What one list adds to the mean over queries, from what the scorer wrote at `at`. The list must have a value. fraction, pairs: numerator
 * and denominator. means: two values, n, n+. classes: TP, FP, FN, TN. Others: the value and 1.
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

/** The value of a measure from summed parts, which is its mean over these lists; undefined: it has none. */
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

/** The value of one list, from what the scorer wrote at `at`: the mean over this list alone. undefined: the measure leaves the list out. */
export function listValue(measure: Measure, kind: SumsKind, out: Float64Array, at: number): number | undefined {
  if (out[at] === LEFT_OUT) return undefined;
  const positive = out[at] === WITH_POSITIVE ? 1 : 0;
  switch (kind) {
    case 'mean':
    case 'pairMeans':
    case 'apart':
      return meanOf(measure, 1, positive, out[at + OUT.mean.value]);
    case 'fraction':
    case 'pairs':
      return fractionOf(measure, out[at + OUT.fraction.above], out[at + OUT.fraction.below]);
    case 'means':
      return ofMeans(measure, 1, positive, out[at + OUT.means.first], out[at + OUT.means.second]);
    case 'classes':
      return classesOf(measure, out[at + TP], out[at + FP], out[at + FN], out[at + TN]);
    default:
      return assertNever(kind);
  }
}

/** Whether a list adds to the mean, from what the scorer wrote at `at`. A list without positives does not with `empty=skip`. */
export function addsToMean(measure: Measure, kind: SumsKind, out: Float64Array, at: number): boolean {
  if (out[at] === LEFT_OUT) return false;
  return kind === 'means' || kind === 'classes' || listValue(measure, kind, out, at) !== undefined;
}

const { below: BELOW } = OUT.fraction;

/**
 * Turns what the scorer wrote at `at` for a list of one slot without a judgement into the result of no list at all: its value is 0, or
 * none where slots are counted (fractions of slots, classes of slots).
 */
export function asNoList(measure: Measure, out: Float64Array, at: number): void {
  out[at + OUT.mean.value] = 0;
  switch (sumsKind(measure)) {
    case 'classes':
      out.fill(0, at + OUT.classes.fp, at + SCORE_WIDTH);
      break;
    case 'fraction':
      if (measure.definition.countsSlots?.(measure)) out[at + BELOW] = Math.max(0, out[at + BELOW] - 1);
      break;
    default:
  }
}
