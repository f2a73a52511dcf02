import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measure } from '../../src/measures/measures.ts';
import type { RunScore } from '../../src/score/score-result.ts';
import { plain, scoreLists, scoreText } from './in-memory.ts';

const MEASURES = [
  'ap',
  'mrr',
  'ndcg@3',
  'ndcg',
  'precision@2',
  'recall@3',
  'dcg(gain=exp)',
  'rbp',
  'f1',
  'recall(avg=micro)@2',
];

interface Line {
  readonly query: string;
  readonly item: string;
  readonly score: number;
}

const queries = fc.uniqueArray(fc.constantFrom('1', '2', '10', 'q-a', 'ünder', 'Q'), { minLength: 1, maxLength: 4 });
const items = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'aa', 'ä', 'd-1', 'D', 'zz'), {
  minLength: 1,
  maxLength: 8,
});
const list = items.chain((ids) =>
  fc.tuple(...ids.map((item) => fc.constantFrom(1, 2, 2.5, 3, -1, 0.1).map((score) => ({ item, score })))),
);
const run = queries.chain((names) =>
  fc
    .tuple(...names.map((query) => list.map((rows) => rows.map((row): Line => ({ query, ...row })))))
    .map((all) => all.flat()),
);
const qrels = fc
  .tuple(queries, items, fc.array(fc.integer({ min: -1, max: 3 }), { minLength: 40, maxLength: 40 }))
  .map(([names, ids, grades]) =>
    names.flatMap((query, q) => ids.map((item, i) => `${query} 0 ${item} ${grades[(7 * q + i) % 40]}\n`)).join(''),
  );

/** Highest score first, then the last id by its bytes: the plain form of what the command does with columns. */
function byScoreThenId(a: Line, b: Line): number {
  return b.score - a.score || Buffer.compare(Buffer.from(b.item), Buffer.from(a.item));
}

function gradesOf(judged: string, query: string): ReadonlyMap<string, number> {
  const lines = judged.split('\n').map((line) => line.split(' '));
  return new Map(
    lines.filter(([name]) => name === query).map(([, , item, grade]) => [item, Math.max(0, Number(grade))]),
  );
}

const trec = (lines: readonly Line[]): string =>
  lines.map(({ query, item, score }) => `${query}\tQ0 ${item}  0 ${score} tag more words\n`).join('');
const plains = ({ runs }: { readonly runs: readonly RunScore[] }): readonly object[] => runs.map(plain);

