import { describe, expect, it } from 'vitest';
import { parseMeasure } from '../../src/measures/name.ts';
import { measureValue, measureWeight, sumsKind } from '../../src/measures/value.ts';

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

  it.each([
    ['ctr', 'fraction'],
    ['ctr(avg=macro)', 'mean'],
    ['precision', 'mean'],
    ['precision(avg=micro)', 'fraction'],
    ['ndcg(avg=weighted)', 'fraction'],
  ])('of %s comes from a %s', (name, kind) => {
    expect(sumsKind(parse(name))).toBe(kind);
  });
});
