/** What trec_eval and FLAGR print of their own test data, where ../shared/fixtures is at hand. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { receval } from '../cli/receval.ts';
import { scoreLists } from './in-memory.ts';

const FOLDER = new URL('../../../shared/fixtures/', import.meta.url);
const hasFixtures = existsSync(FOLDER);
if (!hasFixtures)
  process.stderr.write(`skipped: trec_eval, FLAGR and graded lists: there is no ${fileURLToPath(FOLDER)}\n`);
const path = (name: string): string => fileURLToPath(new URL(name, FOLDER));

interface Run {
  readonly name: string;
  readonly queries: number;
  readonly mean: Readonly<Record<string, number | null>>;
  readonly perQuery: Readonly<Record<string, Readonly<Record<string, number | null>>>>;
}

async function score(...args: string[]): Promise<readonly Run[]> {
  const run = await receval(['score', ...args, '--output', 'json', '--per-query']);
  expect(run.code, run.stderr).toBe(0);
  return JSON.parse(run.stdout).runs;
}

const CUTS = [5, 10, 15, 20, 30, 100, 200, 500, 1000];
const OFFERED = [
  'ap,rprec,mrr,ndcg,precision,recall,f1,rbp,hit@1,hit@5,hit@10',
  ...['precision', 'recall', 'ndcg', 'ap'].flatMap((name) => CUTS.map((k) => `${name}@${k}`)),
].join(',');
const NAMES =
  /^(?:num_ret|num_rel|num_rel_ret|P_\d+|recall_\d+|map|map_cut_\d+|ndcg|ndcg_cut_\d+|recip_rank|success_\d+|Rprec|set_P|set_recall|set_F|rbp)$/;
/** trec_eval takes graded gains there in a way of its own: it reads unset bounds. */
const ITS_OWN = ['out.test.aql rbp 301', 'out.test.aql rbp all'];

const TREC: readonly (readonly [output: string, run: string, qrels: string, flags: readonly string[]])[] = [
  ['out.test', 'results.test', 'qrels.test', ['--measures', OFFERED]],
  ['out.test.a', 'results.test', 'qrels.test', ['--measures', OFFERED]],
  ['out.test.aq', 'results.test', 'qrels.test', ['--measures', OFFERED]],
  ['out.test.aqc', 'results.trunc', 'qrels.test', ['--measures', OFFERED, '--missing', 'zero']],
  ['out.test.aqcM', 'results.trunc', 'qrels.test', ['--measures', OFFERED, '--missing', 'zero', '--depth', '100']],
  ['out.test.aql', 'results.test', 'qrels.rel_level', ['--measures', OFFERED, '--relevant-from', '2']],
  [
    'out.test.meas_params',
    'results.test',
    'qrels.test',
    ['--measures', 'p@5,p@7,p@3,recall@20,recall@2000,success@2,success@5,success@20,ndcg@10,ndcg@20,ndcg@23'],
  ],
];

describe.skipIf(!hasFixtures)('trec_eval', () => {
  let checked = 0;

  it.each(TREC)('prints what is in %s', async (output, run, qrels, flags) => {
    const files = ['--run', path(`trec_eval/${run}`), '--qrels', path(`trec_eval/${qrels}`)];
    const [scored] = await score(...files, ...flags, '--names', 'trec');
    const wrong: string[] = [];
    for (const line of readFileSync(path(`trec_eval/${output}`), 'utf8').split('\n')) {
      const [name, query, printed] = line.trim().split(/\s+/);
      if (!NAMES.test(name) || ITS_OWN.includes(`${output} ${name} ${query}`)) continue;
      const value = query === 'all' ? scored.mean[name] : scored.perQuery[query]?.[name];
      const text = name.startsWith('num_') ? String(value) : value?.toFixed(4);
      if (text !== printed) wrong.push(`${name} ${query}: ${value}, not ${printed}`);
      if (!name.startsWith('num_')) checked++;
    }
    expect(wrong).toEqual([]);
  });

  it('was compared in 853 values', () => {
    expect(checked).toBe(853);
  });
});

interface Methods {
  readonly methods: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly num_rel: Readonly<Record<string, number>>;
  readonly expected_mean_over_queries: Readonly<
    Record<string, { readonly map: number; readonly P_1_to_5: number[]; readonly ndcg_1_to_5: number[] }>
  >;
}

