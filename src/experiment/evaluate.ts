import { isUndirected } from '../measures/direction.ts';
import { type Absence, absent, isAbsent, orNull, type Result } from '../statistics/absent.ts';
import { decide, HEAVY_SHARE, shortfall } from '../statistics/decision.ts';
import { fixedHorizon } from '../statistics/effect.ts';
import { explainExperiment } from '../statistics/explain.ts';
import type { Interval } from '../statistics/mean.ts';
import { runningTwoSidedP } from '../statistics/sequence.ts';
import type { Bounds, ComparedMeasure, ComparedSplit, ComparedVariant, Comparison } from './comparison.ts';
import { looksOf } from './experiment-looks.ts';
import { type Families, factsOf, familiesOf, pairOf, type Split, sidesOf, splitOf, usersOfVariants } from './facts.ts';
import { type ExperimentState, type Role, roleOf, treatmentsOf, usersSeen, variantOf } from './state.ts';

/** Above this share, impressions without a user are reported. */
const MOST_USERLESS = 0.05;

/**
 * Compares the variants of an experiment in one state. p, adjusted p, the split's p and the decisions depend on the looks in
 * the state, so take this state's look first (`takeLooks`); everything else depends on this state alone. Never throws, and
 * every number in the result is finite.
 */
export function evaluate(state: ExperimentState): Comparison {
  const { settings, asOf, others } = state;
  const split = splitOf(state);
  const families = familiesOf(state);
  const names = [...settings.variants.keys()];
  const count = (of: 'impressions' | 'userless'): number =>
    names.reduce((sum, name) => sum + variantOf(state, name)[of], 0);
  const userless = count('impressions') === 0 ? 0 : count('userless') / count('impressions');
  const heaviest = Object.fromEntries(names.map((name) => [name, variantOf(state, name).heaviest]));
  return {
    experiment: settings.name,
    control: settings.control,
    horizon: settings.horizon.text,
    primary: settings.primary,
    alpha: settings.alpha,
    tolerance: settings.tolerance,
    asOf: asOf === undefined ? null : isoTime(asOf),
    ...(settings.start === undefined ? {} : { start: isoTime(settings.start) }),
    users: Object.fromEntries(names.map((name) => [name, usersSeen(state, name, split.exposure)])),
    impressions: Object.fromEntries(names.map((name) => [name, variantOf(state, name).impressions])),
    userless,
    heaviest,
    others: Object.fromEntries(others),
    crossovers: split.exposure.crossovers,
    srm: comparedSplit(split),
    notes: [
      ...(userless > MOST_USERLESS ? (['unclustered'] as const) : []),
      ...(Object.values(heaviest).some((share) => share >= HEAVY_SHARE) ? (['heavy_user'] as const) : []),
    ],
    variants: treatmentsOf(settings).map((variant) =>
      comparedVariant(state, variant, split, families, userless > MOST_USERLESS),
    ),
  };
}

function comparedSplit({ p, mismatch, warning, deviation, fixed }: Split): ComparedSplit {
  return withReason(
    {
      p: orNull(p),
      mismatch,
      warning,
      deviation: orNull(deviation),
      fixedHorizon: isAbsent(fixed) ? null : { p: fixed.p },
    },
    [p, deviation, fixed],
  );
}

function comparedVariant(
  state: ExperimentState,
  variant: string,
  split: Split,
  families: Families,
  areUsersMissing: boolean,
): ComparedVariant {
  const { settings, measures, asOf, looks } = state;
  const users = usersOfVariants(state, variant);
  const primary = pairOf(state, variant, settings.primary, users);
  const decision = decide(factsOf(state, variant, primary, split, families), looks.decisions.get(variant));
  const roles: readonly Role[] = ['primary', 'guardrail', 'other'];
  return {
    variant,
    decision: decision.label,
    reason: decision.reason,
    since: asOf === undefined ? null : isoTime(decision.since),
    explanation: explainExperiment(decision, {
      variant,
      control: settings.control,
      measure: settings.primary,
      areUsersMissing,
      start: settings.start === undefined ? undefined : isoTime(settings.start),
      isWithoutError: isAbsent(primary.effect) && primary.effect.absent === 'no_vector',
    }),
    measures: roles.flatMap((role) =>
      measures
        .filter((measure) => roleOf(settings, measure) === role)
        .map((measure) => comparedMeasure(state, variant, measure, users, split, families)),
    ),
  };
}

function comparedMeasure(
  state: ExperimentState,
  variant: string,
  measure: string,
  users: number,
  split: Split,
  families: Families,
): ComparedMeasure {
  const { settings } = state;
  const pair = pairOf(state, variant, measure, users);
  const { control, value, effect, stderr, sequence, lift, mde } = pair;
  const ps = families.ps.get(variant)?.get(measure);
  const fixed = isAbsent(effect) ? effect : fixedHorizon(effect, settings.alpha);
  const liftBounds = isAbsent(lift) ? lift : lift.bounds;
  // Without a look that may decide there is no p, although there may be a value.
  const few = shortfall(sidesOf(state, variant, measure, pair, split.exposure));
  const p = ps === undefined || isAbsent(ps.p) ? absent(few ?? 'no_data') : ps.p;
  return withReason(
    {
      measure,
      role: roleOf(settings, measure),
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

/** ISO time by whole numbers: `2026-11-21T08:00:00.000Z`. */
function isoTime(at: number): string {
  return new Date(at).toISOString();
}
