import { describe, expect, it } from 'vitest';
import { emptyLists } from '../../src/findings/empty-lists.ts';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';

const measuresOf = (...texts: readonly string[]) => parseMeasures(texts, { relevantFrom: 1 }).measures;
const USUAL = measuresOf('mrr', 'ndcg@10', 'ctr');

describe('many empty lists', () => {
  it.each([
    [29, 100, 0],
    [30, 100, 1],
    [30, 1500, 0],
    [31, 1500, 1],
    [0, 0, 0],
  ])('are %d of %d: %d finding', (empty, lists, found) => {
    expect(emptyLists({ lists, empty }, USUAL, 'impressions')).toHaveLength(found);
  });

  it('are told with their share, how they count, and what leaves them out', () => {
    const [{ code, cause, example, remedy }] = emptyLists({ lists: 6000, empty: 1525 }, USUAL, 'impressions');
    expect([code, example]).toEqual(['empty_lists', null]);
    expect(cause).toBe(
      '25.4 % of the impressions are empty lists (1,525 of 6,000), which count 0 in mrr and ndcg@10, as lists without a positive do.',
    );
    expect(remedy).toBe(
      'Check that their items are logged, and which requests find nothing; min_list_length=1 leaves empty lists out of a measure, as in mrr(min_list_length=1).',
    );
  });

  it('are told by variant where there are several', () => {
    const parts = new Map([
      ['control', { lists: 3000, empty: 0 }],
      ['treatment', { lists: 3000, empty: 1525 }],
    ]);
    const [{ cause }] = emptyLists({ lists: 6000, empty: 1525 }, USUAL, 'impressions', parts);
    expect(cause).toContain('(1,525 of 6,000; control 0 %, treatment 50.8 %)');
    const one = new Map([['control', { lists: 3000, empty: 90 }]]);
    expect(emptyLists({ lists: 3000, empty: 90 }, USUAL, 'impressions', one)[0].cause).toContain('(90 of 3,000)');
  });

  it('are told, too, where no measure counts them', () => {
    const none = measuresOf('ctr', 'mrr(min_list_length=1)', 'recall(empty=skip)@5', 'length');
    const [{ cause, remedy }] = emptyLists({ lists: 100, empty: 50 }, none, 'impressions');
    expect(cause).toContain('(50 of 100), and no measure counts them 0: whoever finds less may look better.');
    expect(remedy).toContain('a measure such as mrr or hit counts them 0.');
  });

  it.each([
    [['mrr'], 'in mrr, as'],
    [['mrr', 'hit@1', 'ap'], 'in mrr, hit@1 and ap, as'],
    [['mrr', 'hit@1', 'ap', 'rprec', 'ndcg(gain=exp)@5'], 'in mrr, hit@1, ap and 2 more, as'],
  ])('count 0 in %j', (names, words) => {
    expect(emptyLists({ lists: 100, empty: 50 }, measuresOf(...names), 'impressions')[0].cause).toContain(words);
  });
});
