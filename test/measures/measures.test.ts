import { describe, expect, it } from 'vitest';
import { measure } from '../../src/measures/measures.ts';
import type { PlainList } from '../../src/measures/plain.ts';

const A = { grades: [1, 0, 1, 1, 0, 1, 0, 0] };
const G = { grades: [3, 2, 3, 0, 1, 2] };
const M = ['00100', '10000', '00000', '01000'].map((row) => ({ grades: [...row].map(Number) }));
const D = { items: [1, 1, 3, 4, 1], positives: [1] };
const W = ['11', '00100000', '0000000000'].map((row) => ({ grades: [...row].map(Number) }));
const PAGE_TWO = { grades: [0, 1, 0], offset: 10 };
const GAPS = { grades: [0, 1, 0], ranks: [1, 3, 4] };
const SHORT = { grades: [1, 0, 1, 0, 0] };

const examples: readonly (readonly [name: string, lists: readonly PlainList[], value: number])[] = [
  ['mrr', M, 0.458333],
  ['mrr(empty=skip)', M, 0.611111],
  ['mrr(empty=one)', M, 0.708333],
  ['mrr@2', M, 0.375],
  ['hit@2', M, 0.5],
  ['precision@5', [A], 0.6],
  ['precision@10', [A], 0.4],
  ['precision', [A], 0.5],
  ['precision(denom=list)@10', [A], 0.5],
  ['precision(denom=capped)@5', [A], 0.75],
  ['precision(rel=2)@5', [G], 0.6],
  ['precision@5', [G], 0.8],
  ['recall@3', [A], 0.5],
  ['recall(denom=capped)@3', [A], 0.666667],
  ['recall@3', [G], 0.6],
  ['f1@5', [A], 0.666667],
  ['f1@3', [A], 0.571429],
  ['f1(beta=2)@5', [A], 0.714286],
  ['ap@5', [A], 0.604167],
  ['ap(denom=hits)@5', [A], 0.805556],
  ['ap(denom=k)@5', [A], 0.483333],
  ['ap(denom=capped)@3', [A], 0.555556],
  ['ap@8', [A], 0.770833],
  ['rprec', [A], 0.75],
  ['dcg@6', [G], 6.861127],
  ['dcg(gain=exp)@6', [G], 13.848264],
  ['dcg(discount=clipped)@6', [G], 8.097171],
  ['dcg(discount=ln)@6', [G], 9.898513],
  ['dcg(discount=none)@6', [G], 11],
  ['ndcg@6', [G], 0.960808],
  ['ndcg(gain=exp)@6', [G], 0.948811],
  ['ndcg(discount=clipped)@6', [G], 0.931509],
  ['ndcg(norm=minmax)@6', [G], 0.88433],
  ['ndcg(gain=binary)@6', [G], 0.974743],
  ['ctr', W, 0.15],
  ['ctr(avg=macro)', W, 0.375],
  ['rate(action=purchase)', W, 0.15],
  ['recall@2', W, 0.333333],
  ['recall(avg=micro)@2', W, 0.666667],
  ['recall(avg=weighted)@2', W, 0.666667],
  ['f1(avg=micro)@2', W, 0.444444],
  ['mrr', W, 0.444444],
  ['ap@5', [D], 1],
  ['ap(denom=hits,dup=each)@5', [D], 0.866667],
  ['precision@5', [D], 0.2],
  ['precision(dup=each)@5', [D], 0.6],
  ['ndcg(dup=each)@5', [D], 0.946902],
  ['mrr', [PAGE_TWO], 0.083333],
  ['precision@20', [PAGE_TWO], 0.1],
  ['ndcg@20', [PAGE_TWO], 0.968794],
  ['rprec', [PAGE_TWO], 0],
  ['mrr', [GAPS], 0.333333],
  ['precision@3', [GAPS], 0.333333],
  ['precision(denom=list)@3', [GAPS], 0.5],
  ['ndcg@4', [GAPS], 0.5],
  ['precision@5', [SHORT], 0.4],
  ['precision(examined=last_positive)@5', [SHORT], 0.666667],
  ['ctr(examined=last_positive)', [SHORT], 0.666667],
  ['ctr(slot=3)', [...M, { grades: [1] }], 0.25],
];

