import { canBeNegative, needsFeedback } from '../measures/direction.ts';
import { type Absence, absent, isAbsent, type Result } from '../statistics/absent.ts';
import { type ArmMean, effectOfArms } from '../statistics/arm.ts';
import { type Directions, holm, holmByDirection } from '../statistics/corrections.ts';
import {
  type EffectFacts,
  type ExperimentFacts,
  type GuardedLoss,
  isUnclustered,
  type LookFacts,
  type SoundFacts,
  shortfall,
  type VariantFacts,
} from '../statistics/decision.ts';
import { detectableEffect, type Effect, type Lift, liftOf } from '../statistics/effect.ts';
import { balancedUsers, type Exposure, exposureOf } from '../statistics/exposure.ts';
import {
  type ChiSquare,
  chiSquareTest,
  isMismatch,
  isSuspect,
  largestDeviation,
  logBayesFactor,
  splitChange,
} from '../statistics/sample-ratio.ts';
import {
  confidenceSequence,
  type Largest,
  oneSidedMultiplierAt,
  runningP,
  runningTwoSidedP,
  type Sequence,
} from '../statistics/sequence.ts';
import { looksOf } from './experiment-looks.ts';
import {
  EMPTY_SHARE,
  type ExperimentState,
  roleOf,
  treatmentsOf,
  userlessShare,
  usersSeen,
  type VariantState,
  variantOf,
} from './state.ts';

/**
 * The inputs of the decision about one variant.
 * @param primary the pair of the primary measure
 */
export function factsOf(
  state: ExperimentState,
  variant: string,
  primary: Pair,
  split: Split,
  families: Families,
): ExperimentFacts {
  const { settings, asOf } = state;
  const directions = present(families.directions.get(variant));
  return {
    at: asOf ?? 0,
    alpha: settings.alpha,
    tolerance: settings.tolerance,
    lowerIsBetter: settings.lowerIsBetter.has(settings.primary),
    ...soundFactsOf(state, variant, split),
    ...sidesOf(state, variant, settings.primary, primary, split.exposure),
    controlMean: present(primary.control)?.value,
    effect: effectFacts(primary),
    pWorse: directions?.worse,
    pBetter: directions?.better,
    guardrail: worstGuardrail(state, variant, families),
    guarded: settings.guardrails.map((measure) => guardedLoss(state, variant, measure, split.exposure)),
  };
}

/** The facts that decide whether a look at a variant is sound. */
export function soundFactsOf(state: ExperimentState, variant: string, split: Split): SoundFacts {
  const { settings, missing, variants, exposed } = state;
  const p = present(split.p);
  const deviation = present(split.deviation);
  const names = [...settings.variants.keys()];
  return {
    control: variantOf(state, settings.control),
    variant: variantOf(state, variant),
    impressions: [...variants.values()].reduce((sum, { impressions }) => sum + impressions, 0),
    missing,
    looksLost: state.looksLost ?? false,
    unstored: state.unstored ?? 0,
    isExplained: [settings.primary, ...settings.guardrails].some((measure) =>
      isExplained(state, variant, measure, split.exposure),
    ),
    split:
      p === undefined || deviation === undefined
        ? undefined
        : {
            p,
            deviation,
            // This explains a mismatch, and is used for nothing else.
            change: split.mismatch ? splitChange(exposed.arrivals ?? [], names.indexOf(variant)) : undefined,
            userless: new Map(names.map((name) => [name, userlessShare(variantOf(state, name))] as const)),
          },
    exposure: split.exposure,
  };
}

/**
 * Whether a difference beyond its errors could be explained by missing records: it would not exist if all of them were lists with a
 * positive on the side that has less of it. Even a few missing records can be enough if other data have narrowed the errors.
 */
function isExplained(state: ExperimentState, variant: string, measure: string, exposure: Exposure): boolean {
  const { settings, missing } = state;
  if (missing === 0) return false;
  const users = usersOfVariants(state, variant);
  const pair = pairOf(state, variant, measure, users);
  const { effect, stderr, sequence } = pair;
  if (isAbsent(effect) || isAbsent(stderr) || isAbsent(sequence)) return false;
  if (shortfall(sidesOf(state, variant, measure, pair, exposure)) !== undefined) return false;
  const isGuardrail = roleOf(settings, measure) === 'guardrail';
  const critical = isGuardrail ? oneSidedMultiplierAt(users, settings) : sequence.multiplier;
  const beyond = Math.abs(effect.difference) - critical * stderr;
  const [control, treatment] = [variantOf(state, settings.control), variantOf(state, variant)];
  const each = Math.max(worthOf(measure, control, effect.control), worthOf(measure, treatment, effect.treatment));
  const less = effect.difference < 0 ? treatment : control;
  return beyond > 0 && beyond <= (missing * each) / less.impressions;
}

/** What one list with a positive adds to the mean, times the number of lists. */
function worthOf(measure: string, { impressions, positives }: VariantState, mean: number): number {
  return needsFeedback(measure) && positives > 0 ? (Math.abs(mean) * impressions) / positives : Math.abs(mean);
}

