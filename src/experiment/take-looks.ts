import type { ExperimentSettings } from '../config/settings.ts';
import { isAbsent } from '../statistics/absent.ts';
import { decide, type StandingDecision, shortfall, unsoundness } from '../statistics/decision.ts';
import { type Look, type Looks, larger, NO_LOOKS, oneSidedSequence, takeLook } from '../statistics/sequence.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import type { Comparison } from './comparison.ts';
import { evaluate } from './evaluate.ts';
import {
  type Arms,
  type ExperimentLooks,
  inOrder,
  type LookPoint,
  NO_EXPERIMENT_LOOKS,
  withPoint,
} from './experiment-looks.ts';
import { factsOf, familiesOf, type Pair, pairOf, sidesOf, soundFactsOf, splitOf, usersOfVariants } from './facts.ts';
import { armsOf } from './measure-course.ts';
import { EMPTY_SHARE, type ExperimentState, roleOf, treatmentsOf } from './state.ts';

/** The kept looks by variant, in the order of time; only some of a long run (`withPoint`). Looks without a standard error are left out. */
export type Trail = ReadonlyMap<string, readonly LookPoint[]>;

/**
 * Takes one more look, at the state's totals: the evidence on every variant and measure, that on the split, the decisions that follow,
 * and a point for the picture. Evidence never falls, so a look that is skipped or taken twice does no harm; a look that could decide
 * nothing (`shortfall`) leaves no evidence. An unsound look (`unsoundness`) also removes earlier evidence, except that on the split,
 * which shows that it is unsound (specification: statistics 4.3). Without final results nothing changes.
 */
export function takeLooks(state: ExperimentState): ExperimentLooks {
  const { settings, measures, since, asOf, looks } = state;
  if (asOf === undefined) return looks;
  const { logE } = splitOf(state);
  const srm = larger(looks.srm, isAbsent(logE) ? undefined : { logE, at: asOf });
  const split = splitOf({ ...state, looks: { ...looks, srm } });
  const pairs = new Map(
    treatmentsOf(settings).map((variant) => {
      const users = usersOfVariants(state, variant);
      const ofMeasures = [...measures, EMPTY_SHARE].map((measure) => {
        const pair = pairOf(state, variant, measure, users);
        // Below the minima, errors are wrong, so what they show must not be kept.
        const mayCount = shortfall(sidesOf(state, variant, measure, pair, split.exposure)) === undefined;
        return { measure, pair, look: mayCount ? lookOf(state, measure, pair, users, asOf) : undefined };
      });
      return [variant, ofMeasures] as const;
    }),
  );
  const seen = new Map(
    [...pairs].flatMap(([variant, ofMeasures]) => {
      if (unsoundness(soundFactsOf(state, variant, split)) !== undefined) return [];
      const entries = ofMeasures.flatMap(({ measure, look }): (readonly [string, Looks])[] => {
        const before = sinceThen(looks.measures.get(variant)?.get(measure), settings, since[measure]);
        if (look === undefined) return before === undefined ? [] : [[measure, before]];
        return [[measure, takeLook(before ?? NO_LOOKS, look)]];
      });
      return entries.length === 0 ? [] : [[variant, new Map(entries)] as const];
    }),
  );

  const after: ExperimentState = { ...state, looks: { ...looks, measures: seen, srm } };
  const families = familiesOf(after);
  const decisions = new Map(
    [...pairs].flatMap(([variant, ofMeasures]): (readonly [string, StandingDecision])[] => {
      const primary = ofMeasures.find(({ measure }) => measure === settings.primary)?.pair;
      if (primary === undefined) return [];
      const { facts: _, ...standing } = decide(
        factsOf(after, variant, primary, split, families),
        looks.decisions.get(variant),
      );
      return [[variant, standing]];
    }),
  );
  const points = new Map(looks.points);
  for (const [variant, ofMeasures] of pairs) {
    const primary = ofMeasures.find(({ measure }) => measure === settings.primary);
    const kept = ofMeasures.filter(({ measure }) => roleOf(settings, measure) !== 'other');
    const arms = new Map(kept.flatMap(({ measure, pair }) => armsOf(pair).map((arms) => [measure, arms] as const)));
    const point = primary === undefined ? undefined : pointOf(primary.pair, asOf, arms);
    if (point !== undefined) points.set(variant, withPoint(points.get(variant) ?? [], point));
  }
  return { ...after.looks, decisions, points };
}

/** The looks at sums of lists that closed after `since`; undefined: there are none, because the measure was removed and added again. */
function sinceThen(
  looks: Looks | undefined,
  { horizon }: Pick<ExperimentSettings, 'horizon'>,
  since: EpochMs = Number.NEGATIVE_INFINITY,
): Looks | undefined {
  const seen = [looks?.worse, looks?.better, looks?.guard];
  return seen.some((largest) => largest !== undefined && largest.at + horizon.ms <= since) ? undefined : looks;
}

/** undefined: there is no error, so there is no sequence to draw. */
function pointOf({ effect, sequence }: Pair, at: EpochMs, arms: Arms): LookPoint | undefined {
  if (isAbsent(effect) || isAbsent(sequence)) return undefined;
  return { at, effect: effect.difference, lower: sequence.lower, upper: sequence.upper, arms };
}

/** undefined: the error is absent, so the look shows nothing. */
function lookOf(state: ExperimentState, measure: string, pair: Pair, users: number, at: number): Look | undefined {
  const { settings } = state;
  const { effect, stderr, sequence } = pair;
  if (isAbsent(effect) || isAbsent(stderr) || isAbsent(sequence)) return undefined;
  // A change for the worse must be a fall.
  const isLess = measure === EMPTY_SHARE || settings.lowerIsBetter.has(measure);
  const difference = isLess ? -effect.difference : effect.difference;
  const guard =
    roleOf(settings, measure) === 'guardrail'
      ? oneSidedSequence(difference, stderr, users, settings, 'worse')
      : undefined;
  return {
    at,
    difference,
    logE: sequence.logE,
    guardLogE: guard === undefined || isAbsent(guard) ? undefined : guard.logE,
  };
}

export function trailOf({ points }: ExperimentLooks): Trail {
  return new Map([...points].map(([variant, ofVariant]) => [variant, inOrder(ofVariant)] as const));
}

/** Looks at one experiment repeatedly while one process reads logs, and keeps the looks. */
export class Watcher {
  #looks: ExperimentLooks = NO_EXPERIMENT_LOOKS;

  /** Takes one more look without a comparison. */
  take(totals: Omit<ExperimentState, 'looks'>): void {
    this.#looks = takeLooks({ ...totals, looks: this.#looks });
  }

  /** Takes one more look. Returns the present comparison. */
  look(totals: Omit<ExperimentState, 'looks'>): Comparison {
    this.take(totals);
    return evaluate({ ...totals, looks: this.#looks });
  }

  get trail(): Trail {
    return trailOf(this.#looks);
  }
}
