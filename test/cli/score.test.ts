import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECEVAL } from '../tested.ts';
import { ROOT, receval } from './receval.ts';

const SAMPLE = join(ROOT, 'sample/score');
const POPULAR = join(SAMPLE, 'popular.run');
const PERSONAL = join(SAMPLE, 'personal.run');
const QRELS = ['--qrels', join(SAMPLE, 'qrels.txt')];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-score-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** In a folder without receval.yaml. */
function score(args: readonly string[], input?: string): ReturnType<typeof receval> {
  return receval(['score', ...args], { cwd: folder, ...(input === undefined ? {} : { input }) });
}

async function stdoutOf(args: readonly string[], input?: string): Promise<string> {
  const run = await score(args, input);
  expect(run.code, run.stderr).toBe(0);
  return run.stdout;
}

const RUN = '1 Q0 a 1 3 bm25\n1 Q0 b 2 2 bm25\n1 Q0 c 3 1 bm25\n2 Q0 b 1 2 bm25\n3 Q0 b 1 2 bm25\n';
const JUDGED = '1 0 b 1\n1 0 d 2\n2 0 b 3\n4 0 a 1\n';

describe('receval score', () => {
  it('reads the line ends of old Macs, in files, packed and from a pipe', async () => {
    const ends = (text: string): string => text.replaceAll('\n', '\r');
    const of = (run: string, qrels: string, input?: string): Promise<string> =>
      stdoutOf(['--run', run, '--qrels', qrels, '--measures', 'mrr', '--output', 'csv'], input);
    const expected = await of(file('mac.run', RUN), file('mac.qrels', JUDGED));
    const [run, qrels] = [file('mac.run', ends(RUN)), file('mac.qrels', ends(JUDGED))];
    expect(await of(run, qrels)).toBe(expected);
    expect(await of('-', qrels, ends(RUN))).toBe(expected.replace('mac.run', 'standard input'));
    writeFileSync(run, gzipSync(ends(RUN)));
    expect(await of(run, qrels)).toBe(expected);
  });

  it('prints JSON: means, queries, and what one side lacks', async () => {
    const [run, qrels] = [file('a.run', RUN), file('a.qrels', JUDGED)];
    const measures = ['--measures', 'mrr,ap,recall(avg=micro)@2,ndcg(empty=skip,rel=1,gain=binary)@1'];
    const printed = await score([
      '--run',
      `A=${run}`,
      '--qrels',
      qrels,
      ...measures,
      '--per-query',
      '--output',
      'json',
    ]);
    expect(printed.code).toBe(0);
    expect(JSON.parse(printed.stdout)).toEqual({
      findings: [],
      runs: [
        {
          name: 'A',
          queries: 2,
          mean: {
            mrr: 0.75,
            'ap(ideal=all)': 0.625,
            'recall(avg=micro,ideal=all)@2': 2 / 3,
            'ndcg(empty=skip,gain=binary,ideal=all)@1': 0.5,
          },
          perQuery: {
            '1': {
              mrr: 0.5,
              'ap(ideal=all)': 0.25,
              'recall(avg=micro,ideal=all)@2': 0.5,
              'ndcg(empty=skip,gain=binary,ideal=all)@1': 0,
            },
            '2': {
              mrr: 1,
              'ap(ideal=all)': 1,
              'recall(avg=micro,ideal=all)@2': 1,
              'ndcg(empty=skip,gain=binary,ideal=all)@1': 1,
            },
          },
        },
      ],
      missing: [
        { run: 'A', query: '3', missingFrom: 'qrels' },
        { run: 'A', query: '4', missingFrom: 'run' },
      ],
    });
    expect(printed.stderr).toContain(
      'A: judged queries without a list do not count (--missing zero counts them as 0): 4',
    );
    expect(printed.stderr).toContain('A: queries that nobody judged do not count: 3');
  });

  it('leaves a value that a measure has not null, and an empty cell in CSV', async () => {
    const lists = '{"query":"x","grades":[1,1]}\n{"query":"y","grades":[0,1]}\n';
    const args = ['--lists', '-', '--measures', 'auc,mrr', '--per-query'];
    const { runs } = JSON.parse(await stdoutOf([...args, '--output', 'json'], lists));
    expect(runs[0].perQuery).toEqual({ x: { auc: null, mrr: 1 }, y: { auc: 0, mrr: 0.5 } });
    expect(await stdoutOf([...args, '--output', 'csv'], lists)).toBe(
      'run,query,auc,mrr\nstandard input,x,,1\nstandard input,y,0,0.5\nstandard input,all,0,0.75\n',
    );
  });

  it('says where ideal=all knows no more than the list shows', async () => {
    const args = ['--lists', '-', '--measures', 'recall(ideal=all)'];
    const all = await score(args, '{"grades":[1,0]}\n{"grades":[1,0]}\n');
    expect(all.stderr).toBe(
      'receval: standard input: no list says what else is relevant ("known"): for ideal=all only what they show is known\n',
    );
    const one = await score(args, '{"grades":[1,0]}\n{"grades":[1,0],"known":[1,1]}\n');
    expect(one.stderr).toContain('1 of 2 lists do not say what else is relevant ("known")');
  });

  it('distinguishes a run that found nothing relevant from one whose ids are written otherwise', async () => {
    const run = file('found.run', '1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 c 3 1 t\n');
    const codes = async (qrels: string, ...more: string[]) => {
      const args = ['--run', run, '--qrels', file('found.qrels', qrels), '--measures', 'mrr', '--output', 'json'];
      const { stdout, stderr } = await score([...args, ...more]);
      return [JSON.parse(stdout).findings.map(({ code }: { readonly code: string }) => code), stderr];
    };
    expect(await codes('1 0 c 1\n1 0 a 0\n1 0 b 0\n', '--depth', '2')).toEqual([
      [],
      'receval: t: all relevant items of its lists, 1, are behind the first 2 (--depth)\n',
    ]);
    expect(await codes('1 0 c 1\n', '--depth', '2')).toEqual([[], expect.stringContaining('--depth')]);
    expect(await codes('1 0 x 1\n1 0 a 0\n1 0 b 0\n1 0 c 0\n')).toEqual([[], '']);
    expect(await codes('1 0 x 1\n1 0 y 0\n', '--depth', '2')).toEqual([['items_never_match'], '']);
  });

  it('says how many lists have no value and are not in the means', async () => {
    const lists = '{"grades":[1]}\n{"grades":[1,0]}\n{"grades":[0]}\n{"grades":[0,1]}\n';
    const args = ['--lists', '-', '--measures', 'auc,ndcg(min_list_length=2)'];
    expect(await stdoutOf(args, lists)).toContain('means over queries: 4; left out without a value: 2\n');
    const { runs } = JSON.parse(await stdoutOf([...args, '--output', 'json'], lists));
    expect(runs[0]).toMatchObject({ queries: 4, mean: { auc: 0.5 }, withoutValue: { auc: 2 } });
    expect(runs[0]).not.toHaveProperty('emptyLists');
    const csv = await score([...args, '--output', 'csv'], lists);
    expect(csv.stderr).toBe('receval: lists without a value are not in the means: 2\n');
    const some = await stdoutOf(['--lists', '-', '--measures', 'auc,mrr(empty=skip)'], `${lists}{"grades":[0]}\n`);
    expect(some).toContain('means over queries: 5; left out without a value: auc 3, mrr(empty=skip) 2\n');
    const items = '{"items":["a"],"positives":[]}\n{"items":[],"positives":[]}\n';
    expect(await stdoutOf(['--lists', '-', '--measures', 'distinct'], items)).toContain(
      '2; empty lists: standard input (1); left out without a value: 1\n',
    );
    const two = [file('none.ndjson', lists), file('all.ndjson', '{"grades":[1,0]}\n')];
    expect(await stdoutOf(['--lists', ...two, '--measures', 'auc'])).toContain(
      'means over queries: none.ndjson 4, all.ndjson 1; left out without a value: none.ndjson (2)\n',
    );
  });

  it('counts an empty list 0, so that a run that answers few queries does not win, and says how many there are', async () => {
    const all = file('a.ndjson', '{"items":["x","p"],"positives":["p"]}\n'.repeat(8));
    const few = '{"items":["p"],"positives":["p"]}\n'.repeat(2) + '{"items":[],"positives":["p"]}\n'.repeat(6);
    const args = ['--lists', `a=${all}`, `b=${file('b.ndjson', few)}`, '--measures'];
    const { runs, findings } = JSON.parse(
      await stdoutOf([...args, 'mrr,mrr(min_list_length=1),recall(ideal=all)@10', '--output', 'json']),
    );
    const name = 'recall(ideal=all)@10';
    expect(runs[0]).toMatchObject({ mean: { mrr: 0.5, 'mrr(min_list_length=1)': 0.5, [name]: 1 } });
    expect(runs[1]).toMatchObject({
      mean: { mrr: 0.25, 'mrr(min_list_length=1)': 1, [name]: 0.25 },
      emptyLists: 6,
      withoutValue: { mrr: 0, 'mrr(min_list_length=1)': 6, [name]: 0 },
    });
    expect(runs[0]).not.toHaveProperty('emptyLists');
    expect(findings).toEqual([]);
    expect(await stdoutOf([...args, 'mrr'])).toContain('means over queries: 8; empty lists: b (6)\n');
    // An empty page behind the first is a page that does not exist.
    const page = '{"query":"q","grades":[1]}\n{"query":"q, page 2","grades":[],"offset":10}\n';
    expect(await stdoutOf(['--lists', '-', '--measures', 'mrr'], page)).toContain(
      'means over queries: 2; left out without a value: 1\n',
    );
  });

  it('finds many empty lists', async () => {
    const lists = '{"grades":[1]}\n'.repeat(70) + '{"grades":[]}\n'.repeat(30);
    const found = await stdoutOf(['--lists', '-', '--measures', 'mrr,hit@10,ap,rprec,auc', '--output', 'md'], lists);
    expect(found).toContain(
      'empty_lists: 30 % of the lists of standard input are empty lists (30 of 100), which count 0 in mrr, hit@10, ap and 1 more, as ' +
        'lists without a positive do. Check that their items are logged, and which requests find nothing; min_list_length=1 leaves ' +
        'empty lists out of a measure, as in mrr(min_list_length=1).',
    );
  });

  it('writes no formula into CSV, whatever runs and queries are called, and leaves JSON as it is', async () => {
    const lists = file('lists', '{"query":"=cmd|\'/C calc\'!A0","grades":[0,1]}\n{"query":"-5","grades":[1]}\n');
    const args = ['--lists', `@x=${lists}`, '--measures', 'mrr', '--per-query', '--output'];
    expect(await stdoutOf([...args, 'csv'])).toBe(
      `run,query,mrr\n"'@x","'=cmd|'/C calc'!A0",0.5\n"'@x","'-5",1\n"'@x",all,0.75\n`,
    );
    const { runs } = JSON.parse(await stdoutOf([...args, 'json']));
    expect([runs[0].name, Object.keys(runs[0].perQuery)]).toEqual(['@x', ['-5', "=cmd|'/C calc'!A0"]]);
  });

  it('takes gzip, standard input and several runs, and shows them side by side', async () => {
    const packed = file('popular.run.gz', gzipSync(readFileSync(POPULAR)));
    const args = [
      '--run',
      `gz=${packed}`,
      '--run',
      '-',
      ...QRELS,
      '--measures',
      'mrr',
      '--output',
      'csv',
      '--digits',
      '3',
    ];
    expect(await stdoutOf(args, readFileSync(POPULAR, 'utf8'))).toBe(
      'run,query,mrr\ngz,all,0.187\npopular,all,0.187\n',
    );
  });

  it('takes the columns that it prints by the names of trec_eval', async () => {
    const args = ['--run', POPULAR, ...QRELS, '--output', 'csv', '--names', 'trec', '--measures'];
    const printed = await stdoutOf([...args, 'mrr@5,ap,ndcg(ideal=shown)@10,precision@1..3']);
    const [header] = printed.split('\n');
    expect(header).toBe('run,query,num_ret,num_rel,num_rel_ret,recip_rank_5,map,ndcg(ideal=shown)@10,P_1,P_2,P_3');
    expect(await stdoutOf([...args, header.replace('run,query,', '')])).toBe(printed);
  });

  it("prints trec_eval's names and counts, and one query alone", async () => {
    const args = ['--run', POPULAR, ...QRELS, '--measures', 'ap,p@5,ndcg@10,f1', '--names', 'trec', '--output', 'json'];
    const { runs } = JSON.parse(await stdoutOf([...args, '--query', 'user-07']));
    expect(Object.keys(runs[0].mean)).toEqual([
      'P_5',
      'map',
      'ndcg_cut_10',
      'num_rel',
      'num_rel_ret',
      'num_ret',
      'set_F',
    ]);
    expect(runs[0].mean.num_ret).toBe(600);
    expect(Object.keys(runs[0].perQuery)).toEqual(['user-07']);
    expect(runs[0].perQuery['user-07'].num_ret).toBe(20);
    const wrong = await score([...args, '--query', 'user-7']);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('no run has a judged query "user-7"; did you mean "user-07"?');
  });

  it('shows control characters of names and arguments escaped', async () => {
    const lists = '{"query":"x\\u001b[31m","grades":[0,1]}\n';
    const { stdout } = await score(['--lists', '-', '--measures', 'mrr', '--per-query'], lists);
    expect(stdout).toContain(' x\\u001b[31m ');
    expect(stdout).not.toContain('\u001b');
    const { stderr } = await score(['--lists', '-', '--measures', 'mr\u001b[31m'], lists);
    expect(stderr).toContain('unknown measure "mr\\u001b[31m"');
    const option = await score(['--m\u001b[31m']);
    expect(option.stderr).toContain("unknown option '--m\\u001b[31m'");
  });

  it('compares each run with the first, paired by query', async () => {
    const args = [
      '--run',
      POPULAR,
      '--run',
      PERSONAL,
      ...QRELS,
      '--measures',
      'ndcg@10,mrr',
      '--p-values',
      '--per-query',
    ];
    const { runs, comparisons } = JSON.parse(await stdoutOf([...args, '--output', 'json']));
    expect(comparisons.map(({ measure }: { measure: string }) => measure)).toEqual(['ndcg(ideal=all)@10', 'mrr']);
    const values = (r: number): number[] =>
      Object.values<Record<string, number>>(runs[r].perQuery).map((row) => row['mrr']);
    const differences = values(1).map((value, q) => value - values(0)[q]);
    const n = differences.length;
    const mean = differences.reduce((sum, d) => sum + d, 0) / n;
    const stderr = Math.sqrt(differences.reduce((sum, d) => sum + (d - mean) ** 2, 0) / (n * (n - 1)));
    expect(n).toBe(30);
    expect(comparisons[1]).toMatchObject({ run: 'personal', baseline: 'popular', queries: 30 });
    expect(comparisons[1].effect).toBeCloseTo(mean, 12);
    expect(comparisons[1].stderr).toBeCloseTo(stderr, 12);
    expect(comparisons[1].ci[0]).toBeCloseTo(mean - 2.045229642 * stderr, 8); // t of .975 with 29 degrees
    expect(comparisons[1].p).toBeLessThan(0.0001);
  });

  it('gives the p of a correlation', async () => {
    const list = '{"scores":[1,2,3,4,5],"ratings":[2,1,2,4,5]}\n';
    const args = ['--lists', '-', '--measures', 'spearman', '--p-values', '--output', 'json'];
    const { runs } = JSON.parse(await stdoutOf(args, list));
    expect(runs[0].mean.spearman).toBeCloseTo(0.8207826816681233, 12);
    expect(runs[0].p.spearman).toBeCloseTo(0.0885870053135438, 12);
  });

  it('prints a LaTeX table, a page with the plot in it, and pictures', async () => {
    const runs = ['--run', POPULAR, '--run', PERSONAL, ...QRELS];
    const latex = await stdoutOf([
      ...runs,
      '--measures',
      'ap,p@5',
      '--names',
      'trec',
      '--output',
      'latex',
      '--digits',
      '3',
    ]);
    expect(latex).toContain('\\begin{tabular}{lrrrrr}\n\\toprule\nrun & num\\_ret &');
    expect(latex).toContain('\npopular & 600 &');
    const page = await stdoutOf([...runs, '--measures', 'ap', '--plot', 'bar', '--output', 'html']);
    expect(page).toMatch(/^<!doctype html>[\s\S]*Which queries won and lost/);
    const svg = join(folder, 'p.svg');
    const table = await stdoutOf([
      ...runs,
      '--measures',
      'precision@1..10',
      '--plot',
      'line',
      '--plot-file',
      svg,
      '--size',
      '8x4',
      '--grid',
    ]);
    expect(table).toContain('precision@10');
    expect(readFileSync(svg, 'utf8')).toMatch(/^<svg .*width="768" height="384"/);
    expect(await stdoutOf([...runs, '--measures', 'ap', '--plot', 'bar'])).toMatch(/^<svg /);
  });

  it('takes measures and the lowest relevant grade from a configuration', async () => {
    const config = file('c.yaml', 'measures: [mrr, hit@1]\nrelevantFrom: 2\n');
    const args = [
      '--run',
      file('b.run', RUN),
      '--qrels',
      file('b.qrels', JUDGED),
      '--config',
      config,
      '--output',
      'csv',
    ];
    expect(await stdoutOf(args)).toBe('run,query,mrr,hit@1\nbm25,all,0.5,0.5\n');
  });

  it('reads a file whose queries are not together, and says so; standard input it cannot', async () => {
    const mixed = '1 Q0 a 1 3 t\n2 Q0 b 1 2 t\n1 Q0 b 2 2 t\n';
    const args = ['--qrels', file('d.qrels', JUDGED), '--measures', 'mrr', '--output', 'csv'];
    const read = await score(['--run', file('d.run', mixed), ...args]);
    expect(read).toMatchObject({ code: 0, stdout: 'run,query,mrr\nt,all,0.75\n' });
    expect(read.stderr).toContain('line 3: the lines of query "1" are not together: the whole file is kept in memory');
    const piped = await score(['--run', '-', ...args], mixed);
    expect(piped.code).toBe(1);
    expect(piped.stderr).toContain('sort them first (sort -s -k1,1), or give the file by its name');
  });

  it.each([
    ['trec', [], '1 Q0 b 1 3 t\n2 Q0 b 1 2 t\n1 Q0 a 2 2 t\n', 't,all,0.75'],
    ['voters', [], '1,v,b,3,d\n2,v,b,3,d\n1,w,a,3,d\n1,v,a,2,d\n', 'v,all,0.75'],
    ['other columns', ['--columns', 'item,query,score'], 'b,1,2\nb,2,2\na,1,2\n', 'standard input,all,0.75'],
    ['tabs', ['--columns', 'item,query,score'], 'b\t1 x\t2\nb\t2\t2\na\t1 x\t2\n', 'standard input,all,1'],
    ['a header', [], 'query,item,score\n1,b,3\n2,b,2\n1,a,2\n', 'standard input,all,0.75'],
    ['semicolons', [], '1;v;b;3;d\n2;v;b;3;d\n1;v;a;2;d\n', 'v,all,0.75'],
  ])('reads from standard input what is sorted as it says: %s', async (_, options, mixed, row) => {
    const judged = file('sorted.qrels', '1 0 a 1\n2 0 b 1\n');
    const args = ['--run', '-', ...options, '--qrels', judged, '--measures', 'mrr', '--output', 'csv'];
    const [, command = ''] = /sort them first \((.*)\), or give/.exec((await score(args, mixed)).stderr) ?? [];
    const sorted = execFileSync('sh', ['-c', command], { input: mixed, encoding: 'utf8' });
    expect((await score(args, sorted)).stdout).toContain(row);
  });

  it('scores a run alike as TREC and as CSV, beside each other, and says which columns a file lacks', async () => {
    const rows = [
      ['1', 'b', 2],
      ['1', 'a', 1.5],
      ['2', 'b,c', 3],
    ] as const;
    const runs = [
      ['trec', rows.map(([query, item, score]) => `${query} Q0 ${item} 1 ${score} bm25(k1=0.9,b=0.4)\n`).join('')],
      ['pandas', `,query,item,score\n${rows.map(([q, i, s], n) => `${n},${q},"${i}",${s}\n`).join('')}`],
      ['tabs', `query_id\tdoc_id\tscore\n${rows.map((row) => `${row.join('\t')}\n`).join('')}`],
      ['signs', rows.map((row) => `${row.join(';')}\n`).join('')],
    ].map(([name, text]) => `${name}=${file(`${name}.run`, text)}`);
    const judged = ['--qrels', file('alike.qrels', '1;0;a;2\n2;0;b,c;3\n1;0;d;1\n')];
    const args = [...judged, '--measures', 'ndcg@10', '--output', 'csv', '--digits', '4'];
    const scored = await stdoutOf(['--run', ...runs.slice(0, 3), ...args]);
    expect(scored).toBe(
      `run,query,ndcg(ideal=all)@10\n${['trec', 'pandas', 'tabs'].map((name) => `${name},all,0.7398\n`).join('')}`,
    );
    const named = await stdoutOf(['--run', runs[0], runs[3], '--columns', 'query,item,score', ...args]);
    expect(named).toContain('\ntrec,all,0.7398\nsigns,all,0.7398\n');
    const lacking = await score(['--run', runs[3], ...args]);
    expect(lacking).toMatchObject({ code: 1, stdout: '' });
    expect(lacking.stderr).toContain('signs.run, line 1: 3 columns; expected those of PyFLAGR');
    const voters = `voters=${file('voters.run', 'query,voter,item,score,dataset\n1,v,a,1,s\n')}`;
    const both = await score(['--run', runs[0], voters, ...args]);
    expect(both).toMatchObject({ code: 2, stdout: '' });
    expect(both.stderr).toMatch(
      /--preset is needed: \S+voters.run has the columns of PyFLAGR, and \S+trec.run has not/,
    );
  });

  it.each([
    [['--run', 'nope.run', '--qrels', 'x'], 1, 'cannot read nope.run: there is no such file'],
    [['--run', POPULAR], 2, '--qrels is missing'],
    [[], 2, 'name what to score'],
    [['--run', POPULAR, ...QRELS, '--measures', 'ndgc@10'], 2, 'unknown measure "ndgc@10"; did you mean "ndcg@10"?'],
    [['--run', POPULAR, ...QRELS, '--preset', 'tre'], 2, '--preset: no "tre"; did you mean "trec"?'],
    [['--run', POPULAR, ...QRELS, '--measures', 'mrr', '--ties', 'mean'], 2, 'with --ties mean only dcg, ndcg'],
    [['--run', POPULAR, ...QRELS, '--depth', '0'], 2, '--depth: expected a whole number from 1, got "0"'],
    [
      ['--run', POPULAR, ...QRELS, '--measures', 'mrr', '--plot', 'line'],
      2,
      '--plot line needs measures with cut-offs',
    ],
    [
      ['--run', POPULAR, ...QRELS, '--output', 'latx'],
      2,
      '--output: no form "latx"; did you mean "latex"? Expected one of table, json, csv, md, html, latex',
    ],
    [['--run', POPULAR, ...QRELS, '--size', '12'], 0, ''],
    [
      ['--run', POPULAR, ...QRELS, '--columns', 'query,itm'],
      2,
      '--columns: unknown column "itm"; did you mean "item"?',
    ],
    [['--lists', POPULAR, ...QRELS], 2, '--qrels is for runs'],
    [
      ['--lists', POPULAR, '--missing', 'zero'],
      2,
      '--missing is for judged queries that a run lacks: graded lists lack none, and an empty one counts 0',
    ],
    [['--lists', POPULAR, '--unjudged', 'skip'], 2, '--unjudged is for runs: graded lists say what is relevant'],
    [['--lists', POPULAR, '--measures', 'judged@5'], 2, '"judged@5": judged asks which items somebody judged'],
    [['--run', POPULAR, ...QRELS, '--unjudged', 'drop'], 2, '--unjudged: no "drop"'],
    [['--run', '-', '--qrels', '-'], 2, 'standard input (-) can be read only once'],
  ])('says what is wrong: %j', async (args, code, message) => {
    const run = await score(args);
    expect(run.code).toBe(code);
    expect(run.stderr).toContain(message);
  });

  it('takes measures of items, and those of a catalogue where the configuration has one', async () => {
    const items = file(
      'items.csv',
      `item,popularity,category\na,50,x\nb,25,x\nc,10,y\nd,5,y\ne,1,z\n${[...'fghij'].map((id) => `${id},1,z\n`).join('')}`,
    );
    const config = file('items.yaml', `catalogue: ${items}\n`);
    const lists = ['abc', 'abd', 'ace'].map((ids) => `{"items":${JSON.stringify([...ids])}}\n`).join('');
    const measures = 'coverage,gini,entropy,popularity,novelty(users=100),diversity,length';
    const args = ['--lists', '-', '--measures', measures, '--output', 'csv', '--digits', '6'];
    expect(await stdoutOf([...args, '--config', config], lists)).toMatch(
      /\nstandard input,all,0.500000,0.222222,2.197160,25.111111,2.734404,0.777778,3.000000\n$/,
    );
    const run = await score(args, lists);
    expect(run).toMatchObject({ code: 2 });
    expect(run.stderr).toContain('"coverage": coverage needs a catalogue');
    const diversity = await score(['--lists', '-', '--measures', 'diversity'], lists);
    expect(diversity).toMatchObject({ code: 2 });
    expect(diversity.stderr).toContain('"diversity": diversity needs a catalogue');
  });

  it('says how many slots hold items that the catalogue does not know', async () => {
    const config = file('few.yaml', `catalogue: ${file('few.csv', 'item,popularity\na,1\n')}\n`);
    const lists = '{"items":["a","x"]}\n{"items":["y"]}\n';
    const args = ['--lists', '-', '--config', config, '--output', 'json', '--measures'];
    const asked = await score([...args, 'popularity,length'], lists);
    expect(JSON.parse(asked.stdout).runs[0]).toMatchObject({ mean: { popularity: 1 }, unknownItems: 2 });
    expect(asked.stderr).toContain('standard input: slots with items that the catalogue does not know: 2');
    const others = await score([...args, 'length'], lists);
    expect(others.stderr).toBe('');
    expect(JSON.parse(others.stdout).runs[0]).not.toHaveProperty('unknownItems');
  });

  it('says which lists a mean over users leaves out, and that one run has nothing to be compared with', async () => {
    const lists = '{"grades":[1],"user":"u"}\n{"grades":[1]}\n';
    const left = await score(['--lists', '-', '--measures', 'mrr(per=user)', '--p-values'], lists);
    expect(left.code).toBe(0);
    expect(left.stderr).toContain('standard input: mrr(per=user) leaves out lists without a user: 1');
    expect(left.stderr).toContain('there is one run, so there is nothing to compare');
    const run = await score(['--run', POPULAR, ...QRELS, '--measures', 'mrr(per=session)']);
    expect(run.stderr).toContain(
      'mrr(per=session) leaves out lists without a session: runs do not say whose a list is, --lists do ("session"): 30',
    );
  });

  it('says where tools that keep scores in 32 bits rank a list otherwise', async () => {
    const files = ['--run', file('large.run', '1 Q0 a 1 16777217 x\n1 Q0 b 2 16777216 x\n'), '--qrels'];
    files.push(file('large.qrels', '1 0 a 1\n'), '--measures', 'mrr');
    const { runs, findings } = JSON.parse(await stdoutOf([...files, '--output', 'json']));
    expect(runs[0].mean).toEqual({ mrr: 1 });
    expect(findings).toMatchObject([{ code: 'close_scores', example: '"a" before "b" for the query "1"' }]);
    const csv = await score([...files, '--output', 'csv']);
    expect(csv.stderr).toContain('receval: close_scores: x: 1 list has scores that differ as doubles');
  });

  it('says how much of a run nobody judged, and scores the judged items alone where that is asked for', async () => {
    const item = (run: string) => (rank: number) => `q Q0 ${run}${rank} ${rank} ${-rank} ${run}\n`;
    const [old, other] = ['old', 'new'].map((run) => file(`${run}.run`, [1, 2, 3, 4, 5].map(item(run)).join('')));
    const qrels = file(
      'most.qrels',
      'q 0 old1 1\nq 0 old2 0\nq 0 old3 0\nq 0 old4 1\nq 0 old5 0\nq 0 new2 0\nq 0 new5 1\n',
    );
    const args = ['--run', old, other, '--qrels', qrels, '--measures', 'precision@5,judged@5'];
    const said = await stdoutOf(args);
    expect(said).toContain('unjudged_items: new: 60 % of the items in the first 5 places are not judged (old: 0 %).');
    expect(said).toContain('such as: "new1" for the query "q"');
    expect(said).toMatch(/ old {8}0\.4000 {5}1\.0000\n new {8}0\.2000 {5}0\.4000\n/);
    const left = 'items that nobody judged are taken out (--unjudged skip): old 0, new 3\n';
    const skip = [...args, '--unjudged', 'skip', '--output'];
    const table = await stdoutOf([...skip, 'table']);
    expect(table).not.toContain('unjudged_items');
    expect(table).toMatch(/ new {8}0\.2000 {5}1\.0000\nmeans over queries: 1\nitems that nobody/);
    expect(table).toContain(left);
    expect(await stdoutOf([...skip, 'latex'])).toContain(`% ${left}`);
    expect(await score([...skip, 'csv'])).toMatchObject({ code: 0, stderr: `receval: ${left}` });
    const { runs } = JSON.parse(await stdoutOf([...skip, 'json']));
    expect(runs.map(({ unjudgedSkipped }: { unjudgedSkipped: number }) => unjudgedSkipped)).toEqual([0, 3]);
    expect(await stdoutOf([...skip, 'html'])).toContain('items that nobody judged are taken out');
    const positive = file('positive.qrels', 'q 0 old1 1\nq 0 new5 1\n');
    const only = await score(['--run', old, '--qrels', positive, '--measures', 'precision', '--unjudged', 'skip']);
    expect(only.stderr).toContain('the judgements call no item irrelevant, so only relevant items are left');
  });

  it('fails where no query is both in the run and judged', async () => {
    const run = await score(['--run', file('e.run', '9 Q0 a 1 2 t\n'), '--qrels', file('e.qrels', JUDGED)]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('t: no query is both in the run and judged: there is nothing to score');
  });

  it('says below the table from which grade on items were relevant', async () => {
    const args = ['--run', POPULAR, ...QRELS, '--measures', 'mrr', '--output', 'latex'];
    expect(await stdoutOf(args)).toMatch(/\n% means over queries: 30\n$/);
    expect(await stdoutOf([...args, '--relevant-from', '2'])).toMatch(
      /\n% means over queries: 30; relevant from grade 2\n$/,
    );
  });

  it('draws whiskers where runs are compared, and dots of more than eight runs', async () => {
    const runs = ['--run', POPULAR, PERSONAL, ...QRELS, '--measures', 'mrr,ndcg@10', '--plot', 'bar'];
    const note = '>whiskers: 95 % interval of the difference from popular, paired by query</text>';
    expect(await stdoutOf([...runs, '--p-values'])).toContain(note);
    expect(await stdoutOf(runs)).not.toContain('whiskers');
    const nine = Array.from({ length: 9 }, (_, i) => ['--run', `run${i}=${i % 2 === 0 ? POPULAR : PERSONAL}`]).flat();
    const svg = await stdoutOf([...nine, ...QRELS, '--measures', 'mrr', '--plot', 'bar']);
    expect(svg.match(/<circle /g)).toHaveLength(9);
    for (let i = 0; i < 9; i++) expect(svg).toContain(`>run${i}</text>`);
  });

  it('says which measures a plot of lines leaves out', async () => {
    const run = ['--run', POPULAR, ...QRELS, '--plot', 'line', '--measures'];
    const some = await score([...run, 'ndcg@1..3,mrr']);
    expect(some.stdout).toMatch(/^<svg /);
    expect(some.stderr).toBe('receval: --plot line leaves out what has no cut-off, and --plot bar does not: mrr\n');
    expect((await score([...run, 'ndcg@1..3'])).stderr).toBe('');
  });

  it('draws lines of measures that have another scale on an axis of their own', async () => {
    const svg = await stdoutOf([
      '--run',
      POPULAR,
      PERSONAL,
      ...QRELS,
      '--plot',
      'line',
      '--measures',
      'ndcg@1..3,dcg@1..3',
    ]);
    expect(svg.match(/>cut-off</g)).toHaveLength(2);
    expect(svg.match(/>popular</g)).toHaveLength(1);
  });

  it('draws bars of measures that have another scale on an axis of their own', async () => {
    const scored = file('errors.ndjson', '{"scores":[40,30,20],"ratings":[50,10,20]}\n');
    const axesOf = async (measures: string): Promise<readonly string[]> => {
      const svg = await stdoutOf(['--lists', `a=${scored}`, '--measures', measures, '--plot', 'bar']);
      return [...svg.matchAll(/rotate\(-90\)"[^>]*>([^<]*)</g)].map(([, label]) => label);
    };
    expect(await axesOf('spearman,kendall')).toEqual(['value']);
    expect(await axesOf('mae,spearman,rmse,bias')).toEqual(['value', 'spearman']);
    expect(await axesOf('rmse,kendall,spearman')).toEqual(['rmse (lower is better)', 'value']);
  });

  it.each([
    ['intervals', 2],
    ['bar', 9],
  ])('draws the best run first by %s, which is the one with the least error', async (kind, count) => {
    const runs = Array.from({ length: count }, (_, i) => [
      '--run',
      `run${i}=${i % 2 === 0 ? POPULAR : PERSONAL}`,
    ]).flat();
    const placesOf = async (measure: string): Promise<readonly number[]> => {
      const svg = await stdoutOf([...runs, ...QRELS, '--measures', measure, '--plot', kind]);
      return [...svg.matchAll(/<circle cx="([\d.]+)"/g)].map(([, x]) => Number(x));
    };
    // The axis rises to the right.
    const mae = await placesOf('mae');
    expect(mae).toEqual(mae.toSorted((a, b) => a - b));
    expect(mae[0]).toBeLessThan(mae[count - 1]);
    const mrr = await placesOf('mrr');
    expect(mrr).toEqual(mrr.toSorted((a, b) => b - a));
  });

  it('draws the run first whose bias is nearest to 0', async () => {
    const lists = [2, -3, -0.1].flatMap((bias) => {
      const text = `{"scores":[${1 - bias},${2 - bias}],"ratings":[1,2]}\n`;
      return ['--lists', `bias${bias}=${file(`bias${bias}.ndjson`, text)}`];
    });
    const svg = await stdoutOf([...lists, '--measures', 'bias', '--plot', 'intervals']);
    expect([...svg.matchAll(/>bias([-.\d]+)</g)].map(([, bias]) => bias)).toEqual(['-0.1', '2', '-3']);
  });

  it('refuses to give a plot the name of another form', async () => {
    const run = await score(['--run', POPULAR, ...QRELS, '--measures', 'mrr', '--plot', 'bar', '--plot-file', 'a.PNG']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('--plot-file: plots are SVG');
    expect(run.stderr).toContain('rsvg-convert a.svg -o a.PNG');
  });

  it('says why it cannot write a plot', async () => {
    const run = await score(['--run', POPULAR, ...QRELS, '--measures', 'mrr', '--plot', 'bar', '--plot-file', '/']);
    expect(run).toMatchObject({ code: 2, stderr: 'receval: --plot-file: cannot write /: it is a folder\n' });
  });

  it('keeps one list in memory, however many lines a run has', async () => {
    const short = await peakMemory(2);
    const long = await peakMemory(40);
    // 760,000 lines more: 34 MB of text, 60 MB as columns.
    expect(long - short).toBeLessThan(24 * 2 ** 10);
  });
});

/** Kilobytes at the most, of scoring so many times 20,000 lines. */
async function peakMemory(parts: number): Promise<number> {
  const path = join(folder, `${parts}.run`);
  for (let part = 0; part < parts; part++) {
    const lines = Array.from({ length: 20_000 }, (_, i) => {
      const query = 200 * part + Math.floor(i / 100);
      return `${query} Q0 document-${query}-${(i * 7919) % 100_003} 1 ${(100 - (i % 100)) / 7} tag\n`;
    });
    writeFileSync(path, lines.join(''), { flag: 'a' });
  }
  const qrels = file('long.qrels', Array.from({ length: 8000 }, (_, q) => `${q} 0 document-${q}-0 1\n`).join(''));
  const peak = "process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS))";
  const args = ['score', '--run', path, '--qrels', qrels, '--measures', 'mrr,ndcg@10', '--missing', 'zero'];
  const node = ['--max-old-space-size=32', '--import', `data:text/javascript,${peak}`, RECEVAL];
  const child = spawn(process.execPath, [...node, ...args], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  const code = await new Promise((done) => child.on('close', done));
  expect(code, told).toBe(0);
  return Number(/peak (\d+)/.exec(told)?.[1]);
}