/** The greatest possible loss by the one-sided bound, which holds by itself. */
function guardedLoss(state: ExperimentState, variant: string, measure: string, exposure: Exposure): GuardedLoss {
  const { settings } = state;
  const users = usersOfVariants(state, variant);
  const pair = pairOf(state, variant, measure, users);
  if (isAbsent(pair.effect) || shortfall(sidesOf(state, variant, measure, pair, exposure)) !== undefined) {
    return { measure, most: undefined };
  }
  const lift = possible(liftOf(pair.effect, oneSidedMultiplierAt(users, settings)), measure);
  if (isAbsent(lift) || isAbsent(lift.bounds)) return { measure, most: undefined };
  const { lower, upper } = lift.bounds;
  const isLowerBetter = settings.lowerIsBetter.has(measure);
  // A measure that cannot be negative can lose everything.
  const isOpen = !isLowerBetter && lower === -1 && !canBeNegative(measure);
  return { measure, most: isOpen ? undefined : Math.max(0, isLowerBetter ? upper : -lower) };
}

function present<Value>(result: Result<Value> | undefined): Value | undefined {
  return result === undefined || isAbsent(result) ? undefined : result;
}

/**
 * Both sides of a pair, for checking the minima of a look. For the share of empty lists, empty lists are the positives.
 * @param measure of the pair
 */
export function sidesOf(
  state: ExperimentState,
  variant: string,
  measure: string,
  { control, value }: Pick<Pair, 'control' | 'value'>,
  exposure: Exposure,
): LookFacts {
  const side = (name: string, mean: Result<ArmMean>): VariantFacts => {
    const { impressions, positives, userless, empty, buckets, heaviest } = variantOf(state, name);
    const { kish, spread } = present(mean) ?? {};
    return {
      impressions,
      positives: measure === EMPTY_SHARE ? empty : positives,
      userless,
      buckets,
      heaviest,
      users: usersSeen(state, name, exposure),
      kish,
      spread,
    };
  };
  return {
    control: side(state.settings.control, control),
    variant: side(variant, value),
    needsPositives: needsFeedback(measure),
  };
}

function effectFacts({ effect, stderr, sequence, lift }: Pair): EffectFacts | undefined {
  if (isAbsent(effect) || isAbsent(stderr) || isAbsent(sequence)) return undefined;
  const bounds = isAbsent(lift) ? undefined : present(lift.bounds);
  const { lower, upper } = sequence;
  return { difference: effect.difference, stderr, lower, upper, lift: bounds };
}

function worstGuardrail(state: ExperimentState, variant: string, { ps }: Families): ExperimentFacts['guardrail'] {
  let worst: { readonly measure: string; readonly p: number } | undefined;
  for (const [measure, { adjusted }] of ps.get(variant) ?? []) {
    if (roleOf(state.settings, measure) !== 'guardrail' || isAbsent(adjusted)) continue;
    if (worst === undefined || adjusted < worst.p) worst = { measure, p: adjusted };
  }
  if (worst === undefined) return undefined;
  const pair = pairOf(state, variant, worst.measure, usersOfVariants(state, variant));
  return {
    ...worst,
    lowerIsBetter: state.settings.lowerIsBetter.has(worst.measure),
    effect: effectFacts(pair),
  };
}

/** One measure of one variant and of the control, and what this look shows about the difference. */
export interface Pair {
  readonly control: Result<ArmMean>;
  readonly value: Result<ArmMean>;
  /** Variant minus control, unpaired, since the users differ. */
  readonly effect: Result<Effect>;
  readonly stderr: Result<number>;
  /** The confidence sequence of this look. */
  readonly sequence: Result<Sequence>;
  /** The effect relative to the control, with Fieller's bounds at the multiplier of the sequence. */
  readonly lift: Result<Lift>;
  /** The smallest effect that could have been detected, with power .8. */
  readonly mde: Result<number>;
}

/** N of the sequence, from the distinct users of each of the two (specification: statistics 5.2). */
export function usersOfVariants(state: ExperimentState, variant: string): number {
  const { settings, exposed } = state;
  const exposure = exposureOf(exposed, settings.variants.size);
  return balancedUsers(usersSeen(state, settings.control, exposure), usersSeen(state, variant, exposure));
}

/** @param users `usersOfVariants` */
export function pairOf(state: ExperimentState, variant: string, measure: string, users: number): Pair {
  const { settings } = state;
  const control = variantOf(state, settings.control).means.get(measure) ?? absent('no_data');
  const value = variantOf(state, variant).means.get(measure) ?? absent('no_data');
  const known = effectOfArms(control, value);
  if (isAbsent(known)) {
    return { control, value, effect: known, stderr: known, sequence: known, lift: known, mde: known };
  }
  // Errors are by user: without user ids there is a difference, and its certainty is unknown.
  const isUnknown = [settings.control, variant].some((name) => isUnclustered(variantOf(state, name)));
  const effect = isUnknown ? { ...known, error: absent('no_user_ids') } : known;
  const stderr = isAbsent(effect.error) ? effect.error : effect.error.stderr;
  const sequence = isAbsent(stderr) ? stderr : confidenceSequence(effect.difference, stderr, users, settings);
  // Without a sequence the critical value does not matter, since no bounds are used then.
  const point = liftOf(effect, isAbsent(sequence) ? 1 : sequence.multiplier);
  const lift =
    isAbsent(point) || !isAbsent(sequence) ? possible(point, measure) : { ...point, bounds: sequence, g: sequence };
  const mde = isAbsent(sequence) ? sequence : isAbsent(stderr) ? stderr : detectableEffect(stderr, sequence.multiplier);
  return { control, value, effect, stderr, sequence, lift, mde };
}

