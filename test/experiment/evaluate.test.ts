import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ComparedMeasure, Comparison } from '../../src/experiment/comparison.ts';
import { evaluate } from '../../src/experiment/evaluate.ts';
import { NO_EXPERIMENT_LOOKS } from '../../src/experiment/experiment-looks.ts';
import type { ExperimentState } from '../../src/experiment/state.ts';
import { takeLooks } from '../../src/experiment/take-looks.ts';
import { absent } from '../../src/statistics/absent.ts';
import type { Mean } from '../../src/statistics/mean.ts';
import { multiplierAt, oneSidedMultiplierAt } from '../../src/statistics/sequence.ts';
import { UserSample } from '../../src/statistics/user-sample.ts';
import { expectGolden, golden } from '../statistics/golden.ts';
import { bucketSums, near } from '../statistics/vectors.ts';
import { AS_OF, SETTINGS, sampleOf, state, variant, variantOfSums } from './states.ts';

/** The comparison after one look. */
function looked(before: ExperimentState): Comparison {
  return evaluate({ ...before, looks: takeLooks(before) });
}

function primary(comparison: Comparison, name = 'B'): ComparedMeasure {
  const found = comparison.variants.find((compared) => compared.variant === name)?.measures[0];
  if (found === undefined) throw new Error(`no variant ${name}`);
  return found;
}

function mean(value: number, variance: number, df: number): ReadonlyMap<string, Mean> {
  return new Map([['ndcg@10', { value, stderr: Math.sqrt(variance), df }]]);
}

/** Control and treatment of DIFF-1. */
const KNOWN = {
  A: variant(mean(0.41, 0.004464338127384796, 3406)),
  B: variant(mean(0.7, 0.01110661658480208, 3460)),
};
/** With N = 6868. */
const known = () => state(KNOWN, { sample: sampleOf([3434, 3434]) });

