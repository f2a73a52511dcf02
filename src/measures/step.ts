import type { Joined } from '../events.ts';
import { LEFT_OUT, WITH_POSITIVE, WITHOUT_POSITIVE } from './contract.ts';
import type { Places } from './places.ts';

/** Scores the list that the views have loaded: writes state, value or numerator, and denominator from out[at]. */
export type Step = (list: Joined, out: Float64Array, at: number) => void;

export function leaveOut(out: Float64Array, at: number): void {
  out[at] = LEFT_OUT;
  out[at + 1] = 0;
  out[at + 2] = 0;
}

/** Mean over lists. `value` NaN: left out. `places`: the list counts towards n+ if there are any. */
export function meanStep(value: (list: Joined) => number, places: Places): Step {
  return (list, out, at) => {
    const v = value(list);
    if (Number.isNaN(v)) {
      leaveOut(out, at);
      return;
    }
    out[at] = places.count > 0 ? WITH_POSITIVE : WITHOUT_POSITIVE;
    out[at + 1] = v;
    out[at + 2] = 0;
  };
}

/** `avg=weighted`: sum of R v over sum of R. */
export function weightedStep(value: (list: Joined) => number, positives: Places): Step {
  return fractionStep(
    (list) => positives.count * value(list),
    () => positives.count,
    positives,
  );
}

/** Sum of numerators over sum of denominators. Either NaN: left out. */
export function fractionStep(
  numerator: (list: Joined) => number,
  denominator: (list: Joined) => number,
  places: Places,
): Step {
  return (list, out, at) => {
    const above = numerator(list);
    const below = denominator(list);
    if (Number.isNaN(above) || Number.isNaN(below)) return leaveOut(out, at);
    out[at] = places.count > 0 ? WITH_POSITIVE : WITHOUT_POSITIVE;
    out[at + 1] = above;
    out[at + 2] = below;
  };
}
