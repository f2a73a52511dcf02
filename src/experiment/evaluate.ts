import { isUndirected } from '../measures/direction.ts';
import { type Absence, absent, isAbsent, orNull, type Result } from '../statistics/absent.ts';
import { isCarriedByFew } from '../statistics/arm.ts';
import { holm } from '../statistics/corrections.ts';
import { decide, HEAVY_SHARE, NOTED_USERLESS, shortfall, unsoundness } from '../statistics/decision.ts';
import { fixedHorizon } from '../statistics/effect.ts';
import { explainExperiment } from '../statistics/explain.ts';
import type { Course } from '../statistics/explain-course.ts';
import type { Interval } from '../statistics/mean.ts';
import { detectableDeviation } from '../statistics/sample-ratio.ts';
import { runningTwoSidedP } from '../statistics/sequence.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import type {
  Bounds,
  ComparedEmpty,
  ComparedMeasure,
  ComparedSplit,
  ComparedVariant,
  Comparison,
} from './comparison.ts';
import { differingEmpty } from './comparison-words.ts';
import { looksOf } from './experiment-looks.ts';
import {
  type Families,
  factsOf,
  familiesOf,
  pairOf,
  type Split,
  sidesOf,
  soundFactsOf,
  splitOf,
  usersOfVariants,
} from './facts.ts';
import { comparedEpisode, comparedNow, courseBy, type Decisive, decisiveOf, pointsOf } from './measure-course.ts';
import { isoTime } from './run-settings.ts';
import {
  EMPTY_SHARE,
  type ExperimentState,
  type Role,
  roleOf,
  treatmentsOf,
  userlessShare,
  usersSeen,
  variantOf,
} from './state.ts';

/**
 * Compares the variants of an experiment in one state. p, adjusted p, the split's p and the decisions depend on the looks in
 * the state, so take this state's look first (`takeLooks`); everything else depends on this state alone. Never throws, and
 * every number in the result is finite.
 */
export function evaluate(state: ExperimentState): Comparison {
  const { settings, asOf, end } = state;
  const split = splitOf(state);
  const families = familiesOf(state);
  const names = [...settings.variants.keys()];
  const userless = Object.fromEntries(names.map((name) => [name, userlessShare(variantOf(state, name))]));
  const empty = comparedEmpty(state, names, split);
  const heaviest = Object.fromEntries(names.map((name) => [name, variantOf(state, name).heaviest]));
  const carriedBy = carriedByOf(state, names);
  return {
    experiment: settings.name,
    control: settings.control,
    horizon: settings.horizon.text,
    primary: settings.primary,
    alpha: settings.alpha,
    tolerance: settings.tolerance,
    asOf: asOf === undefined ? null : isoTime(asOf),
    ...(settings.start === undefined ? {} : { start: isoTime(settings.start) }),
    ...(state.ended === undefined ? {} : { ended: isoTime(state.ended) }),
    users: Object.fromEntries(names.map((name) => [name, usersSeen(state, name, split.exposure)])),
    impressions: Object.fromEntries(names.map((name) => [name, variantOf(state, name).impressions])),
    ...(end === undefined
      ? {}
      : { open: Object.fromEntries(names.map((name) => [name, end.young.get(name)?.lists ?? 0])) }),
    userless,
    heaviest,
    carriedBy,
    ...(empty === undefined ? {} : { emptyLists: empty }),
    others: othersOf(state),
    crossovers: split.exposure.crossovers,
    srm: comparedSplit(split, [...settings.variants.values()]),
    notes: [
      ...(Object.values(userless).some((share) => share > NOTED_USERLESS) ? (['unclustered'] as const) : []),
      ...(Object.values(heaviest).some((share) => share >= HEAVY_SHARE) ? (['heavy_user'] as const) : []),
      ...(Object.keys(carriedBy).length > 0 ? (['carried_by_few'] as const) : []),
      ...(differingEmpty(empty ?? {}).length > 0 ? (['empty_lists'] as const) : []),
    ],
    variants: treatmentsOf(settings).map((variant) => comparedVariant(state, variant, split, families)),
  };
}

