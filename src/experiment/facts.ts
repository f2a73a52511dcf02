import { canBeNegative, needsFeedback } from '../measures/direction.ts';
import { type Absence, absent, isAbsent, type Result } from '../statistics/absent.ts';
import { type ArmMean, effectOfArms } from '../statistics/arm.ts';
import { type Directions, holm, holmByDirection } from '../statistics/corrections.ts';
import type { EffectFacts, ExperimentFacts, LookFacts, VariantFacts } from '../statistics/decision.ts';
import { detectableEffect, type Effect, type Lift, liftOf } from '../statistics/effect.ts';
import { balancedUsers, type Exposure, exposureOf } from '../statistics/exposure.ts';
import {
  type ChiSquare,
  chiSquareTest,
  isMismatch,
  isSuspect,
  largestDeviation,
  logBayesFactor,
} from '../statistics/sample-ratio.ts';
import { confidenceSequence, type Largest, runningP, runningTwoSidedP, type Sequence } from '../statistics/sequence.ts';
import { looksOf } from './experiment-looks.ts';
import { type ExperimentState, roleOf, treatmentsOf, usersSeen, variantOf } from './state.ts';

/** The inputs of the decision about one variant. @param primary the pair of the primary measure */
export function factsOf(
  state: ExperimentState,
  variant: string,
  primary: Pair,
  split: Split,
  families: Families,
): ExperimentFacts {
  const { settings, asOf, missing, variants } = state;
  const directions = present(families.directions.get(variant));
  const p = present(split.p);
  const deviation = present(split.deviation);
  return {
    at: asOf ?? 0,
    alpha: settings.alpha,
    tolerance: settings.tolerance,
    lowerIsBetter: settings.lowerIsBetter.has(settings.primary),
    ...sidesOf(state, variant, settings.primary, primary, split.exposure),
    impressions: [...variants.values()].reduce((sum, { impressions }) => sum + impressions, 0),
    missing,
    split: p === undefined || deviation === undefined ? undefined : { p, deviation },
    exposure: split.exposure,
    controlMean: present(primary.control)?.value,
    effect: effectFacts(primary),
    pWorse: directions?.worse,
    pBetter: directions?.better,
    guardrail: worstGuardrail(state, variant, families),
  };
}

function present<Value>(result: Result<Value> | undefined): Value | undefined {
  return result === undefined || isAbsent(result) ? undefined : result;
}

/** Both sides of a pair, to check the minima of a look. @param measure of the pair */
export function sidesOf(
  state: ExperimentState,
  variant: string,
  measure: string,
  { control, value }: Pick<Pair, 'control' | 'value'>,
  exposure: Exposure,
): LookFacts {
  const side = (name: string, mean: Result<ArmMean>): VariantFacts => {
    const { impressions, positives, userless, buckets, heaviest } = variantOf(state, name);
    const users = usersSeen(state, name, exposure) + userless;
    return { impressions, positives, buckets, heaviest, users, kish: present(mean)?.kish };
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
  let worst: ExperimentFacts['guardrail'];
  for (const [measure, { adjusted }] of ps.get(variant) ?? []) {
    if (roleOf(state.settings, measure) !== 'guardrail' || isAbsent(adjusted)) continue;
    if (worst === undefined || adjusted < worst.p) worst = { measure, p: adjusted };
  }
  return worst;
}

/** One measure of one variant and of the control, and what this look says about the difference. */
export interface Pair {
  readonly control: Result<ArmMean>;
  readonly value: Result<ArmMean>;
  /** Variant minus control, unpaired: different users. */
  readonly effect: Result<Effect>;
  readonly stderr: Result<number>;
  /** The confidence sequence of this look. */
  readonly sequence: Result<Sequence>;
  /** Relative to the control, with Fieller's bounds at the multiplier of the sequence. */
  readonly lift: Result<Lift>;
  /** The smallest effect that could have been seen, with power .8. */
  readonly mde: Result<number>;
}

/** N of the sequence, from distinct users and impressions without a user of each of the two (specification: statistics 5.2). */
export function usersOfVariants(state: ExperimentState, variant: string): number {
  const { settings, exposed } = state;
  const exposure = exposureOf(exposed, settings.variants.size);
  const of = (name: string): number => usersSeen(state, name, exposure) + variantOf(state, name).userless;
  return balancedUsers(of(settings.control), of(variant));
}

/** @param users `usersOfVariants` */
export function pairOf(state: ExperimentState, variant: string, measure: string, users: number): Pair {
  const { settings } = state;
  const control = variantOf(state, settings.control).means.get(measure) ?? absent('no_data');
  const value = variantOf(state, variant).means.get(measure) ?? absent('no_data');
  const effect = effectOfArms(control, value);
  if (isAbsent(effect)) {
    return { control, value, effect, stderr: effect, sequence: effect, lift: effect, mde: effect };
  }
  const stderr = isAbsent(effect.error) ? effect.error : effect.error.stderr;
  const sequence = isAbsent(stderr) ? stderr : confidenceSequence(effect.difference, stderr, users, settings);
  // Without a sequence the critical value does not matter, as no bounds are used then.
  const point = liftOf(effect, isAbsent(sequence) ? 1 : sequence.multiplier);
  const lift =
    isAbsent(point) || !isAbsent(sequence) ? possible(point, measure) : { ...point, bounds: sequence, g: sequence };
  const mde = isAbsent(sequence) ? sequence : isAbsent(stderr) ? stderr : detectableEffect(stderr, sequence.multiplier);
  return { control, value, effect, stderr, sequence, lift, mde };
}

/** A measure that cannot be negative cannot lose more than 100 %. */
function possible(lift: Result<Lift>, measure: string): Result<Lift> {
  if (isAbsent(lift) || isAbsent(lift.bounds) || canBeNegative(measure)) return lift;
  const { lower, upper } = lift.bounds;
  return { ...lift, bounds: { lower: Math.max(-1, lower), upper: Math.max(-1, upper) } };
}

/** Whether the users are split between the variants as configured, and whether each user saw only one variant. */
export interface Split {
  readonly exposure: Exposure;
  /** Log Bayes factor against the weights, of this look. */
  readonly logE: Result<number>;
  /** Running p of the sequential test, over all looks so far. */
  readonly p: Result<number>;
  /** Largest |O-E|/E now. */
  readonly deviation: Result<number>;
  readonly mismatch: boolean;
  /** p is below the same bound, but the deviation is too small to matter. */
  readonly warning: boolean;
  /** Right for one look at a time that was fixed in advance. */
  readonly fixed: Result<ChiSquare>;
}

/** From the users' first exposures. Without any user id: absent `no_user_ids`. */
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
 * p_run of every variant and measure, and adjusted by Holm within its family (specification: statistics 6):
 *
 *     the primary measure over the variants             decides, by direction
 *     guardrails x variants                             decide, one-sided: only "worse" counts
 *     all other measures x variants                     shown only
 */
interface AdjustedP {
  /** Two-sided; of a guardrail one-sided. */
  readonly p: Result<number>;
  readonly adjusted: Result<number>;
}

export interface Families {
  /** By variant, then by measure. */
  readonly ps: ReadonlyMap<string, ReadonlyMap<string, AdjustedP>>;
  /** Of the primary measure, by variant, each direction adjusted. */
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
