/** How large a difference is now, and when it began and ended, from the looks of a run (specification: statistics 9.3). */
import { isAbsent, type Result } from '../statistics/absent.ts';
import type { ArmMean } from '../statistics/arm.ts';
import {
  type ArmSoFar,
  boundsOf,
  type CoursePoint,
  type Episode,
  type Estimated,
  episodeOf,
  newestSpan,
} from '../statistics/course.ts';
import type { ExperimentVerdict } from '../statistics/decision.ts';
import { type Course, directionOf, type FoundCourse, wordNow } from '../statistics/explain-course.ts';
import type { ComparedEpisode, ComparedSpan, ComparedTime } from './comparison.ts';
import { inOrder } from './experiment-looks.ts';
import type { Pair } from './facts.ts';
import { isoTime } from './run-settings.ts';
import type { ExperimentState } from './state.ts';

/** Both variants of a pair: one entry, or none if the measure is no plain ratio. */
export function armsOf({ control, value }: Pick<Pair, 'control' | 'value'>): readonly Omit<CoursePoint, 'at'>[] {
  const [one] = armOf(control);
  const [other] = armOf(value);
  return one === undefined || other === undefined ? [] : [{ control: one, variant: other }];
}

function armOf(mean: Result<ArmMean>): readonly ArmSoFar[] {
  return isAbsent(mean) || mean.weight === undefined ? [] : [{ value: mean.value, weight: mean.weight }];
}

/** The kept looks of a measure, in the order of time, followed by this state. */
export function pointsOf(
  { looks, asOf }: Pick<ExperimentState, 'looks' | 'asOf'>,
  variant: string,
  measure: string,
  pair: Pair,
): readonly CoursePoint[] {
  if (asOf === undefined) return [];
  const before = inOrder(looks.points.get(variant) ?? []).flatMap(({ at, arms }): readonly CoursePoint[] => {
    const known = arms?.get(measure);
    return known === undefined || at >= asOf ? [] : [{ at, ...known }];
  });
  return [...before, ...armsOf(pair).map((arms) => ({ at: asOf, ...arms }))];
}

/** undefined: too few lists, or no error. */
export function comparedNow(
  points: readonly CoursePoint[],
  { effect }: Pick<Pair, 'effect'>,
): ComparedSpan | undefined {
  const span = newestSpan(points, effect);
  if (span === undefined) return undefined;
  const { control, treatment, difference } = span.effect;
  const { difference: ci, lift } = boundsOf(span);
  const bounds = isAbsent(lift) ? lift : lift.bounds;
  return {
    from: isoTime(span.from),
    to: isoTime(span.to),
    control,
    value: treatment,
    effect: difference,
    ci: [ci.lower, ci.upper],
    ...(isAbsent(lift) ? {} : { lift: lift.lift }),
    ...(isAbsent(bounds) ? {} : { liftCi: [bounds.lower, bounds.upper] as const }),
  };
}

/** The measure that a decision is about, and what was found about it, if that is a single effect. */
export interface Decisive {
  readonly measure: string;
  readonly word?: FoundCourse['word'];
}

export function decisiveOf(
  reason: ExperimentVerdict['reason'],
  primary: string,
  guardrail: string | undefined,
): Decisive | undefined {
  switch (reason) {
    case 'primary_better':
      return { measure: primary, word: 'better' };
    case 'primary_worse':
      return { measure: primary, word: 'worse' };
    case 'guardrail_worse':
      return { measure: guardrail ?? primary, word: 'worse' };
    case 'within_tolerance':
    case 'effect_changed':
      return { measure: primary };
    default:
      return undefined;
  }
}

/**
 * The course of the measure that gave the decision.
 * @param points of that measure
 * @param pair of that measure
 */
export function courseBy(
  word: FoundCourse['word'] | undefined,
  lowerIsBetter: boolean,
  points: readonly CoursePoint[],
  { effect }: Pick<Pair, 'effect'>,
): Course {
  const now = newestSpan(points, effect);
  const episode = word && episodeOf(points, effect, directionOf(word, lowerIsBetter));
  // An effect that exists now has not ended, though it may be smaller than before.
  const isStill = now !== undefined && wordNow(now, lowerIsBetter) === word;
  return {
    lowerIsBetter,
    now,
    found: word && { word, episode: isStill ? episode && { ...episode, ended: undefined } : episode },
  };
}

export function comparedEpisode(measure: string, { fromStart, began, ended }: Episode): ComparedEpisode {
  return {
    measure,
    ...(fromStart ? { fromStart } : {}),
    ...(began === undefined ? {} : { began: comparedTime(began) }),
    ...(ended === undefined ? {} : { ended: comparedTime(ended) }),
  };
}

function comparedTime({ at, earliest, latest }: Estimated): ComparedTime {
  return { at: isoTime(at), earliest: isoTime(earliest), latest: isoTime(latest) };
}