/** undefined if no list is empty. */
function comparedEmpty(
  state: ExperimentState,
  names: readonly string[],
  split: Split,
): Readonly<Record<string, ComparedEmpty>> | undefined {
  const { settings, looks } = state;
  if (names.every((name) => variantOf(state, name).empty === 0)) return undefined;
  const treatments = treatmentsOf(settings);
  const ps = treatments.map((variant): Result<number> => {
    const pair = pairOf(state, variant, EMPTY_SHARE, usersOfVariants(state, variant));
    const few =
      unsoundness(soundFactsOf(state, variant, split)) ??
      shortfall(sidesOf(state, variant, EMPTY_SHARE, pair, split.exposure));
    const p = runningTwoSidedP(looksOf(looks, variant, EMPTY_SHARE));
    return isAbsent(p) ? absent(few ?? (isAbsent(pair.stderr) ? pair.stderr.absent : 'no_data')) : p;
  });
  const adjusted = holm(ps);
  return Object.fromEntries(
    names.map((name): readonly [string, ComparedEmpty] => {
      const { empty, impressions } = variantOf(state, name);
      const share = empty / Math.max(1, impressions);
      const t = treatments.indexOf(name);
      return [name, t < 0 ? { share } : withReason({ share, p: orNull(adjusted[t]) }, [adjusted[t]])];
    }),
  );
}

