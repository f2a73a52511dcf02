import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'receval-end-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const PROCESS = pathToFileURL(resolve(import.meta.dirname, '../../src/cli/process.ts')).href;

/** Runs a service that runs and stops like this, in a process that something keeps alive, and as a command does. */
function ended(run: string, stop: string, stopped: string): Promise<{ readonly code: unknown; readonly told: string }> {
  const file = join(folder, 'service.mjs');
  writeFileSync(
    file,
    `import { runToEnd } from ${JSON.stringify(PROCESS)};
    const never = new Promise(() => {});
    setInterval(() => {}, 1000);
    try {
      await runToEnd({ run: async () => { ${run} }, stop: async () => { ${stop} } }, ${stopped}, 200);
    } catch (error) {
      process.stderr.write(error.message);
      process.exitCode = 3;
    }`,
  );
  return new Promise((done) => {
    execFile(process.execPath, ['--import', TSX, file], (error, _, stderr) => {
      done({ code: error === null ? 0 : error.code, told: stderr });
    });
  });
}

const FAILS = 'throw new Error("the run failed")';
const HANGS = 'await never';

it('a service that failed exits with the code of the failure, however long its stop takes', async () => {
  expect(await ended(FAILS, HANGS, 'never')).toEqual({ code: 3, told: 'the run failed' });
  expect(await ended(FAILS, '', 'never')).toEqual({ code: 3, told: 'the run failed' });
  expect(await ended(FAILS, 'throw new Error("the stop failed")', 'never')).toEqual({
    code: 3,
    told: 'the run failed',
  });
});

it('a service that was stopped exits with 0 also if it hangs, and with a failure that shows at the stop', async () => {
  expect(await ended(HANGS, HANGS, 'Promise.resolve()')).toEqual({ code: 0, told: '' });
  expect(await ended('', '', 'Promise.resolve()')).toEqual({ code: 0, told: '' });
  expect(await ended(HANGS, 'throw new Error("the stop failed")', 'Promise.resolve()')).toEqual({
    code: 3,
    told: 'the stop failed',
  });
});
