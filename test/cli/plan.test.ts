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

it('takes --values more than once, but each dimension only once', async () => {
  const named = ['plan', '--lists-per-second', '1', '--output', 'json', '--config', 'named.yaml'];
  writeFileSync(join(folder, 'named.yaml'), 'cohorts: [[], [country, device]]\n');
  const plan = (...values: readonly string[]) =>
    run(process.execPath, [RECEVAL, ...named, ...values.flatMap((one) => ['--values', one])], { cwd: folder });
  const { stdout } = await plan('country=4', 'device=5');
  expect(JSON.parse(stdout)).toMatchObject({ traffic: { values: { country: 4, device: 5 } } });
  for (const twice of [['country=4', 'device=5', 'country=6'], ['country=4,device=5,country=6']]) {
    expect(await plan(...twice)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--values: country is named twice'),
    });
  }
  expect(await plan('country=4=5,device=2')).toMatchObject({ code: 2, stderr: expect.stringContaining('found "4=5"') });
});
