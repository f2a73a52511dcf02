import type { Measure } from '../measures/definition.ts';
import { LEFT_OUT, OUT, type SumsKind, WITH_POSITIVE } from '../measures/sums.ts';
import { classesOf, fractionOf, meanOf, ofMeans } from '../measures/value.ts';
import { assertNever } from '../vocabulary/events.ts';

const { tp: TP, fp: FP, fn: FN, tn: TN } = OUT.classes;

/**
 * The value of one list from what the scorer wrote for it, from out[at] on: the mean over this list alone. undefined: the
 * measure leaves the list out.
 */
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
