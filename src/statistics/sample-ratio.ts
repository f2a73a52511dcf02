import type { EpochMs } from '../vocabulary/events.ts';
import { absent, isAbsent, type Result } from './absent.ts';
import { chiSquareUpper, lnGamma, probability } from './distributions.ts';
import type { Arrivals } from './exposure.ts';

/**
 * Tests whether the variants got the users that their weights promise.
 *
 *     one look:  E_i = N w_i / Σw,  X² = Σ (O_i - E_i)² / E_i,  df = k - 1,  p = upper tail of chi-square
 *     any time:  log BF = ln B(α0 + n) - ln B(α0) - Σ n_i ln w_i,  ln B(a) = Σ lnΓ(a_i) - lnΓ(Σ a_i),  α0 = 100 w
 *                p = e^(-max over looks of max(0, log BF))
 *
 * Fixed: Pearson's test, for the API alone. Sequential: Dirichlet-multinomial mixture, Lindon and Malek, "Anytime-valid inference for
 * multinomial count data", arXiv 2011.03567, as in optimizely/ssrm; it needs cumulative counts only. Variants of weight 0, and their
 * counts, are left out of both tests (specification: statistics 5.3).
 *
 * Example: 1,000 against 1,200 at equal weights: X² 18.1818182, p .0000200787, largest deviation .0909091, log BF 7.1403019 (p .00079).
 */
export interface ChiSquare {
  readonly chiSquare: number;
  readonly df: number;
  readonly p: number;
}

/** If fewer users are expected in any variant, there is no chi-square test. */
const LEAST_EXPECTED = 8;

/** Strength of the prior. With 10,000 the example above would have p .21. */
const PRIOR_STRENGTH = 100;

/**
 * A mismatch requires both: p below MISMATCH_P, and at present a largest deviation of at least MISMATCH_DEVIATION. The first alone is a
 * warning.
 */
export const MISMATCH_P = 0.001;
export const MISMATCH_DEVIATION = 0.002;

interface Plan {
  readonly counts: readonly number[];
  /** Shares of the variants; they sum to 1. */
  readonly shares: readonly number[];
  readonly total: number;
  /** Indexes among the configured variants. */
  readonly places: readonly number[];
}

function planned(counts: readonly number[], weights: readonly number[]): Result<Plan> {
  if (counts.length !== weights.length) {
    throw new RangeError(`${counts.length} counts and ${weights.length} weights: need one each`);
  }
  const places = weights.flatMap((weight, place) => (weight > 0 ? [place] : []));
  if (places.length < 2) return absent('single_variant');
  const used = places.map((place) => counts[place]);
  const total = used.reduce((sum, count) => sum + count, 0);
  if (!(total > 0)) return absent('no_data');
  const weight = places.reduce((sum, place) => sum + weights[place], 0);
  return { counts: used, shares: places.map((place) => weights[place] / weight), total, places };
}

/**
 * @param counts users first exposed to each variant
 * @param weights of the variants, in the same order
 * @returns absent: `single_variant`, `no_data`, or `few_users` if fewer than `leastExpected` are expected in any variant
 */
export function chiSquareTest(
  counts: readonly number[],
  weights: readonly number[],
  leastExpected: number = LEAST_EXPECTED,
): Result<ChiSquare> {
  const plan = planned(counts, weights);
  if (isAbsent(plan)) return plan;
  const expected = plan.shares.map((share) => plan.total * share);
  if (expected.some((count) => count < leastExpected)) return absent('few_users');
  const chiSquare = expected.reduce((sum, e, i) => sum + (plan.counts[i] - e) ** 2 / e, 0);
  if (!Number.isFinite(chiSquare)) return absent('unbounded');
  const df = expected.length - 1;
  return { chiSquare, df, p: probability(chiSquareUpper(chiSquare, df)) };
}

/** The users that the weights promise to each variant, for the same total, by index; 0 for weight 0. Absent as in `largestDeviation`. */
export function expectedUsers(counts: readonly number[], weights: readonly number[]): Result<readonly number[]> {
  const plan = planned(counts, weights);
  if (isAbsent(plan)) return plan;
  const expected = weights.map(() => 0);
  for (const [i, place] of plan.places.entries()) expected[place] = plan.total * plan.shares[i];
  return expected;
}

/** Largest |O - E| / E. Absent as in `chiSquareTest`, without `few_users`. */
export function largestDeviation(counts: readonly number[], weights: readonly number[]): Result<number> {
  const plan = planned(counts, weights);
  if (isAbsent(plan)) return plan;
  return Math.max(...plan.shares.map((share, i) => Math.abs(plan.counts[i] / (plan.total * share) - 1)));
}

