import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from '../services/commands.ts';
import { RECEVAL } from '../tested.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-crash-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Fails while a command runs, as a promise that nobody waits for: with what errors of Redis' client carry. */
const FAULT = `
const error = new Error("ERR unknown command 'AUTH', with args beginning with: 'app' 'c4n4ry-text'");
Object.assign(error, { command: { name: 'auth', args: ['app', 'c4n4ry-argument'] }, cause: { password: 'c4n4ry-cause' } });
const began = Date.now();
setInterval(() => {
  if (process.listenerCount('uncaughtException') > 0 || Date.now() - began > 30000) Promise.reject(error);
}, 20);
`;

/** Runs the demo, in which this happens. */
function demo(fault: string): Promise<{ readonly code: unknown; readonly printed: string }> {
  const preload = join(folder, 'fault.mjs');
  writeFileSync(preload, fault);
  return new Promise((resolve) => {
    const args = ['--import', preload, RECEVAL, 'demo', '--port', '0', '--for', '60s'];
    execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, printed: stdout + stderr });
    });
  });
}

it('a process that fails by a defect says where, and nothing of what the error carries', async () => {
  const { code, printed } = await demo(FAULT);
  expect(printed).toMatch(/^receval: this is a defect, please report it: Error: ERR unknown command 'AUTH'$/m);
  expect(printed).toMatch(/^ {4}at /m);
  expect(printed).not.toContain('c4n4ry');
  expect(code).toBe(1);
});

describe('standard output that cannot be written', () => {
  /** As a shell ends a command that prints onto a full disk. */
  async function printed(script: string): Promise<readonly [number, string, string]> {
    const { code, stdout, stderr } = await run('bash', ['-c', script, process.execPath, RECEVAL]);
    return [code, stdout, stderr];
  }

  it('is reported as what it is, and not as a defect', async () => {
    const told = 'receval: cannot write standard output: the disk is full\n';
    expect(await printed('"$0" "$1" config reference > /dev/full')).toEqual([1, '', told]);
    expect(await printed('"$0" "$1" --help > /dev/full')).toEqual([1, '', told]);
  });

  it('is no error where its reader has enough', async () => {
    expect(await printed('"$0" "$1" config reference | head -n 1 > /dev/null; echo "$PIPESTATUS"')).toEqual([
      0,
      '0\n',
      '',
    ]);
  });

  it('may be standard error, which ends no command', async () => {
    expect(await printed('"$0" "$1" config check --config nowhere.yaml 2> /dev/full')).toEqual([2, '', '']);
  });
});
