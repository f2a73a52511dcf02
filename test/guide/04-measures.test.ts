/** Chapter 4: `receval/measures`. A name says every choice, and equal measures have equal names. */
import { describe, expect, it } from 'vitest';
import { measure } from '../../src/measures/measures.ts';

/** Grades of eight slots, rank 1 first: positives at ranks 1, 3, 4 and 6. */
const A = { grades: [1, 0, 1, 1, 0, 1, 0, 0] };
const six = (value: number | undefined): string => value?.toFixed(6) ?? 'none';

describe('one list', () => {
  it('of binary grades', () => {
    expect(measure('mrr').score(A)).toBe(1); // the first positive is at rank 1
    expect(measure('precision@5').score(A)).toBe(0.6); // 3 of 5
    expect(measure('recall@5').score(A)).toBe(0.75); // 3 of 4
    expect(six(measure('ap@5').score(A))).toBe('0.604167'); // (1/1 + 2/3 + 3/4) / 4
  });

  it('of graded slots', () => {
    const ndcg = measure('ndcg@3');
    // DCG   = 3/log2(2) + 2/log2(3) + 3/log2(4) = 3 + 1.261860 + 1.5  = 5.761860
    // ideal = 3/log2(2) + 3/log2(3) + 2/log2(4) = 3 + 1.892789 + 1   = 5.892789
    expect(six(ndcg.score({ grades: [3, 2, 3] }))).toBe('0.977781');
  });

  it('of items and the relevant ones among them', () => {
    expect(measure('hit@2').score({ items: ['a', 'b', 'c'], positives: ['b'] })).toBe(1);
  });

  it('of page two: ranks go on, so rank 1 to 10 is left out', () => {
    const second = { grades: [0, 1, 0], offset: 10 };
    expect(six(measure('mrr').score(second))).toBe('0.083333'); // 1 / 12
    expect(measure('mrr@10').score(second)).toBeUndefined();
  });
});

describe('many lists', () => {
  const lists = [{ grades: [0, 1] }, { grades: [0, 0] }];

  it('a list without positives counts 0, unless the name says otherwise', () => {
    expect(measure('mrr').mean(lists)).toBe(0.25); // (1/2 + 0) / 2
    expect(measure('mrr(empty=skip)').mean(lists)).toBe(0.5); // 1/2 / 1
    expect(measure('mrr(empty=one)').mean(lists)).toBe(0.75); // (1/2 + 1) / 2
  });

  it('of no lists there is no mean, which is not 0', () => {
    expect(measure('mrr').mean([])).toBeUndefined();
  });
});

describe('a name', () => {
  it('is printed in one canonical form', () => {
    expect(measure(' NDCG( ideal=shown, gain=exp )@10').name).toBe('ndcg(gain=exp)@10');
    expect(measure('map@5').name).toBe('ap@5');
  });

  it('explains itself', () => {
    expect(measure('precision@5').description).toBe(
      'Precision: positives up to rank 5 over 5 less the offset of the page; a positive has a grade of at least 1; ' +
        'lists without positives count 0; mean over lists.',
    );
  });

  it('that is wrong names what is right', () => {
    expect(() => measure('ndgc@10')).toThrow('unknown measure "ndgc@10"; did you mean "ndcg@10"?');
    expect(() => measure('ndcg(gain=expo)@10')).toThrow('unknown value gain=expo; did you mean "exp"?');
  });
});
