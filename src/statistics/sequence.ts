import type { EpochMs } from '../vocabulary/events.ts';
import { absent, isAbsent, type Result } from './absent.ts';
import { probability } from './distributions.ts';
import { type Interval, interval } from './mean.ts';

/**
 * An interval that holds at all looks together, and the evidence against "no effect" at this look.
 *
 *     ρ² = (-2 ln α + ln(1 - 2 ln α)) / N*        K = N ρ²
 *     c(N) = sqrt( 2 (K+1)/K · ln( sqrt(K+1)/α ) )        interval Δ ± c · SE
 *     log e = K z² / (2(K+1)) - ½ ln(K+1),  z = Δ/SE        p = min(1, e^(-log e))
 *
 * Asymptotic confidence sequence: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and
 * asymptotic confidence sequences", arXiv 2103.06476; the same interval as GrowthBook's sequential tests, Eppo's GAVI and
 * confseq's two-sided normal mixture. p < α exactly when the interval excludes 0. Valid on totals since the start, never
 * on sliding windows and never on provisional results; the level is α while information grows with the users (specification:
 * statistics 4, 4.4).
 *
 * Example: Δ .29, SE .1247836, 6,868 users, α .05, N* 5,000: c 3.0405438, interval (-.0894101, .6694101), log e 1.2353102,
 * p .2907446.
 */
export interface Plan {
  /** A level in (0, .5). */
  readonly alpha: number;
  /** N*: the number of users at which the interval is narrowest; fixed for the run. */
  readonly nStar: number;
}

export interface Sequence extends Interval {
  /** c(N). */
  readonly multiplier: number;
  /** The evidence of this look alone; `takeLook` keeps the largest. */
  readonly logE: number;
  readonly p: number;
}

/** ρ², the reciprocal of confseq's rho. */
export function mixingRate({ alpha, nStar }: Plan): number {
  if (!(alpha > 0 && alpha < 1) || !(nStar > 0)) {
    throw new RangeError(`alpha ${alpha} must lie between 0 and 1, and nStar ${nStar} above 0`);
  }
  const twice = -2 * Math.log(alpha);
  return (twice + Math.log1p(twice)) / nStar;
}

/**
 * c(N).
 * @param users N, above 0: the users of the two variants, approximate or not
 * @param level at which p decides; default: alpha
 */
export function multiplierAt(users: number, plan: Plan, level = plan.alpha): number {
  const k = users * mixingRate(plan);
  return Math.sqrt(((2 * (k + 1)) / k) * (Math.log1p(k) / 2 - Math.log(level)));
}

/**
 * @param difference Δ
 * @param stderr its standard error, above 0
 * @param users N
 * @returns absent: `few_users` for N = 0, `zero_variance`, `unbounded`
 */
export function confidenceSequence(difference: number, stderr: number, users: number, plan: Plan): Result<Sequence> {
  const multiplier = multiplierAt(users, plan);
  if (!(users > 0)) return absent('few_users');
  if (!(stderr > 0)) return absent('zero_variance');
  const k = users * mixingRate(plan);
  const logE = (k / (2 * (k + 1))) * (difference / stderr) ** 2 - Math.log1p(k) / 2;
  const bounds = interval(difference - multiplier * stderr, difference + multiplier * stderr);
  if ('absent' in bounds || !Number.isFinite(logE)) return absent('unbounded');
  return { ...bounds, multiplier, logE, p: probability(Math.exp(-logE)) };
}

/**
 * The one-sided confidence sequence, for guardrails: is the treatment worse?
 *
 *     ρ² as in `sequence.ts` with 2α        K = N ρ²        bound Δ ± SE · sqrt( 2 (K+1)/K · ln( 1 + sqrt(K+1)/(2α) ) )
 *     z > 0 in the tested direction: p = min(1, sqrt(K+1) / (2 expm1( K z² / (2(K+1)) )));  else p = 1
 *
 * arXiv 2103.06476, appendix on one-sided sequences; p is the exact inverse of the bound (specification: statistics 4.2).
 *
 * Example: Δ .2343767, SE .1298308, 6,461 users, α .05, N* 5,000, "better": lower bound -.1265684, p .4630474.
 */
type Direction = 'worse' | 'better';

interface OneSided {
  /** The one-sided bound: Δ lies below it for `worse`, above it for `better`. */
  readonly bound: number;
  /** -ln p before p is cut to [0, 1]; undefined: Δ points the other way, which is no evidence. */
  readonly logE: number | undefined;
  readonly p: number;
}

