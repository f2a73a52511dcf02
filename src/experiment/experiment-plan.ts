/**
 * How many users it takes to detect effects, and how long that takes at the current traffic: for planning an experiment, and for deciding
 * how long to wait (specification: statistics 7).
 *
 * N users of an equal split have the error SE·√(N₀/N), with SE at the present N₀ (`balancedUsers`). An effect δ is detected with power .8
 * at a look at N when (c(N) + z(.8))·SE(N) <= δ, with c at α divided by the number of variants that are compared with the control,
 * because the first p of Holm's procedure must be that small. Without a difference, `healthy` at a tolerance t is decided when the same
 * holds for δ = t·|R_C| with c at α, as intervals are not adjusted (bounds of the lift are a little narrower than that: by 2 % at t = 5
 * %). Errors of returning users shrink more slowly than √N, so this is a lower bound. It uses the effect that one wants to detect, never
 * the observed one.
 */

import { detectableEffect } from '../statistics/effect.ts';
import { balancedUsers } from '../statistics/exposure.ts';
import { multiplierAt } from '../statistics/sequence.ts';
import { DAY } from '../vocabulary/durations.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import type { Comparison } from './comparison.ts';
import type { Trail } from './take-looks.ts';

/** The planned effects, as fractions of the control. */
const EFFECTS = [0.01, 0.02, 0.05, 0.1] as const;
/** `withinReach` is what can be reached within this many days. */
export const REACHABLE_DAYS = 28;
/** More users than any traffic has. */
const MOST_USERS = 1e15;

export interface PlannedEffect {
  /** A fraction of the control's mean. */
  readonly effect: number;
  /** Number of users of both variants together, at the present split. */
  readonly users: number;
  /** Days from the start of the run, at the present rate of new users; null: the run is too young for a rate. */
  readonly days: number | null;
}

export interface PlannedVariant {
  readonly variant: string;
  /** New users per day of the variant and the control together; null: the run is too young for a rate. */
  readonly usersPerDay: number | null;
  /** null: the primary measure has no error yet. */
  readonly effects: readonly PlannedEffect[] | null;
  /** When equal variants can be found `healthy` at the configured tolerance. */
  readonly healthy: PlannedEffect | null;
  /** The smallest tolerance at which that is possible within `REACHABLE_DAYS`. */
  readonly withinReach: number | null;
}

interface PlanSettings {
  readonly alpha: number;
  readonly nStar: number;
  /** Time at which the first user was shown the experiment; undefined: no impression has a user. */
  readonly began?: EpochMs | undefined;
  /** Events before this time are excluded; undefined: none are. */
  readonly start: number | undefined;
}

/** Plans, one for each variant that is compared with the control. */
export function planOf(comparison: Comparison, trail: Trail, settings: PlanSettings): readonly PlannedVariant[] {
  const days = elapsedDays(comparison, trail, settings);
  const adjusted = settings.alpha / comparison.variants.length;
  return comparison.variants.map(({ variant, measures }): PlannedVariant => {
    const [control, treatment] = [comparison.users[comparison.control] ?? 0, comparison.users[variant] ?? 0];
    const usersPerDay = days === undefined ? null : (control + treatment) / days;
    const now = balancedUsers(control, treatment);
    const primary = measures.find(({ role }) => role === 'primary');
    const none = { variant, usersPerDay, effects: null, healthy: null, withinReach: null };
    if (primary?.stderr == null || primary.control == null || primary.control === 0 || !(now > 0)) return none;
    /** Error for one user, relative to the control's mean. */
    const error = (primary.stderr * Math.sqrt(now)) / Math.abs(primary.control);
    const all = (control + treatment) / now;
    const planned = (effect: number, level: number): PlannedEffect => {
      const users = Math.ceil(usersFor(effect, (n) => seenWith(n, error, settings, level)) * all);
      return { effect, users, days: usersPerDay === null ? null : users / usersPerDay };
    };
    const { tolerance } = comparison;
    return {
      variant,
      usersPerDay,
      effects: EFFECTS.map((effect) => planned(effect, adjusted)),
      healthy: tolerance > 0 ? planned(tolerance, settings.alpha) : null,
      withinReach:
        usersPerDay === null ? null : seenWith((usersPerDay * REACHABLE_DAYS) / all, error, settings, settings.alpha),
    };
  });
}

/** The smallest effect, in the unit of `error`, that N users detect with power .8 if p decides at this level. */
function seenWith(users: number, error: number, settings: PlanSettings, level: number): number {
  const seen = detectableEffect(error / Math.sqrt(users), multiplierAt(users, settings, level));
  return typeof seen === 'number' ? seen : Number.POSITIVE_INFINITY;
}

/** The smallest N that detects the effect, by bisection: the detectable effect falls with N. */
function usersFor(effect: number, seenBy: (users: number) => number): number {
  let [few, enough] = [1, MOST_USERS];
  if (seenBy(few) <= effect) return few;
  while (enough / few > 1 + 1e-6) {
    const middle = Math.sqrt(few * enough);
    if (seenBy(middle) <= effect) enough = middle;
    else few = middle;
  }
  return enough;
}

/**
 * Days from the first user to the newest look; undefined: less than an hour. The looks do not show when the run began: the first that has
 * an error comes an hour later, or days later if users are few, and all users before it count.
 */
function elapsedDays({ asOf }: Comparison, trail: Trail, { began, start }: PlanSettings): number | undefined {
  const first = Math.min(...[...trail.values()].flatMap(([point]) => (point === undefined ? [] : [point.at])));
  const from = began ?? start ?? first;
  const days = asOf === null ? Number.NaN : (Date.parse(asOf) - from) / DAY;
  return days >= 1 / 24 ? days : undefined;
}
