import { describe, expect, it } from 'vitest';
import { parseMeasure } from '../../src/measures/grammar/measure-name.ts';
import { measureScore, measureValue, measureWeight, pairCounts, sumsKind } from '../../src/measures/value.ts';

const parse = (text: string) => parseMeasure(text, { relevantFrom: 1 });
const SUMS = [4, 3, 1_833_333_333, 1_361_111_111];

describe('the value of sums', () => {
  it.each([
    ['mrr', 0.45833333325, 4],
    ['mrr(empty=skip)', 0.611111111, 3],
    ['mrr(empty=one)', 0.70833333325, 4],
  ])('of a mean follows empty: %s', (name, value, weight) => {
    expect(measureValue(parse(name), SUMS)).toBeCloseTo(value, 12);
    expect(measureWeight(parse(name), SUMS)).toBe(weight);
  });

  it('is the same for big integers', () => {
    const big = SUMS.map(BigInt);
    expect(measureValue(parse('mrr'), big)).toBe(measureValue(parse('mrr'), SUMS));
    expect(measureWeight(parse('mrr'), big)).toBe(4);
    expect(measureValue(parse('dcg'), [10n ** 10n, 1n, 25n * 10n ** 19n, 0n])).toBe(25);
    expect(measureValue(parse('ctr'), [10n ** 18n, 4n * 10n ** 18n])).toBe(0.25);
  });

  it('of a fraction is numerator over denominator, and its weight the denominator', () => {
    expect(measureValue(parse('ctr'), [3e9, 20e9])).toBe(0.15);
    expect(measureWeight(parse('ctr'), [3e9, 20e9])).toBe(20);
    expect(measureValue(parse('recall(avg=weighted)'), [2e9, 3e9])).toBeCloseTo(2 / 3, 15);
  });

  it('is absent where nothing was counted, which is not 0', () => {
    expect(measureValue(parse('mrr'), [0, 0, 0, 0])).toBeUndefined();
    expect(measureValue(parse('mrr'), [1, 0, 0, 0])).toBe(0);
    expect(measureValue(parse('mrr(empty=skip)'), [1, 0, 0, 0])).toBeUndefined();
    expect(measureValue(parse('mrr(empty=one)'), [1, 0, 0, 0])).toBe(1);
    expect(measureValue(parse('mrr(empty=one)'), [0, 0, 0, 0])).toBeUndefined();
    expect(measureValue(parse('ctr'), [0, 0])).toBeUndefined();
  });

  it('of rmse is the root of a fraction, whose parts give the square to a counter', () => {
    const sums = [4_062_500_000, 3e9, 5e9];
    expect(measureValue(parse('rmse'), sums)).toBe(Math.sqrt(4.0625 / 3));
    expect(measureWeight(parse('rmse'), sums)).toBe(3);
    expect(measureScore(parse('rmse'), sums) / measureWeight(parse('rmse'), sums)).toBe(4.0625 / 3);
    expect(pairCounts(parse('rmse'), sums)).toEqual({ pairs: 3, rated: 5 });
  });

  it('of a mean of pairs is that of its lists, and reports the pairs beside them', () => {
    const sums = [2, 1, 1_500_000_000, 1_250_000_000, 7e9, 10e9];
    expect(measureValue(parse('spearman'), sums)).toBe(0.75);
    expect(measureWeight(parse('spearman'), sums)).toBe(2);
    expect(pairCounts(parse('spearman'), sums)).toEqual({ pairs: 7, rated: 10 });
    expect(pairCounts(parse('mrr'), SUMS)).toBeUndefined();
  });

  it('of two means takes both by empty', () => {
    const sums = [4, 2, 1e9, 2e9];
    expect(measureValue(parse('f1(of=means)'), sums)).toBeCloseTo((2 * 0.25 * 0.5) / 0.75, 12);
    expect(measureValue(parse('f1(empty=skip,of=means)'), sums)).toBeCloseTo((2 * 0.5 * 1) / 1.5, 12);
    expect(measureValue(parse('f1(empty=one,of=means)'), sums)).toBeCloseTo((2 * 0.75 * 1) / 1.75, 12);
    expect(measureWeight(parse('f1(empty=skip,of=means)'), sums)).toBe(2);
    expect(measureValue(parse('f1(empty=skip,of=means)'), [1, 0, 0, 0])).toBeUndefined();
  });

  it.each([
    ['precision(per=class)@5', (3 / 5 + 4 / 5) / 2],
    ['recall(per=class)@5', (3 / 4 + 4 / 6) / 2],
    ['f1(per=class)@5', (6 / 9 + 8 / 11) / 2],
    ['f1(beta=2,per=class)@5', (15 / 21 + 20 / 29) / 2],
    ['precision(avg=weighted,per=class)@5', (4 * (3 / 5) + 6 * (4 / 5)) / 10],
    ['recall(avg=micro,per=class)@5', 7 / 10],
  ])('of %s pools the slots of all lists', (name, value) => {
    const cells = [3e9, 2e9, 1e9, 4e9];
    expect(measureValue(parse(name), cells)).toBeCloseTo(value, 12);
    expect(measureWeight(parse(name), cells)).toBe(10);
    expect(measureValue(parse(name), [0, 0, 0, 0])).toBeUndefined();
  });

  it('of classes leaves out a class that never occurs, and counts one that is never right as 0', () => {
    expect(measureValue(parse('f1(per=class)@5'), [3e9, 0, 0, 0])).toBe(1);
    expect(measureValue(parse('f1(per=class)@5'), [0, 0, 0, 3e9])).toBe(1);
    expect(measureValue(parse('f1(per=class)@5'), [0, 0, 2e9, 2e9])).toBeCloseTo(1 / 3, 12);
    expect(measureValue(parse('precision(per=class)@5'), [0, 2e9, 2e9, 0])).toBe(0);
  });

  it('of a mean over users stands apart from the row', () => {
    expect(measureValue(parse('mrr(per=user)'), [])).toBeUndefined();
    expect(measureWeight(parse('mrr(per=user)'), [])).toBe(0);
  });

  it.each([
    ['ctr', 'fraction'],
    ['ctr(avg=macro)', 'mean'],
    ['precision', 'mean'],
    ['precision(avg=micro)', 'fraction'],
    ['ndcg(avg=weighted)', 'fraction'],
    ['auc', 'mean'],
    ['auc(avg=weighted)', 'fraction'],
    ['f1(of=means)', 'means'],
    ['f1(per=class)@5', 'classes'],
    ['recall(avg=micro,per=class)@5', 'classes'],
    ['rmse', 'pairs'],
    ['bias(avg=macro)', 'pairMeans'],
    ['kendall', 'pairMeans'],
    ['mrr(per=session)', 'apart'],
    ['mae(avg=macro,per=user)', 'apart'],
  ])('of %s comes from a %s', (name, kind) => {
    expect(sumsKind(parse(name))).toBe(kind);
  });
});
