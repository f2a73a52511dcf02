/** Node.js reads modules side by side, and logs are read so: what is said where fewer files may be open. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../services/commands.ts';
import { RECEVAL } from '../tested.ts';

let folder: string;
let files: readonly string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-open-files-'));
  files = Array.from({ length: 300 }, (_, n) => join(folder, `f${n}.ndjson`));
  for (const [n, file] of files.entries()) {
    writeFileSync(file, `{"requestId":"r${n}","ts":${1_790_000_000_000 + n},"items":["a"]}\n`);
    // More than is read at once, so that it stays open.
    truncateSync(file, 1 << 20);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The compiled command (`npm test`): what compiles the sources of a checkout on their way opens files of its own. */
const isCompiled = process.env['TESTED_FOLDER'] !== undefined;

describe.skipIf(process.platform !== 'linux' || !isCompiled)('where few files may be open', () => {
  const limited = (most: number, args: readonly string[]) =>
    run('bash', ['-c', `ulimit -n ${most}; exec "$@"`, 'bash', process.execPath, RECEVAL, ...args]);

  it.each([20, 25, 30, 40])('at %d a command says so, without a stack', async (most) => {
    const { code, stdout, stderr } = await limited(most, ['inspect', files[0]]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^receval: too many files are open at once: raise the limit \(ulimit -n 1024\).*\n$/);
  });

  it('a replay of more files than that says which one it cannot read', async () => {
    const { code, stderr } = await limited(256, ['replay', '--impressions', ...files, '--feedback', files[0]]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /cannot read .*f\d+\.ndjson: too many files are open at once: raise the limit \(ulimit -n 1024\)/,
    );
  });
});
