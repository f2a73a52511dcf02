/** Runs and judgements in the forms of today's tools give the same scores as rows of TREC. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linesOf, rowsOf } from '../../src/cli/score-inputs.ts';
import { ItemRows } from '../../src/score/item-rows.ts';
import { headerOf, otherForm, predictionsIn, queryOfFeatures } from '../../src/score/other-forms.ts';
import { orderRule } from '../../src/score/preset.ts';
import { qrelsColumns } from '../../src/score/qrels-format.ts';
import { repeatedItem, type Side } from '../../src/score/remedies.ts';
import { TREC_RUN } from '../../src/score/run-format.ts';
import { OrderedLists } from '../../src/score/run-reader.ts';
import { type Choices, scoreText } from './in-memory.ts';

const QRELS = 'q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 b 1\n';
const RUN = 'q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 a 1 2 t\nq2 Q0 b 2 1 t\n';
const MEASURES = ['ndcg@10', 'mrr', 'precision@2', 'judged@5'];

async function* partsOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The text as rows, if it has another form; as the command reads it. */
async function rows(text: string, side: Side, queries?: readonly string[], size = 7): Promise<string> {
  const form = otherForm(text, side) ?? (side === 'run' ? predictionsIn(text, queries) : undefined);
  if (form === undefined) return text;
  let all = headerOf(form);
  for await (const part of rowsOf('file', form, partsOf(text, size))) all += part;
  return all;
}

async function means(
  run: string,
  qrels: string,
  choices: Partial<Choices> = {},
): Promise<readonly (number | undefined)[]> {
  const lines: string[] = [];
  for await (const some of linesOf('file', partsOf(qrels, 11))) lines.push(...some);
  const queries = otherForm(qrels, 'judgements')?.hasLinesOfQueries === true ? lines.map(queryOfFeatures) : undefined;
  const [ofRun, ofQrels] = [await rows(run, 'run', queries), await rows(qrels, 'judgements')];
  return scoreText(ofRun, ofQrels, { measures: MEASURES, ...choices }).runs[0].mean;
}

describe('judgements', () => {
  it.each([
    ['of three columns', 'q1 a 2\nq1 b 0\nq1 c 1\nq2 b 1\n'],
    ['of BEIR', 'query-id\tcorpus-id\tscore\nq1\ta\t2\nq1\tb\t0\nq1\tc\t1\nq2\tb\t1\n'],
    ['of Quepid, with what nobody rated', 'query,docid,rating\nq1,a,2\nq1,b,0\n"q1",c,1\nq2,b,1\nq3,x,\r\nq4,,\n'],
    ['with columns in another order', 'rating;item_id;note;user_id\n2;a;x;q1\n0;b;;q1\n1;c;x;q1\n1;b;x;q2\n'],
    ['with words of a header that are not known', 'suche\tartikel\tnote\nq1\ta\t2\nq1\tb\t0\nq1\tc\t1\nq2\tb\t1\n'],
    ['with the header of TREC', 'topic iteration document relevance\nq1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 b 1\n'],
    ['of BEIR and ranx in JSON', '{"q1": {"a": 2, "b": 0, "c": 1, "d": null}, "q2": {"b": 1}}'],
    ['in JSON of many lines', '{\n "q1": {\n "a": 2, "b": 0, "c": 1 },\n "q2": { "b": 1 }\n}\n'],
    [
      'of Elasticsearch',
      JSON.stringify(
        {
          requests: [
            {
              id: 'q1',
              request: { query: { match: { title: 'hits' } } },
              ratings: ['a', 'b', 'c'].map((_id, i) => ({ _index: 'x', _id, rating: [2, 0, 1][i] })),
            },
            {
              id: 'q2',
              request: {},
              ratings: [
                { _index: 'x', _id: 'b', rating: 1 },
                { _index: 'x', _id: 'z', rating: null },
              ],
            },
          ],
        },
        null,
        1,
      ),
    ],
  ])('%s', async (_, qrels) => {
    expect(await means(RUN, qrels)).toEqual(await means(RUN, QRELS));
  });

  it('whose queries hold blanks, commas and quotes keep them', async () => {
    const qrels = 'query,docid,rating\n"jacket, winter",a,2\n"tv 55""",b,1\nred shoe,a,0\n';
    const run = '"jacket, winter",Q0,a,1,1,t\n"tv 55""",Q0,b,1,1,t\nred shoe,Q0,a,1,1,t\n';
    expect(await means(run, qrels, { measures: ['mrr'] })).toEqual([2 / 3]);
  });

  it('and rows that lack a column later are a mistake in that row', async () => {
    await expect(means(RUN, 'q1 0 a 2\nq1 b 0\n')).rejects.toThrow(
      'qrels, line 2: 3 columns; expected 4: query 0 item grade',
    );
    await expect(means(RUN, 'q1 a 2\nq1 0 b 0\n')).rejects.toThrow(
      'qrels, line 2: 4 columns; expected 3: query item grade',
    );
  });

  it.each([
    ['query,grade', /needs the columns query, item and grade/],
    ['query,item,grade,rating', /the column grade is named twice/],
  ])('whose columns are named %s are refused', (names, why) => {
    expect(qrelsColumns(names)).toMatch(why);
  });
});