/** A file of merged lists and their judgements, from the relevance of each rank and the number of relevant items. */
function merged({ methods, num_rel }: Methods, method: string): { readonly run: string; readonly qrels: string } {
  const run: string[] = [];
  const qrels: string[] = [];
  for (const [query, bits] of Object.entries(methods[method])) {
    let relevant = 0;
    [...bits].forEach((bit, i) => {
      run.push(`${query},${method},i${i},${i + 1},${100 - i},${method}\n`);
      qrels.push(`${query},0,i${i},${bit}\n`);
      relevant += Number(bit);
    });
    for (let i = relevant; i < num_rel[query]; i++) qrels.push(`${query},0,other${i},1\n`);
  }
  return { run: run.join(''), qrels: qrels.join('') };
}

describe.skipIf(!hasFixtures)('FLAGR', async () => {
  const { scoreText } = await import('./in-memory.ts');
  const facts: Methods = hasFixtures
    ? JSON.parse(readFileSync(path('flagr/relevance_bits_comb_methods.json'), 'utf8'))
    : { methods: {}, num_rel: {}, expected_mean_over_queries: {} };
  const measures = ['ap', 'precision@1..5', 'ndcg@1..5'];

  it.each(Object.keys(facts.expected_mean_over_queries))('prints the values of %s', (method) => {
    const { run, qrels } = merged(facts, method);
    const [scored] = scoreText(run, qrels, { measures }).runs;
    const { map, P_1_to_5, ndcg_1_to_5 } = facts.expected_mean_over_queries[method];
    expect(scored.mean.map((value) => value?.toFixed(4))).toEqual(
      [map, ...P_1_to_5, ...ndcg_1_to_5].map((value) => value.toFixed(4)),
    );
    expect(scored.counts).toMatchObject({ retrieved: 2000, relevant: 926 });
  });

  it('prints the rows of queries of CombSUM-Rank', () => {
    const { examples } = JSON.parse(readFileSync(path('seed_examples.json'), 'utf8'));
    const { run, qrels } = merged(facts, 'CombSUM-Rank');
    const [scored] = scoreText(run, qrels, { measures: ['ap', 'precision@1..5', 'ndcg@2..10'] }).runs;
    const rows = examples.filter(({ id }: { id: string }) => id.startsWith('s004-row-CombSUM-Rank-'));
    expect(rows.length).toBe(5);
    for (const { input, expected } of rows) {
      const row = scored.perQuery.find(({ query }) => `Topic ${query}` === input.query);
      const wanted = [expected.map, ...expected.P, ...expected.ndcg_cut_2_to_10];
      expect(row?.values.length).toBe(wanted.length);
      wanted.forEach((value: number, m: number) => {
        expect(row?.values[m], `${input.query} ${m}`).toBeCloseTo(value, 6);
      });
      expect(row?.counts).toEqual({
        retrieved: input.num_ret,
        relevant: input.num_rel,
        relevantRetrieved: input.num_rel_ret,
      });
    }
  });

  it("reads its file of fifty voters' lists, with five columns, as fifty runs", async () => {
    const files = ['--run', path('flagr/testdata.csv'), '--qrels', path('flagr/testdata_qrels.csv')];
    const runs = await score(...files, '--measures', 'ap,precision@5', '--names', 'trec');
    expect(runs.map(({ name }) => name)).toEqual(Array.from({ length: 50 }, (_, v) => `V-${v}`));
    expect(
      runs.every(({ queries, mean }) => queries === 20 && mean['num_ret'] === 600 && mean['num_rel'] === 926),
    ).toBe(true);
  });
});

describe.skipIf(!hasFixtures)('graded lists', () => {
  interface Case {
    readonly id: string;
    readonly measure: string | null;
    readonly lists?: readonly object[];
    readonly computed: number | readonly number[];
    readonly tolerance?: number;
  }
  const cases: readonly Case[] = hasFixtures
    ? [
        ...JSON.parse(readFileSync(path('seed_examples.json'), 'utf8')).examples,
        ...JSON.parse(readFileSync(path('peer_cases.json'), 'utf8')),
      ]
    : [];
  const measured = cases.flatMap((one) => {
    return one.measure === null || one.lists === undefined ? [] : [{ ...one, measure: one.measure, lists: one.lists }];
  });

  it('are all there', () => {
    expect(measured.length).toBe(245);
  });

  it.each(measured.map((one) => [one.id, one] as const))(
    'give the value of %s',
    (_id, { measure, lists, computed }) => {
      const { mean } = scoreLists(lists, { measures: [measure] });
      const wanted = [computed].flat();
      expect(mean.length).toBe(wanted.length);
      wanted.forEach((value, m) => {
        expect(mean[m]).toBeCloseTo(Number(value), 9);
      });
    },
  );
});
