/** Helpers with which measures read their parameters and the list when they are bound. */
import type { Joined } from '../vocabulary/events.ts';
import type { Binding, ListPart, Measure } from './definition.ts';
import type { Graded } from './grade.ts';
import { type Places, placesBetween, placesUpTo, slotsBetween, slotsUpTo } from './places.ts';
import type { Pairs } from './rated.ts';
import { type Counted, classesStep, meanStep, pairMeansStep, pairsStep, type Step, weightedStep } from './step.ts';
import type { Credit } from './touched.ts';
import type { Views } from './views.ts';

/** The measure's cut-off; without one every rank counts. */
export function cutOf(measure: Measure): number {
  return measure.k ?? Number.POSITIVE_INFINITY;
}

export function textOf(measure: Measure, key: string): string | undefined {
  const value = measure.params.get(key);
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(measure: Measure, key: string): number {
  const value = measure.params.get(key);
  if (typeof value !== 'number') throw unbound(measure);
  return value;
}

/** The element of `words` that the value of a parameter chooses. */
export function chosen<T>(measure: Measure, key: string, words: Readonly<Record<string, T>>): T {
  const value = textOf(measure, key);
  if (value === undefined || !Object.hasOwn(words, value)) throw unbound(measure);
  return words[value];
}

export function creditOf(measure: Measure): Credit {
  return measure.params.get('dup') === 'each' ? 'each' : 'first';
}

/** The views and functions from which measures of the positions of positives are built. */
interface Positions {
  readonly k: number;
  /** The positives of the shown list. */
  readonly positives: Places;
  /** R. */
  readonly relevant: Counted;
  /** Number of positives of rank <= k. */
  readonly hits: () => number;
  /** A mean over lists of this value, by the measure's `avg`. */
  readonly overLists: (value: (list: Joined) => number) => Step;
}

export function positionsOf(measure: Measure, views: Views): Positions {
  const k = cutOf(measure);
  const positives = views.positives(textOf(measure, 'action'), creditOf(measure), numberOf(measure, 'rel'));
  const relevant = relevantOf(measure, views);
  return {
    k,
    positives,
    relevant,
    hits: () => placesUpTo(positives, k),
    overLists: (value) => overLists(measure, value, relevant, relevant),
  };
}

/** The views and functions from which measures of graded slots are built. */
interface GradedSlots {
  readonly k: number;
  readonly graded: Graded;
  /** R. */
  readonly relevant: Counted;
  /** The ideal grades above 0. If every grade counts, a list without any does not count towards n+. */
  readonly gained: Counted;
}

export function gradedSlotsOf(measure: Measure, views: Views): GradedSlots {
  const action = textOf(measure, 'action');
  const graded = views.graded(action, creditOf(measure));
  return {
    k: cutOf(measure),
    graded,
    relevant: relevantOf(measure, views),
    gained: measure.params.get('ideal') === 'all' ? views.known(action) : graded,
  };
}

/** The rated pairs of a list, by score or by rank. */
export function pairsOf(measure: Measure, views: Views): Pairs {
  const by = textOf(measure, 'by') === 'rank' ? 'rank' : 'score';
  return views.pairs(textOf(measure, 'action') ?? 'rating', creditOf(measure), by);
}

/** A mean over lists of a value of their pairs. It ignores positives, so n+ is that of `relevantFrom`. */
export function overPairs(measure: Measure, views: Views, pairs: Pairs, value: () => number): Step {
  const usual = views.usual();
  if (measure.params.get('per') === 'impression') return pairMeansStep(value, pairs, usual);
  return meanStep(() => (pairs.count === 0 ? Number.NaN : value()), usual);
}

/**
 * A mean of errors, over all pairs, or per list and then over lists.
 * @param sum of the errors of a list's pairs
 * @param ofMean applied to a list's mean
 */
export function errorsStep(
  measure: Measure,
  { views }: Binding,
  sum: (pairs: Pairs) => number,
  ofMean: (mean: number) => number = (mean) => mean,
): Step {
  const pairs = pairsOf(measure, views);
  if (measure.params.get('avg') === 'micro') return pairsStep(() => sum(pairs), pairs, views.usual());
  return overPairs(measure, views, pairs, () => ofMean(sum(pairs) / pairs.count));
}

/** For precision, recall and f1 with `per=class`: the cells of the list's slots. */
export function cellsOf({ params }: Measure, { hits, k, positives }: Positions): Step | undefined {
  if (params.get('per') !== 'class') return undefined;
  return classesStep({ hits, taken: (list) => slotsUpTo(list, k), relevant: positives });
}

/** A mean over lists, by `avg`; `counted` decides whether a list counts towards n+ of the plain mean. */
export function overLists(
  { params }: Measure,
  value: (list: Joined) => number,
  relevant: Counted,
  counted: Counted,
): Step {
  return params.get('avg') === 'weighted' ? weightedStep(value, relevant) : meanStep(value, counted);
}

/** What the list must carry for `by`: predicted scores if it is `score`. */
export function scoresOfBy({ params }: Measure): readonly ListPart[] {
  return params.get('by') === 'score' ? ['scores'] : [];
}

/** R, the positives that a list is compared with: the shown ones, or all known ones. */
function relevantOf(measure: Measure, views: Views): Counted {
  const ideal = measure.params.get('ideal');
  const action = textOf(measure, 'action');
  const rel = numberOf(measure, 'rel');
  if (ideal === 'all' || ideal === 'perfect') return views.knownPositives(action, rel);
  return views.positives(action, creditOf(measure), rel);
}

export function examinedOf(measure: Measure, views: Views, positives: Places): Examined {
  switch (measure.params.get('examined')) {
    case 'all':
      return allSlots;
    case 'last_positive':
      return downTo(positives);
    case 'viewport':
      return viewport(views.acted('view', creditOf(measure)), positives);
    default:
      throw unbound(measure);
  }
}

/** The error for a parameter whose value the measure does not support. */
export function unbound(measure: Measure): Error {
  return new Error(`no scoring for ${measure.canonical}`);
}

/** Number of slots with from <= rank <= to that the user is assumed to have looked at (specification: measures 5.6). */
export type Examined = (list: Joined, from: number, to: number) => number;

/** Every slot. */
const allSlots: Examined = slotsBetween;

/** Slots down to the last positive; every slot if there is no positive. */
function downTo(positives: Places): Examined {
  return (list, from, to) => {
    const { count, ranks } = positives;
    return slotsBetween(list, from, count === 0 ? to : Math.min(to, ranks[count - 1]));
  };
}

/** The slots with a view, and the positives. */
function viewport(views: Places, positives: Places): Examined {
  return (_list, from, to) => {
    let both = 0;
    let v = 0;
    for (let p = 0; p < positives.count && v < views.count; p++) {
      const rank = positives.ranks[p];
      while (v < views.count && views.ranks[v] < rank) v++;
      if (v < views.count && views.ranks[v] === rank && rank >= from && rank <= to) both++;
    }
    return placesBetween(views, from, to) + placesBetween(positives, from, to) - both;
  };
}
