import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { configCommand } from '../../src/cli/config.ts';

let folder = '';
let printed = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-config-'));
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

async function run(...argv: readonly string[]): Promise<void> {
  await configCommand()
    .exitOverride()
    .parseAsync([...argv], { from: 'user' });
}

test('check prints ok and all settings, without secrets', async () => {
  const file = join(folder, 'c.yaml');
  writeFileSync(file, 'redis: {url: "redis://:c4n4ry@h"}\nnamespace: shop\n');
  await run('check', '--config', file);
  const [first, second] = parseAllDocuments(printed).map((document): unknown => document.toJS());
  expect(first).toBe('ok');
  expect(second).toMatchObject({ namespace: 'shop', redis: { url: 'redis://***@h' }, windows: ['5m', '1h', '24h'] });
});

test('check refuses a wrong file with exit code 2 and all of its problems', async () => {
  const file = join(folder, 'c.yaml');
  writeFileSync(file, 'namespce: shop\npaneSize: 1\n');
  const problems = [{ path: 'paneSize' }, { path: 'namespce' }].map((problem) => expect.objectContaining(problem));
  await expect(run('check', '--config', file)).rejects.toThrow(expect.objectContaining({ exitCode: 2, problems }));
  expect(printed).toBe('');
});

test('check refuses a wrong catalogue with exit code 2 and the line', async () => {
  const file = join(folder, 'c.yaml');
  const items = join(folder, 'items.csv');
  writeFileSync(items, 'item\na\na\n');
  writeFileSync(file, `{catalogue: ${items}, measures: [coverage, mrr]}`);
  const problems = [expect.objectContaining({ path: `${items}:3` })];
  await expect(run('check', '--config', file)).rejects.toThrow(expect.objectContaining({ exitCode: 2, problems }));
  expect(printed).toBe('');
});

test('schema prints JSON', async () => {
  await run('schema');
  expect(JSON.parse(printed)).toMatchObject({ type: 'object' });
});
