import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, receval } from './receval.ts';

interface Row {
  readonly by: readonly string[];
  readonly measures: Readonly<Record<string, { readonly value: number } | undefined>>;
}

const T = Date.parse('2026-11-21T08:00:00.000Z');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-inspect-'));
  const lists = Array.from({ length: 30 }, (_, n) => ({ req: `r${n}`, at: T + n * 1000, docs: ['a', 'b', `c${n}`] }));
  const clicks = lists.map(({ req, at, docs }, n) => ({ req, at: at + 2000, doc: docs[n % 3], kind: 'click' }));
  const text = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  writeFileSync(join(folder, 'lists.gz'), gzipSync(text(lists)));
  writeFileSync(join(folder, 'clicks.ndjson'), text(clicks));
  writeFileSync(join(folder, 'empty.ndjson'), '');
  writeFileSync(join(folder, 'own.yaml'), 'grades: {mitnehmen: 3}\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The logs end soon after their last list. */
const CLOSED = ['--close-all', '--output', 'json'];

const inspect = (...args: readonly string[]) => receval(['inspect', ...args], { cwd: folder });

describe('receval inspect', () => {
  it('writes a configuration that replay takes as it is, and overwrites none but its own', async () => {
    const first = await inspect('clicks.ndjson', 'lists.gz', '--write', 'receval.yaml');
    expect([first.code, first.stderr]).toEqual([0, '']);
    const command = first.stdout.trimEnd().split('\n').at(-1)?.trim();
    expect(command).toBe('$ receval replay --config receval.yaml --impressions lists.gz --feedback clicks.ndjson');
    const replay = await receval([...(command ?? '').split(' ').slice(2), ...CLOSED], { cwd: folder });
    const { rows, feedback } = JSON.parse(replay.stdout);
    // Ten clicks each at ranks 1, 2 and 3.
    expect(rows.at(-1).measures.mrr.value).toBeCloseTo((1 + 1 / 2 + 1 / 3) / 3, 9);
    expect(feedback.attributed).toBe(30);
    const checked = await receval(['config', 'check', '--config', 'receval.yaml'], { cwd: folder });
    expect(checked.code).toBe(0);
    const again = await inspect('clicks.ndjson', 'lists.gz', '--write', 'receval.yaml');
    expect([again.code, again.stderr]).toEqual([0, '']);
    writeFileSync(join(folder, 'receval.yaml'), '# Ours.\n');
    const refused = await inspect('clicks.ndjson', 'lists.gz', '--write', 'receval.yaml');
    expect([refused.code, refused.stderr, readFileSync(join(folder, 'receval.yaml'), 'utf8')]).toEqual([
      1,
      'receval: --write: receval.yaml is there already, and inspect did not write it: name another file, or remove it\n',
      '# Ours.\n',
    ]);
  });

  it('writes a map for each of two files of feedback that differ, and a replay counts as if they had one shape', async () => {
    const own = join(folder, 'two-shapes');
    mkdirSync(own);
    const write = (name: string, rows: readonly object[]) =>
      writeFileSync(join(own, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const lists = Array.from({ length: 24 }, (_, n) => ({ req: `r${n}`, at: T + n * 1000, docs: ['a', 'b', `c${n}`] }));
    const clicked = lists.filter((_, n) => n % 2 === 0);
    const bought = lists.filter((_, n) => n % 4 === 1);
    write('lists.ndjson', lists);
    write(
      'clicks.ndjson',
      clicked.map(({ req, at }) => ({ req, item: 'b', ts: at + 2000 })),
    );
    write(
      'orders.ndjson',
      bought.map(({ req, at, docs }) => ({ order: { list: req, sku: docs[2] }, purchased_at: at + 9000, amount: 5 })),
    );
    write(
      'one.ndjson',
      [
        ...clicked.map(({ req, at }) => ({ requestId: req, itemId: 'b', ts: at + 2000, action: 'click' })),
        ...bought.map(({ req, at, docs }) => ({ requestId: req, itemId: docs[2], ts: at + 9000, action: 'purchase' })),
      ].sort((a, b) => a.ts - b.ts),
    );
    const { code, stdout, stderr } = await receval(
      ['inspect', 'lists.ndjson', 'clicks.ndjson', 'orders.ndjson', '--write', 'receval.yaml'],
      { cwd: own },
    );
    expect([code, stderr]).toEqual([0, '']);
    const next = /^ *\$ receval (replay .*)$/m.exec(stdout)?.[1] ?? '';
    const replay = await receval([...next.split(' '), ...CLOSED], { cwd: own });
    const { rows, feedback } = JSON.parse(replay.stdout);
    expect(feedback).toMatchObject({ read: 18, attributed: 18 });
    // Twelve clicks at rank 2 and six purchases at rank 3, of 24 lists.
    expect(rows.at(-1).measures.mrr.value).toBeCloseTo((12 / 2 + 6 / 3) / 24, 9);
    const yaml = readFileSync(join(own, 'receval.yaml'), 'utf8');
    writeFileSync(join(own, 'one.yaml'), yaml.replace(/^ {2}feedback:\n(?: {4}.*\n)+(?=#)/m, ''));
    const one = ['--config', 'one.yaml', '--impressions', 'lists.ndjson', '--feedback', 'one.ndjson'];
    expect((await receval(['replay', ...one, ...CLOSED], { cwd: own })).stdout).toBe(replay.stdout);
  });

  it('proposes commands that a shell takes, whatever the files are called', async () => {
    const shown = "shown; $(echo 'x').gz";
    copyFileSync(join(folder, 'lists.gz'), join(folder, shown));
    const { stdout } = await inspect(shown, 'clicks.ndjson');
    const word = `'shown; $(echo '\\''x'\\'').gz'`;
    expect(stdout).toContain(`$ receval inspect ${word} clicks.ndjson --write receval.yaml\n`);
    expect(stdout).toContain(`--impressions ${word} --feedback clicks.ndjson\n`);
  });

  it.each([
    ['gz', 'gzip -c', 1],
    ['gz', 'gzip -c', 2],
    ['zst', 'zstd -qc', 1],
  ])('proposes commands that sort packed files (%s by %s, %d of them)', async (ending, packing, many) => {
    const own = join(folder, `packed-${ending}-${many}`);
    mkdirSync(own);
    const inOwn = (command: string) => execFileSync('sh', ['-c', command], { cwd: own });
    const lines = Array.from({ length: 60 }, (_, n) =>
      JSON.stringify({ req: `r${n % 30}`, at: T + ((7 * n) % 60) * 600_000, doc: 'a', kind: 'click' }),
    );
    const names = Array.from({ length: many }, (_, i) => `clicks ${i}.ndjson`);
    for (const [i, name] of names.entries()) {
      writeFileSync(join(own, name), `${lines.filter((_, n) => n % many === i).join('\n')}\n`);
      inOwn(`${packing} '${name}' > '${name}.${ending}' && rm '${name}'`);
    }
    copyFileSync(join(folder, 'lists.gz'), join(own, 'lists.gz'));
    const { stdout } = await receval(['inspect', 'lists.gz', ...names.map((name) => `${name}.${ending}`)], {
      cwd: own,
    });
    expect(stdout).toContain('Records are out of order');
    const command = /^ +\$ (.*mended-.*)$/m.exec(stdout)?.[1] ?? '';
    inOwn(command);
    for (const [i, name] of names.entries()) {
      const sorted = readFileSync(join(own, `mended-${name}`), 'utf8')
        .trimEnd()
        .split('\n');
      const part = lines.filter((_, n) => n % many === i);
      expect(sorted).toEqual(part.toSorted((a, b) => JSON.parse(a).at - JSON.parse(b).at));
    }
  });

  // The numbers were computed apart, from what the logs were made of.
  it.each([
    ['inspect-json-behind', ['app.txt'], 0.637708],
    ['inspect-unsorted', ['events.ndjson'], 0.255556],
  ] as const)('proposes commands after which a log is sound: %s', async (log, files, mrr) => {
    const own = join(folder, log);
    mkdirSync(own);
    for (const file of files) copyFileSync(join(ROOT, 'test/stranger/logs', log, file), join(own, file));
    const { stdout } = await receval(['inspect', ...files], { cwd: own });
    const commands = [...stdout.matchAll(/^ {4,5}\$ (.*mended-.*)$/gm)].map(([, command]) => command);
    expect(commands).not.toEqual([]);
    for (const command of commands) execFileSync('sh', ['-c', command], { cwd: own });
    const mended = files.map((file) => (existsSync(join(own, `mended-${file}`)) ? `mended-${file}` : file));
    const again = await receval(['inspect', ...mended, '--write', 'receval.yaml'], { cwd: own });
    expect([again.code, again.stdout.slice(0, 21)]).toEqual([0, 'Nothing looks wrong.\n']);
    const next = /^ *\$ receval (replay .*)$/m.exec(again.stdout)?.[1] ?? '';
    const replay = await receval([...next.split(' '), ...CLOSED], { cwd: own });
    const rows: readonly Row[] = JSON.parse(replay.stdout).rows;
    expect(rows.filter(({ by }) => by.length === 0).at(-1)?.measures['mrr']?.value).toBeCloseTo(mrr, 6);
  });

  it('does not wait for a pipe, or for what has no end', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const pipe = await inspect('pipe', 'clicks.ndjson');
    expect([pipe.code, pipe.stderr]).toEqual([
      1,
      'receval: cannot read pipe: it is a pipe, and this is read more than once. Write it to a file, and name that: cat pipe > log\n',
    ]);
    expect((await inspect('/dev/zero')).stderr).toContain('cannot read /dev/zero: it is a device');
    mkdirSync(join(folder, 'nothing'));
    expect(await inspect('nothing')).toMatchObject({
      code: 2,
      stderr: 'receval: nothing: no file in this folder is a log\n',
    });
  });

  it('says how score takes a run and its judgements', async () => {
    writeFileSync(join(folder, 'a b.run'), 'q1 Q0 a 1 3 x\nq1 Q0 b 2 2 x\n');
    writeFileSync(join(folder, 'a b.txt'), 'q1 0 a 1\nq1 0 b 0\n');
    const { stdout } = await inspect('a b.run', 'a b.txt');
    expect(stdout).toContain("$ receval score --run 'a b.run' --qrels QRELS\n");
    expect(stdout).toContain("$ receval score --run RUN --qrels 'a b.txt'\n");
    const scored = await receval(['score', '--run', 'a b.run', '--qrels', 'a b.txt'], { cwd: folder });
    expect(scored.code).toBe(0);
  });

  it('takes the logs of a folder, and says which of its files it left out and why', async () => {
    const exported = join(folder, 'exported');
    for (const name of ['shown', '_temporary', '.git']) mkdirSync(join(exported, name), { recursive: true });
    const log = readFileSync(join(folder, 'clicks.ndjson'), 'utf8').trimEnd().split('\n');
    for (const part of [0, 1, 2]) {
      const rows = log.filter((_, n) => n % 3 === part);
      writeFileSync(join(exported, `clicks-${part}.ndjson`), `${rows.join('\n')}\n`);
    }
    copyFileSync(join(folder, 'lists.gz'), join(exported, 'shown', 'part-0.gz'));
    writeFileSync(join(exported, '_temporary', 'part-1.gz'), 'x');
    writeFileSync(join(exported, 'items.csv'), 'id,price\na,1\nb,2\n');
    writeFileSync(join(exported, 'README.md'), 'Our logs.\n');
    const { code, stdout, stderr } = await inspect('exported');
    expect(stderr).toBe(
      'receval: left out of exported: README.md (not a log, by its name), items.csv (no field holds times)\n',
    );
    expect(stdout).toContain('exported/shown/part-0.gz  impressions: /docs is a list');
    expect(stdout).toContain(
      '$ receval replay --config receval.yaml --impressions exported/shown/part-0.gz --feedback exported/clicks-0.ndjson exported/clicks-1.ndjson exported/clicks-2.ndjson',
    );
    expect(code).toBe(0);
    const here = await receval(['inspect', '.'], { cwd: exported });
    expect([here.code, here.stderr]).toEqual([0, stderr.replace('exported', '.')]);
    // Without a log, tables are looked at as if they were named: their times may count from a start.
    const tables = join(folder, 'tables');
    mkdirSync(tables);
    const shown = [1, 2, 3, 4].flatMap((id) =>
      [0, 1, 2].map((item) => `${id},${100 * id + item},${item === 1 ? 1 : 0}\n`),
    );
    writeFileSync(join(tables, 'clicks.csv'), `display_id,ad_id,clicked\n${shown.join('')}`);
    writeFileSync(join(tables, 'events.csv'), 'display_id,timestamp\n1,61\n2,1772\n3,3483\n4,5194\n');
    const named = await receval(['inspect', 'clicks.csv', 'events.csv'], { cwd: tables });
    expect(named.stdout).toContain('The lists stand in two tables');
    expect(await receval(['inspect', '.'], { cwd: tables })).toEqual(named);
    // Beside a log, too, a table without times is looked at if no other file holds lists.
    const weeks = [1, 2, 3, 4].map((user) => `${user}\t2026\t47\t${[1, 2, 3].map((n) => 10 * user + n).join(',')}\n`);
    writeFileSync(join(tables, 'events.csv'), `user_id\tyear\tweek\titems\n${weeks.join('')}`);
    const clicked = [1, 2, 3, 4].map((user) => `${user}\t${10 * user + 1}\t1\t${1_795_161_600 + user}\n`);
    writeFileSync(join(tables, 'clicks.csv'), `user_id\titem_id\tinteraction_type\tcreated_at\n${clicked.join('')}`);
    const timeless = await receval(['inspect', '.'], { cwd: tables });
    expect(timeless.stderr).toBe('');
    expect(timeless.stdout).toContain('No field of the lists in events.csv holds a time (ts).');
    expect(timeless.stdout).toMatch(/The\s+lists have no id either/);
    const none = await inspect(join('exported', '_temporary'));
    expect([none.code, none.stderr]).toEqual([
      2,
      'receval: exported/_temporary: no file in this folder is a log: part-1.gz (in an unknown format)\n',
    ]);
  });

  it('says at the top of what it writes, and on standard error, what makes the numbers wrong', async () => {
    const others = readFileSync(join(folder, 'clicks.ndjson'), 'utf8').replaceAll(/"doc":"\w+"/g, '"doc":"gone"');
    writeFileSync(join(folder, 'others.ndjson'), others);
    const { code, stderr } = await inspect('others.ndjson', 'lists.gz', '--write', 'wrong.yaml');
    expect([code, stderr]).toEqual([
      1,
      'receval: wrong.yaml was written, but one thing looks wrong (see the top of the file): fix that first, or the numbers will be wrong\n',
    ]);
    const [first, second, third] = readFileSync(join(folder, 'wrong.yaml'), 'utf8').split('\n');
    expect(first).toBe('# What receval inspect proposes for others.ndjson, lists.gz.');
    expect(second).toBe('# Problems found, which make the numbers wrong until they are fixed:');
    expect(third).toContain('# - Feedback joins, but none of it names an item of its list.');
  });

  it('reports everything as JSON, within the sample', async () => {
    const { code, stdout } = await inspect('lists.gz', 'clicks.ndjson', '--output', 'json', '--sample', '12');
    const found = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(found.files).toMatchObject([
      {
        name: 'lists.gz',
        records: 12,
        more: true,
        role: 'impressions',
        format: { compression: 'gzip', form: { kind: 'ndjson' } },
      },
      { name: 'clicks.ndjson', records: 12, more: true, role: 'feedback' },
    ]);
    expect(found.join).toMatchObject({ feedback: 12, known: 12, inList: 12 });
    expect(found.join.tried[0]).toMatchObject({ impressions: '/req', feedback: '/req', share: 1 });
    expect(found.impressions.fields.map(({ path }: { path: string }) => path)).toEqual([
      '/req',
      '/at',
      '/docs',
      '/docs[]',
    ]);
    expect(found.delays).toMatchObject({ median: 2000, clockOffset: null });
  });

  it('ends with 1 where something is wrong, and writes nothing that nobody could read', async () => {
    const alone = await inspect('lists.gz');
    expect(alone.code).toBe(1);
    expect(alone.stdout).toMatch(/^What looks wrong\n {2}1\. lists\.gz holds lists, and no file holds feedback/);
    const none = await inspect('clicks.ndjson', '--write', 'none.yaml');
    expect([none.code, existsSync(join(folder, 'none.yaml'))]).toEqual([1, false]);
    expect(none.stderr).toBe('receval: none.yaml was not written: no configuration reads these logs as they are\n');
    expect(none.stdout).toContain('No file holds lists');
  });

  it('prints no control characters of the logs', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => ({ requestId: `r${n}`, ts: T + n * 1000 }));
    const text = (of: readonly object[]) => of.map((row) => `${JSON.stringify(row)}\n`).join('');
    const hostile = '\u001b[31m\n\u202e';
    const lists = rows.map((row, n) => ({
      ...row,
      userId: `u${n}`,
      variant: n % 2 === 0 ? 'control' : `new${hostile}`,
      items: ['a', 'b', `c${n}`],
      [`shelf${hostile}`]: 1,
    }));
    const feedback = rows.map(({ requestId, ts }) => ({
      requestId,
      ts: ts + 500,
      itemId: 'a',
      action: `take${hostile}`,
    }));
    writeFileSync(join(folder, 'hostile-lists.ndjson'), text(lists));
    writeFileSync(join(folder, 'hostile-feedback.ndjson'), text(feedback));
    const { stdout } = await inspect('hostile-lists.ndjson', 'hostile-feedback.ndjson');
    for (const name of ['variants control 50 %, new', 'Actions  take', '/shelf']) expect(stdout).toContain(name);
    expect(stdout.split('\n').join('')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(stdout).toContain('new [31m');
  });

  it('knows the actions that a configuration has grades for', async () => {
    const file = join(folder, 'mitnehmen.ndjson');
    writeFileSync(file, readFileSync(join(folder, 'clicks.ndjson'), 'utf8').replaceAll('click', 'mitnehmen'));
    const [without, own] = [
      await inspect('lists.gz', 'mitnehmen.ndjson'),
      await inspect('lists.gz', 'mitnehmen.ndjson', '--config', 'own.yaml'),
    ];
    expect(without.stdout).toContain('Actions without a grade are worth 0: mitnehmen (30)');
    expect(own.stdout).not.toContain('without a grade');
  });

  it.each([
    [[], 'name the logs'],
    [['-'], 'give it by its name, not on standard input'],
    [['lists.gz', '--output', 'yaml'], '--output: no form "yaml"'],
    [['lists.gz', '--sample', '0'], '--sample: expected a whole number from 1'],
    [['lists.gz', '--kafka'], 'name no files with it'],
  ] as const)('refuses %j as wrong usage', async (args, message) => {
    const { code, stderr } = await inspect(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it.each([['gone.ndjson', 'cannot read gone.ndjson: there is no such file']])(
    'cannot read %s',
    async (file, message) => {
      const { code, stderr } = await inspect(file);
      expect([code, stderr]).toEqual([1, `receval: ${message}\n`]);
    },
  );

  it('says that a file is empty', async () => {
    const { code, stdout } = await inspect('empty.ndjson');
    expect(stdout).toContain('empty.ndjson is empty');
    expect(code).toBe(1);
  });
});

describe('docs/inspect.md', () => {
  const page = readFileSync(join(ROOT, 'docs/inspect.md'), 'utf8');

  it('explains every option', async () => {
    const { stdout } = await inspect('--help');
    const options = [...stdout.matchAll(/^ {2}(?:-\w, )?(--\w+)/gm)]
      .map(([, option]) => option)
      .filter((option) => option !== '--help');
    expect(options.length).toBeGreaterThan(6);
    expect(options.filter((option) => !page.includes(`\`${option}`))).toEqual([]);
  });
});
