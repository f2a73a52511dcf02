import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('run.ts', import.meta.url));

it('npm run simulate:faults says what it has found, and ends', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, '--seeds', '2', '--seed', '4000'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  const code = await new Promise((ended) => child.once('close', ended));
  expect(printed).toMatch(/\nlost 0, double 0, different 0\n$/);
  expect(code).toBe(0);
});
