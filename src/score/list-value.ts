import { LEFT_OUT, type SumsKind, WITH_POSITIVE } from '../measures/contract.ts';
import type { Measure } from '../measures/definition.ts';
import { classesOf, fractionOf, meanOf, ofMeans } from '../measures/value.ts';
import { assertNever } from '../vocabulary/events.ts';

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
      return meanOf(measure, 1, positive, out[at + 1]);
    case 'fraction':
    case 'pairs':
      return fractionOf(measure, out[at + 1], out[at + 2]);
    case 'means':
      return ofMeans(measure, 1, positive, out[at + 1], out[at + 2]);
    case 'classes':
      return classesOf(measure, out[at + 1], out[at + 2], out[at + 3], out[at + 4]);
    default:
      return assertNever(kind);
  }
}
