import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ComparedVariant } from '../../src/experiment/comparison.ts';
import { evaluate } from '../../src/experiment/evaluate.ts';
import { runOf } from '../../src/experiment/run-settings.ts';
import type { ExperimentState } from '../../src/experiment/state.ts';
import { takeLooks } from '../../src/experiment/take-looks.ts';
import type { Mean } from '../../src/statistics/mean.ts';
import { SETTINGS, state, variant } from './states.ts';

const LOWER = new Set(['ndcg@10', 'mrr']);
const MEASURES = ['ndcg@10', 'mrr'];

function looked(before: ExperimentState): ComparedVariant {
  return evaluate({ ...before, looks: takeLooks(before) }).variants[0];
}

function means(primary: number, guardrail: number): ReadonlyMap<string, Mean> {
  const mean = (value: number): Mean => ({ value, stderr: 0.01, df: 255 });
  return new Map([
    ['ndcg@10', mean(primary)],
    ['mrr', mean(guardrail)],
  ]);
}

/** Variant B after one look at means of the primary measure and of a guardrail. */
function judged(a: readonly [number, number], b: readonly [number, number], more: Partial<typeof SETTINGS>) {
  const variants = { A: variant(means(...a)), B: variant(means(...b)) };
  return looked(state(variants, { measures: MEASURES, settings: { ...SETTINGS, guardrails: ['mrr'], ...more } }));
}

test('bias is shown without a better direction, and decides nothing', () => {
  const mean = (value: number): Mean => ({ value, stderr: 0.01, df: 255 });
  const means = (bias: number) =>
    new Map([...['ndcg@10', 'mrr'].map((name) => [name, mean(0.4)] as const), ['bias', mean(bias)] as const]);
  const { decision, measures } = looked(
    state({ A: variant(means(0.5)), B: variant(means(0)) }, { measures: ['ndcg@10', 'bias'] }),
  );
  expect(decision).toBe('insufficient');
  expect(measures.map(({ measure, better }) => [measure, better])).toEqual([
    ['ndcg@10', 'higher'],
    ['bias', 'neither'],
  ]);
});

describe('an experiment on a measure of which less is better', () => {
  test('decides as one on a measure of which more is better that has fallen where this has risen', () => {
    const value = fc.double({ min: 0.2, max: 0.8, noNaN: true });
    const pair = fc.tuple(value, value);
    const labels = new Set<string>();
    fc.assert(
      fc.property(pair, pair, (a, b) => {
        const up = judged(a, b, {});
        // The same distance from the same control, the other way.
        const mirrored = [2 * a[0] - b[0], 2 * a[1] - b[1]] as const;
        const down = judged(a, mirrored, { lowerIsBetter: LOWER });
        expect([down.decision, down.reason]).toEqual([up.decision, up.reason]);
        expect(down.measures.map(({ p }) => Number(p).toFixed(9))).toEqual(
          up.measures.map(({ p }) => Number(p).toFixed(9)),
        );
        labels.add(up.reason);
      }),
      { seed: 3, numRuns: 300 },
    );
    expect([...labels].sort()).toEqual(expect.arrayContaining(['guardrail_worse', 'primary_better', 'primary_worse']));
  });

  test('regresses when it rises, and says by how much', () => {
    const { decision, reason, explanation, measures } = judged([0.4, 0.5], [0.6, 0.5], { lowerIsBetter: LOWER });
    expect([decision, reason]).toEqual(['regressed', 'primary_worse']);
    expect(explanation).toMatch(
      /^B is worse than A on ndcg@10 by \d+\.\d % to \d+\.\d %, over all lists since the start; this holds/,
    );
    expect(measures.map(({ better }) => better)).toEqual(['lower', 'lower']);
    expect(measures[0].effect).toBeCloseTo(0.2, 12);
  });

  test.each([
    [0.4, 'within_tolerance'],
    [0.3, 'primary_better'],
    [0.5, 'primary_worse'],
  ])('%d against .4 is %s', (value, reason) => {
    expect(judged([0.4, 0.5], [value, 0.5], { lowerIsBetter: LOWER, tolerance: 0.2 }).reason).toBe(reason);
  });

  test('is another run than one on a measure of which more is better', () => {
    expect(runOf({ ...SETTINGS, lowerIsBetter: LOWER })).not.toBe(runOf(SETTINGS));
  });
});