/** Cuts the bounds of a measure that cannot be negative, which cannot lose more than 100 %. */
function possible(lift: Result<Lift>, measure: string): Result<Lift> {
  if (isAbsent(lift) || isAbsent(lift.bounds) || canBeNegative(measure)) return lift;
  const { lower, upper } = lift.bounds;
  return { ...lift, bounds: { lower: Math.max(-1, lower), upper: Math.max(-1, upper) } };
}

/** Whether the users are split between the variants as configured, and whether each user saw only one variant. */
export interface Split {
  readonly exposure: Exposure;
  /** Log Bayes factor of this look against the weights. */
  readonly logE: Result<number>;
  /** Running p of the sequential test, over all looks so far. */
  readonly p: Result<number>;
  /** Largest |O-E|/E of this look. */
  readonly deviation: Result<number>;
  readonly mismatch: boolean;
  /** Whether p is below the same bound, but the deviation is too small to matter. */
  readonly warning: boolean;
  /** Chi-square test, valid for one look at a time that was fixed in advance. */
  readonly fixed: Result<ChiSquare>;
}

/** The split by the users' first exposures. Without any user id: absent `no_user_ids`. */
export function splitOf({ settings, exposed, variants, looks }: ExperimentState): Split {
  const weights = [...settings.variants.values()];
  const exposure = exposureOf(exposed, weights.length);
  const impressions = [...variants.values()].reduce((sum, variant) => sum + variant.impressions, 0);
  const why = (reason: Absence): Absence =>
    reason === 'no_data' && exposure.sampled === 0 && impressions > 0 ? 'no_user_ids' : reason;
  const result = <Value>(value: Result<Value>): Result<Value> => (isAbsent(value) ? absent(why(value.absent)) : value);
  const logE = result(logBayesFactor(exposure.first, weights));
  const deviation = result(largestDeviation(exposure.first, weights));
  const p = isAbsent(logE) ? logE : runningPOf(looks.srm);
  return {
    exposure,
    logE,
    p,
    deviation,
    mismatch: !isAbsent(p) && !isAbsent(deviation) && isMismatch(p, deviation),
    warning: !isAbsent(p) && !isAbsent(deviation) && isSuspect(p, deviation),
    fixed: result(chiSquareTest(exposure.first, weights)),
  };
}

function runningPOf(looks: Largest | undefined): Result<number> {
  return looks === undefined ? absent('no_data') : runningP(looks);
}

/**
 * p_run of a variant and measure, and its value adjusted by Holm within its family (specification: statistics 6):
 *
 *     the primary measure over the variants             decides, by direction
 *     guardrails x variants                             decide, one-sided: only "worse" counts
 *     all other measures x variants                     shown only
 */
interface AdjustedP {
  /** Two-sided; one-sided for a guardrail. */
  readonly p: Result<number>;
  readonly adjusted: Result<number>;
}

export interface Families {
  /** p by variant, then by measure. */
  readonly ps: ReadonlyMap<string, ReadonlyMap<string, AdjustedP>>;
  /** Directions of the primary measure by variant, each adjusted. */
  readonly directions: ReadonlyMap<string, Result<Directions>>;
}

export function familiesOf(state: ExperimentState): Families {
  const { settings, measures, looks } = state;
  const variants = treatmentsOf(settings);
  const ps = new Map(variants.map((variant) => [variant, new Map<string, AdjustedP>()] as const));
  const primary = variants.map((variant): Result<Directions> => {
    const { worse, better } = looksOf(looks, variant, settings.primary);
    if (worse === undefined && better === undefined) return absent('no_data');
    return { worse: runningP(worse), better: runningP(better) };
  });
  for (const role of ['primary', 'guardrail', 'other'] as const) {
    const members = variants.flatMap((variant) =>
      measures
        .filter((measure) => roleOf(settings, measure) === role)
        .map((measure) => {
          const seen = looksOf(looks, variant, measure);
          const two = runningTwoSidedP(seen);
          return { variant, measure, p: role === 'guardrail' && !isAbsent(two) ? runningP(seen.guard) : two };
        }),
    );
    const adjusted = holm(members.map(({ p }) => p));
    for (const [i, { variant, measure, p }] of members.entries()) {
      ps.get(variant)?.set(measure, { p, adjusted: adjusted[i] });
    }
  }
  const byDirection = holmByDirection(primary);
  return { ps, directions: new Map(variants.map((variant, i) => [variant, byDirection[i]] as const)) };
}