describe('a run', () => {
  it('scores the same in whatever parts it is read', () => {
    fc.assert(
      fc.property(run, qrels, fc.integer({ min: 1, max: 40 }), (lines, judged, part) => {
        const whole = scoreText(trec(lines), judged, { measures: MEASURES });
        const parts = scoreText(trec(lines).trimEnd(), judged, { measures: MEASURES, part });
        expect(plains(parts)).toEqual(plains(whole));
        expect(parts.missing).toEqual(whole.missing);
      }),
    );
  });

  /** Forms in which tools write one run: by lines, and the columns that the user names. */
  const FORMS: readonly (readonly [write: (lines: readonly Line[]) => string, columns?: string])[] = [
    ',',
    ';',
    '\t',
  ].flatMap((sign) => {
    const rows = (cells: (line: Line, i: number) => readonly (string | number)[]) => (lines: readonly Line[]) =>
      lines.map((line, i) => `${cells(line, i).join(sign)}\n`).join('');
    const plainRows = rows(({ query, item, score }) => [query, item, score]);
    const named = rows(({ query, item, score }, i) => [i, query, item, i, score]);
    return [
      [rows(({ query, item, score }, i) => [query, 'Q0', item, i, score, 'tag'])],
      [rows(({ query, item, score }, i) => [query, item, i, score, 'tag']), 'query,item,rank,score,tag'],
      [plainRows, 'query,item,score'],
      [(lines) => `${['query_id', 'doc_id', 'score'].join(sign)}\n${plainRows(lines)}`],
      [(lines) => `${['qid', 'docno', 'similarity'].join(sign)}\n${plainRows(lines)}`, 'query,item,score'],
      // With the index that pandas writes.
      [(lines) => `${['', 'query', 'item', 'rank', 'score'].join(sign)}\r\n${named(lines)}`],
    ] as const;
  });

  it('scores the same whatever separates its columns, and whatever its ids begin with (specification: commands 3.3)', () => {
    fc.assert(
      fc.property(
        run,
        qrels,
        fc.constantFrom('', '#'),
        fc.constantFrom(...FORMS),
        (lines, qrels, sign, [write, columns]) => {
          const signed = lines.map((line) => ({ ...line, query: `${sign}${line.query}` }));
          const judged = qrels.replaceAll(/^(?=.)/gm, sign);
          const choices = { measures: MEASURES, ...(columns === undefined ? {} : { columns }) };
          const expected = scoreText(trec(signed), judged, { measures: MEASURES });
          const scored = scoreText(write(signed), judged, choices);
          expect(plains(scored)).toEqual(plains(expected));
          expect(scored.missing.map(({ query }) => query)).toEqual(expected.missing.map(({ query }) => query));
          const queries = new Set(signed.map(({ query }) => query));
          const unjudged = scored.missing.filter(({ missingFrom }) => missingFrom === 'qrels');
          expect(scored.runs[0].queries + unjudged.length).toBe(queries.size);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('scores the same list by list as with all lists in memory', () => {
    fc.assert(
      fc.property(run, qrels, (lines, judged) => {
        const streamed = scoreText(trec(lines), judged, { measures: MEASURES });
        const gathered = scoreText(trec(lines), judged, { measures: MEASURES, gather: true });
        expect(plains(gathered)).toEqual(plains(streamed));
      }),
    );
  });

  it('scores what the measures of its ordered and judged lists are', () => {
    fc.assert(
      fc.property(run, qrels, (lines, judged) => {
        const measures = ['ap(ideal=all)', 'mrr', 'ndcg(ideal=all)@3', 'precision@2', 'dcg(gain=exp)', 'rbp'];
        const [{ perQuery }] = scoreText(trec(lines), judged, { measures, preset: 'trec' }).runs;
        const names = measures.map((name) => (name === 'rbp' ? 'rbp(p=0.9)' : name));
        for (const { query, values } of perQuery) {
          const grades = gradesOf(judged, query);
          const shown = lines.filter((line) => line.query === query).sort(byScoreThenId);
          const list = {
            grades: shown.map(({ item }) => grades.get(item) ?? 0),
            known: [...grades.values(), ...shown.filter(({ item }) => !grades.has(item)).map(() => 0)],
          };
          names.forEach((name, m) => {
            expect(values[m], `${name} of ${query}`).toBeCloseTo(measure(name).score(list) ?? Number.NaN, 12);
          });
        }
      }),
    );
  });

  it('by trec scores the same in whatever order its lines stand', () => {
    const shuffled = run.chain((lines) =>
      fc.shuffledSubarray([...lines], { minLength: lines.length }).map((other) => [lines, other] as const),
    );
    fc.assert(
      fc.property(shuffled, qrels, ([lines, other], judged) => {
        const before = scoreText(trec(lines), judged, { measures: MEASURES, gather: true });
        const after = scoreText(trec(other), judged, { measures: MEASURES, gather: true });
        const byQuery = ({ runs: [{ perQuery }] }: typeof before): object[] =>
          [...perQuery]
            .sort((a, b) => (a.query < b.query ? -1 : 1))
            .map(({ query, values }) => ({ query, values: [...values] }));
        expect(byQuery(after)).toEqual(byQuery(before));
        after.runs[0].mean.forEach((value, m) => {
          if (value === undefined) expect(before.runs[0].mean[m]).toBeUndefined();
          else expect(value).toBeCloseTo(before.runs[0].mean[m] ?? Number.NaN, 12);
        });
      }),
    );
  });

  it('has the mean of its queries', () => {
    fc.assert(
      fc.property(run, qrels, fc.constantFrom('skip', 'zero'), (lines, judged, missing) => {
        const measures = MEASURES.filter((name) => !name.includes('micro'));
        const [{ mean, queries: n, perQuery }] = scoreText(trec(lines), judged, { measures, missing }).runs;
        expect(perQuery.length).toBe(n);
        measures.forEach((_, m) => {
          const values = perQuery.map(({ values: own }) => own[m]);
          const expected = n === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / n;
          expect(mean[m]).toEqual(expected);
        });
      }),
    );
  });

  it('names each query that one side lacks, and no other', () => {
    fc.assert(
      fc.property(run, qrels, (lines, judged) => {
        const { missing } = scoreText(trec(lines), judged, { measures: ['ap'] });
        const inRun = new Set(lines.map(({ query }) => query));
        const inQrels = new Set(
          judged
            .split('\n')
            .filter(Boolean)
            .map((line) => line.split(' ')[0]),
        );
        const lacking = [...inQrels].filter((query) => !inRun.has(query));
        const unjudged = [...inRun].filter((query) => !inQrels.has(query));
        const named = (from: string): string[] =>
          missing.filter(({ missingFrom }) => missingFrom === from).map(({ query }) => query);
        expect(named('run').sort()).toEqual(lacking.sort());
        expect(named('qrels').sort()).toEqual(unjudged.sort());
      }),
    );
  });
});

function permutations<T>(values: readonly T[]): T[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((value, i) => permutations(values.filter((_, j) => j !== i)).map((rest) => [value, ...rest]));
}

describe('--ties mean', () => {
  const tied = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom(1, 2, 3)), { minLength: 1, maxLength: 6 })
    .map((slots) => [...slots].sort((a, b) => b[1] - a[1]));
  const measure = fc.constantFrom(
    'ndcg',
    'ndcg@2',
    'dcg@3',
    'dcg(gain=exp)',
    'ndcg(gain=exp,discount=ln)@4',
    'ndcg(gain=binary,rel=2)@3',
    'ndcg(ideal=all)@2',
    'ndcg(norm=minmax)@3',
    'ndcg(gain=binary,ideal=perfect)@3',
    'dcg(discount=clipped)@2',
    'ndcg(avg=weighted)@2',
  );

  it('is the mean over every order of the tied items', () => {
    fc.assert(
      fc.property(tied, measure, fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }), (slots, name, others) => {
        const known = [...slots.map(([grade]) => grade), ...others];
        const list = { grades: slots.map(([grade]) => grade), scores: slots.map(([, score]) => score), known };
        const [mean] = scoreLists([list], { measures: [name], ties: 'mean' }).mean;
        const orders = permutations(slots).filter((order) =>
          order.every(([, score], i) => i === 0 || order[i - 1][1] >= score),
        );
        const values = orders.map((order) => {
          const { grades, scores } = { grades: order.map(([grade]) => grade), scores: order.map(([, score]) => score) };
          return scoreLists([{ grades, scores, known }], { measures: [name] }).mean[0];
        });
        if (values.some((value) => value === undefined)) expect(mean).toBeUndefined();
        else expect(mean).toBeCloseTo(values.reduce((sum: number, value) => sum + (value ?? 0), 0) / values.length, 10);
      }),
    );
  });

  it('is what sklearn means by its convention, in a run as in a list', () => {
    const lines = '1 Q0 a 1 0.5 t\n1 Q0 b 2 0.5 t\n1 Q0 c 3 0.5 t\n';
    const { runs } = scoreText(lines, '1 0 a 1\n', { measures: ['ndcg'], preset: 'sklearn' });
    expect(runs[0].mean[0]).toBeCloseTo(0.7103099178571526, 12);
  });

  it('does not go with measures that depend on the order', () => {
    expect(() => scoreLists([{ grades: [1] }], { measures: ['ndcg', 'mrr'], ties: 'mean' })).toThrow(
      /"mrr": with --ties mean/,
    );
    expect(() => scoreLists([{ grades: [1] }], { measures: ['ndcg', 'recall'], ties: 'mean' })).not.toThrow();
  });
});
