import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decide,
  EXPERIMENT_REASONS,
  type ExperimentDecision,
  type ExperimentFacts,
  type ExperimentVerdict,
  LABELS,
} from '../../src/statistics/decision.ts';
import { guardrailAt, HEALTHY } from './facts.ts';

const { control: SOUND, effect: EFFECT } = HEALTHY;
if (EFFECT === undefined) throw new Error('the healthy facts have an effect');

/** What makes each row hold, in the order of the rows; the last one makes none of the others hold. */
const CAUSES: readonly (readonly [string, Partial<ExperimentFacts>])[] = [
  ['incomplete', { missing: 2000 }],
  ['srm', { split: { p: 1e-5, deviation: 0.05 } }],
  ['no_data', { variant: { ...SOUND, impressions: 0 } }],
  ['crossover', { exposure: { crossovers: 200, sampled: 20_000 } }],
  ['no_user_ids', { variant: { ...SOUND, userless: 12_501 } }],
  ['few_users', { variant: { ...SOUND, users: 99 } }],
  ['few_buckets', { variant: { ...SOUND, buckets: 29 } }],
  ['few_positives', { control: { ...SOUND, positives: 24 }, variant: { ...SOUND, positives: 24 } }],
  ['zero_variance', { effect: undefined }],
  ['effect_changed', { pWorse: 0.01, pBetter: 0.01 }],
  ['guardrail_worse', { guardrail: guardrailAt(0.01) }],
  ['primary_worse', { pWorse: 0.01 }],
  ['primary_better', { pBetter: 0.01 }],
  ['within_tolerance', {}],
  ['wide_interval', { effect: { ...EFFECT, lower: -0.02, lift: { lower: -0.067, upper: 0.0067 } } }],
];

function first(facts: ExperimentFacts): string {
  return decide(facts, undefined).reason;
}

function change(more: Partial<ExperimentFacts>): ExperimentFacts {
  return { ...HEALTHY, ...more };
}

/** One of these, the first one nine times of ten: so that most looks are sound and reach the later rows. */
function mostly<T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof({ arbitrary: fc.constant(usual), weight: 9 }, { arbitrary: fc.constantFrom(...others), weight: 1 });
}

const small = fc.constantFrom(0.04, 0.05, 0.06, 1, 1, undefined);
const anyFacts = fc.record({
  at: fc.nat(),
  alpha: fc.constant(0.05),
  tolerance: fc.constantFrom(0, 0.01, 1),
  lowerIsBetter: fc.boolean(),
  needsPositives: mostly(true, false),
  control: mostly(SOUND, { ...SOUND, users: 99 }, { ...SOUND, impressions: 0 }, { ...SOUND, userless: 40_000 }),
  variant: mostly(SOUND, { ...SOUND, buckets: 29 }, { ...SOUND, positives: 24 }),
  impressions: fc.nat(),
  missing: mostly(0, 100_000),
  looksLost: mostly(false, true),
  unstored: mostly(0, 1),
  isExplained: mostly(false, true),
  split: mostly<ExperimentFacts['split']>(undefined, { p: 1, deviation: 0.5 }, { p: 1e-4, deviation: 0.02 }),
  exposure: mostly({ crossovers: 0, sampled: 0 }, { crossovers: 10, sampled: 1000 }),
  controlMean: mostly<number | undefined>(0.3, undefined, 0, -0.3),
  effect: mostly<ExperimentFacts['effect']>(EFFECT, undefined, { ...EFFECT, lower: -1, lift: undefined }),
  pWorse: small,
  pBetter: small,
  guardrail: mostly<ExperimentFacts['guardrail']>(undefined, guardrailAt(0.01), guardrailAt(0.5)),
  guarded: fc.constant([]),
});

/** The table of steps (specification: statistics 9.2). */
function isStep(from: ExperimentVerdict, to: ExperimentVerdict): boolean {
  if (from.reason === 'effect_changed') return to.reason === 'effect_changed';
  if (to.reason === 'no_user_ids') return true;
  switch (from.label) {
    case 'insufficient':
    case 'healthy':
    case 'invalid':
      return true;
    case 'improved':
      return to.label === 'improved' || to.label === 'invalid' || to.reason === 'guardrail_worse';
    case 'regressed':
      return to.label === 'regressed' || to.label === 'invalid';
  }
}