describe('laws', () => {
  test('swapping the variants negates the effect and its bounds, and changes neither error nor evidence', () => {
    fc.assert(
      fc.property(bucketSums(64), bucketSums(64), (a, b) => {
        const sums = { A: variantOfSums(a), B: variantOfSums(b) };
        const forth = primary(looked(state(sums)));
        const back = primary(looked(state(sums, { settings: { ...SETTINGS, control: 'B' } })), 'A');
        if (forth.effect === null || back.effect === null) {
          expect(back.effect).toBe(forth.effect);
          return;
        }
        expect(near(back.effect, -forth.effect)).toBe(true);
        expect([back.stderr, back.logE, back.p, back.mde]).toEqual([forth.stderr, forth.logE, forth.p, forth.mde]);
        if (forth.ci === null || back.ci === null) throw new Error('64 random buckets have an error');
        expect(near(back.ci[0], -forth.ci[1]) && near(back.ci[1], -forth.ci[0])).toBe(true);
      }),
      { seed: 7, numRuns: 100 },
    );
  });

  test('after one look p is below alpha exactly when the interval and the lift exclude 0', () => {
    let excluded = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: -6000, max: 6000 }).map((z) => z / 1000),
        fc.integer({ min: 10, max: 200 }).map((error) => error / 1000),
        (z, stderr) => {
          const control = 1;
          const variance = (stderr * stderr) / 2;
          const sums = {
            A: variant(mean(control, variance, 255)),
            B: variant(mean(control + z * stderr, variance, 255)),
          };
          const { ci, liftCi, p } = primary(looked(state(sums)));
          if (ci === null || p === null) throw new Error('both have an error');
          const excludes = ci[0] > 0 || ci[1] < 0;
          if (excludes) excluded++;
          expect(p < SETTINGS.alpha).toBe(excludes);
          if (liftCi !== null) expect(liftCi[0] > 0 || liftCi[1] < 0).toBe(excludes);
        },
      ),
      { seed: 3, numRuns: 300 },
    );
    expect(excluded).toBeGreaterThan(30);
  });

  test('nothing that is not finite comes out, and every null has a reason', () => {
    const count = fc.constantFrom(0, 1, 24, 25, 5000, 2 ** 52);
    const someMean = fc.oneof(
      fc.record({
        value: fc.constantFrom(0, 0.3, -1, 1e-300, 1e300),
        stderr: fc.constantFrom(0.01, 1e-160, 1e200, { absent: 'zero_variance' } as const),
        df: fc.constant(255),
        kish: fc.constantFrom(0, 1, 29, 256),
        users: fc.constantFrom(0, 1e-300, 3000),
        spread: fc.constantFrom(0, 25),
      }),
      fc.constantFrom({ absent: 'no_vector' } as const, { absent: 'no_data' } as const),
    );
    const some = fc.record({
      impressions: count,
      positives: count,
      userless: count,
      empty: count,
      buckets: count,
      heaviest: fc.constant(0),
      means: someMean.map((one) => new Map([['ndcg@10', one]])),
    });
    fc.assert(
      fc.property(some, some, fc.array(fc.nat(40), { minLength: 2, maxLength: 2 }), (A, B, users) => {
        const comparison = looked(state({ A, B }, { sample: sampleOf(users) }));
        const walk = (value: unknown): void => {
          if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true);
          if (typeof value === 'object' && value !== null) {
            if (Object.values(value).includes(null)) expect(value).toHaveProperty('reason');
            Object.values(value).forEach(walk);
          }
        };
        walk(comparison);
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});

describe('reference values', () => {
  test('DIFF-1, CS-1 and FIEL-3: effect, error, sequence, lift and p of two known means', () => {
    const { effect, stderr, ci, lift, liftCi, logE, p, fixedHorizon, mde } = primary(looked(known()));
    expectGolden(
      {
        effect,
        stderr,
        df: fixedHorizon?.df,
        lower: fixedHorizon?.ci[0],
        upper: fixedHorizon?.ci[1],
        p: fixedHorizon?.p,
      },
      golden('DIFF-1'),
    );
    const multiplier = ((ci?.[1] ?? 0) - (ci?.[0] ?? 0)) / 2 / (stderr ?? 1);
    expectGolden({ multiplier, lower: ci?.[0], upper: ci?.[1], logE, p }, golden('CS-1'));
    const g = (multiplier / 0.41) ** 2 * 0.004464338127384796;
    expectGolden({ lift, g, lower: liftCi?.[0], upper: liftCi?.[1] }, golden('FIEL-3'));
    expect(mde).toBeCloseTo(0.48443064948, 10);
  });

  test('DIFF-3: the click rates of two policies by 64 buckets', () => {
    const sums = (id: string) => golden(id).inputs as { m: number[]; d: number[] };
    const { effect, stderr, fixedHorizon } = primary(
      looked(state({ A: variantOfSums(sums('CLUST-4')), B: variantOfSums(sums('CLUST-5')) })),
    );
    const { expected, ...rest } = golden('DIFF-3');
    const { z: _, pNormal: __, ...asked } = expected as Record<string, number>;
    expectGolden(
      {
        effect,
        stderr,
        df: fixedHorizon?.df,
        lower: fixedHorizon?.ci[0],
        upper: fixedHorizon?.ci[1],
        p: fixedHorizon?.p,
      },
      { ...rest, expected: asked },
    );
  });

  test.each(['SRM-1', 'SRM-2', 'SRM-4', 'SRM-6'])('%s: the split of the users', (id) => {
    const { counts, weights } = golden(id).inputs as { counts: number[]; weights: number[] };
    const names = counts.map((_, i) => `v${i}`);
    const settings = { ...SETTINGS, control: 'v0', variants: new Map(names.map((name, i) => [name, weights[i]])) };
    const { srm } = looked(state({}, { settings, sample: sampleOf(counts) }));
    const { chiSquare: _, df: __, ...expected } = golden(id).expected as Record<string, number>;
    expectGolden({ p: srm.fixedHorizon?.p, maxDeviation: srm.deviation }, { ...golden(id), expected });
  });

  test('SSRM-1: 1,000 users against 1,200 are a mismatch by the sequential test', () => {
    const { srm } = looked(state(KNOWN, { sample: sampleOf([1000, 1200]) }));
    expect(srm.p).toBeCloseTo(Math.exp(-7.140301876), 9);
    expect(srm.mismatch).toBe(true);
  });

  test('HOLM-1: the p of six measures that are only shown', () => {
    const { inputs, expected } = golden('HOLM-1');
    const { p: ps } = inputs as { p: number[] };
    const names = ps.map((_, i) => `m${i}`);
    const looks = {
      ...NO_EXPERIMENT_LOOKS,
      measures: new Map([
        [
          'B',
          new Map(
            names.map((name, i) => [
              name,
              { worse: { logE: -Math.log(ps[i]), at: AS_OF }, better: undefined, guard: undefined },
            ]),
          ),
        ],
      ]),
    };
    const compared = evaluate(state(KNOWN, { measures: ['ndcg@10', ...names], looks })).variants[0].measures;
    const others = compared.filter(({ role }) => role === 'other');
    expect(others.map(({ measure }) => measure)).toEqual(names);
    const right = expected as number[];
    others.forEach(({ pAdjusted }, i) => {
      expect(pAdjusted).toBeCloseTo(right[i], 12);
    });
  });
});

describe('decisions', () => {
  /** Means around .3 with an error of .0007 each. */
  const arms = (value: number) => ({
    A: variant(mean(0.3, 5e-7, 255)),
    B: variant(mean(value, 5e-7, 255)),
  });

  test.each([
    [0.3, 'insufficient', 'wide_interval', 0.005],
    [0.3, 'healthy', 'within_tolerance', 0.02],
    [0.29, 'regressed', 'primary_worse', 0.01],
    [0.31, 'improved', 'primary_better', 0.01],
  ])('%s against .3 is %s: %s', (value, decision, reason, tolerance) => {
    const before = state(arms(value), { settings: { ...SETTINGS, tolerance } });
    const [compared] = looked(before).variants;
    expect(compared).toMatchObject({ decision, reason, decidedAsOf: new Date(AS_OF).toISOString() });
    expect(compared.decidedAt).toBe(new Date(AS_OF + SETTINGS.horizon.ms).toISOString());
    expect(compared.explanation).toContain('ndcg@10');
  });

  test.each([
    ['no_data', { A: arms(0.29).A }, { sample: sampleOf([0, 0]) }],
    ['srm', { A: arms(0.29).A }, {}],
    ['incomplete', arms(0.29), { missing: 102 }],
    ['srm', arms(0.29), { sample: sampleOf([300, 500]) }],
    ['few_users', arms(0.29), { sample: sampleOf([99, 101]) }],
    ['few_buckets', { ...arms(0.29), B: variant(mean(0.29, 5e-7, 255), { buckets: 29 }) }, {}],
    [
      'few_positives',
      {
        ...arms(0.29),
        A: variant(mean(0.3, 5e-7, 255), { positives: 24 }),
        B: variant(mean(0.29, 5e-7, 255), { positives: 24 }),
      },
      {},
    ],
    ['zero_variance', { ...arms(0.29), B: variant(new Map()) }, {}],
  ])('%s is found before the loss', (reason, variants, more) => {
    expect(looked(state(variants, more)).variants[0].reason).toBe(reason);
  });

  test('a measure of the list alone is decided without any feedback', () => {
    const settings = { ...SETTINGS, primary: 'length' };
    const none = { positives: 0 };
    const shown = (value: number) =>
      variant(
        new Map([
          ['length', { value, stderr: Math.sqrt(5e-7), df: 255 }],
          ['ndcg@10', { value: 0, stderr: Math.sqrt(5e-7), df: 255 }],
        ]),
        none,
      );
    const before = state({ A: shown(0.3), B: shown(0.29) }, { settings, measures: ['length', 'ndcg@10'] });
    const [compared] = looked(before).variants;
    expect(compared).toMatchObject({ decision: 'regressed', reason: 'primary_worse' });
    expect(compared.explanation).not.toContain('positive');
    expect(compared.measures.map(({ measure, p }) => [measure, p === null])).toEqual([
      ['length', false],
      ['ndcg@10', true],
    ]);
  });

  test.each([
    ['few_users', arms(0.29), { sample: sampleOf([99, 101]) }],
    ['few_buckets', { ...arms(0.29), B: variant(mean(0.29, 5e-7, 255), { buckets: 29 }) }, {}],
    [
      'few_positives',
      {
        A: variant(mean(0.3, 5e-7, 255), { positives: 24 }),
        B: variant(mean(0.29, 5e-7, 255), { positives: 24 }),
      },
      {},
    ],
    [undefined, arms(0.29), {}],
  ] as const)('a p that no look may leave is absent by what is too few: %s', (reason, variants, more) => {
    const compared = primary(looked(state(variants, more)));
    expect(compared.ci).not.toBeNull();
    expect([compared.p === null, compared.reason]).toEqual([reason !== undefined, reason]);
  });

  test('the start is reported where one is set', () => {
    const told = (start: number | undefined) => looked(state(arms(0.3), { settings: { ...SETTINGS, start } }));
    expect(told(AS_OF - 3_600_000).start).toBe('2026-11-21T08:00:00.000Z');
    expect(told(undefined)).not.toHaveProperty('start');
  });

  test('a variant without impressions since the start names the start, which may be what is wrong', () => {
    const settings = { ...SETTINGS, start: AS_OF - 3_600_000 };
    const [{ explanation }] = looked(state({ A: arms(0.29).A }, { settings, sample: sampleOf([0, 0]) })).variants;
    expect(explanation).toBe(
      'B has no impressions since the start, 2026-11-21T08:00:00.000Z, so there is nothing to compare. Check the start, and that impressions name their variant and that it is spelled as in the configuration.',
    );
  });

  test('users seen in both variants make it invalid', () => {
    const sample = sampleOf([300, 300]);
    for (let i = 0; i < 10; i++) sample.add(`u-0-${i}`, 1, AS_OF + 1);
    expect(looked(state(arms(0.29), { sample })).variants[0].reason).toBe('crossover');
  });

  test('a guardrail that is worse counts more than a primary that is better', () => {
    const settings = { ...SETTINGS, guardrails: ['hit@10'] };
    const both = (value: number, guard: number) =>
      variant(
        new Map([
          ['ndcg@10', { value, stderr: 0.0007, df: 255 }],
          ['hit@10', { value: guard, stderr: 0.0007, df: 255 }],
        ]),
      );
    const [compared] = looked(
      state({ A: both(0.3, 0.6), B: both(0.31, 0.59) }, { settings, measures: ['hit@10', 'ndcg@10'] }),
    ).variants;
    expect(compared).toMatchObject({ decision: 'regressed', reason: 'guardrail_worse' });
    expect(compared.measures.map(({ measure, role }) => [measure, role])).toEqual([
      ['ndcg@10', 'primary'],
      ['hit@10', 'guardrail'],
    ]);
  });

  test('an improvement says up to which loss each guardrail is excluded, by its one-sided bound', () => {
    const guards = ['hit@10', 'mae', 'mrr', 'precision@10'];
    const settings = { ...SETTINGS, guardrails: guards, lowerIsBetter: new Set(['mae']) };
    const arm = (...values: (number | undefined)[]) =>
      variant(
        new Map(
          ['ndcg@10', ...guards].map((name, i) => {
            const value = values[i];
            return [name, value === undefined ? absent('no_data') : { value, stderr: 0.0007, df: 255 }] as const;
          }),
        ),
      );
    const before = state(
      { A: arm(0.3, 0.6, 2, 0.5, 0.1), B: arm(0.31, 0.599, 2.001, 0.52, undefined) },
      { settings, measures: ['ndcg@10', ...guards], sample: sampleOf([3434, 3434]) },
    );
    const error = Math.SQRT2 * 0.0007 * oneSidedMultiplierAt(6868, SETTINGS);
    const most = (loss: number, control: number): string => `${(100 * ((loss + error) / control)).toFixed(1)} %`;
    expect(looked(before).variants[0].explanation).toMatch(
      ` Guardrails: hit@10 is worse by ${most(0.001, 0.6)} at most, mae is worse by ${most(0.001, 2)} at most, mrr is not worse, how much worse precision@10 may be is not known.`,
    );
  });

  test('of several guardrails the one with the smallest p is named, first or last', () => {
    const guards = ['hit@10', 'mrr'];
    const settings = { ...SETTINGS, guardrails: guards };
    const arm = (...values: number[]) =>
      variant(
        new Map(
          ['ndcg@10', ...guards].map((name, i) => [name, { value: values[i], stderr: 0.0007, df: 255 }] as const),
        ),
      );
    for (const [losses, worst] of [
      [[0.01, 0.006], 'hit@10'],
      [[0.006, 0.01], 'mrr'],
    ] as const) {
      const B = arm(0.3, 0.6 - losses[0], 0.5 - losses[1]);
      const before = state({ A: arm(0.3, 0.6, 0.5), B }, { settings, measures: ['ndcg@10', ...guards] });
      expect(looked(before).variants[0].explanation).toContain(`guardrail ${worst} `);
    }
  });

  test('the p of a guardrail is one-sided, that of other measures two-sided', () => {
    const guard = (value: number) => {
      const both = new Map([...mean(0.3, 5e-7, 255), ['mrr', { value, stderr: Math.sqrt(5e-7), df: 255 }] as const]);
      return variant(both);
    };
    const p = (guardrails: readonly string[], value: number) => {
      const settings = { ...SETTINGS, guardrails };
      const before = state({ A: guard(0.5), B: guard(value) }, { settings, measures: ['ndcg@10', 'mrr'] });
      return looked(before).variants[0].measures[1].p ?? Number.NaN;
    };
    expect(p(['mrr'], 0.4966)).toBeLessThan(p([], 0.4966));
    expect(p(['mrr'], 0.51)).toBe(1);
    expect(p([], 0.51)).toBeLessThan(0.001);
  });

  test('before the first look there is no p', () => {
    expect(primary(evaluate(state(arms(0.29))))).toMatchObject({ p: null, pAdjusted: null, reason: 'no_data' });
  });
});

describe('a tolerated loss', () => {
  test('is excluded exactly when the bounds of the lift exclude it, at every tolerance', () => {
    const decisions = { healthy: 0, insufficient: 0 };
    fc.assert(
      fc.property(
        fc.double({ min: 0.285, max: 0.3, noNaN: true }),
        fc.double({ min: 0.001, max: 0.3, noNaN: true }),
        fc.double({ min: 1e-6, max: 2e-4, noNaN: true }),
        (value, tolerance, variance) => {
          const arms = { A: variant(mean(0.3, variance, 255)), B: variant(mean(value, variance, 255)) };
          const comparison = looked(state(arms, { settings: { ...SETTINGS, tolerance } }));
          const { liftCi, better } = primary(comparison);
          const [{ decision }] = comparison.variants;
          if (liftCi === null || (decision !== 'healthy' && decision !== 'insufficient')) return;
          expect(better).toBe('higher');
          expect(decision === 'healthy').toBe(liftCi[0] >= -tolerance);
          decisions[decision]++;
        },
      ),
    );
    expect(Math.min(decisions.healthy, decisions.insufficient)).toBeGreaterThan(5);
  });
});

describe('the bounds of a lift', () => {
  test.each([
    ['a variant without a click', 0, true],
    ['a variant with hardly one', 0.002, true],
    ['a variant like the control', 0.29, false],
  ])('end at -100 %%: %s', (_, value, isCut) => {
    const arms = { A: variant(mean(0.3, 1e-4, 255)), B: variant(mean(value, 1e-4, 255)) };
    const { ci, lift, liftCi } = primary(looked(state(arms)));
    expect(lift).toBeCloseTo(value / 0.3 - 1, 12);
    if (ci === null || liftCi === null) throw new Error('expected bounds');
    // The difference itself reaches below all that there is to lose, where the lift may not.
    if (isCut) expect(ci[0]).toBeLessThan(-0.3);
    expect(liftCi[0] === -1).toBe(isCut);
    expect(liftCi[0]).toBeGreaterThanOrEqual(-1);
    expect(liftCi[1]).toBeGreaterThan(liftCi[0]);
  });
});

describe('traffic', () => {
  const userless = (a: number, b: number, users: readonly number[]): Comparison => {
    const [A, B] = [variant(KNOWN.A.means, { userless: a }), variant(KNOWN.B.means, { userless: b })];
    return looked(state({ A, B }, { sample: sampleOf(users) }));
  };

  test('without user ids the split is not tested, the effect has no error, and nothing is decided', () => {
    const comparison = userless(5000, 5000, [0, 0]);
    expect(comparison).toMatchObject({
      users: { A: 0, B: 0 },
      userless: { A: 1, B: 1 },
      notes: ['unclustered'],
      srm: { p: null, mismatch: false, reason: 'no_user_ids' },
      variants: [{ decision: 'insufficient', reason: 'no_user_ids' }],
    });
    const none = { stderr: null, ci: null, liftCi: null, p: null, logE: null, mde: null, fixedHorizon: null };
    expect(primary(comparison)).toMatchObject({ ...none, reason: 'no_user_ids' });
    expect(primary(comparison).lift).toBeCloseTo(0.29 / 0.41, 12);
  });

  test.each([
    [1250, 0, 'wide_interval', 1],
    [1251, 0, 'no_user_ids', 1],
    [0, 1251, 'no_user_ids', 1],
    [250, 0, 'wide_interval', 0],
    [0, 251, 'wide_interval', 1],
  ])('with %d and %d of 5,000 lists without a user: %s', (a, b, reason, notes) => {
    const comparison = userless(a, b, [3434, 3434]);
    expect(comparison.variants[0].reason).toBe(reason);
    expect(comparison.notes).toHaveLength(notes);
    if (reason === 'no_user_ids') return;
    // Lists without a user are no users: N is that of the users who are known.
    const { ci, stderr } = primary(comparison);
    expect(((ci?.[1] ?? 0) - (ci?.[0] ?? 0)) / 2 / (stderr ?? 0)).toBeCloseTo(multiplierAt(6868, SETTINGS), 9);
  });

  test('lists without a user do not stand for the users that are needed', () => {
    expect(userless(1000, 1000, [99, 99]).variants[0].reason).toBe('few_users');
  });

  test.each([
    ['few users with large amounts', { spread: 6, kish: 200 }, { A: 6 }],
    ['many users', { spread: 25, kish: 200 }, {}],
  ])('says how few buckets the error rests on: %s', (_, more, carriedBy) => {
    const [[name, mean]] = KNOWN.A.means;
    if ('absent' in mean) throw new Error('expected a mean');
    const comparison = looked(state({ ...KNOWN, A: variant(new Map([[name, { ...mean, ...more }]])) }));
    expect(comparison.carriedBy).toEqual(carriedBy);
    expect(comparison.notes.includes('carried_by_few')).toBe('A' in carriedBy);
  });

  test('a sample that had to become coarser stands for all users', () => {
    const sample = new UserSample(64);
    for (let i = 0; i < 2000; i++) sample.add(`u-${i}`, i % 2, AS_OF);
    const { users } = looked(state(KNOWN, { sample }));
    expect(sample.level).toBeGreaterThan(3);
    expect(users['A'] + users['B']).toBe(sample.size * 2 ** sample.level);
  });

  test('a user of both variants counts in both', () => {
    const sample = sampleOf([300, 300]);
    sample.add('u-0-0', 1, AS_OF + 1);
    expect(looked(state(KNOWN, { sample }))).toMatchObject({ users: { A: 300, B: 301 }, crossovers: 1 });
  });

  test('variants that are not configured are counted and left out', () => {
    expect(evaluate(state(KNOWN, { others: new Map([['C', 7]]) })).others).toEqual({ C: 7 });
  });
});
