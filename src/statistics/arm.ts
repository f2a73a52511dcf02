import { isAbsent, type Result } from './absent.ts';
import { type Effect, unpairedEffect } from './effect.ts';
import type { Mean } from './mean.ts';

/**
 * The error of one variant of an experiment, which may be small, dead, or dominated by one user.
 *
 *     kish    k = (Σ d_b)² / Σ d_b²                       how many equal buckets the lists amount to; df = k - 1
 *     users   u = (1 - 1/B) / (1/k - 1/B)                 how many equal users, corrected for those who share a bucket by chance
 *     spread  s = (Σ x_b²)² / Σ x_b⁴                      how many buckets the error rests on
 *
 * The spread of an arm cannot be estimated if its error rests on fewer than 25 buckets, or if all of its users are alike: an arm without
 * a click has no spread at all. Under "no effect" the users of both arms are alike, so an arm borrows v_T = v_C u_C / u_T if that is more
 * than its own, and the other way round (L. Kish, "Survey Sampling", 1965; docs/statistics.md, "Small, dead and dominated variants").
 *
 * This takes u rather than k because k is at most B: with k, 10,000 users against 100 would count as 256 against 83. Averaged over all
 * ways to put users into buckets, 1/k is 1/B + (1 - 1/B)/u.
 *
 * Example: d 10 4 6 8 20 1 3 5 12 9 has k 6.95; with B = 10 this is u 20.5.
 */
export interface ArmMean extends Mean {
  readonly kish: number;
  /** At most the number of lists. */
  readonly users: number;
  /** 0 if there is no spread. */
  readonly spread: number;
  /** Its denominator, D; undefined: the measure is no plain ratio. */
  readonly weight?: number | undefined;
}

/** An error that rests on fewer buckets is not trusted alone. */
export const LEAST_SPREAD = 25;
/** An error of fewer lists with a positive may rest on few buckets because positives are few. */
const MANY_POSITIVES = 4 * LEAST_SPREAD;
/** If the lists amount to at least this many times as many buckets as the error rests on, not the lists but the amounts are large. */
const EVEN_LISTS = 4;

/**
 * Kish's effective number of buckets; 0 if nothing was counted.
 * @param d none negative
 */
export function kishOf(d: ArrayLike<number>): number {
  let sum = 0;
  let squares = 0;
  for (let b = 0; b < d.length; b++) {
    sum += d[b];
    squares += d[b] * d[b];
  }
  return squares > 0 ? (sum / squares) * sum : 0;
}

/**
 * u of k.
 * @param most the result if the buckets are filled more evenly than by chance: the number of lists
 */
export function usersOfKish(kish: number, buckets: number, most: number): number {
  const excess = 1 / kish - 1 / buckets;
  return excess > 0 ? Math.min(most, (1 - 1 / buckets) / excess) : most;
}

/**
 * How many buckets an error rests on.
 * @param x what each bucket holds beyond its share of the mean (`residualsOf`), or how a statistic changes without it
 */
export function spreadOf(x: ArrayLike<number>): number {
  let largest = 0;
  for (let b = 0; b < x.length; b++) largest = Math.max(largest, Math.abs(x[b]));
  return largest > 0 ? kishOf(Float64Array.from(x, (cell) => (cell / largest) ** 2)) : 0;
}

/** Whether few users with large amounts cause most of the error of an arm, which then shows only large effects. */
export function isCarriedByFew({ kish, spread }: Pick<ArmMean, 'kish' | 'spread'>, positives: number): boolean {
  return spread > 0 && spread < LEAST_SPREAD && kish >= EVEN_LISTS * spread && positives >= MANY_POSITIVES;
}

/**
 * The share of all lists that the fullest bucket has in excess of the others' mean: about the share of its heaviest user.
 * Other users of the bucket are in it too, so it is an estimate, good for users with many more lists than others.
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

/** Like `unpairedEffect`, but each arm borrows the other's error where it must. */
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
