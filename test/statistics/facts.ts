import type { ExperimentFacts, GuardrailFacts, VariantFacts } from '../../src/statistics/decision.ts';

const VARIANT: VariantFacts = {
  impressions: 50_000,
  userless: 0,
  users: 10_000,
  buckets: 256,
  positives: 900,
  kish: 250,
  heaviest: 0.004,
  spread: 200,
};

/** A sound experiment with a narrow interval around 0. */
export const HEALTHY: ExperimentFacts = {
  at: 1000,
  alpha: 0.05,
  tolerance: 0.01,
  lowerIsBetter: false,
  needsPositives: true,
  control: VARIANT,
  variant: VARIANT,
  impressions: 100_000,
  missing: 0,
  looksLost: false,
  unstored: 0,
  isExplained: false,
  split: { p: 1, deviation: 0.001 },
  exposure: { crossovers: 0, sampled: 20_000 },
  controlMean: 0.3,
  effect: { difference: 0, stderr: 0.001, lower: -0.002, upper: 0.002, lift: { lower: -0.0067, upper: 0.0067 } },
  pWorse: 1,
  pBetter: 1,
  guardrail: undefined,
  guarded: [],
};

/** Inputs of a DEC-* case; pairs are of control and variant. */
export interface DecisionInputs {
  readonly impressions: number;
  readonly missing: number;
  readonly srmP: number;
  readonly srmMaxDeviation: number;
  readonly crossoverUsers: number;
  readonly sampledUsers: number;
  readonly users: readonly [number, number];
  readonly buckets: readonly [number, number];
  readonly positives: readonly [number, number];
  readonly stderr: number | null;
  readonly effect: number;
  readonly controlMean: number;
  readonly lower: number;
  readonly upper: number;
  readonly pWorse: number;
  readonly pBetter: number;
  readonly guardrailPWorse: number | null;
  readonly alpha: number;
  readonly tolerance: number;
}

/** The facts of a DEC-* case: its impressions are halved between the two variants. */
export function factsOf(inputs: DecisionInputs): ExperimentFacts {
  const side = (i: 0 | 1): VariantFacts => ({
    impressions: inputs.impressions / 2,
    userless: 0,
    users: inputs.users[i],
    buckets: inputs.buckets[i],
    positives: inputs.positives[i],
    kish: 256,
    heaviest: 0,
    spread: 200,
  });
  const { effect: difference, stderr, lower, upper, guardrailPWorse } = inputs;
  return {
    at: 1000,
    alpha: inputs.alpha,
    tolerance: inputs.tolerance,
    lowerIsBetter: false,
    needsPositives: true,
    control: side(0),
    variant: side(1),
    impressions: inputs.impressions,
    missing: inputs.missing,
    looksLost: false,
    unstored: 0,
    isExplained: false,
    split: { p: inputs.srmP, deviation: inputs.srmMaxDeviation },
    exposure: { crossovers: inputs.crossoverUsers, sampled: inputs.sampledUsers },
    controlMean: inputs.controlMean,
    effect: stderr === null ? undefined : { difference, stderr, lower, upper, lift: undefined },
    pWorse: inputs.pWorse,
    pBetter: inputs.pBetter,
    guardrail: guardrailPWorse === null ? undefined : guardrailAt(guardrailPWorse),
    guarded: [],
  };
}

/** A guardrail without an error at this look. @param p adjusted */
export function guardrailAt(p: number): GuardrailFacts {
  return { measure: 'mrr', p, lowerIsBetter: false, effect: undefined };
}
