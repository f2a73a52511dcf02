/** `receval fuse`, and `receval score --fuse`, as users start them. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { ROOT, receval } from './receval.ts';

const folder = mkdtempSync(join(tmpdir(), 'fuse-'));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

/** `query: item score, ...` as lines of a run. */
function run(name: string, lists: Readonly<Record<string, string>>): string {
  const lines = Object.entries(lists).flatMap(([query, items]) =>
    items.split(' ').map((item, place) => `${query} Q0 ${item} ${place + 1} ${100 - place} ${name}`),
  );
  return file(`${name}.run`, `${lines.join('\n')}\n`);
}

const A = run('A', { q1: 'a b c', q2: 'x y', q3: 'only' });
const B = run('B', { q2: 'y z', q1: 'b d' });
const VOTES = file(
  'votes.csv',
  ['q,X,a,2,s', 'q,X,b,1,s', 'r,X,e,1,s', 'q,Y,b,9,s', 'q,Y,c,8,s', 'q,Y,a,7,s'].map((line) => `${line}\n`).join(''),
);
const QRELS = file('qrels.txt', 'q1 0 b 1\nq1 0 d 1\nq2 0 y 1\nq3 0 only 1\n');

const call = (...args: string[]) => receval(args, { cwd: folder });

describe('receval fuse', () => {
  it('merges runs query by query, each when the last of its lists has come', async () => {
    const { code, stdout, stderr } = await call('fuse', '--run', A, B, '--method', 'borda');
    expect(stderr).toBe('receval: 1 of 3 queries lack the list of a voter; who has no list does not vote\n');
    expect(stdout.split('\n')).toEqual([
      'q2 Q0 y 1 1.66666666667 borda',
      'q2 Q0 x 2 1.33333333333 borda',
      'q2 Q0 z 3 1 borda',
      'q1 Q0 b 1 1.75 borda',
      'q1 Q0 a 2 1.375 borda',
      'q1 Q0 d 3 1 borda',
      'q1 Q0 c 4 0.875 borda',
      'q3 Q0 only 1 1 borda',
      '',
    ]);
    expect(code).toBe(0);
  });

  it('writes to a pipe, which stays one', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const reader = spawn('cat', [join(folder, 'pipe')], { stdio: ['ignore', 'pipe', 'inherit'] });
    const read = text(reader.stdout);
    const { code } = await call('fuse', '--run', A, '--method', 'borda', '--output', 'pipe');
    expect(code).toBe(0);
    expect(await read).toContain('q3 Q0 only 1 1 borda');
    expect(statSync(join(folder, 'pipe')).isFIFO()).toBe(true);
  });

  it('merges the voters of one file, and writes PyFLAGR’s form to a file', async () => {
    const { code, stdout, stderr } = await call(
      ...['fuse', '--lists', VOTES, '--method', 'copeland', '--as', 'flagr', '--tag', 'us', '--output', 'merged.csv'],
    );
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('1 of 2 queries lack the list of a voter');
    expect(readFileSync(join(folder, 'merged.csv'), 'utf8')).toBe(
      'r,us,e,1,0,us\nq,us,b,1,1.5,us\nq,us,a,2,1,us\nq,us,c,3,0.5,us\n',
    );
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('writes falling scores, so that a reader who sorts by score has the merged order', async () => {
    const { stdout } = await call('fuse', '--run', A, '--method', 'max(norm=rank)', '--run', B, '--top', '2');
    const q1 = stdout.split('\n').filter((line) => line.startsWith('q1'));
    expect(q1).toEqual(['q1 Q0 b 1 1 max(norm=rank)', 'q1 Q0 a 2 0.9999999403953552 max(norm=rank)']);
  });

  it('keeps a file whose queries are not together in memory, and says so', async () => {
    const mixed = file('mixed.run', 'q1 Q0 a 1 3 M\nq2 Q0 x 1 3 M\nq1 Q0 b 2 2 M\n');
    const { code, stdout, stderr } = await call('fuse', '--run', mixed, B, '--method', 'rrf(k=0)');
    expect(stderr).toContain('the lines of query "q1" are not together: the whole file is kept in memory');
    expect(stdout).toContain('q1 Q0 b 1 1.5 rrf(k=0)\nq1 Q0 a 2 1 rrf(k=0)\nq1 Q0 d 3 0.5 rrf(k=0)\n');
    expect(code).toBe(0);
  });

  it('reads standard input once', async () => {
    const text = readFileSync(join(folder, A), 'utf8');
    const { stdout } = await receval(['fuse', '--run', '-', B, '--method', 'borda'], { cwd: folder, input: text });
    expect(stdout).toContain('q1 Q0 b 1 1.75 borda\n');
  });

  it('learns from the other judged queries only', async () => {
    const { code, stdout } = await call('fuse', '--run', A, B, '--qrels', QRELS, '--method', 'mapfuse');
    expect(code).toBe(0);
    // Of q1 and q3 A has the precisions 1/4 and 1, B 1 and 0: y gets 0.625 / 2 + 0.5, x 0.625, z 0.25.
    expect(stdout).toContain('q2 Q0 y 1 0.8125 mapfuse\nq2 Q0 x 2 0.625 mapfuse\nq2 Q0 z 3 0.25 mapfuse\n');
  });

  it.each([
    [['--method', 'rrf'], 'name what to merge: --run FILE --run FILE, or --lists FILE'],
    [['--run', A], '--method is missing: such as --method rrf; --help names them'],
    [['--run', A, '--method', 'rff'], '--method: unknown method "rff"; did you mean "rrf"?'],
    [['--run', A, '--method', 'mapfuse'], '--qrels is missing: mapfuse learns from judged queries'],
    [['--run', A, '--method', 'rrf', '--qrels', QRELS], '--qrels is for methods that learn; rrf does not'],
    [['--run', A, '--lists', VOTES, '--method', 'rrf'], '--run and --lists do not go together'],
    [['--run', A, '--method', 'rrf', '--output', 'no/where'], 'there is no folder no'],
    [['--run', A, '--method', 'rrf', '--ties', 'mean'], '--ties: no "mean"'],
  ])('%j is wrong usage', async (args, message) => {
    const { code, stdout, stderr } = await call('fuse', ...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('leaves no half of a file, and says which query was too hard', async () => {
    const lists = Array.from({ length: 3 }, (_, third) =>
      Array.from({ length: 21 }, (_, i) => `i${10 + ((i + 7 * third) % 21)}`).join(' '),
    );
    const runs = lists.map((items, i) => run(`circle${i}`, { easy: 'a b', hard: items }));
    const { code, stderr } = await call('fuse', '--run', ...runs, '--method', 'kemeny', '--output', 'hard.run');
    expect(stderr).toContain('receval: query "hard": majorities turn 21 items in one circle');
    expect(code).toBe(1);
    expect(readdirSync(folder).filter((name) => name.startsWith('hard.run'))).toEqual([]);
  });

  it('a score that is not a number is an error with file and line', async () => {
    const wrong = file('nan.run', 'q1 Q0 a 1 1 M\nq1 Q0 b 2 nan M\n');
    const { code, stderr } = await call('fuse', '--run', wrong, '--method', 'rrf');
    expect(stderr).toContain('nan.run, line 2: the score "nan" is not a number');
    expect(code).toBe(1);
  });

  it('merges queries that begin with #, and files with any signs between their columns', async () => {
    const votes = file('signs.csv', 'query;item;score\n#q;a;3\n#q;b;2\nr;c;1\n');
    const hashed = run('H', { '#q': 'b a', r: 'c' });
    const { code, stdout, stderr } = await call(
      'fuse',
      '--run',
      hashed,
      votes,
      '--method',
      'rrf(k=0)',
      '--as',
      'flagr',
    );
    expect([code, stderr]).toEqual([0, '']);
    const [queries, items] = [0, 2].map((column) =>
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(',')[column]),
    );
    expect([queries, items]).toEqual([
      ['#q', '#q', 'r'],
      ['a', 'b', 'c'],
    ]);
    const trec = file('signs.run', '#q Q0 a 1 3 t\n#q Q0 b 2 2 t\nr Q0 c 1 1 t\n');
    const asTrec = await call('fuse', '--run', hashed, trec, '--method', 'rrf(k=0)', '--as', 'flagr');
    expect(asTrec.stdout).toBe(stdout);
  });

  it('an id with a comma does not fit into CSV', async () => {
    const comma = file('comma.run', 'q1 Q0 a,b 1 1 M\n');
    const { code, stderr } = await call('fuse', '--run', comma, '--method', 'rrf', '--as', 'flagr');
    expect(stderr).toContain('the item "a,b" has a comma, which ends a column of the run; write --as trec');
    expect(code).toBe(1);
  });
});

describe('files that are not UTF-8', () => {
  const latin = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, 'latin1');
    return name;
  };
  const one = latin('L1.run', 'q\xfc Q0 caf\xe9 1 1 t\nq\xfc Q0 caf\xe8 2 0.5 t\n');
  const two = latin('L2.run', 'q\xfc Q0 caf\xe9 1 1 u\nq\xfc Q0 caf\xe8 2 0.9 u\nq\xfc Q0 z 3 0.1 u\n');
  const judged = latin('L.qrels', 'q\xfc 0 caf\xe8 1\n');

  it('are merged by their bytes, which are written again', async () => {
    const { code } = await call('fuse', '--run', one, two, '--method', 'borda', '--tag', 'm', '--output', 'L.run');
    expect(code).toBe(0);
    const lines = readFileSync(join(folder, 'L.run'), 'latin1').split('\n');
    expect(lines.map((line) => line.split(' ').slice(0, 4).join(' '))).toEqual([
      ...['q\xfc Q0 caf\xe9 1', 'q\xfc Q0 caf\xe8 2', 'q\xfc Q0 z 3', ''],
    ]);
  });

  it('are scored by them', async () => {
    const files = ['--run', one, two, '--qrels', judged, '--measures', 'mrr,num_ret', '--fuse', 'rrf'];
    const { runs } = JSON.parse((await call('score', ...files, '--output', 'json')).stdout);
    expect(runs.map(({ mean }: { readonly mean: object }) => mean)).toMatchObject([
      { mrr: 0.5, num_ret: 2 },
      { mrr: 0.5, num_ret: 3 },
      { mrr: 0.5, num_ret: 3 },
    ]);
  });
});

describe('what fuse is not given', () => {
  it('is one file twice, unless it has two names', async () => {
    const twice = await call('fuse', '--run', A, `./${A}`, '--method', 'borda');
    expect(twice.code).toBe(2);
    expect(twice.stderr).toContain(`--run: ./${A} is named twice, and its lists would vote twice: leave one out.`);
    const meant = await call('fuse', '--run', `one=${A}`, `two=${A}`, '--method', 'borda');
    expect([meant.code, meant.stderr]).toEqual([0, '']);
    const scored = await call('score', '--run', A, A, '--qrels', QRELS, '--fuse', 'rrf');
    expect(scored.stderr).toContain('is named twice');
  });

  it('is several methods with commas', async () => {
    const scored = await call('score', '--run', A, B, '--qrels', QRELS, '--fuse', 'rrf(k=10,above=0),combsum');
    expect(scored.code).toBe(2);
    expect(scored.stderr).toContain('with commas; write --fuse rrf(k=10,above=0) combsum');
    const fused = await call('fuse', '--run', A, B, '--method', 'rrf,borda');
    expect(fused.stderr).toContain('it takes one; receval score --fuse compares several');
  });

  it('is a threshold that nothing passes, without a word', async () => {
    const all = await call('fuse', '--run', A, B, '--method', 'rrf(above=9)');
    expect([all.code, all.stdout]).toEqual([0, '']);
    expect(all.stderr).toContain(
      'receval: rrf(above=9): no item scores above the threshold, of all 3 queries: the merged run is empty.',
    );
    const some = await call('fuse', '--run', A, B, '--method', 'borda(above=1.2)');
    expect(some.stderr).toContain('borda(above=1.2): no item scores above the threshold, of 1 of 3 queries.');
    const scored = await call('score', '--run', A, B, '--qrels', QRELS, '--fuse', 'rrf(above=9)');
    expect(scored.stderr).toContain('rrf(above=9): no item scores above the threshold, of all 3 queries');
  });

  it('is a device, which has no end', async () => {
    const { code, stderr } = await call('fuse', '--run', '/dev/zero', '--method', 'borda');
    expect([code, stderr]).toEqual([
      1,
      'receval: cannot read /dev/zero: it is a device; name a file, or - for standard input where that is read\n',
    ]);
  });

  it('is a pipe without a word that it is waited for', async () => {
    const pipe = join(folder, 'votes-pipe');
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', `cat ${join(folder, A)} > ${pipe}`]);
    const { code, stdout, stderr } = await call('fuse', '--run', 'votes-pipe', '--method', 'borda');
    writer.kill();
    expect(stderr).toContain('receval: votes-pipe is a pipe: reads what somebody writes to it\n');
    expect([code, stdout.split('\n').length]).toEqual([0, 7]);
    const refused = await call('score', '--run', 'votes-pipe', B, '--qrels', QRELS, '--fuse', 'rrf');
    expect(refused.stderr).toContain('not standard input or a pipe');
  });
});

describe('receval score --fuse', () => {
  it('scores merged runs beside their inputs, with comparisons', async () => {
    const { code, stdout } = await call(
      ...['score', '--run', A, B, '--qrels', QRELS, '--measures', 'mrr', '--fuse', 'borda', 'rrf(k=1)', '--p-values'],
    );
    expect(code).toBe(0);
    const [head, ...lines] = stdout.split('\n').map((line) => line.trim().replace(/ {2,}/g, '|'));
    expect([head, ...lines.slice(0, 5)]).toEqual([
      'run|mrr',
      'A|0.6667',
      'B|1.0000',
      'borda|1.0000',
      'rrf(k=1)|1.0000',
      'means over queries: A 3, B 2, borda 3, rrf(k=1) 3',
    ]);
    expect(stdout).toMatch(/borda +A +mrr +3 +\+0\.3333/);
  });

  it('equals scoring what receval fuse wrote', async () => {
    const measures = ['--qrels', QRELS, '--measures', 'ap,ndcg@2', '--output', 'json', '--per-query'];
    for (const method of ['combsum', 'kemeny', 'mapfuse']) {
      const taught = method === 'mapfuse' ? ['--qrels', QRELS] : [];
      await call('fuse', '--run', A, B, '--method', method, ...taught, '--output', 'fused.run');
      const apart = JSON.parse((await call('score', '--run', 'fused.run', ...measures)).stdout);
      const beside = JSON.parse((await call('score', '--run', A, B, '--fuse', method, ...measures)).stdout);
      expect(beside.runs[2]).toEqual(apart.runs[0]);
    }
  });

  it.each([
    [['--run', A, '--qrels', QRELS, '--fuse', 'rrf', 'rrf(k=60)'], 'the same method twice (rrf); leave one out'],
    [['--run', '-', '--qrels', QRELS, '--fuse', 'rrf'], '--fuse reads the runs again: give files by their names'],
    [['--lists', 'lists.ndjson', '--fuse', 'rrf'], '--fuse merges runs: graded lists do not say'],
  ])('%j is wrong usage', async (args, message) => {
    const { code, stderr } = await call('score', ...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

describe('docs/fuse.md', () => {
  it('shows the picture that its last command draws', async () => {
    const page = readFileSync(join(ROOT, 'docs/fuse.md'), 'utf8');
    const [, command = ''] = /^receval (.*--plot-file fuse\.svg.*)$/m.exec(page) ?? [];
    const drawn = join(folder, 'fuse.svg');
    const args = command.replaceAll('"', '').replace('fuse.svg', drawn).split(' ');
    const { code, stderr } = await receval(args, { cwd: join(ROOT, 'sample/fuse') });
    expect([code, stderr]).toEqual([0, '']);
    expect(readFileSync(drawn, 'utf8')).toBe(readFileSync(join(ROOT, 'docs/fuse.svg'), 'utf8'));
  });
});