describe('a run', () => {
  it.each([
    ['of BEIR and ranx in JSON', '{"q1": {"a": 3.5, "b": 2e-1}, "q2": {"b": 1, "a": 2.0}}'],
    ['of lists in JSON', '{"q1": ["a", "b"], "q2": ["a", "b"]}'],
    [
      'of Elasticsearch',
      JSON.stringify({
        metric_score: 0.5,
        details: Object.fromEntries(
          ['q1', 'q2'].map((query) => [
            query,
            {
              metric_score: 0,
              unrated_docs: [],
              hits: ['a', 'b'].map((_id) => ({ hit: { _id, _score: null }, rating: 1 })),
            },
          ]),
        ),
      }),
    ],
    ['with a list in one field', 'session_type,labels\nq1,a b\nq2,a b\n'],
    ['with a list in one field, of which the first has one item', 'query;items\nq1;"a"\nq1;b\nq2;a b\n'],
    ['with a list in one field, and no header', 'q1\ta b\nq2\ta b\n'],
    ['of MS MARCO', 'q1\ta\t1\nq1\tb\t2\nq2\ta\t1\nq2\tb\t2\n'],
    ['of three columns with names', 'qid,pid,rank\nq1,a,1\nq1,b,2\nq2,a,1\nq2,b,2\n'],
  ])('%s', async (name, run) => {
    const gathered = name.endsWith('one item') ? { measures: ['mrr'] } : {};
    expect(await means(run, QRELS, gathered)).toEqual(await means(RUN, QRELS, gathered));
  });

  it.each(['q1 Q0 a,b 1 1 M\n', 'q,1 Q0 a 1 1 M\n', 'q;1\tQ0\ta\t1\t1\tM\n'])(
    'of TREC may have signs in ids: %j',
    (run) => {
      expect(otherForm(run, 'run')).toBe(undefined);
    },
  );

  it('of scores for lines of features (LETOR, SVMlight) has the number of the line as item', async () => {
    const features = '2 qid:1 1:0.5 2:1 #docid = a\n0 qid:1 1:.2\n1 qid:1 1:3\n0 qid:2 1:1\n1 qid:2 1:2\n';
    const qrels = '1 0 1 2\n1 0 2 0\n1 0 3 1\n2 0 4 0\n2 0 5 1\n';
    const run = '1 Q0 1 0 0.1 t\n1 Q0 2 0 0.9 t\n1 Q0 3 0 .5 t\n2 Q0 4 0 -1 t\n2 Q0 5 0 2e-1 t\n';
    expect(await means('0.1\n0.9\n.5\n-1\n2e-1\n', features)).toEqual(await means(run, qrels));
    await expect(means('0.1\n0.9\n', features)).rejects.toThrow('it has 2 lines, and the file of features has 5');
    await expect(means('1\n2\n3\n4\n5\n6\n', features)).rejects.toThrow('more lines than the file of features, 5');
  });

  it('of three columns is told their names, where the third may count anything', async () => {
    const said = 'such as --columns query,item,score';
    await expect(means('q1\ta\t3.5\nq1\tb\t2\n', QRELS)).rejects.toThrow(said);
    await expect(means('q1 a 2\nq1 b 1\n', QRELS)).rejects.toThrow(said);
    expect(
      await means('q1 a 1\nq2 a 1\nq1 b 2\nq2 b 2\n', QRELS, { columns: 'query,item,rank', gather: true }),
    ).toEqual(await means(RUN, QRELS));
  });

  it('that is a file of the other side, graded lists or other JSON is told so', async () => {
    const round = 'are --run and --qrels the wrong way round?';
    await expect(means('{"requests":[{"id":"q","ratings":[{"_id":"a","rating":1}]}]}', QRELS)).rejects.toThrow(round);
    await expect(means('{"session":1,"labels":{"clicks":44}}\n', QRELS)).rejects.toThrow(round);
    await expect(means(RUN, '{"details":{"q":{"hits":[{"hit":{"_id":"a"}}]}}}')).rejects.toThrow(round);
    await expect(means('{"query":"q1","grades":[1,0]}\n', QRELS)).rejects.toThrow('give them with --lists');
    await expect(means('{"session":1,"next":{"clicks":44}}\n', QRELS)).rejects.toThrow(
      'this is JSON, an object a line with session, next; expected rows',
    );
    // Ids may begin with any sign.
    expect(await means('{q1} Q0 a 1 1 t\n[q2] Q0 b 1 1 t\n', '{q1} 0 a 1\n[q2] 0 b 1\n')).toEqual([1, 1, 0.5, 1]);
  });

  it.each([
    ['{"q1": {"a": "high"}}', /./],
    ['{"q1": {"a": 1}, "q2": 3}', /what "q2" has is not an object/],
    ['{"q1": {"a": 1}, "q2": {"b": [1]}}', /the number of item "b" of query "q2" is not a number/],
    ['{"q1": {"a": 1', /begins like JSON, and is not/],
    ['{"q1": {"a\\nb": 1}}', /holds a line break/],
    ['{"q1": ["a", {}]}', /an item of query "q1" is neither a text nor a number/],
  ])('%s is refused with what is wrong', async (run, why) => {
    await expect(means(run, QRELS)).rejects.toThrow(why);
  });

  it('and judgements keep ids with any characters but line breaks', async () => {
    const id = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
      .filter((text) => text.trim() === text && !/[\r\n]/.test(text));
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(id, { minLength: 1, maxLength: 3 }),
        fc.uniqueArray(id, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 40 }),
        async (queries, items, size) => {
          const json = JSON.stringify(
            Object.fromEntries(
              queries.map((query) => [query, Object.fromEntries(items.map((item, i) => [item, 9 - i]))]),
            ),
          );
          const scored = scoreText(
            await rows(json, 'run', undefined, size),
            await rows(json, 'judgements', undefined, size),
            { measures: ['ndcg(gain=linear)', 'recall'] },
          );
          expect(scored.missing).toEqual([]);
          expect(scored.runs[0]).toMatchObject({ queries: Object.keys(JSON.parse(json)).length, mean: [1, 1] });
        },
      ),
    );
  });
});