describe('a measure by name', () => {
  it.each(examples)('%s of %j is %d', (name, lists, value) => {
    expect(measure(name).mean(lists)).toBeCloseTo(value, 6);
  });

  it('scores one list without rounding', () => {
    expect(measure('ndcg@10').score(G)).toBe(0.9608081943360617);
    expect(measure('ndcg@10').mean([{ grades: [1, 0] }, { grades: [0, 1] }])).toBe(0.8154648767857288);
  });

  it('gives its canonical name and its convention', () => {
    const { name, description } = measure(' NDCG( gain=exp )@10');
    expect(name).toBe('ndcg(gain=exp)@10');
    expect(description).toContain('2^grade - 1');
  });

  it.each([
    ['ndcg@10', { grades: [] }],
    ['ndcg@10', PAGE_TWO],
    ['mrr(empty=skip)', { grades: [0, 0] }],
    ['ndcg(min_list_length=2)@10', { grades: [1] }],
    ['ndcg(norm=minmax)', { grades: [1] }],
    ['ndcg(norm=minmax,discount=clipped)', { grades: [2, 1] }],
    ['ctr(slot=3)', { grades: [1, 1] }],
    ['recall(avg=micro)', { grades: [0, 0] }],
  ])('%s has no value for %j', (name, list) => {
    expect(measure(name).score(list)).toBeUndefined();
  });

  it('takes the lists into a mean that it does not leave out, and only those', () => {
    expect(measure('mrr@10').mean([{ grades: [0, 1] }, PAGE_TWO, { grades: [] }])).toBe(0.5);
    expect(measure('mrr').mean([])).toBeUndefined();
  });

  it('takes rel from relevantFrom', () => {
    expect(measure('mrr', { relevantFrom: 3 }).score({ grades: [2, 3] })).toBe(0.5);
    expect(measure('mrr(rel=2)', { relevantFrom: 3 }).score({ grades: [2, 3] })).toBe(1);
  });

  it('takes a negative grade as 0', () => {
    expect(measure('ndcg').score({ grades: [-1, 2] })).toBe(measure('ndcg').score({ grades: [0, 2] }));
  });

  it('takes ids as text, so 1 and "1" are one item', () => {
    expect(measure('mrr').score({ items: ['x', '1', 1], positives: [1] })).toBe(0.5);
    expect(measure('recall').score({ items: ['x', 1], positives: [1, 2] })).toBe(1);
  });

  it.each([
    [{ grades: [1, 31] }, 'grades[1] must be a number up to 30, got 31'],
    [{ grades: [Number.NaN] }, 'grades[0] must be a number up to 30, got NaN'],
    [{ grades: [1], offset: -1 }, 'offset must be a whole number from 0, got -1'],
    [{ grades: [1], offset: 0.5 }, 'offset must be a whole number from 0, got 0.5'],
    [{ grades: [1, 0], ranks: [1] }, 'ranks must have one entry per slot (2), got 1'],
    [{ grades: [1, 0], ranks: [2, 2] }, 'ranks[1] must be a whole number from 3, got 2'],
    [{ grades: [1, 0], ranks: [0, 2] }, 'ranks[0] must be a whole number from 1, got 0'],
    [{ grades: [1], ranks: [2 ** 31] }, 'ranks[0] must be a whole number from 1, got 2147483648'],
  ])('refuses %j', (list, message) => {
    expect(() => measure('mrr').score(list)).toThrow(new RangeError(message));
  });

  it.each([
    ['ndgc', 'unknown measure "ndgc"; did you mean "ndcg"?'],
    ['rbp', '"rbp": rbp is not offered yet'],
    ['ctr(examined=viewport)', '"ctr(examined=viewport)": examined=viewport needs view events'],
  ])('refuses the name %s', (name, message) => {
    expect(() => measure(name)).toThrow(message);
  });
});
