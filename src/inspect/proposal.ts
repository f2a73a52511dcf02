/** Proposes settings that fit a sample: horizons, out-of-orderness, cohorts and grades. */
import { isDimensionName } from '../consumers/decode/dimensions.ts';
import { quantile } from '../findings/sample-findings.ts';
import { DAY, MINUTE, usualDuration } from '../vocabulary/durations.ts';
import { type DurationMs, isGradable } from '../vocabulary/events.ts';
import { usualGrade } from './field-names.ts';
import { beforeList, type Facts } from './log-facts.ts';

const SECOND = 1000;
const USUAL_HORIZONS: readonly DurationMs[] = [MINUTE, 5 * MINUTE, 30 * MINUTE];
const LEAST_DISORDER = 10 * SECOND;
/** A dimension with more values is not proposed for cohorts. */
const MOST_VALUES = 50;
const MOST_DIMENSIONS = 3;

export interface Dimension {
  readonly name: string;
  /** Number of cohorts that it makes. */
  readonly cohorts: number;
  readonly isProposed: boolean;
}

export type Grade = number | 'veto' | 'rating';

export interface Proposal {
  readonly outOfOrderness: DurationMs;
  readonly backward: DurationMs;
  readonly horizons: readonly DurationMs[];
  readonly grades: ReadonlyMap<string, Grade>;
  /** Actions with names of unknown meaning; they have grade 0 until the user sets one. */
  readonly unknownActions: readonly string[];
  /** undefined: there are no ratings. */
  readonly ratings: RatingScale | undefined;
  readonly dimensions: readonly Dimension[];
  readonly cohorts: readonly (readonly string[])[];
}

export interface RatingScale {
  readonly least: number;
  readonly most: number;
  /** Top of the scale, which is the largest grade. */
  readonly max: number;
  /** Lowest rating that is a success; undefined: there are other actions, whose lower grades would no longer count. */
  readonly relevantFrom: number | undefined;
}

const SCALES = [1, 5, 10, 30, 100];

function ratingScale({ ratings, actions }: Facts): RatingScale | undefined {
  if (ratings === undefined) return undefined;
  const { least, most } = ratings;
  const max = SCALES.find((scale) => most <= scale) ?? most;
  const isAlone = [...actions.keys()].every((action) => usualGrade(action) === 'rating');
  return { least, most, max, relevantFrom: isAlone ? success(ratings, max) : undefined };
}

/** Lowest rating that is a success: any like on a scale such as -1 and 1, otherwise the top fifth. */
function success({ least, isWhole }: NonNullable<Facts['ratings']>, max: number): number {
  if (least < 0 && isWhole) return 1;
  return isWhole ? Math.max(1, 0.8 * max) : 0.8 * max;
}

/** @param offset of the clocks, which the delays contain in addition to the time people take */
export function propose(facts: Facts, offset: DurationMs, ownGrades: ReadonlySet<string>): Proposal {
  const delays = offset === 0 ? facts.joining.delays : facts.joining.delays.map((delay) => delay - offset);
  const before = beforeList(delays);
  const grades = new Map<string, Grade>();
  const unknownActions: string[] = [];
  for (const [action] of [...facts.actions].sort(([, a], [, b]) => b - a)) {
    if (!isGradable(action)) continue;
    const grade = usualGrade(action);
    grades.set(action, grade ?? 0);
    if (grade === undefined && !ownGrades.has(action)) unknownActions.push(action);
  }
  const dimensions = dimensionsOf(facts);
  return {
    outOfOrderness: outOfOrderness(facts),
    backward: before.share > 0.001 && before.share < 0.5 && before.by <= 5 * MINUTE ? usualDuration(before.by) : 0,
    horizons: horizonsOf(delays.filter((delay) => delay >= 0)),
    grades,
    unknownActions,
    ratings: ratingScale(facts),
    dimensions,
    cohorts: [[], ...dimensions.filter(({ isProposed }) => isProposed).map(({ name }) => [name])],
  };
}

/** Covers all disorder in the sample, unless a few records are far off or the log has no order at all. */
function outOfOrderness({ disorder: { most, usual } }: Facts): DurationMs {
  const covered = most > 100 * Math.max(usual, SECOND) ? usual : most;
  return covered < LEAST_DISORDER || covered > DAY ? LEAST_DISORDER : usualDuration(covered + 1);
}

/** Three horizons: they cover about half, nine tenths, and nearly all of the delays. */
function horizonsOf(delays: readonly DurationMs[]): readonly DurationMs[] {
  if (delays.length < 10) {
    const last = delays.length === 0 ? 0 : delays[delays.length - 1];
    return last < USUAL_HORIZONS[2] ? USUAL_HORIZONS : [...USUAL_HORIZONS, usualDuration(last + 1)];
  }
  const ladder = [0.5, 0.9, 0.995].map((share) => Math.max(MINUTE, usualDuration(quantile(delays, share) + 1)));
  return [...new Set(ladder)].sort((a, b) => a - b);
}

function dimensionsOf({ variants, dimensions }: Facts): readonly Dimension[] {
  const found: { name: string; cohorts: number }[] = [];
  if (variants.size > 0) found.push({ name: 'variant', cohorts: variants.size });
  for (const [name, values] of dimensions) if (isDimensionName(name)) found.push({ name, cohorts: values.size });
  let proposed = 0;
  return found.map(({ name, cohorts }) => {
    const isProposed = name === 'variant' || (cohorts > 1 && cohorts <= MOST_VALUES && proposed++ < MOST_DIMENSIONS);
    return { name, cohorts, isProposed };
  });
}
