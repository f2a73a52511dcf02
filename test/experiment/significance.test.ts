import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { significanceOf } from '../../src/experiment/significance.ts';
import { Watcher } from '../../src/experiment/take-looks.ts';
import { AS_OF, SETTINGS, sampleOf, state, variant } from './states.ts';

const MEASURES = ['hit@10', 'mrr', 'ndcg@10'];
const settings: typeof SETTINGS = {
  ...SETTINGS,
  variants: new Map([
    ['A', 1],
    ['B', 1],
    ['C', 1],
  ]),
  guardrails: ['hit@10'],
};

/** Changes of B and C in standard errors of the difference, for each measure. */
type Changes = readonly (readonly number[])[];

function compared(looks: readonly Changes[], sample: ReturnType<typeof sampleOf>, plan = settings) {
  const watcher = new Watcher();
  const stderr = 0.004;
  const arm = (changes: readonly number[]) =>
    variant(
      new Map(
        MEASURES.map((name, m) => [name, { value: 0.4 + changes[m] * stderr * Math.SQRT2, stderr, df: 255 }] as const),
      ),
    );
  const seen = looks.map((changes, hour) => {
    const { looks: _, ...totals } = state(
      { A: arm([0, 0, 0]), B: arm(changes[0]), ...(changes.length > 1 ? { C: arm(changes[1]) } : {}) },
      { settings: plan, measures: MEASURES, sample, asOf: AS_OF + hour * 3_600_000 },
    );
    return watcher.look(totals);
  });
  return seen[seen.length - 1];
}

// With 1,000 users in each, 3.12 errors exclude 0 alone, and 3.4 beside another variant.
const change = fc.oneof(fc.double({ min: -5, max: 5, noNaN: true }), fc.constantFrom(-4, -3.25, 0, 0.5, 3.25, 4));
const changes = fc.array(fc.array(change, { minLength: 3, maxLength: 3 }), { minLength: 2, maxLength: 2 });
const samples = [
  [1000, 1000, 1000],
  [1000, 1000, 1000],
  [60, 60, 60],
  [1000, 600, 1000],
].map(sampleOf);

describe('what a picture claims of a measure', () => {
  it('is never another thing than the decision says', () => {
    const met = new Set<string>();
    fc.assert(
      fc.property(fc.array(changes, { minLength: 1, maxLength: 3 }), fc.constantFrom(...samples), (looks, sample) => {
        const { variants, alpha } = compared(looks, sample);
        for (const one of variants) {
          const claims = new Map(one.measures.map((measure) => [measure.role, significanceOf(one, measure, alpha)]));
          const primary = claims.get('primary');
          met.add(`${one.reason} ${primary}`);
          if (one.decision === 'invalid' || one.reason === 'few_users') {
            expect([...claims.values()]).toEqual(['none', 'none', 'none']);
          }
          if (one.reason === 'primary_worse') expect(['worse', 'before']).toContain(primary);
          if (one.reason === 'primary_better') expect(['better', 'before']).toContain(primary);
          if (one.reason === 'guardrail_worse') expect(claims.get('guardrail')).toBe('worse');
          if (one.reason === 'wide_interval') expect(['open', 'alone']).toContain(primary);
        }
      }),
      { numRuns: 600, seed: 7 },
    );
    for (const kind of [
      'primary_worse worse',
      'primary_worse before',
      'primary_better better',
      'wide_interval alone',
    ]) {
      expect([...met]).toContain(kind);
    }
  });

  it('of a guardrail is that it is worse where its one-sided test found it, though its two-sided interval holds 0', () => {
    const variants = new Map([...SETTINGS.variants]);
    const [one] = compared([[[-3, 0, 0]]], sampleOf([1000, 1000]), { ...settings, variants }).variants;
    const [, guardrail] = one.measures;
    expect([guardrail.role, guardrail.ci === null ? undefined : guardrail.ci[1] > 0]).toEqual(['guardrail', true]);
    expect([one.reason, significanceOf(one, guardrail, 0.05)]).toEqual(['guardrail_worse', 'worse']);
  });
});