/** @param plan alpha must be below .5 */
export function oneSidedMultiplierAt(users: number, { alpha, nStar }: Plan): number {
  const k = users * mixingRate({ alpha: 2 * alpha, nStar });
  return Math.sqrt(((2 * (k + 1)) / k) * Math.log1p(Math.sqrt(k + 1) / (2 * alpha)));
}

/** Tests Δ < 0 (`worse`) or Δ > 0 (`better`). Parameters and absences as in `confidenceSequence`. */
export function oneSidedSequence(
  difference: number,
  stderr: number,
  users: number,
  plan: Plan,
  direction: Direction,
): Result<OneSided> {
  const multiplier = oneSidedMultiplierAt(users, plan);
  if (!(users > 0)) return absent('few_users');
  if (!(stderr > 0)) return absent('zero_variance');
  const sign = direction === 'better' ? 1 : -1;
  const bound = difference - sign * multiplier * stderr;
  const z = (sign * difference) / stderr;
  const k = users * mixingRate({ alpha: 2 * plan.alpha, nStar: plan.nStar });
  const exponent = (k / (2 * (k + 1))) * z * z;
  if (!Number.isFinite(bound) || !Number.isFinite(exponent)) return absent('unbounded');
  // A square that underflows to 0 is no evidence either.
  if (!(z > 0) || exponent === 0) return { bound, logE: undefined, p: 1 };
  // ln(2 expm1(x)) without overflow: x + ln(1 - e^-x) + ln 2.
  const logE = exponent + Math.log(-Math.expm1(-exponent)) + Math.LN2 - Math.log1p(k) / 2;
  return { bound, logE, p: probability(Math.exp(-logE)) };
}

/**
 * What is kept from look to look: the largest evidence so far, for each direction.
 *
 *     p_run = e^(-max(0, largest log e))
 *
 * It never rises, and repeating or skipping a look does no harm. For guardrails the evidence is -ln p of the one-sided test, so the
 * largest is the smallest p; for the sample ratio it is the log Bayes factor (Johari, Pekelis and Walsh, "Always valid inference", arXiv
 * 1512.04922; specification: statistics 4.3, 5.3).
 *
 * Example: log e of .2, -.4, 1.1, .9, 3.2, 2 give p_run .8187, .8187, .3329, .3329, .0408, .0408.
 */
export interface Largest {
  readonly logE: number;
  /** Time of the look that found it; of equal ones, the earliest. */
  readonly at: EpochMs;
}

/**
 * The largest evidence for one variant, measure and horizon, in each direction; undefined: no look has pointed in that direction. It is
 * plain JSON.
 */
export interface Looks {
  readonly worse: Largest | undefined;
  readonly better: Largest | undefined;
  readonly guard: Largest | undefined;
}

export const NO_LOOKS: Looks = { worse: undefined, better: undefined, guard: undefined };

/** What one look at final totals saw. */
export interface Look {
  readonly at: EpochMs;
  /** Δ, whose sign is the direction: below 0 is worse, so pass -Δ for measures where lower is better. 0 counts for both. */
  readonly difference: number;
  /** Evidence of the two-sided sequence; absent: the look changes nothing. */
  readonly logE: Result<number>;
  /** Evidence of the one-sided test for "worse"; undefined: no guardrail, or no evidence. */
  readonly guardLogE: number | undefined;
}

/** Adds a look; the result equals `looks` if it adds nothing. */
export function takeLook(looks: Looks, { at, difference, logE, guardLogE }: Look): Looks {
  const seen = isAbsent(logE) ? undefined : { logE, at };
  return {
    worse: difference <= 0 ? larger(looks.worse, seen) : looks.worse,
    better: difference >= 0 ? larger(looks.better, seen) : looks.better,
    guard: larger(looks.guard, guardLogE === undefined ? undefined : { logE: guardLogE, at }),
  };
}

/** The one with more evidence, or the earlier of equal ones. Commutative, associative and idempotent; undefined is neutral. */
export function larger(a: Largest | undefined, b: Largest | undefined): Largest | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  if (a.logE !== b.logE) return a.logE > b.logE ? a : b;
  return a.at <= b.at ? a : b;
}

/** p_run of one direction, in [1e-300, 1]; 1 if no look has pointed there. */
export function runningP(largest: Largest | undefined): number {
  return largest === undefined ? 1 : probability(Math.exp(-Math.max(0, largest.logE)));
}

/** Two-sided p_run: the smaller of the two directions. Absent: `no_data` before the first look. */
export function runningTwoSidedP({ worse, better }: Looks): Result<number> {
  if (worse === undefined && better === undefined) return absent('no_data');
  return Math.min(runningP(worse), runningP(better));
}
