import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { receval } from '../cli/receval.ts';

const cwd = mkdtempSync(join(tmpdir(), 'receval-replay-letters-'));
afterAll(() => rmSync(cwd, { recursive: true }));

const GOOD = '{"requestId":"r1","ts":"2026-11-21T08:00:00Z","items":["a"]}';
writeFileSync(join(cwd, 'i.ndjson.gz'), gzipSync(`${GOOD}\n\n{"requestId":"r2","items":["a"]}\n${GOOD}\nbroken\n`));
writeFileSync(join(cwd, 'f.ndjson'), Buffer.concat([Buffer.from('{"a":'), Buffer.from([0xff, 0x0a])]));
/** None of the feedback can be read. */
const SIDES = ['--allow-empty', '--impressions', 'i.ndjson.gz', '--feedback', 'f.ndjson'];

function lines(): unknown[] {
  const text = readFileSync(join(cwd, 'letters.ndjson'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

it('writes the invalid records of a replay, with file and row, and nothing else', async () => {
  writeFileSync(join(cwd, 'letters.ndjson'), 'from before\n');
  const replay = ['replay', ...SIDES, '--measures', 'mrr', '--output', 'json'];
  const done = await receval([...replay, '--dead-letters', 'letters.ndjson'], { cwd });
  expect(done.code).toBe(0);
  // In the order in which they were read: what has no time goes first.
  expect(lines()).toEqual([
    { file: 'f.ndjson', row: 1, reason: 'invalid', code: 'not_utf8', valueBase64: 'eyJhIjr/' },
    {
      ...{ file: 'i.ndjson.gz', row: 2, reason: 'invalid', code: 'missing_field', field: 'ts' },
      value: '{"requestId":"r2","items":["a"]}',
    },
    { file: 'i.ndjson.gz', row: 4, reason: 'invalid', code: 'not_json', value: 'broken' },
  ]);
  expect(done.stdout).toBe((await receval(replay, { cwd })).stdout);
});

it('makes an empty file when nothing is invalid', async () => {
  writeFileSync(join(cwd, 'good.ndjson'), `${GOOD}\n`);
  const sides = ['--impressions', 'good.ndjson', '--measures', 'length'];
  const done = await receval(['replay', ...sides, '--dead-letters', 'none.ndjson'], { cwd });
  expect(done.code).toBe(0);
  expect(statSync(join(cwd, 'none.ndjson'))).toMatchObject({ size: 0 });
});

describe.each(['--dead-letters', '--dropped'])('%s', (flag) => {
  it.each([
    ['f.ndjson', 2, `${flag}: f.ndjson is one of the inputs, and would be overwritten`],
    ['-', 2, `${flag}: expected the name of a file, got "-": standard output has the results`],
    ['', 2, `${flag}: expected the name of a file, got "": `],
    ['/dev/full', 1, 'cannot write /dev/full: the disk is full. Make room, or name a file elsewhere'],
    ['nowhere/letters', 1, 'cannot write nowhere/letters: there is no folder nowhere'],
  ])('to %s ends with %d', async (path, code, message) => {
    const done = await receval(['replay', ...SIDES, flag, path], { cwd });
    expect(done.code).toBe(code);
    expect(done.stderr).toContain(message);
  });
});

it.each(['--dead-letters', '--dropped'])('%s leaves no part where the log cannot be read to its end', async (flag) => {
  const packed = gzipSync(
    Array.from({ length: 5000 }, (_, n) => `${GOOD.replace('r1', `r${n}`)}\nbad ${n}\n`).join(''),
  );
  writeFileSync(join(cwd, 'cut.gz'), packed.subarray(0, packed.length - 100));
  const done = await receval(['replay', '--events', 'cut.gz', flag, 'part.ndjson'], { cwd });
  expect(done.stderr).toContain('cannot read cut.gz: the gzip data end too early');
  expect([done.code, existsSync(join(cwd, 'part.ndjson'))]).toEqual([1, false]);
});

it('writes all that is dropped, also by compare, and to no file that has the letters', async () => {
  const list = (requestId: string) => `{"requestId":"${requestId}","ts":"2026-11-21T08:00:00Z","items":["a"]}`;
  const click = (requestId: string, itemId: string) =>
    `{"requestId":"${requestId}","itemId":"${itemId}","ts":"2026-11-21T08:00:05Z","action":"click"}`;
  const feedback = [click('r1', 'a'), click('r9', 'a'), click('r1', 'b'), click('r1', 'a'), 'no'];
  writeFileSync(join(cwd, 'shown.ndjson'), `${list('r1')}\n${list('r1')}\n`);
  writeFileSync(join(cwd, 'done.ndjson'), `${feedback.join('\n')}\n`);
  writeFileSync(join(cwd, 'ab.yaml'), 'experiments: {default: {control: a, variants: {a: 1, b: 1}}}\n');
  const sides = ['--impressions', 'shown.ndjson', '--feedback', 'done.ndjson'];
  const said = (row: number, reason: string, requestId: string, itemId: string) => ({
    ...{ file: 'done.ndjson', row, side: 'feedback', reason, requestId, itemId },
    ...{ action: 'click', ts: '2026-11-21T08:00:05.000Z', value: feedback[row - 1] },
  });
  const expected = [
    { file: 'done.ndjson', row: 5, side: 'feedback', reason: 'invalid', code: 'not_json', value: 'no' },
    said(2, 'orphan', 'r9', 'a'),
    said(3, 'not_in_list', 'r1', 'b'),
    said(4, 'duplicate', 'r1', 'a'),
    {
      ...{ file: 'shown.ndjson', row: 2, side: 'impressions', reason: 'duplicate', requestId: 'r1', offset: 0 },
      ...{ ts: '2026-11-21T08:00:00.000Z', value: list('r1') },
    },
  ];
  for (const command of [['replay'], ['compare', '--config', 'ab.yaml']]) {
    const done = await receval([...command, ...sides, '--close-all', '--dropped', 'dropped.ndjson'], { cwd });
    expect(done.code).toBe(0);
    const text = readFileSync(join(cwd, 'dropped.ndjson'), 'utf8');
    const written = text
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(written).toHaveLength(expected.length);
    expect(written).toEqual(expect.arrayContaining(expected));
    expect(statSync(join(cwd, 'dropped.ndjson')).mode & 0o777).toBe(0o600);
  }
  const both = ['--dead-letters', 'same.ndjson', '--dropped', 'same.ndjson'];
  expect(await receval(['replay', ...sides, ...both], { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--dropped: same.ndjson is the file of --dead-letters'),
  });
  expect(await receval(['compare', '--config', 'ab.yaml', '--dropped', 'x.ndjson'], { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--dropped says how files are read: name some, or leave it out'),
  });
});

it('follows no symbolic link, makes a file for its user alone, and reports one that others may read', async () => {
  writeFileSync(join(cwd, 'victim'), 'mine\n');
  symlinkSync(join(cwd, 'victim'), join(cwd, 'link.ndjson'));
  const to = (path: string) => receval(['replay', ...SIDES, '--dead-letters', path], { cwd });
  const refused = await to('link.ndjson');
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it is a symbolic link, which is not followed'),
  });
  expect(readFileSync(join(cwd, 'victim'), 'utf8')).toBe('mine\n');
  const own = await to('own.ndjson');
  expect(statSync(join(cwd, 'own.ndjson')).mode & 0o777).toBe(0o600);
  expect(own.stderr).not.toContain('other users');
  writeFileSync(join(cwd, 'open.ndjson'), '', { mode: 0o644 });
  expect((await to('open.ndjson')).stderr).toContain('other users may read or write open.ndjson');
});
