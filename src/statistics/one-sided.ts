import type { Result } from './absent.ts';
import { absent } from './absent.ts';
import { probability } from './distributions.ts';
import type { Plan } from './sequence.ts';
import { mixingRate } from './sequence.ts';

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
export type Direction = 'worse' | 'better';

export interface OneSided {
  /** `worse`: Δ lies below this; `better`: above. */
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

/** Parameters and absences as in `confidenceSequence`. `worse` tests Δ < 0, `better` Δ > 0. */
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
