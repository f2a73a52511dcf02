/** What is named where a configuration or a secret is expected, and never ends or waits for a writer. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readReason, readTextFile } from '../../src/connections/text-file.ts';
import { receval } from '../cli/receval.ts';
import { run } from '../services/commands.ts';
import { RECEVAL } from '../tested.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-text-'));
execFileSync('mkfifo', [join(folder, 'pipe')]);
symlinkSync('loop', join(folder, 'loop'));
writeFileSync(join(folder, 'file'), 'catalogue: pipe\n');
writeFileSync(join(folder, 'events.ndjson'), '{"requestId":"r1","ts":"2026-11-21T08:00:00Z","items":["a"]}\n');
const server = createServer().listen(join(folder, 'socket'));
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const reasonOf = (path: string): string => {
  try {
    return readTextFile(path);
  } catch (error) {
    return readReason(error);
  }
};

it.each([
  ['file', 'catalogue: pipe\n'],
  ['pipe', 'it is a pipe; write it to a file, and name that'],
  ['socket', 'it is a socket'],
  ['.', 'it is a folder'],
  ['loop', 'its symbolic links lead in a circle'],
  ['none', 'there is no such file'],
  ['file/x', 'what its path names as a folder is none'],
])('%s: %s', (name, text) => {
  expect(reasonOf(join(folder, name))).toBe(text);
});

it.each([
  ['/dev/zero', 'it is a device'],
  ['/dev/null', ''],
])('%s: %s', (path, text) => {
  expect(reasonOf(path)).toBe(text);
});

describe('a command', () => {
  it.each([
    ['rules generate --config pipe', 'pipe: cannot read the configuration file: it is a pipe; write it to a file'],
    ['rules generate --config /dev/zero', '/dev/zero: cannot read the configuration file: it is a device'],
    ['report http://127.0.0.1:1 --token-file pipe', '--token-file: cannot read pipe: it is a pipe; write it to a file'],
    ['replay --events events.ndjson --config file', 'catalogue: cannot read pipe: it is a pipe; write it to a file'],
  ])('ends at once, with words: %s', async (line, words) => {
    const { code, stderr } = await receval(line.split(' '), { cwd: folder });
    expect(stderr).toContain(words);
    expect(code).toBe(2);
  });

  it('takes a configuration that a shell opens', async () => {
    const script = 'node="$0" receval="$1"; "$node" "$receval" config check --config <(echo "namespace: shop")';
    const { code, stdout } = await run('bash', ['-c', script, process.execPath, RECEVAL]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('shop')]);
  });
});
