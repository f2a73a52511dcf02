import type { Measure } from '../measures/family.ts';
import { sumsKind } from '../measures/value.ts';

/**
 * Turns what the scorer wrote, from out[at] on, for a list of one slot that nobody judged into that of no list at all: it is
 * worth 0, and where slots are counted (fractions of slots, classes of slots) it has none.
 */
export function emptied(measure: Measure, out: Float64Array, at: number): void {
  out[at + 1] = 0;
  switch (sumsKind(measure)) {
    case 'classes':
      out.fill(0, at + 2, at + 5);
      break;
    case 'fraction':
      if (measure.definition.countsSlots?.(measure)) out[at + 2] = Math.max(0, out[at + 2] - 1);
      break;
    default:
  }
}
