import { describe, expect, it } from 'vitest';
import { measure } from '../../src/measures/measures.ts';
import type { PlainList } from '../../src/measures/plain.ts';

const A = { grades: [1, 0, 1, 1, 0, 1, 0, 0] };
const G = { grades: [3, 2, 3, 0, 1, 2] };
const G_ALL = { ...G, known: [3, 2, 3, 0, 1, 2, 3, 2] };
const S = { scores: [1, 2, 3, 4, 5], ratings: [2, 1, 2, 4, 5] };
const M = ['00100', '10000', '00000', '01000'].map((row) => ({ grades: [...row].map(Number) }));
const D = { items: [1, 1, 3, 4, 1], positives: [1] };
const W = ['11', '00100000', '0000000000'].map((row) => ({ grades: [...row].map(Number) }));
const OF_USERS = W.map((list, i) => ({ ...list, user: i < 2 ? 'u' : 'v', session: i }));
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
  ['rbp', [A], 0.495936],
  ['rbp(p=0.9)', [A], 0.312949],
  ['rbp(norm=max)', [A], 0.84],
  ['rbp(gain=scaled,gmax=3)', [G], 0.505664],
  ['err(gmax=3)', [G], 0.922002],
  ['err(gmax=3)@2', [G], 0.898438],
  ['err(gmax=4)', [{ grades: [0.5] }], 0.025888],
  ['auc', [A], 0.75],
  ['auc', [SHORT], 0.833333],
  ['auc(examined=last_positive)', [SHORT], 0.5],
  ['auc(by=score)', [{ ...SHORT, scores: [1, 2, 3, 4, 5] }], 1 / 6],
  ['recall(ideal=all)@3', [G_ALL], 0.428571],
  // RecTools r_precision: 5 positives over min(k, 7 known ones).
  ['precision(denom=capped,ideal=all)@10', [G_ALL], 0.714286],
  ['precision(denom=capped,ideal=all)@5', [G_ALL], 0.8],
  ['precision(denom=capped)@10', [G_ALL], 1],
  ['ndcg(ideal=all)@6', [G_ALL], 0.785002],
  ['ndcg(gain=exp,ideal=all)@6', [G_ALL], 0.751083],
  ['ndcg(gain=binary,ideal=perfect)@10', [G_ALL], 0.632541],
  ['mae', [S], 0.6],
  ['rmse', [S], 0.774597],
  ['bias', [S], -0.2],
  ['spearman', [S], 0.820783],
  ['kendall', [S], 0.737865],
  ['kendall(tau=a)', [S], 0.7],
  ['kendall(tau=c)', [S], 0.746667],
  ['recall(per=user)@2', OF_USERS, 0.25],
  ['recall(per=session)@2', OF_USERS, 0.333333],
  ['mrr(per=user)', OF_USERS, 0.333333],
  ['mrr(empty=skip,per=user)', OF_USERS, 0.666667],
  ['f1(per=class)@5', [A], 0.619048],
  ['f1(avg=weighted,per=class)@5', [A], 0.619048],
  ['f1(avg=micro,per=class)@5', [A], 0.625],
  // Precision 3/5 and 0, recall 3/4 and 0; the list without positives is skipped, counted 0, counted 1.
  ['f1(empty=skip,of=means)@5', [A, { grades: [0, 0] }], 0.666667],
  ['f1(of=means)@5', [A, { grades: [0, 0] }], 0.333333],
  ['f1(empty=one,of=means)@5', [A, { grades: [0, 0] }], 0.835821],
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
    ['ndcg(min_list_length=1)@10', { grades: [] }],
    ['ndcg', { grades: [], offset: 10 }],
    ['ctr', { grades: [] }],
    ['auc', { grades: [] }],
    ['mrr(empty=skip)', { grades: [] }],
    ['ndcg(norm=minmax)', { grades: [] }],
    ['recall(avg=micro)', { grades: [] }],
    ['precision(avg=micro)', { grades: [] }],
    ['mae', { ratings: [], scores: [] }],
    ['ndcg@10', PAGE_TWO],
    ['mrr(empty=skip)', { grades: [0, 0] }],
    ['ndcg(min_list_length=2)@10', { grades: [1] }],
    ['ndcg(norm=minmax)', { grades: [1] }],
    ['ndcg(norm=minmax,discount=clipped)', { grades: [2, 1] }],
    ['ctr(slot=3)', { grades: [1, 1] }],
    ['recall(avg=micro)', { grades: [0, 0] }],
    ['auc', { grades: [1, 1] }],
    ['auc', { grades: [0, 0] }],
    ['auc(by=score)', { grades: [1, 0] }],
    ['auc(by=score)', { grades: [1, 0], scores: [1, null] }],
    ['mae', { ratings: [1, 2] }],
    ['mae', { ratings: [null, 2], scores: [3, null] }],
    ['spearman', { ratings: [1], scores: [1] }],
    ['spearman', { ratings: [1, 1], scores: [1, 2] }],
    ['kendall(tau=a)', { ratings: [1, 2], scores: [3, 3] }],
    ['kendall(tau=c)', { ratings: [1, 1], scores: [1, 3] }],
    ['ndcg(ideal=all,norm=minmax)', { grades: [1, 1], known: [1, 1, 1] }],
  ])('%s has no value for %j', (name, list) => {
    expect(measure(name).score(list)).toBeUndefined();
  });

  it('takes the lists into a mean that it does not leave out, and only those', () => {
    expect(measure('mrr@10').mean([{ grades: [0, 1] }, PAGE_TWO, { grades: [], offset: 10 }])).toBe(0.5);
    expect(measure('mrr').mean([])).toBeUndefined();
  });

  it('leaves a list without the id out of a mean over users', () => {
    expect(measure('mrr(per=user)').mean([{ grades: [1] }, { grades: [0, 1], user: 7 }])).toBe(0.5);
    expect(measure('mrr(per=session)').mean([{ grades: [1], user: 7 }])).toBeUndefined();
    expect(measure('mrr(per=user)').score({ grades: [0, 1] })).toBe(0.5);
  });

  it('takes known items into the ideal with ideal=all, and only there', () => {
    const list = { items: ['a', 'b', 'a'], positives: ['b', 'c', 'c'] };
    expect(measure('recall(ideal=all)').score(list)).toBe(0.5);
    expect(measure('recall').score(list)).toBe(1);
    expect(measure('ap(ideal=all)').score(list)).toBe(0.25);
    expect(measure('rprec(ideal=all)').score(list)).toBe(0.5);
    // Known: two positives and a. Worst a b c, of which the cut at 2 leaves b on rank 2.
    const worst = 1 / Math.log2(3);
    expect(measure('ndcg(ideal=all,norm=minmax)@2').score({ items: ['b', 'a'], positives: ['b', 'c'] })).toBeCloseTo(
      (1 - worst) / (1 + worst - worst),
      12,
    );
  });

  it('may leave 0..1 with norm=minmax against all known items', () => {
    expect(measure('ndcg(ideal=all,norm=minmax)@1').score({ grades: [0, 1], known: [0, 1, 1] })).toBe(0);
    expect(measure('ndcg(ideal=all,norm=minmax)@2').score({ grades: [0, 0], known: [0, 0, 2, 1] })).toBe(0);
    expect(measure('ndcg(ideal=all,norm=minmax)@2').score({ grades: [0], known: [0, 2, 1] })).toBeLessThan(0);
  });

  it('averages errors over pairs, or per list and then over lists', () => {
    const lists = [
      { ratings: [1, 2, 3], scores: [1, 2, 0] },
      { ratings: [5, null], scores: [4, 9] },
    ];
    expect(measure('mae').mean(lists)).toBe(1);
    expect(measure('mae(avg=macro)').mean(lists)).toBe(1);
    expect(measure('rmse').mean(lists)).toBe(Math.sqrt(10 / 4));
    expect(measure('rmse(avg=macro)').mean(lists)).toBeCloseTo((Math.sqrt(3) + 1) / 2, 12);
    expect(measure('bias').mean(lists)).toBe(1);
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
    [{ grades: [1, 1.5e30] }, 'grades[1] must be a number up to 1e+30, got 1.5e+30'],
    [{ grades: [Number.NaN] }, 'grades[0] must be a number up to 1e+30, got NaN'],
    [{ grades: [1], offset: -1 }, 'offset must be a whole number from 0, got -1'],
    [{ grades: [1], offset: 0.5 }, 'offset must be a whole number from 0, got 0.5'],
    [{ grades: [1, 0], ranks: [1] }, 'ranks must have one entry per slot (2), got 1'],
    [{ grades: [1, 0], ranks: [2, 2] }, 'ranks[1] must be a whole number from 3, got 2'],
    [{ grades: [1, 0], ranks: [0, 2] }, 'ranks[0] must be a whole number from 1, got 0'],
    [{ grades: [1], ranks: [2 ** 31] }, 'ranks[0] must be a whole number from 1, got 2147483648'],
    [{ grades: [1, 2], known: [2, 0] }, 'known must hold the shown grades too, but grades[0], 1, is not in it'],
    [{ grades: [1], known: [1, Number.POSITIVE_INFINITY] }, 'known[1] must be a number up to 1e+30, got Infinity'],
    [{ grades: [1], scores: [] }, 'scores must have one entry per slot (1), got 0'],
    [{ grades: [1], scores: [Number.NaN] }, 'scores[0] must be a finite number or null, got NaN'],
    [{ ratings: [1, Number.POSITIVE_INFINITY] }, 'ratings[1] must be a finite number or null, got Infinity'],
  ])('refuses %j', (list, message) => {
    expect(() => measure('mrr').score(list)).toThrow(new RangeError(message));
  });

  it('takes any grade from 0 up, but for gain=exp', () => {
    expect(measure('dcg@1').score({ grades: [1e6, 31] })).toBe(1e6);
    expect(measure('ndcg').score({ grades: [31, 0], known: [31, 0] })).toBe(1);
    expect(measure('precision(rel=40)@2').score({ grades: [31, 40] })).toBe(0.5);
    expect(measure('dcg(gain=exp)@1').score({ grades: [30] })).toBe(2 ** 30 - 1);
    for (const list of [{ grades: [31] }, { grades: [30], known: [30, 31] }]) {
      expect(() => measure('ndcg(gain=exp)@3').score(list)).toThrow(
        /^(grades\[0\]|known\[1\]) must be a number up to 30 for ndcg\(gain=exp\)@3, because its gain is 2\^grade - 1; got 31$/,
      );
    }
  });

  it.each([
    ['ndgc', 'unknown measure "ndgc"; did you mean "ndcg"?'],
    ['err', '"err": err needs gmax, a number above 0, at most 30'],
    ['ctr(examined=viewport)', '"ctr(examined=viewport)": examined=viewport needs view events'],
  ])('refuses the name %s', (name, message) => {
    expect(() => measure(name)).toThrow(message);
  });
});