function run(looks: readonly ExperimentFacts[], remembers: boolean): readonly ExperimentDecision[] {
  const decisions: ExperimentDecision[] = [];
  for (const facts of looks) {
    decisions.push(decide(facts, remembers ? decisions[decisions.length - 1] : undefined));
  }
  return decisions;
}

function wrongSteps(decisions: readonly ExperimentDecision[]): number {
  return decisions.filter((decision, i) => i > 0 && !isStep(decisions[i - 1], decision)).length;
}

const anyRun = fc.array(anyFacts, { minLength: 2, maxLength: 30 });

describe('the decision', () => {
  it('is one of five labels with one of its reasons, for any facts', () => {
    fc.assert(
      fc.property(anyRun, (looks) => {
        for (const { label, reason } of run(looks, true)) {
          expect(LABELS).toContain(label);
          expect(EXPERIMENT_REASONS[label]).toContain(reason);
        }
      }),
    );
  });

  it('is one of them even where numbers are none', () => {
    const wild = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, 0, 1e308);
    fc.assert(
      fc.property(wild, wild, wild, wild, wild, (a, b, c, d, e) => {
        const side = {
          impressions: a,
          userless: c,
          users: b,
          buckets: c,
          positives: d,
          kish: e,
          heaviest: a,
          spread: b,
        };
        const facts: ExperimentFacts = {
          ...HEALTHY,
          control: side,
          impressions: b,
          missing: c,
          split: { p: d, deviation: e },
          exposure: { crossovers: a, sampled: e },
          controlMean: b,
          pWorse: c,
          pBetter: d,
        };
        const { label, reason } = decide(facts, undefined);
        expect(EXPERIMENT_REASONS[label]).toContain(reason);
      }),
    );
  });

  it('takes only the steps of the table within a run', () => {
    fc.assert(
      fc.property(anyRun, (looks) => {
        expect(wrongSteps(run(looks, true))).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it('would take others if it forgot the look before', () => {
    const runs = fc.sample(anyRun, { numRuns: 200, seed: 1 });
    expect(runs.filter((looks) => wrongSteps(run(looks, false)) > 0).length).toBeGreaterThan(50);
  });

  it('changes nothing when a look is repeated', () => {
    fc.assert(
      fc.property(anyRun, (looks) => {
        const decisions = run(looks, true);
        const last = decisions[decisions.length - 1];
        expect(decide(last.facts, last)).toEqual(last);
      }),
    );
  });
});

describe('the rows', () => {
  it.each(CAUSES)('%s holds alone', (reason, cause) => {
    expect(first(change(cause))).toBe(reason);
  });

  it('are asked in their order', () => {
    for (const [i, [reason, cause]] of CAUSES.entries()) {
      for (const [j, [, later]] of CAUSES.entries()) {
        const both = 'pWorse' in cause && 'pBetter' in later; // is a row of its own
        const clash = both || Object.keys(cause).some((key) => key in later);
        if (j > i && !clash && reason !== 'within_tolerance')
          expect(first(change({ ...later, ...cause }))).toBe(reason);
      }
    }
  });

  it.each([
    [999, 'within_tolerance'],
    [1000, 'within_tolerance'],
    [1001, 'incomplete'],
  ])('with %d of 100,000 records missing say %s', (missing, reason) => {
    expect(first(change({ missing, impressions: 100_000 - missing }))).toBe(reason);
  });

  it('are incomplete where what earlier looks have found is lost, however much is counted', () => {
    expect(first(change({ looksLost: true, pWorse: 0.01 }))).toBe('incomplete');
    expect(first(change({ looksLost: true, impressions: 0 }))).not.toBe('incomplete');
    expect(first(change({ unstored: 1, pWorse: 0.01 }))).toBe('incomplete');
  });

  it('are incomplete where the few records that are missing explain what is found', () => {
    expect(first(change({ missing: 5, isExplained: true, pWorse: 0.01 }))).toBe('incomplete');
  });

  it.each([
    [0.00099, 0.002, 'srm'],
    [0.001, 0.002, 'within_tolerance'],
    [0.00099, 0.00199, 'within_tolerance'],
    [0.00099, 0.0021, 'srm'],
  ])('at p %d and a deviation of %d say %s', (p, deviation, reason) => {
    expect(first(change({ split: { p, deviation } }))).toBe(reason);
  });

  it.each([
    [9, 500, 'within_tolerance'],
    [10, 500, 'crossover'],
    [11, 500, 'crossover'],
    [10, 1000, 'crossover'],
    [10, 1001, 'within_tolerance'],
  ])('with %d of %d users in both variants say %s', (crossovers, sampled, reason) => {
    expect(first(change({ exposure: { crossovers, sampled } }))).toBe(reason);
  });

  it.each([
    [12_499, 'within_tolerance'],
    [12_500, 'within_tolerance'],
    [12_501, 'no_user_ids'],
  ])('with %d of 50,000 lists of one of the two without a user say %s', (userless, reason) => {
    for (const side of ['control', 'variant'] as const) {
      expect(first(change({ [side]: { ...SOUND, userless } }))).toBe(reason);
    }
  });

  it('do not ask for more users where the lists do not name them', () => {
    const unnamed = { ...SOUND, users: 0, userless: SOUND.impressions };
    expect(first(change({ control: unnamed, variant: unnamed, split: undefined }))).toBe('no_user_ids');
  });

  it.each([
    ['impressions', 0, 1, 'no_data'],
    ['users', 99, 100, 'few_users'],
    ['buckets', 29, 30, 'few_buckets'],
    ['kish', 29.9, 30, 'few_users'],
  ] as const)('need %s above %d in each of the two', (count, few, enough, reason) => {
    for (const side of ['control', 'variant'] as const) {
      expect(first(change({ [side]: { ...SOUND, [count]: few } }))).toBe(reason);
      expect(first(change({ [side]: { ...SOUND, [count]: enough } }))).toBe('within_tolerance');
      expect(first(change({ [side]: { ...SOUND, [count]: enough + 1 } }))).toBe('within_tolerance');
    }
  });

  it.each([
    [24, 24, 'few_positives'],
    [0, 24, 'few_positives'],
    [0, 25, 'within_tolerance'],
    [24, 26, 'within_tolerance'],
  ])('with %d and %d positives say %s', (few, many, reason) => {
    const [a, b] = [few, many].map((positives) => ({ ...SOUND, positives }));
    expect(first(change({ control: a, variant: b }))).toBe(reason);
    expect(first(change({ control: b, variant: a }))).toBe(reason);
  });

  it('need positives in both where a variant without them has no value', () => {
    const none = { ...SOUND, positives: 0, kish: undefined };
    expect(first(change({ variant: none, effect: undefined }))).toBe('few_positives');
    expect(first(change({ control: none, effect: undefined }))).toBe('few_positives');
  });

  it('need no positives where the measure reads no feedback', () => {
    const none = { ...SOUND, positives: 0 };
    const without = { control: none, variant: none, needsPositives: false };
    expect(first(change(without))).toBe('within_tolerance');
    expect(first(change({ ...without, needsPositives: true }))).toBe('few_positives');
  });

  it('find all traffic in one variant before they find that the other has none', () => {
    const none = { ...SOUND, impressions: 0, users: 0 };
    expect(first(change({ variant: none, split: { p: 1e-243, deviation: 1 } }))).toBe('srm');
  });

  it('do not call incomplete what has not begun', () => {
    const none = { ...SOUND, impressions: 0 };
    expect(first(change({ control: none, variant: none, impressions: 0, missing: 5 }))).toBe('no_data');
  });

  it.each([
    [0.049, 'primary_worse'],
    [0.05, 'primary_worse'],
    [0.051, 'within_tolerance'],
    [undefined, 'within_tolerance'],
  ])('at p %d say %s', (pWorse, reason) => {
    expect(first(change({ pWorse }))).toBe(reason);
  });

  it.each([
    [-0.0029, 'within_tolerance'],
    [-0.003, 'within_tolerance'],
    [-0.0031, 'wide_interval'],
  ])(
    'at a lower bound of %d without bounds of the lift, where a loss of .003 is tolerated, say %s',
    (lower, reason) => {
      const effect = { ...EFFECT, lower, lift: undefined };
      expect(first(change({ effect }))).toBe(reason);
      expect(first(change({ effect, controlMean: -0.3 }))).toBe(reason);
      const fall = { ...EFFECT, lower: -1, upper: -lower, lift: undefined };
      expect(first(change({ effect: fall, lowerIsBetter: true }))).toBe(reason);
    },
  );

  it.each([
    [-0.0099, 'within_tolerance'],
    [-0.01, 'within_tolerance'],
    [-0.0101, 'wide_interval'],
  ])(
    'at a lift of at least %d, where a loss of .01 is tolerated, say %s, whatever the difference is',
    (bound, reason) => {
      const rise = { ...EFFECT, lower: -0.0031, lift: { lower: bound, upper: 1 } };
      expect(first(change({ effect: rise }))).toBe(reason);
      const fall = { ...EFFECT, upper: 0.0031, lift: { lower: -1, upper: -bound } };
      expect(first(change({ effect: fall, lowerIsBetter: true }))).toBe(reason);
    },
  );

  it('do not call healthy what has no control to compare with', () => {
    expect(first(change({ controlMean: undefined }))).toBe('wide_interval');
  });
});

describe('a run', () => {
  function seen(...reasons: readonly string[]): ExperimentDecision {
    const causes = new Map(CAUSES);
    const looks = reasons.map((reason, at) => change({ ...causes.get(reason), at }));
    const decisions = run(looks, true);
    return decisions[decisions.length - 1];
  }

  it('keeps a finding when the interval grows again', () => {
    expect(seen('primary_worse', 'wide_interval').reason).toBe('primary_worse');
    expect(seen('primary_better', 'within_tolerance').reason).toBe('primary_better');
    expect(seen('guardrail_worse', 'within_tolerance').reason).toBe('guardrail_worse');
  });

  it('lets a guardrail overrule an improvement, and never the other way', () => {
    expect(seen('primary_better', 'guardrail_worse').reason).toBe('guardrail_worse');
    expect(seen('guardrail_worse', 'primary_better').reason).toBe('guardrail_worse');
  });

  it('says that the effect changed where the opposite is found later, and stays with it', () => {
    expect(seen('primary_better', 'primary_worse').reason).toBe('effect_changed');
    expect(seen('primary_worse', 'primary_better').reason).toBe('effect_changed');
    expect(seen('primary_worse', 'primary_better', 'within_tolerance').reason).toBe('effect_changed');
    expect(seen('effect_changed', 'srm').reason).toBe('effect_changed');
  });

  it('is valid again once the cause is gone', () => {
    expect(seen('srm', 'within_tolerance').reason).toBe('within_tolerance');
    expect(seen('primary_worse', 'incomplete', 'primary_worse').reason).toBe('primary_worse');
  });

  it.each(['incomplete', 'srm', 'crossover', 'no_user_ids'])(
    'withdraws what it has found at an unsound look: %s',
    (reason) => {
      for (const found of ['primary_worse', 'primary_better', 'guardrail_worse']) {
        expect(seen(found, reason).reason).toBe(reason);
        expect(seen(found, reason, 'wide_interval').reason).toBe('wide_interval');
      }
      expect(seen('effect_changed', reason).reason).toBe('effect_changed');
    },
  );

  it('knows since when its label has held, whatever the reason', () => {
    expect(seen('few_users', 'wide_interval', 'wide_interval').since).toBe(0);
    expect(seen('few_users', 'within_tolerance', 'within_tolerance').since).toBe(1);
    expect(seen('within_tolerance', 'primary_worse', 'wide_interval').since).toBe(1);
    expect(seen('primary_worse', 'srm', 'primary_worse').since).toBe(2);
  });

  it('shows the numbers of its newest look', () => {
    expect(seen('primary_worse', 'wide_interval').facts.effect?.lower).toBe(-0.02);
  });
});
