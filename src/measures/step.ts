import type { Joined } from '../vocabulary/events.ts';
import { LEFT_OUT, OUT, SCORE_WIDTH, WITH_POSITIVE, WITHOUT_POSITIVE } from './sums.ts';

const { value: VALUE } = OUT.mean;
const { above: ABOVE, below: BELOW } = OUT.fraction;
const { tp: TP, fp: FP, fn: FN, tn: TN } = OUT.classes;

/** Scores the list that the views have loaded: writes its state from out[at] on, then what its kind of sums needs. */
export type Step = (list: Joined, out: Float64Array, at: number) => void;

/** Decides whether a list counts towards n+: it does if `count` is above 0. */
export interface Counted {
  readonly count: number;
}

export function leaveOut(out: Float64Array, at: number): void {
  out[at] = LEFT_OUT;
  for (let i = 1; i < SCORE_WIDTH; i++) out[at + i] = 0;
}

function stateOf({ count }: Counted): number {
  return count > 0 ? WITH_POSITIVE : WITHOUT_POSITIVE;
}

/**
 * A mean over lists.
 * @param value NaN: the list is left out
 */
export function meanStep(value: (list: Joined) => number, counted: Counted): Step {
  return (list, out, at) => {
    const v = value(list);
    if (Number.isNaN(v)) {
      leaveOut(out, at);
      return;
    }
    out[at] = stateOf(counted);
    out[at + VALUE] = v;
    out[at + VALUE + 1] = 0;
  };
}

/** The step for `empty=one`: an empty list counts 0, as does one with positives. */
export function emptyAsZero(step: Step): Step {
  return (list, out, at) => {
    step(list, out, at);
    if (list.length === 0 && out[at] === WITHOUT_POSITIVE) out[at] = WITH_POSITIVE;
  };
}

/** For `avg=weighted`: sum of R v over sum of R. */
export function weightedStep(value: (list: Joined) => number, relevant: Counted): Step {
  return fractionStep(
    (list) => relevant.count * value(list),
    () => relevant.count,
    relevant,
  );
}

/** Sum of numerators over sum of denominators. If either is NaN, the list is left out. */
export function fractionStep(
  numerator: (list: Joined) => number,
  denominator: (list: Joined) => number,
  counted: Counted,
): Step {
  return (list, out, at) => {
    const above = numerator(list);
    const below = denominator(list);
    if (Number.isNaN(above) || Number.isNaN(below)) return leaveOut(out, at);
    out[at] = stateOf(counted);
    out[at + ABOVE] = above;
    out[at + BELOW] = below;
  };
}

/** The four cells of a list's slots: TP, FP, FN, TN. */
export function classesStep(cells: {
  readonly hits: () => number;
  readonly taken: (list: Joined) => number;
  readonly relevant: Counted;
}): Step {
  return (list, out, at) => {
    const hits = cells.hits();
    const taken = cells.taken(list);
    out[at] = stateOf(cells.relevant);
    out[at + TP] = hits;
    out[at + FP] = taken - hits;
    out[at + FN] = cells.relevant.count - hits;
    out[at + TN] = list.length - taken - cells.relevant.count + hits;
  };
}

/** The (score, rating) pairs of the current list, and how many of its slots have a rating. */
interface CountedPairs extends Counted {
  readonly rated: number;
}

/** Sum of errors over the number of pairs. A list without pairs is left out, but its rated slots are counted. */
export function pairsStep(sum: () => number, pairs: CountedPairs, counted: Counted): Step {
  return (_list, out, at) => {
    if (pairs.count === 0) leaveOut(out, at);
    else out[at] = stateOf(counted);
    out[at + ABOVE] = pairs.count === 0 ? 0 : sum();
    out[at + BELOW] = pairs.count;
    out[at + OUT.pairs.rated] = pairs.rated;
  };
}

/** A mean over lists of a value of their pairs. A list whose value is NaN is left out, but its pairs and rated slots are counted. */
export function pairMeansStep(value: () => number, pairs: CountedPairs, counted: Counted): Step {
  return (_list, out, at) => {
    const v = pairs.count === 0 ? Number.NaN : value();
    if (Number.isNaN(v)) leaveOut(out, at);
    else out[at] = stateOf(counted);
    out[at + VALUE] = Number.isNaN(v) ? 0 : v;
    out[at + OUT.pairMeans.pairs] = pairs.count;
    out[at + OUT.pairMeans.rated] = pairs.rated;
  };
}
