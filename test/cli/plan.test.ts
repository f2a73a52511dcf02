import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { run } from '../services/commands.ts';
import { RECEVAL } from '../tested.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-plan-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'receval.yaml'), 'cohorts: [[]]\n');

/** What `receval plan` says of the state of each worker. */
async function stateOf(workers: number, listsPerSecond = 40_000): Promise<string> {
  const traffic = ['--lists-per-second', String(listsPerSecond), '--partitions', '64', '--workers', String(workers)];
  const { stdout } = await run(process.execPath, [RECEVAL, 'plan', ...traffic], { cwd: folder });
  return stdout.split('\n').find((line) => line.includes('limits.stateBytes')) ?? '';
}

it('says how many workers hold what one cannot', async () => {
  const [, least] = /more than a worker can hold: run (\d+) or more/.exec(await stateOf(4)) ?? [];
  expect(Number(least)).toBeGreaterThan(4);
  expect(await stateOf(Number(least))).toMatch(/GiB *$/);
  expect(await stateOf(Number(least) - 1)).toContain(`more than a worker can hold: run ${least} or more`);
  // With 64 partitions more workers than that have nothing to do.
  expect(await stateOf(1, 400_000)).toContain('more than a worker can hold: take more partitions');
});
