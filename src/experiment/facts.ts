import { isAbsent, type Result } from '../statistics/absent.ts';
import type { ArmMean } from '../statistics/arm.ts';
import type { EffectFacts, ExperimentFacts, VariantFacts } from '../statistics/decision-facts.ts';
import type { Exposure } from '../statistics/exposure.ts';
import type { Families } from './families.ts';
import type { Pair } from './pair.ts';
import type { Split } from './split.ts';
import { type ExperimentState, roleOf, usersSeen, variantOf } from './state.ts';

/** The inputs of the decision about one variant. @param primary the pair of the primary measure */
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
    ...sidesOf(state, variant, primary, split.exposure),
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

/** Both sides of a pair, to check the minima of a look. */
export function sidesOf(
  state: ExperimentState,
  variant: string,
  { control, value }: Pick<Pair, 'control' | 'value'>,
  exposure: Exposure,
): Pick<ExperimentFacts, 'control' | 'variant'> {
  const side = (name: string, mean: Result<ArmMean>): VariantFacts => {
    const { impressions, positives, userless, buckets, heaviest } = variantOf(state, name);
    const users = usersSeen(state, name, exposure) + userless;
    return { impressions, positives, buckets, heaviest, users, kish: present(mean)?.kish };
  };
  return { control: side(state.settings.control, control), variant: side(variant, value) };
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
