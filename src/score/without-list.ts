import type { Measure } from '../measures/definition.ts';
import { OUT, SCORE_WIDTH } from '../measures/sums.ts';
import { sumsKind } from '../measures/value.ts';

const { below: BELOW } = OUT.fraction;

/**
 * Turns what the scorer wrote, from out[at] on, for a list of one slot that nobody judged into that of no list at all: it is
 * worth 0, and where slots are counted (fractions of slots, classes of slots) it has none.
 */
export function emptied(measure: Measure, out: Float64Array, at: number): void {
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
