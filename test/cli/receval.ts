import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { RECEVAL } from '../tested.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real command to its end. */
export function receval(
  args: readonly string[],
  options: { readonly input?: string; readonly cwd?: string } = {},
): Promise<Finished> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [RECEVAL, ...args], { cwd: options.cwd ?? ROOT });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', fail);
    child.on('close', (code) => done({ code, stdout, stderr }));
    child.stdin.on('error', () => {}); // a command that fails early does not read it
    child.stdin.end(options.input ?? '');
  });
}