describe('a document with several passages', () => {
  const FORMS = [
    ['TREC', 'q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq1 Q0 a 3 1e1 t\nq1 Q0 b 4 0.5 t\nq2 Q0 a 1 2 t\nq2 Q0 b 2 1 t\n'],
    ['tabs, with a header', 'query\titem\tscore\nq1\ta\t3\nq1\tb\t2\nq1\ta\t10\nq1\tb\t0.5\nq2\ta\t2\nq2\tb\t1\n'],
    ['commas', 'q1,Q0,a,1,3,t\nq1,Q0,b,2,2,t\nq1,Q0,a,3,10,t\nq1,Q0,b,4,0.5,t\nq2,Q0,a,1,2,t\nq2,Q0,b,2,1,t\n'],
    ['ranks', 'query;item;rank\nq1;b;20\nq1;a;3\nq1;b;9\nq2;a;1\nq2;b;2\n'],
  ] as const;

  it.each(FORMS)('keeps its best one with repeated best: %s', async (_, run) => {
    expect(await means(run, QRELS, { repeats: 'best' })).toEqual(await means(RUN, QRELS));
    await expect(means(run, QRELS)).rejects.toThrow(
      / of query "q1" is on line \d already; a list holds an item once. --repeated best keeps the best row of each item$/,
    );
  });

  it('is credited at its first place, and nowhere else, with repeated first', async () => {
    const run = 'q1 Q0 a 1 4 t\nq1 Q0 a 2 3 t\nq1 Q0 b 3 2 t\nq1 Q0 c 4 1 t\n';
    const gains = (ranks: readonly number[]): number => ranks.reduce((sum, rank) => sum + 1 / Math.log2(rank + 1), 0);
    const [value] = await means(run, 'q1 0 a 1\nq1 0 c 1\n', { measures: ['ndcg@10'], repeats: 'first' });
    expect(value).toBeCloseTo(gains([1, 4]) / gains([1, 2]), 9);
  });

  it('is what is left of any list, whatever the order of its rows', () => {
    const row = fc.record({ item: fc.constantFrom('a', 'b', 'c', 'd'), score: fc.integer({ min: 0, max: 9 }) });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), (list) => {
        const text = (some: readonly { item: string; score: number }[]): string =>
          some.map(({ item, score }) => `q1 Q0 ${item} 0 ${score} t\n`).join('');
        const best = new Map<string, number>();
        for (const { item, score } of list) best.set(item, Math.max(score, best.get(item) ?? -1));
        const kept = [...best].map(([item, score]) => ({ item, score }));
        const of = (run: string) => scoreText(run, QRELS, { measures: MEASURES, repeats: 'best' }).runs[0].mean;
        expect(of(text(list))).toEqual(of(text(kept)));
      }),
    );
  });

  it('is told by fuse in the same words, or its best row votes', () => {
    const passages = (): ItemRows => {
      const rows = new ItemRows();
      for (const [line, [id, score]] of (
        [
          ['a', 5],
          ['b', 7],
          ['a', 9],
        ] as const
      ).entries()) {
        rows.add(Buffer.from(id), 0, 1, score, 0, line + 1);
      }
      return rows;
    };
    const layout = { separator: ' ', columns: TREC_RUN, hasHeader: false } as const;
    const seen: (readonly [string, number | undefined])[][] = [];
    const lists = (repeats: 'refuse' | 'best') => {
      const ordered = new OrderedLists(
        'run',
        { orderOf: (columns) => orderRule('trec', columns, undefined), repeats, depth: 9 },
        ({ length, idAt, scores }) => seen.push(Array.from({ length }, (_, i) => [idAt(i), scores()?.[i]] as const)),
      );
      ordered.begin(layout);
      return ordered;
    };
    const indexed = passages();
    indexed.index();
    expect(() => lists('refuse').lists(undefined, 'q', passages())).toThrow(
      repeatedItem('run', 'q', indexed, 2).message,
    );
    lists('best').lists(undefined, 'q', passages());
    expect(seen).toEqual([
      [
        ['a', 9],
        ['b', 7],
      ],
    ]);
  });
});

describe('a command that is shown', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'receval-remedies-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['qrels', 'q1,0,a,2\nq1,0,b,0\nq1,0,c,1\nq2,0,b,1\nq3,0,x,\n', 'qrels, line 5: no grade; leave out'],
    ['qrels', '{"query":"q1","item":"a","grade":2}\n{"query":"q2","item":"b","grade":1}\n', 'this is JSON, an object'],
  ])('makes rows of %s', async (name, text, what) => {
    const error: unknown = await means(RUN, text).catch((one: unknown) => one);
    const message = String(error);
    expect(message).toContain(what);
    writeFileSync(join(folder, name), text);
    const [, command] = /: ((?:jq|grep).*)$/.exec(message) ?? [];
    execFileSync('sh', ['-c', command], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    const made = readFileSync(join(folder, `rows-${name}`), 'utf8');
    expect(await means(RUN, made, { measures: ['mrr'] })).toEqual([0.75]);
  });
});
