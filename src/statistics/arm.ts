import { isAbsent, type Result } from './absent.ts';
import { type Effect, unpairedEffect } from './effect.ts';
import type { Mean } from './mean.ts';

/**
 * The two variants of an experiment, where one of them may be small, dead, or the work of one user.
 *
 *     kish    k = (Σ d_b)² / Σ d_b²                       how many equal buckets the lists weigh as; df = k - 1
 *     users   u = (1 - 1/B) / (1/k - 1/B)                 how many equal users, freed of what shares a bucket by chance
 *     spread  s = (Σ x_b²)² / Σ x_b⁴                      how many buckets the error rests on
 *
 * An arm whose error rests on fewer than 25 buckets, or that has none because all of its users are alike, does not know
 * its own spread: an arm without a click has none at all. Under "no effect" a user of the one is like a user of the other, so
 * it takes v_T = v_C u_C / u_T, if that is more than its own, and the other way round (L. Kish, "Survey Sampling", 1965;
 * docs/statistics.md, "Small, dead and dominated variants").
 *
 * Why u and not k for that: k is at most B, so that of 10,000 users against 100 it would see 256 against 83. In the mean of all
 * ways to put users into buckets 1/k is 1/B + (1 - 1/B)/u.
 *
 * Example: d 10 4 6 8 20 1 3 5 12 9 has k 6.95; of B = 10 this is u 20.5.
 */
export interface ArmMean extends Mean {
  readonly kish: number;
  /** At most the number of lists. */
  readonly users: number;
  /** 0: there is no spread. */
  readonly spread: number;
}

/** An error that rests on fewer buckets is not trusted alone. */
export const LEAST_SPREAD = 25;

/** 0 where nothing was counted. @param d none negative */
export function kishOf(d: ArrayLike<number>): number {
  let sum = 0;
  let squares = 0;
  for (let b = 0; b < d.length; b++) {
    sum += d[b];
    squares += d[b] * d[b];
  }
  return squares > 0 ? (sum / squares) * sum : 0;
}

/** u of k. @param most where the buckets are filled more evenly than chance would: the number of lists */
export function usersOfKish(kish: number, buckets: number, most: number): number {
  const excess = 1 / kish - 1 / buckets;
  return excess > 0 ? Math.min(most, (1 - 1 / buckets) / excess) : most;
}

/** @param x what each bucket holds beyond its share of the mean (`residualsOf`); or what leaving it out does to a statistic */
export function spreadOf(x: ArrayLike<number>): number {
  let largest = 0;
  for (let b = 0; b < x.length; b++) largest = Math.max(largest, Math.abs(x[b]));
  return largest > 0 ? kishOf(Float64Array.from(x, (cell) => (cell / largest) ** 2)) : 0;
}

/**
 * The share of all lists that the fullest bucket holds beyond what the others hold in the mean: about what its heaviest
 * user makes alone. Users who share the bucket are in it, so it is an estimate, for users with much more than the others.
 *
 * Example: 4 0 0 0 is 1, 2 1 1 is .25, 1 1 1 1 is 0.
 */
export function heaviestShare(lists: ArrayLike<number>): number {
  let sum = 0;
  let most = 0;
  for (let b = 0; b < lists.length; b++) {
    sum += lists[b];
    most = Math.max(most, lists[b]);
  }
  return sum > 0 && lists.length > 1 ? (most - (sum - most) / (lists.length - 1)) / sum : 0;
}

/** The effect as `unpairedEffect` has it, with errors that each arm lends the other where it must. */
export function effectOfArms(control: Result<ArmMean>, treatment: Result<ArmMean>): Result<Effect> {
  if (isAbsent(control) || isAbsent(treatment)) return unpairedEffect(control, treatment);
  return unpairedEffect(meanBeside(control, treatment), meanBeside(treatment, control));
}

function meanBeside(arm: ArmMean, other: ArmMean): Mean {
  return { value: arm.value, stderr: stderrBeside(arm, other), df: Math.min(arm.df, arm.kish - 1) };
}

function stderrBeside(arm: ArmMean, other: ArmMean): Result<number> {
  const { stderr: own, spread } = arm;
  const isFlat = isAbsent(own) && own.absent === 'zero_variance';
  if ((isAbsent(own) && !isFlat) || spread >= LEAST_SPREAD || isAbsent(other.stderr)) return own;
  const lent = other.stderr * Math.sqrt(other.users / arm.users);
  if (!Number.isFinite(lent)) return own;
  return isAbsent(own) ? lent : Math.max(own, lent);
}
