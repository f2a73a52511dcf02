/**
 * The decision about one variant of an experiment against its control (specification: statistics 9).
 *
 * 1. The rows below are asked in their order; the first that holds gives label and reason.
 * 2. Within a run a finding stays, because everything it rests on was seen. Only these steps are possible:
 *
 *    from                    to
 *    insufficient, healthy   any
 *    improved                regressed (guardrail_worse), invalid
 *    regressed               invalid
 *    invalid                 what the rows give once its cause is gone; effect_changed never goes
 *
 * 3. A finding whose opposite is found later is no finding: the effect is not constant, `effect_changed`.
 */
import { assertNever, type EpochMs } from '../vocabulary/events.ts';
import {
  type ExperimentFacts,
  type ExperimentVerdict,
  MINIMA,
  MISSING_LIMIT,
  missingShare,
  shortfall,
} from './decision-facts.ts';
import { isCrossed } from './exposure.ts';
import { isMismatch } from './sample-ratio.ts';

/** What a run keeps from look to look. */
export type StandingDecision = ExperimentVerdict & {
  /** Event time of the first look of which the label, with any reason, has held since. */
  readonly since: EpochMs;
};

export type ExperimentDecision = StandingDecision & {
  /** The numbers behind it, of this look. A finding that stays may rest on an earlier one. */
  readonly facts: ExperimentFacts;
};

interface Row {
  readonly verdict: ExperimentVerdict;
  readonly holds: (facts: ExperimentFacts) => boolean;
}

const EFFECT_CHANGED: ExperimentVerdict = { label: 'invalid', reason: 'effect_changed' };

const ROWS: readonly Row[] = [
  { verdict: { label: 'invalid', reason: 'incomplete' }, holds: isIncomplete },
  // Before `no_data`: a variant that gets no users though its weight promises some is not a variant that waits for its first.
  { verdict: { label: 'invalid', reason: 'srm' }, holds: isUnsound },
  { verdict: { label: 'insufficient', reason: 'no_data' }, holds: hasNone },
  { verdict: { label: 'invalid', reason: 'crossover' }, holds: ({ exposure }) => isCrossed(exposure) },
  ...MINIMA.map((reason) => ({
    verdict: { label: 'insufficient', reason } as const,
    holds: (facts: ExperimentFacts) => shortfall(facts) === reason,
  })),
  { verdict: { label: 'insufficient', reason: 'zero_variance' }, holds: (facts) => facts.effect === undefined },
  {
    verdict: EFFECT_CHANGED,
    holds: ({ pWorse, pBetter, alpha }) => isFound(pWorse, alpha) && isFound(pBetter, alpha),
  },
  {
    verdict: { label: 'regressed', reason: 'guardrail_worse' },
    holds: ({ guardrail, alpha }) => isFound(guardrail?.p, alpha),
  },
  { verdict: { label: 'regressed', reason: 'primary_worse' }, holds: ({ pWorse, alpha }) => isFound(pWorse, alpha) },
  { verdict: { label: 'improved', reason: 'primary_better' }, holds: ({ pBetter, alpha }) => isFound(pBetter, alpha) },
  { verdict: { label: 'healthy', reason: 'within_tolerance' }, holds: isWithinTolerance },
];
const OTHERWISE: ExperimentVerdict = { label: 'insufficient', reason: 'wide_interval' };

/**
 * The decision at this look. Total: any facts give one label with one of its reasons.
 * @param previous of the same run, at the look before; undefined: the first look of a run
 */
export function decide(facts: ExperimentFacts, previous: StandingDecision | undefined): ExperimentDecision {
  const found = ROWS.find(({ holds }) => holds(facts))?.verdict ?? OTHERWISE;
  const verdict = previous === undefined ? found : stepFrom(previous, found);
  const since = previous !== undefined && previous.label === verdict.label ? previous.since : facts.at;
  return { ...verdict, since, facts };
}

function stepFrom(previous: ExperimentVerdict, found: ExperimentVerdict): ExperimentVerdict {
  switch (previous.label) {
    case 'insufficient':
    case 'healthy':
      return found;
    case 'improved':
      if (found.label === 'invalid' || found.reason === 'guardrail_worse') return found;
      return found.reason === 'primary_worse' ? EFFECT_CHANGED : previous;
    case 'regressed':
      if (found.label === 'invalid' || found.label === 'regressed') return found;
      return found.label === 'improved' && previous.reason === 'primary_worse' ? EFFECT_CHANGED : previous;
    case 'invalid':
      return previous.reason === 'effect_changed' ? previous : found;
    default:
      return assertNever(previous);
  }
}

function hasNone({ control, variant }: ExperimentFacts): boolean {
  return !(control.impressions >= 1 && variant.impressions >= 1);
}

/** Where nothing was counted yet, nothing can be wrong with it. */
function isIncomplete(facts: ExperimentFacts): boolean {
  return facts.impressions > 0 && missingShare(facts) > MISSING_LIMIT;
}

function isUnsound({ split }: ExperimentFacts): boolean {
  return split !== undefined && isMismatch(split.p, split.deviation);
}

function isFound(p: number | undefined, alpha: number): boolean {
  return p !== undefined && p <= alpha;
}

function isWithinTolerance({ effect, controlMean, tolerance, lowerIsBetter }: ExperimentFacts): boolean {
  if (effect === undefined || controlMean === undefined) return false;
  const worst = lowerIsBetter ? -effect.upper : effect.lower;
  return worst >= -tolerance * Math.abs(controlMean);
}
