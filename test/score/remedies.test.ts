/** What files of other tools are refused with: the command that makes rows of them, which is run here. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ItemRows } from '../../src/score/item-rows.ts';
import { OrderedLists } from '../../src/score/ordered-lists.ts';
import { orderRule } from '../../src/score/preset.ts';
import { repeatedItem } from '../../src/score/remedies.ts';
import { TREC_RUN } from '../../src/score/run-format.ts';
import { type Choices, scoreText } from './in-memory.ts';

const QRELS = 'q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 b 1\n';
const RUN = 'q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 a 1 2 t\nq2 Q0 b 2 1 t\n';
const MEASURES = ['ndcg@10', 'mrr', 'precision@2', 'judged@5'];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-remedies-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('it is read');
}

/** Runs the command at the end of the message on the file, and returns what it wrote. */
function mended(message: string, name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  const [, command] = /: ((?:jq|awk|sed|grep|LC_ALL=C|\{ IFS).*)$/.exec(message) ?? [];
  expect(command, message).toMatch(new RegExp(` > rows-${name}$`));
  execFileSync('sh', ['-c', command], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  return readFileSync(join(folder, `rows-${name}`), 'utf8');
}

const means = (run: string, qrels: string, choices: Partial<Choices> = {}) =>
  scoreText(run, qrels, { measures: MEASURES, ...choices }).runs[0].mean;

describe('judgements', () => {
  const expected = means(RUN, QRELS);
  it.each([
    ['of three columns', 'q1 a 2\nq1 b 0\nq1 c 1\nq2 b 1\n', '3 columns; expected 4: query 0 item grade. Put the'],
    ['of BEIR', 'query-id\tcorpus-id\tscore\nq1\ta\t2\nq1\tb\t0\nq1\tc\t1\nq2\tb\t1\n', '3 columns; expected 4'],
    ['of Quepid', 'query,docid,rating\nq1,a,2\nq1,b,0\n"q1",c,1\nq2,b,1\nq3,x,\r\nq4,,\n', '3 columns; expected 4'],
    ['with semicolons', 'q1;a;2\nq1;b;0\nq1;c;1\nq2;b;1\n', '3 columns; expected 4'],
    [
      'with grades left empty',
      'q1,0,a,2\nq1,0,b,0\nq1,0,c,1\nq2,0,b,1\nq3,0,x,\n',
      'qrels, line 5: no grade; leave out',
    ],
    [
      'of BEIR and ranx in JSON',
      '{"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"b": 1}}',
      'this is JSON of {query: {item: number}}',
    ],
    [
      'in JSON of many lines',
      '{\n "q1": {\n "a": 2, "b": 0, "c": 1 },\n "q2": { "b": 1 }\n}\n',
      'this is JSON of {query',
    ],
    [
      'of Elasticsearch',
      JSON.stringify(
        {
          requests: [
            {
              id: 'q1',
              request: {},
              ratings: ['a', 'b', 'c'].map((_id, i) => ({ _index: 'x', _id, rating: [2, 0, 1][i] })),
            },
            { id: 'q2', request: {}, ratings: [{ _index: 'x', _id: 'b', rating: 1 }] },
          ],
        },
        null,
        1,
      ),
      'this is the request of an evaluation by Elasticsearch or OpenSearch (_rank_eval), which holds judgements',
    ],
  ])('%s learn what they lack, and how to write it', (_, qrels, what) => {
    const message = messageOf(() => scoreText(RUN, qrels, { measures: MEASURES }));
    expect(message).toContain(what);
    expect(means(RUN, mended(message, 'qrels', qrels))).toEqual(expected);
  });

  it('whose queries hold blanks, commas and quotes keep them', () => {
    const qrels = 'query,docid,rating\n"jacket, winter",a,2\n"tv 55""",b,1\nred shoe,a,0\n';
    const text = mended(
      messageOf(() => scoreText(RUN, qrels, { measures: MEASURES })),
      'qrels',
      qrels,
    );
    const run = '"jacket, winter",Q0,a,1,1,t\n"tv 55""",Q0,b,1,1,t\nred shoe,Q0,a,1,1,t\n';
    expect(scoreText(run, text, { measures: ['mrr'] }).runs[0]).toMatchObject({ queries: 3, mean: [2 / 3] });
    const tabs = 'q\td\tscore\nred shoe\ta\t1\n';
    const rows = mended(
      messageOf(() => scoreText(RUN, tabs, { measures: MEASURES })),
      'qrels',
      tabs,
    );
    expect(rows).toBe('red shoe\t0\ta\t1\n');
  });

  it('and rows that lack a column later are a mistake in that row', () => {
    const message = messageOf(() => scoreText(RUN, 'q1 0 a 2\nq1 b 0\n', { measures: MEASURES }));
    expect(message).toBe('qrels, line 2: 3 columns; expected 4: query 0 item grade');
  });
});

describe('a run', () => {
  const expected = means(RUN, QRELS);
  it.each([
    [
      'of BEIR and ranx in JSON',
      '{"q1": {"a": 3.5, "b": 2e-1}, "q2": {"b": 1, "a": 2.0}}',
      'this is JSON of {query: {item: number}}',
    ],
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
      'this is the response of an evaluation by Elasticsearch or OpenSearch (_rank_eval), which holds a run',
    ],
    [
      'with a list in one field',
      'session_type,labels\nq1,a b\nq2,a b\n',
      '2 columns, of which the second holds several items',
    ],
    [
      'with a list in one field, and no header',
      'q1\ta b\nq2\ta b\n',
      '2 columns, of which the second holds several items',
    ],
  ])('%s learns what it is, and how to write rows', (_, run, what) => {
    const message = messageOf(() => scoreText(run, QRELS, { measures: MEASURES }));
    expect(message).toContain(what);
    expect(message).toContain('query Q0 item rank score tag');
    expect(means(mended(message, 'run', run), QRELS)).toEqual(expected);
  });

  it('of three columns learns their names, which are other ones where the third counts', () => {
    const said = (run: string) => messageOf(() => scoreText(run, QRELS, { measures: MEASURES }));
    expect(said('q1 a 1\nq1 b 2\nq2 a 1\n')).toContain('such as --columns query,item,rank');
    expect(said('q1\ta\t3.5\nq1\tb\t2\n')).toContain('such as --columns query,item,score');
    expect(means('q1 a 1\nq1 b 2\nq2 a 1\nq2 b 2\n', QRELS, { columns: 'query,item,rank' })).toEqual(expected);
  });

  it('that is a file of the other side, graded lists or other JSON is reported', () => {
    const said = (run: string, qrels = QRELS) => messageOf(() => scoreText(run, qrels, { measures: MEASURES }));
    expect(said('{"requests":[{"id":"q","ratings":[{"_id":"a","rating":1}]}]}')).toContain(
      '--run and --qrels the wrong way round?',
    );
    expect(said('{"query":"q1","grades":[1,0]}\n')).toContain('give them with --lists');
    expect(said('{"session":1,"labels":{"clicks":44}}\n')).toContain(
      'this is what people did next, by session and type, as in the OTTO data; expected rows query Q0 item rank score tag (here query Q0 item rank score tag is asked for',
    );
    expect(said('{"session":1,"next":{"clicks":44}}\n')).toContain(
      'this is JSON, an object a line with session, next; expected rows',
    );
    expect(said('[\n {"a": 1}\n]\n')).toContain('this is JSON; expected rows');
    expect(said(RUN, '{"query":"q1","item":"a","grade":2}\n')).toContain(
      "jq -r '[.query, 0, .item, .grade] | @tsv' < qrels",
    );
    // Ids may begin with any sign.
    expect(means('{q1} Q0 a 1 1 t\n[q2] Q0 b 1 1 t\n', '{q1} 0 a 1\n[q2] 0 b 1\n')).toEqual([1, 1, 0.5, 1]);
  });
});

describe('a document with several passages', () => {
  it.each([
    ['TREC', 'q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq1 Q0 a 3 1e1 t\nq1 Q0 b 4 0.5 t\nq2 Q0 a 1 2 t\nq2 Q0 b 2 1 t\n'],
    ['tabs, with a header', 'query\titem\tscore\nq1\ta\t3\nq1\tb\t2\nq1\ta\t10\nq1\tb\t0.5\nq2\ta\t2\nq2\tb\t1\n'],
    ['commas', 'q1,Q0,a,1,3,t\nq1,Q0,b,2,2,t\nq1,Q0,a,3,10,t\nq1,Q0,b,4,0.5,t\nq2,Q0,a,1,2,t\nq2,Q0,b,2,1,t\n'],
    ['ranks', 'query;item;rank\nq1;b;20\nq1;a;3\nq1;b;9\nq2;a;1\nq2;b;2\n'],
  ])('keeps its best one by the command that is shown: %s', (_, run) => {
    const message = messageOf(() => scoreText(run, QRELS, { measures: MEASURES }));
    expect(message).toMatch(/ of query "q1" is on line \d already; a list holds an item once. To keep the best/);
    expect(means(mended(message, 'run', run), QRELS)).toEqual(means(RUN, QRELS));
  });

  it('is reported by fuse in the same words', () => {
    const rows = new ItemRows();
    for (const [line, score] of [5, 9].entries()) rows.add(Buffer.from('a'), 0, 1, score, 0, line + 1);
    const layout = { separator: ' ', columns: TREC_RUN, hasHeader: false } as const;
    const lists = new OrderedLists(
      'run',
      { orderOf: (columns) => orderRule('trec', columns, undefined), repeats: 'error', depth: 9 },
      () => {},
    );
    lists.begin(layout);
    const message = messageOf(() => lists.lists(undefined, 'q', rows));
    rows.index();
    expect(message).toBe(repeatedItem('run', layout, 'q', rows, 1).message);
  });

  it('is read packed where the file is, and from standard input without a name', () => {
    const rows = new ItemRows();
    for (const line of [1, 2]) rows.add(Buffer.from('a'), 0, 1, 1, 0, line);
    rows.index();
    const layout = { separator: ' ', columns: TREC_RUN, hasHeader: false } as const;
    const said = (file: string) => repeatedItem(file, layout, 'q', rows, 1).message;
    expect(said('-')).toMatch(/awk '!seen\[\$1, \$3\]\+\+'$/);
    expect(said("it's.run")).toContain(` < 'it'\\''s.run' | awk`);
    const [, command] = /: (gzip .*)$/.exec(said('x.run.gz')) ?? [];
    writeFileSync(join(folder, 'x.run.gz'), gzipSync('q Q0 a 1 1 t\nq Q0 a 2 7 t\n'));
    execFileSync('sh', ['-c', command], { cwd: folder });
    expect(readFileSync(join(folder, 'rows-x.run'), 'utf8')).toBe('q Q0 a 2 7 t\n');
  });
});
