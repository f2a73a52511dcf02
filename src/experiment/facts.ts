import { isAbsent, type Result } from '../statistics/absent.ts';
import type { EffectFacts, ExperimentFacts, VariantFacts } from '../statistics/decision-facts.ts';
import { usersSeen } from './exposed.ts';
import type { Families } from './families.ts';
import type { Pair } from './pair.ts';
import type { Split } from './split.ts';
import { type ExperimentState, roleOf, variantOf } from './state.ts';

/** What the decision about one variant is made from. @param primary of the primary measure */
export function factsOf(
  state: ExperimentState,
  variant: string,
  primary: Pair,
  split: Split,
  families: Families,
): ExperimentFacts {
  const { settings, asOf, missing, variants } = state;
  const directions = present(families.directions.get(variant));
  const p = present(split.p);
  const deviation = present(split.deviation);
  return {
    at: asOf ?? 0,
    alpha: settings.alpha,
    tolerance: settings.tolerance,
    lowerIsBetter: settings.lowerIsBetter.has(settings.primary),
    control: variantFacts(state, settings.control, split),
    variant: variantFacts(state, variant, split),
    impressions: [...variants.values()].reduce((sum, { impressions }) => sum + impressions, 0),
    missing,
    split: p === undefined || deviation === undefined ? undefined : { p, deviation },
    exposure: split.exposure,
    controlMean: present(primary.control)?.value,
    effect: effectFacts(primary),
    pWorse: directions?.worse,
    pBetter: directions?.better,
    guardrail: worstGuardrail(state, variant, families),
  };
}

function present<Value>(result: Result<Value> | undefined): Value | undefined {
  return result === undefined || isAbsent(result) ? undefined : result;
}

function variantFacts(state: ExperimentState, name: string, { exposure }: Split): VariantFacts {
  const { impressions, positives, userless, buckets } = variantOf(state, name);
  return { impressions, positives, buckets, users: usersSeen(state, name, exposure) + userless };
}

function effectFacts({ effect, stderr, sequence, lift }: Pair): EffectFacts | undefined {
  if (isAbsent(effect) || isAbsent(stderr) || isAbsent(sequence)) return undefined;
  const bounds = isAbsent(lift) ? undefined : present(lift.bounds);
  const { lower, upper } = sequence;
  return { difference: effect.difference, stderr, lower, upper, lift: bounds };
}

function worstGuardrail(state: ExperimentState, variant: string, { ps }: Families): ExperimentFacts['guardrail'] {
  let worst: ExperimentFacts['guardrail'];
  for (const [measure, { adjusted }] of ps.get(variant) ?? []) {
    if (roleOf(state.settings, measure) !== 'guardrail' || isAbsent(adjusted)) continue;
    if (worst === undefined || adjusted < worst.p) worst = { measure, p: adjusted };
  }
  return worst;
}