/** Impressions of other variants, including those that are too young to count, which would not take part either. */
function othersOf({ settings, others, end }: ExperimentState): Readonly<Record<string, number>> {
  const all = new Map(others);
  for (const [name, { lists }] of end?.young ?? []) {
    if (!settings.variants.has(name)) all.set(name, (all.get(name) ?? 0) + lists);
  }
  return Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function carriedByOf(state: ExperimentState, names: readonly string[]): Comparison['carriedBy'] {
  const entries = names.flatMap((name): (readonly [string, number])[] => {
    const { means, positives } = variantOf(state, name);
    const mean = means.get(state.settings.primary) ?? absent('no_data');
    return isAbsent(mean) || !isCarriedByFew(mean, positives) ? [] : [[name, mean.spread]];
  });
  return Object.fromEntries(entries);
}

function comparedSplit(
  { p, mismatch, warning, deviation, fixed, exposure }: Split,
  weights: readonly number[],
): ComparedSplit {
  const detectable = detectableDeviation(exposure.first, weights);
  return withReason(
    {
      p: orNull(p),
      mismatch,
      warning,
      deviation: orNull(deviation),
      detectable: orNull(detectable),
      fixedHorizon: isAbsent(fixed) ? null : { p: fixed.p },
    },
    [p, deviation, fixed, detectable],
  );
}

function comparedVariant(state: ExperimentState, variant: string, split: Split, families: Families): ComparedVariant {
  const { settings, measures, asOf, looks, end } = state;
  const users = usersOfVariants(state, variant);
  const primary = pairOf(state, variant, settings.primary, users);
  const decision = decide(factsOf(state, variant, primary, split, families), looks.decisions.get(variant));
  const unsound = unsoundness(decision.facts);
  const decisive = decisiveOf(decision.reason, settings.primary, decision.facts.guardrail?.measure);
  const course = decisive && courseOf(state, variant, decisive, users);
  const episode = course?.found?.episode;
  const roles: readonly Role[] = ['primary', 'guardrail', 'other'];
  return {
    variant,
    decision: decision.label,
    reason: decision.reason,
    decidedAsOf: asOf === undefined ? null : isoTime(decision.since),
    decidedAt: asOf === undefined ? null : isoTime(knownAt(decision.since, state)),
    ...(episode && decisive && { episode: comparedEpisode(decisive.measure, episode) }),
    explanation: explainExperiment(decision, {
      variant,
      control: settings.control,
      measure: settings.primary,
      course,
      isOnly: treatmentsOf(settings).length === 1,
      start: settings.start === undefined ? undefined : isoTime(settings.start),
      young: end && { horizon: settings.horizon.text, feedbackEnd: end.feedbackEnd, lists: end.young },
      isWithoutError: isAbsent(primary.effect) && primary.effect.absent === 'no_vector',
    }),
    measures: roles.flatMap((role) =>
      measures
        .filter((measure) => roleOf(settings, measure) === role)
        .map((measure) => comparedMeasure(state, variant, measure, users, { split, families, unsound })),
    ),
  };
}

function courseOf(state: ExperimentState, variant: string, { measure, word }: Decisive, users: number): Course {
  const pair = pairOf(state, variant, measure, users);
  const isLower = state.settings.lowerIsBetter.has(measure);
  return {
    ...courseBy(word, isLower, pointsOf(state, variant, measure, pair), pair),
    isOver: state.ended !== undefined,
  };
}

/** The time at which a look at `look` could first be taken, limited by the end of the logs. */
function knownAt(look: EpochMs, { settings, end }: ExperimentState): EpochMs {
  if (end === undefined) return look + settings.horizon.ms;
  return Math.min(look + end.delay, end.at);
}

interface OfVariant {
  readonly split: Split;
  readonly families: Families;
  /** Why this look at the variant is no evidence; undefined: it is sound. */
  readonly unsound: ReturnType<typeof unsoundness>;
}

function comparedMeasure(
  state: ExperimentState,
  variant: string,
  measure: string,
  users: number,
  { split, families, unsound }: OfVariant,
): ComparedMeasure {
  const { settings } = state;
  const pair = pairOf(state, variant, measure, users);
  const { control, value, effect, stderr, sequence, lift, mde } = pair;
  const ps = families.ps.get(variant)?.get(measure);
  const fixed = isAbsent(effect) ? effect : fixedHorizon(effect, settings.alpha);
  const liftBounds = isAbsent(lift) ? lift : lift.bounds;
  // Without a look that may decide there is no p, although there may be a value.
  const why = unsound ?? shortfall(sidesOf(state, variant, measure, pair, split.exposure)) ?? 'no_data';
  const p = ps === undefined || isAbsent(ps.p) ? absent(why) : ps.p;
  const role = roleOf(settings, measure);
  const since = state.since[measure] ?? Number.NEGATIVE_INFINITY;
  const now = role === 'other' ? undefined : comparedNow(pointsOf(state, variant, measure, pair), pair);
  return withReason(
    {
      measure,
      role,
      horizon: settings.horizon.text,
      better: isUndirected(measure) ? 'neither' : settings.lowerIsBetter.has(measure) ? 'lower' : 'higher',
      control: isAbsent(control) ? null : control.value,
      value: isAbsent(value) ? null : value.value,
      effect: isAbsent(effect) ? null : effect.difference,
      stderr: orNull(stderr),
      ci: boundsOf(sequence),
      lift: isAbsent(lift) ? null : lift.lift,
      liftCi: boundsOf(liftBounds),
      p: orNull(p),
      pTwoSided: orNull(runningTwoSidedP(looksOf(state.looks, variant, measure))),
      pAdjusted: orNull(ps?.adjusted ?? p),
      logE: isAbsent(sequence) ? null : sequence.logE,
      mde: orNull(mde),
      fixedHorizon: isAbsent(fixed) ? null : { ci: [fixed.lower, fixed.upper], df: fixed.df, p: fixed.p },
      ...(now && { now }),
      ...(Number.isFinite(since) ? { since: isoTime(since) } : {}),
    },
    [control, value, effect, stderr, sequence, lift, liftBounds, p, mde, fixed],
  );
}

function boundsOf(interval: Result<Interval>): Bounds | null {
  return isAbsent(interval) ? null : [interval.lower, interval.upper];
}

function withReason<Shown>(shown: Shown, results: readonly Result<unknown>[]): Shown & { readonly reason?: Absence } {
  const missing = results.find(isAbsent);
  return { ...shown, ...(missing === undefined ? {} : { reason: missing.absent }) };
}