/**
 * The smallest value of the largest deviation that would be a mismatch at this look with this many users. The variant with the smallest
 * weight is taken to have too many, while the others keep their ratios.
 * @param counts only their sum matters
 * @returns absent: as `largestDeviation`; `few_users` if no split would be a mismatch
 */
export function detectableDeviation(counts: readonly number[], weights: readonly number[]): Result<number> {
  const plan = planned(counts, weights);
  if (isAbsent(plan)) return plan;
  const { shares, total } = plan;
  const least = Math.min(...shares);
  const place = shares.indexOf(least);
  const isSeen = (deviation: number): boolean => {
    const share = least * (1 + deviation);
    const users = shares.map((each, i) => total * (i === place ? share : (each * (1 - share)) / (1 - least)));
    const logBF = logBayesFactor(users, shares);
    return !isAbsent(logBF) && -logBF < Math.log(MISMATCH_P);
  };
  let [unseen, seen] = [MISMATCH_DEVIATION, 1 / least - 1];
  if (isSeen(unseen)) return unseen;
  if (!isSeen(seen)) return absent('few_users');
  while (seen - unseen > 1e-4 * seen) {
    const middle = (seen + unseen) / 2;
    if (isSeen(middle)) seen = middle;
    else unseen = middle;
  }
  return seen;
}

/**
 * Log Bayes factor against the weights, on cumulative counts. The largest over all looks gives p (`runningP`).
 * @param prior α0 by variant; default 100 · w
 * @returns absent: `single_variant`, `no_data`
 */
export function logBayesFactor(
  counts: readonly number[],
  weights: readonly number[],
  prior?: readonly number[],
): Result<number> {
  const plan = planned(counts, weights);
  if (isAbsent(plan)) return plan;
  const before = plan.shares.map((share, i) => (prior === undefined ? PRIOR_STRENGTH * share : prior[plan.places[i]]));
  const after = before.map((alpha, i) => alpha + plan.counts[i]);
  const planLog = plan.shares.reduce((sum, share, i) => sum + plan.counts[i] * Math.log(share), 0);
  const logBF = lnBeta(after) - lnBeta(before) - planLog;
  return Number.isFinite(logBF) ? logBF : absent('unbounded');
}

function lnBeta(alphas: readonly number[]): number {
  const logs = alphas.reduce((sum, alpha) => sum + lnGamma(alpha), 0);
  return logs - lnGamma(alphas.reduce((sum, alpha) => sum + alpha, 0));
}

/** Whether something is wrong with the split, but too little to make the variants incomparable. Parameters as in `isMismatch`. */
export function isSuspect(p: number, deviation: number): boolean {
  return p < MISMATCH_P && !isMismatch(p, deviation);
}

/** @param p running p of the sequential test; @param deviation `largestDeviation` now */
export function isMismatch(p: number, deviation: number): boolean {
  return p < MISMATCH_P && deviation >= MISMATCH_DEVIATION;
}

/** A variant's smallest and largest share of the new users. */
export interface SplitChange {
  readonly least: SplitSpan;
  readonly most: SplitSpan;
}

export interface SplitSpan {
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** A share from 0 to 1. */
  readonly share: number;
}

/** A span in which fewer users are expected shows nothing. */
const LEAST_IN_SPAN = 8;

/**
 * Tests whether a variant's share of the new users changed over time, as it does when one variant alone is ramped up. This is Pearson's
 * test of homogeneity over the spans, at the level of the sample ratio. It explains a split that is off, and decides nothing
 * (specification: statistics 5.3).
 *
 * Example: 1 of 100 new users, then 50 of 100: X² 63.2, p below .001.
 * @returns undefined: no change was found
 */
export function splitChange(spans: readonly Arrivals[], variant: number): SplitChange | undefined {
  const of = ({ users }: Arrivals): number => users.reduce((sum, n) => sum + n, 0);
  const all = spans.reduce((sum, span) => sum + of(span), 0);
  const share = spans.reduce((sum, { users }) => sum + users[variant], 0) / all;
  const large = spans.filter((span) => of(span) * Math.min(share, 1 - share) >= LEAST_IN_SPAN);
  const squares = large.reduce((sum, span) => {
    const expected = of(span) * share;
    return sum + (span.users[variant] - expected) ** 2 / (expected * (1 - share));
  }, 0);
  if (large.length < 2 || !(chiSquareUpper(squares, large.length - 1) < MISMATCH_P)) return undefined;
  const shares = large
    .map((span): SplitSpan => ({ from: span.from, to: span.to, share: span.users[variant] / of(span) }))
    .sort((a, b) => a.share - b.share);
  return { least: shares[0], most: shares[shares.length - 1] };
}
