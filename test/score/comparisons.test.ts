import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRuns } from '../../src/score/comparisons.ts';
import { tQuantile } from '../../src/statistics/distributions.ts';
import { scoreLists, settingsOf } from './in-memory.ts';

type Lists = readonly object[];

function compared(measures: readonly string[], control: Lists, treatment: Lists) {
  const choices = { measures, compares: true };
  const runs = [control, treatment].map((lists) => scoreLists(lists, choices));
  const names = settingsOf(choices).measures;
  const comparisons = compareRuns(
    { measures: names, runs, missing: [], reading: { preset: undefined, defaults: { relevantFrom: 1 } }, evidence: [] },
    names.map(({ canonical }) => canonical),
  );
  return { comparisons, means: runs.map(({ mean }) => mean) };
}

const MEASURES = [
  'mrr',
  'recall(avg=micro)@2',
  'ndcg(avg=weighted)@3',
  'ctr@2',
  'mae',
  'rmse',
  'rmse(avg=macro)',
  'bias',
  'f1(of=means)@2',
  'precision(per=class)@2',
  'recall(avg=weighted,per=class)@2',
  'f1(avg=micro,per=class)@2',
];

const list = fc.record({
  ratings: fc
    .array(fc.integer({ min: 0, max: 5 }), { minLength: 4, maxLength: 4 })
    .filter((all) => Math.max(...all) > 0),
  scores: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 4, maxLength: 4 }),
});
const lists = fc.array(list, { minLength: 5, maxLength: 5 });

describe('a comparison of two runs', () => {
  it('has the difference of their means for an effect, by every kind of mean', () => {
    fc.assert(
      fc.property(lists, lists, (control, treatment) => {
        const { comparisons, means } = compared(MEASURES, control, treatment);
        for (const [m, { effect, measure, queries }] of comparisons.entries()) {
          expect(queries, measure).toBe(5);
          expect(effect, measure).toBeCloseTo(Number(means[1][m]) - Number(means[0][m]), 12);
        }
      }),
    );
  });

  it('of rmse leaves out one query after the other, from both runs', () => {
    const rmse = (errors: readonly number[]): number =>
      Math.sqrt(errors.reduce((sum, e) => sum + e * e, 0) / errors.length);
    const [a, b] = [
      [1, 2, 3, 1],
      [0, 2, 1, 2],
    ];
    const asLists = (errors: readonly number[]): Lists => errors.map((e) => ({ scores: [0], ratings: [e] }));
    const without = (errors: readonly number[], q: number): number[] => errors.filter((_, i) => i !== q);
    const parts = a.map((_, q) => rmse(without(b, q)) - rmse(without(a, q)));
    const mean = parts.reduce((sum, part) => sum + part, 0) / 4;
    const stderr = Math.sqrt((3 / 4) * parts.reduce((sum, part) => sum + (part - mean) ** 2, 0));
    const [found] = compared(['rmse'], asLists(a), asLists(b)).comparisons;
    const effect = rmse(b) - rmse(a);
    expect(found.effect).toBeCloseTo(effect, 12);
    expect(found.stderr).toBeCloseTo(stderr, 12);
    expect(found.ci?.[0]).toBeCloseTo(effect + tQuantile(0.025, 3) * stderr, 10);
  });

  it('says why where it has none: no variance, one query, no sums by query', () => {
    const same = [{ grades: [1] }, { grades: [0, 1] }];
    const of = (measure: string, count: number): unknown =>
      compared([measure], same.slice(0, count), same.slice(0, count)).comparisons[0];
    expect(of('mrr', 2)).toMatchObject({ effect: 0, stderr: null, reason: 'zero_variance' });
    expect(of('f1(of=means)@1', 2)).toMatchObject({ effect: 0, stderr: null, reason: 'zero_variance' });
    expect(of('mrr', 1)).toMatchObject({ effect: 0, p: null, reason: 'few_buckets' });
    expect(of('mrr(per=user)', 2)).toMatchObject({ queries: 2, effect: null, reason: 'no_vector' });
    expect(of('auc', 1)).toMatchObject({ queries: 0, effect: null, reason: 'no_data' });
  });
});
