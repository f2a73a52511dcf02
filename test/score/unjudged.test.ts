/** Items of a run that nobody judged (specification: commands 3.3). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plain, scoreText } from './in-memory.ts';

const MEASURES = ['ap', 'mrr', 'ndcg@3', 'precision@2', 'recall@3', 'rbp', 'f1', 'mae', 'auc'];
const QUERIES = ['q', 'r'] as const;
const ITEMS = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

interface Row {
  readonly query: (typeof QUERIES)[number];
  readonly item: (typeof ITEMS)[number];
  readonly score: number;
}

const rows = fc.tuple(
  ...QUERIES.map((query) =>
    fc
      .uniqueArray(fc.record({ item: fc.constantFrom(...ITEMS), score: fc.integer({ min: 0, max: 3 }) }), {
        minLength: 1,
        selector: ({ item }) => item,
      })
      .map((list) => list.map((row): Row => ({ query, ...row }))),
  ),
);
/** Of each query; undefined: not judged, as with a grade below 0. */
const grades = fc.tuple(
  ...QUERIES.map(() => fc.tuple(...ITEMS.map(() => fc.constantFrom(undefined, undefined, -1, 0, 1, 2)))),
);

const runOf = (list: readonly Row[]): string =>
  list.map(({ query, item, score }) => `${query} Q0 ${item} 0 ${score} t\n`).join('');

describe('items that nobody judged', () => {
  it('are as if the run did not have them, where they are skipped', () => {
    fc.assert(
      fc.property(rows, grades, fc.constantFrom(1, 2, 4, Number.POSITIVE_INFINITY), (lists, judged, depth) => {
        const gradeOf = ({ query, item }: Row) => judged[QUERIES.indexOf(query)][ITEMS.indexOf(item)];
        const judgedList = 's Q0 known 0 1 t\n';
        const qrels = QUERIES.flatMap((query, q) => [
          `${query} 0 known 1\n`,
          ...ITEMS.flatMap((item, i) => (judged[q][i] === undefined ? [] : [`${query} 0 ${item} ${judged[q][i]}\n`])),
        ]);
        const all = `s 0 known 1\n${qrels.join('')}`;
        const skipped = scoreText(runOf(lists.flat()) + judgedList, all, {
          measures: MEASURES,
          unjudged: 'skip',
          depth,
        });
        // As the run is read: highest score first, then the last id; the list is cut first.
        const kept = lists.map((list) =>
          list
            .toSorted((a, b) => b.score - a.score || (a.item < b.item ? 1 : -1))
            .slice(0, depth)
            .filter((row) => (gradeOf(row) ?? -1) >= 0),
        );
        const counted = scoreText(runOf(kept.flat()) + judgedList, all, { measures: MEASURES, missing: 'zero' });
        const byQuery = ({ runs }: typeof counted) =>
          runs.flatMap(({ perQuery }) => perQuery).map((one) => ({ ...one, values: [...one.values] }));
        const sorted = (all: ReturnType<typeof byQuery>) => all.toSorted((a, b) => (a.query < b.query ? -1 : 1));
        expect(sorted(byQuery(skipped))).toEqual(sorted(byQuery(counted)));
        const shown = lists.map((list) => Math.min(list.length, depth)).reduce((a, b) => a + b, 0);
        expect(skipped.evidence[0].skipped).toBe(shown - kept.flat().length);
        expect(skipped.runs[0].counts.retrieved).toBe(kept.flat().length + 1);
      }),
      { numRuns: 500 },
    );
  });

  it('are not skipped by their repetition: an item is judged at each of its places', () => {
    const run = 'q,v,a,4,s\nq,v,x,3,s\nq,v,a,2,s\nq,v,b,1,s\n';
    const scored = scoreText(run, 'q,0,a,0\nq,0,b,1\n', { measures: ['mrr', 'judged@3'], unjudged: 'skip' });
    expect(scored.runs[0].mean).toEqual([1 / 3, 1]);
    expect(scoreText(run, 'q,0,a,0\nq,0,b,1\n', { measures: ['judged@3', 'judged'] }).runs[0].mean).toEqual([
      2 / 3,
      3 / 4,
    ]);
  });

  it('are counted in the top of each list, whose first is remembered', () => {
    const run = 'q Q0 a 0 9 t\nq Q0 x 0 8 t\nq Q0 y 0 7 t\nr Q0 z 0 9 t\n';
    const topOf = (measures: readonly string[], qrels: string, depth?: number) =>
      scoreText(run, qrels, { measures, ...(depth === undefined ? {} : { depth }) }).evidence[0].top;
    const judged = 'q 0 a 1\nr 0 z 0\n';
    const first = { query: 'q', item: 'x' };
    expect(topOf(['ndcg@2', 'mrr'], judged)).toEqual({ places: 2, items: 3, unjudged: 1, first });
    expect(topOf(['ndcg@2', 'recall@20', 'recall@21'], judged)?.places).toBe(20);
    expect(topOf(['recall@1000', 'ap'], judged)).toEqual({ places: 10, items: 4, unjudged: 2, first });
    expect(topOf(['ap'], judged, 1)).toEqual({ places: 1, items: 2, unjudged: 0, first: undefined });
    // Judgements of relevant items alone do not say what was looked at.
    expect(topOf(['ap'], 'q 0 a 1\nr 0 z 1\n')).toBeUndefined();
    expect(topOf(['ap'], 'q 0 a 1\nr 0 z -1\n')).toBeUndefined();
  });
});

describe('judged@k', () => {
  it('is what ir_measures computes of its own test data', () => {
    const qrels = ['0 0 D0 0', '0 0 D1 1', '0 0 D2 1', '0 0 D3 2', '0 0 D4 0', '1 0 D0 1', '1 0 D3 2', '1 0 D5 2'];
    const run = [
      ...['0 0 D0 1 0.8 run', '0 0 D2 2 0.7 run', '0 0 D1 3 0.3 run', '0 0 D3 4 0.4 run', '0 0 D4 5 0.1 run'],
      ...['1 0 D1 1 0.8 run', '1 0 D3 2 0.7 run', '1 0 D4 3 0.3 run', '1 0 D2 4 0.4 run'],
    ];
    const measures = ['Judged@1000', 'Judged@10', 'Judged@3', 'Judged@1'];
    const { runs } = scoreText(`${run.join('\n')}\n`, `${qrels.join('\n')}\n`, { measures });
    expect(plain(runs[0])).toMatchObject({
      perQuery: [{ values: [1, 1, 1, 1] }, { values: [1 / 4, 1 / 4, 1 / 3, 0] }],
    });
  });
});
