import { canBeNegative } from '../measures/direction.ts';
import type { Result } from '../statistics/absent.ts';
import { absent, isAbsent } from '../statistics/absent.ts';
import { type ArmMean, effectOfArms } from '../statistics/arm.ts';
import { detectableEffect } from '../statistics/detectable.ts';
import type { Effect } from '../statistics/effect.ts';
import { balancedUsers, exposureOf } from '../statistics/exposure.ts';
import { type Lift, liftOf } from '../statistics/lift.ts';
import { confidenceSequence, type Sequence } from '../statistics/sequence.ts';
import { type ExperimentState, usersSeen, variantOf } from './state.ts';

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
