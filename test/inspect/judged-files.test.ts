/** Runs and judgements in the forms of today's tools are no logs, and what is shown makes `receval score` take them. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogsInFolder, lines } from './logs-in-folder.ts';

let logs: LogsInFolder;
beforeEach(() => {
  logs = new LogsInFolder();
});
afterEach(() => logs.remove());

const queries = ['red shoes', 'hat', 'scarf, blue', 'gloves'];
const GRADED = [0, 2, 1, 0];
const each = <T>(of: (query: string, doc: string, i: number) => T): readonly T[] =>
  queries.flatMap((query, q) => GRADED.map((_, i) => of(query, `d${10 * q + i}`, i)));
const quoted = (text: string): string => (text.includes(',') ? `"${text}"` : text);

/** The output of a command that is shown, `receval score ...`, with more options. */
function score(command: string, ...more: readonly string[]): string {
  const [receval, ...words] = command.split(' ');
  expect(receval).toBe('receval');
  return execFileSync(resolve('bin/receval'), [...words, ...more], { cwd: logs.folder, encoding: 'utf8' });
}

/** The documents of each query in order; the first that is relevant is the second. */
const FILES = {
  'run.tsv': each((_, doc, i) => `${doc.slice(0, -1)}q\t${doc}\t${i + 1}`).join('\n'),
  'run.csv': [
    'query,docid,position,score',
    ...each((query, doc, i) => [quoted(query), doc, i + 1, 9 - i].join(',')),
  ].join('\n'),
  'ratings.csv': ['query,docid,rating', ...each((query, doc, i) => [quoted(query), doc, GRADED[i]].join(','))].join(
    '\n',
  ),
  'qrels.tsv': ['query-id\tcorpus-id\tscore', ...each((query, doc, i) => [query, doc, GRADED[i]].join('\t'))].join(
    '\n',
  ),
  'results.json': JSON.stringify(
    Object.fromEntries(
      queries.map((query) => [
        query,
        Object.fromEntries(
          each((one, doc, i) => [one, doc, i] as const)
            .filter(([one]) => one === query)
            .map(([, doc, i]) => [doc, 1 - i / 7]),
        ),
      ]),
    ),
  ),
  'request.json': JSON.stringify(
    {
      requests: queries.map((id) => ({
        id,
        ratings: each((query, doc, i) => ({ query, _id: doc, rating: GRADED[i] })).filter(({ query }) => query === id),
      })),
    },
    null,
    1,
  ),
  'response.json': JSON.stringify(
    {
      metric_score: 0.5,
      details: Object.fromEntries(
        queries.map((id) => [
          id,
          { hits: each((query, _id) => ({ query, hit: { _id } })).filter(({ query }) => query === id) },
        ]),
      ),
    },
    null,
    1,
  ),
};

describe('files of judged queries', () => {
  it.each([
    ['run.csv', 'ratings.csv'],
    ['results.json', 'qrels.tsv'],
    ['response.json', 'request.json'],
  ] as const)('%s and %s are scored with the commands that are shown', async (run, qrels) => {
    logs.write(run, `${FILES[run]}\n`);
    logs.write(qrels, `${FILES[qrels]}\n`);
    const { findings, files } = await logs.look(run, qrels);
    expect(findings.map(({ code, level }) => [code, level])).toEqual([
      ['not_a_log', 'note'],
      ['not_a_log', 'note'],
    ]);
    expect(files.map(({ guess }) => guess)).toEqual([undefined, undefined]);
    const [ofRun, ofQrels] = findings.map(({ command }) => command ?? '');
    expect(ofQrels).toBe(`receval score --run RUN --qrels ${qrels}`);
    expect(score(ofRun.replace('QRELS', qrels), '--measures', 'mrr')).toMatch(/0\.5000/);
  });

  it.each([
    ['with', 'session_type,labels\n'],
    ['without', ''],
  ])('of what people did next, beside lists of items in one column, %s a header', async (_, header) => {
    logs.write('predictions.csv', `${header}30_clicks,12 9 44 7\n30_orders,9 12\n31_clicks,1 2\n`);
    const labels = [
      { session: 30, labels: { clicks: 44, carts: [9], orders: [9, 7] } },
      { session: 31, labels: { clicks: 8 } },
    ];
    logs.write('labels.jsonl', lines(labels));
    const { findings } = await logs.look('predictions.csv', 'labels.jsonl');
    expect(findings.map(({ code }) => code)).toEqual(['not_a_log', 'not_a_log']);
    const [ofRun] = findings.map(({ command }) => command ?? '');
    const asked = ['--measures', 'recall@20', '--per-query', '--output', 'csv', '--missing', 'zero'];
    const values = new Map(
      score(ofRun.replace('QRELS', 'labels.jsonl'), ...asked)
        .split('\n')
        .map((line) => line.split(',').slice(1, 3) as [string, string]),
    );
    const recalls = ['30_clicks', '30_carts', '30_orders', '31_clicks'].map((query) => Number(values.get(query)));
    expect(recalls).toEqual([1, 0, 0.5, 0]);
  });

  it('are a run also without a header', async () => {
    logs.write('run.tsv', `${FILES['run.tsv']}\n`);
    const [{ command }] = (await logs.look('run.tsv')).findings;
    expect(command).toBe('receval score --run run.tsv --columns query,item,rank --qrels QRELS');
  });

  it('are others where a column is of clicks', async () => {
    logs.write('rows.csv', `${FILES['ratings.csv'].replace('rating', 'clicked')}\n`);
    expect((await logs.look('rows.csv')).findings.map(({ code }) => code)).not.toContain('not_a_log');
  });
});
