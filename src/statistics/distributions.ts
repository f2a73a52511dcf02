/**
 * Distribution functions and quantiles. No other file uses @stdlib (specification: statistics 11).
 *
 *     two-sided p = 2 F(-|t|)        never 2 (1 - F(|t|)), which is 0 from 1e-16 on
 *
 * These packages agree with 40-digit values to 1e-10 and better in the far tails, where jStat gives 0 for the normal distribution at -10
 * and simple-statistics gives 1.957 for the normal quantile of .975. The normal quantile comes from erfcinv, because @stdlib's own gives
 * -6.36134089 at 1e-10 (right: -6.36134090) and -Infinity at 1e-100.
 *
 * Each package is loaded when it is first called: together they are 479 files, which would be a quarter of the start of a command, and
 * few commands call any.
 *
 * Example: normalQuantile(.025) = -1.9599639845400543, tLower(-2, 5) = .05096973941492918.
 */
import { createRequire } from 'node:module';
import type Erfcinv from '@stdlib/math-base-special-erfcinv';
import type Gammainc from '@stdlib/math-base-special-gammainc';
import type Gammaln from '@stdlib/math-base-special-gammaln';
import type NormalCdf from '@stdlib/stats-base-dists-normal-cdf';
import type TCdf from '@stdlib/stats-base-dists-t-cdf';
import type TQuantile from '@stdlib/stats-base-dists-t-quantile';
import type Padjust from '@stdlib/stats-padjust';
import { once } from '../vocabulary/once.ts';

const require = createRequire(import.meta.url);

const erfcinv = once((): typeof Erfcinv => require('@stdlib/math-base-special-erfcinv'));
const gammainc = once((): typeof Gammainc => require('@stdlib/math-base-special-gammainc'));
const gammaln = once((): typeof Gammaln => require('@stdlib/math-base-special-gammaln'));
const normalCdf = once((): typeof NormalCdf => require('@stdlib/stats-base-dists-normal-cdf'));
const tCdf = once((): typeof TCdf => require('@stdlib/stats-base-dists-t-cdf'));
const tQuantileOf = once((): typeof TQuantile => require('@stdlib/stats-base-dists-t-quantile'));
const padjust = once((): typeof Padjust => require('@stdlib/stats-padjust'));

/** From this many degrees of freedom on, the t distribution is taken as normal; @stdlib gives NaN for Infinity. */
const NORMAL_FROM = 1e10;

/** The smallest p that is published; the log of the e-value shows more. */
const LEAST_P = 1e-300;

/** A p-value as `statistics/` publishes it: in [1e-300, 1]. */
export function probability(p: number): number {
  return Math.min(1, Math.max(LEAST_P, p));
}

/** P(Z <= x), standard normal; accurate down to 1e-300. */
export function normalLower(x: number): number {
  return normalCdf()(x, 0, 1);
}

/** The x with P(Z <= x) = p. @param p in (0, 1) */
export function normalQuantile(p: number): number {
  return p <= 0.5 ? -Math.SQRT2 * erfcinv()(2 * p) + 0 : Math.SQRT2 * erfcinv()(2 * (1 - p));
}

/** P(T <= t), Student's t with df > 0 degrees of freedom, not necessarily whole. */
export function tLower(t: number, df: number): number {
  return df > NORMAL_FROM ? normalLower(t) : tCdf()(t, df);
}

/** The t with P(T <= t) = p. @param p in (0, 1) */
export function tQuantile(p: number, df: number): number {
  if (df > NORMAL_FROM) return normalQuantile(p);
  return p <= 0.5 ? tQuantileOf()(p, df) : -tQuantileOf()(1 - p, df);
}

/** P(X² > x), chi-square with df degrees of freedom. */
export function chiSquareUpper(x: number, df: number): number {
  return gammainc()(x / 2, df / 2, true, true);
}

/** ln Γ(x), x > 0. */
export function lnGamma(x: number): number {
  return gammaln()(x);
}

/**
 * Adjusted p-values, in the order of `p`.
 * @param p not empty, each in [0, 1]
 */
export function adjusted(p: readonly number[]): number[] {
  return padjust()([...p], 'holm');
}
