import type { Result } from './absent.ts';
import { absent } from './absent.ts';
import { probability } from './distributions.ts';
import type { Interval } from './mean.ts';
import { interval } from './mean.ts';

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
 * on sliding windows and never on provisional results (specification: statistics 4).
 *
 * Example: Δ .29, SE .1247836, 6,868 users, α .05, N* 5,000: c 3.0405438, interval (-.0894101, .6694101), log e 1.2353102,
 * p .2907446.
 */
export interface Plan {
  /** In (0, .5). */
  readonly alpha: number;
  /** N*: the number of users at which the interval is narrowest; fixed for the run. */
  readonly nStar: number;
}

export interface Sequence extends Interval {
  /** c(N). */
  readonly multiplier: number;
  /** Of this look alone; `looks.ts` keeps the largest. */
  readonly logE: number;
  readonly p: number;
}

/** ρ², one over confseq's rho. */
export function mixingRate({ alpha, nStar }: Plan): number {
  if (!(alpha > 0 && alpha < 1) || !(nStar > 0)) {
    throw new RangeError(`alpha ${alpha} must lie between 0 and 1, and nStar ${nStar} above 0`);
  }
  const twice = -2 * Math.log(alpha);
  return (twice + Math.log1p(twice)) / nStar;
}

/** c(N). @param users N, above 0: those of the two variants, approximate ones included */
export function multiplierAt(users: number, plan: Plan): number {
  const k = users * mixingRate(plan);
  return Math.sqrt(((2 * (k + 1)) / k) * (Math.log1p(k) / 2 - Math.log(plan.alpha)));
}

/**
 * @param difference Δ; @param stderr its standard error, above 0; @param users N
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
