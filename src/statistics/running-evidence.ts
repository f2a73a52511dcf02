import type { EpochMs } from '../vocabulary/events.ts';
import type { Result } from './absent.ts';
import { absent, isAbsent } from './absent.ts';
import { probability } from './distributions.ts';

/**
 * What is remembered from look to look: the largest evidence so far, apart for both directions.
 *
 *     p_run = e^(-max(0, largest log e))
 *
 * It never rises, and a look that is repeated or skipped does no harm. For guardrails the evidence is -ln p of the
 * one-sided test, so the largest is the smallest p; for the sample ratio it is the log Bayes factor (Johari, Pekelis and
 * Walsh, "Always valid inference", arXiv 1512.04922; specification: statistics 4.3, 5.3).
 *
 * Example: log e of .2, -.4, 1.1, .9, 3.2, 2 give p_run .8187, .8187, .3329, .3329, .0408, .0408.
 */
export interface Largest {
  readonly logE: number;
  /** Time of the look that found it; of equal ones the earliest. */
  readonly at: EpochMs;
}

/** Of one variant, measure and horizon. undefined: no look has pointed there. Plain JSON throughout. */
export interface Looks {
  readonly worse: Largest | undefined;
  readonly better: Largest | undefined;
  readonly guard: Largest | undefined;
}

export const NO_LOOKS: Looks = { worse: undefined, better: undefined, guard: undefined };

/** What one look at final totals saw. */
export interface Look {
  readonly at: EpochMs;
  /** Δ, which says the direction: below 0 is worse, so of a measure of which less is better -Δ. At 0 it counts for both. */
  readonly difference: number;
  /** Of the two-sided sequence; absent: the look changes nothing. */
  readonly logE: Result<number>;
  /** Of the one-sided test for "worse"; undefined: no guardrail, or no evidence. */
  readonly guardLogE: number | undefined;
}

/** The looks with one more; equal to the ones before if it adds nothing. */
export function takeLook(looks: Looks, { at, difference, logE, guardLogE }: Look): Looks {
  const seen = isAbsent(logE) ? undefined : { logE, at };
  return {
    worse: difference <= 0 ? larger(looks.worse, seen) : looks.worse,
    better: difference >= 0 ? larger(looks.better, seen) : looks.better,
    guard: larger(looks.guard, guardLogE === undefined ? undefined : { logE: guardLogE, at }),
  };
}

/** The one with more evidence, of equal ones the earlier. Commutative, associative, idempotent; undefined is neutral. */
export function larger(a: Largest | undefined, b: Largest | undefined): Largest | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  if (a.logE !== b.logE) return a.logE > b.logE ? a : b;
  return a.at <= b.at ? a : b;
}

/** p_run of one direction, in [1e-300, 1]; 1 where no look has pointed there. */
export function runningP(largest: Largest | undefined): number {
  return largest === undefined ? 1 : probability(Math.exp(-Math.max(0, largest.logE)));
}

/** Two-sided p_run: the smaller of both directions. Absent: `no_data` before the first look. */
export function runningTwoSidedP({ worse, better }: Looks): Result<number> {
  if (worse === undefined && better === undefined) return absent('no_data');
  return Math.min(runningP(worse), runningP(better));
}