describe('calls of JavaScript that lack what they need', () => {
  /** Without types, as JavaScript calls. */
  const use: {
    readonly measure: (...given: unknown[]) => {
      score(...given: unknown[]): unknown;
      mean(...given: unknown[]): unknown;
    };
  } = JSON.parse('{}');
  Object.assign(use, { measure });
  const mrr = use.measure('mrr');

  it.each([
    ['a measure without a name', () => use.measure(), "name a measure, such as measure('ndcg@10'); got undefined"],
    ['a number for a name', () => use.measure(10), 'got the number 10'],
    ['no list', () => mrr.score(), 'a list is an object such as { grades: [1, 0] }'],
    ['grades alone', () => mrr.score([1, 0]), 'got an array'],
    ['a list of nothing', () => mrr.score({}), 'a list has grades, items or ratings'],
    ['a list of another field', () => mrr.score({ gains: [1] }), 'got only gains'],
    ['no array', () => mrr.score({ grades: 1 }), 'grades must be an array; got the number 1'],
    [
      'no positives',
      () => mrr.score({ items: ['a'] }),
      'positives must be an array with the ids of the relevant items',
    ],
    ['no lists', () => mrr.mean(), 'mean takes several lists'],
    ['one list for several', () => mrr.mean({ grades: [1] }), 'The value of one list is score(list)'],
    ['a list that is none among others', () => mrr.mean([{ grades: [1] }, undefined]), 'got undefined'],
  ])('learn what: %s', (_what, call, message) => {
    expect(call).toThrow(message);
    expect(call).not.toThrow(TypeError);
  });
});
