/** Keeps docs/connections.md honest: its configurations are accepted, and its messages are those of the code. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { run } from '../services/commands.ts';
import { RECEVAL } from '../tested.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/connections.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'receval-manual-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const examples = [...PAGE.matchAll(/^## (.+)$|^```yaml\n([\s\S]*?)^```$/gm)].reduce<{
  readonly heading: string;
  readonly found: readonly (readonly [string, string])[];
}>(
  ({ heading, found }, [, title, yaml]) =>
    yaml === undefined ? { heading: title, found } : { heading, found: [...found, [heading, yaml]] },
  { heading: '', found: [] },
).found;

describe('receval config check accepts the example of', () => {
  test.each(examples.map(([heading, yaml], i) => [`${heading} (${i})`, yaml] as const))('%s', async (name, yaml) => {
    const file = join(folder, `${name.replace(/\W/g, '')}.yaml`);
    writeFileSync(file, yaml);
    const { code, stdout, stderr } = await run(process.execPath, [RECEVAL, 'config', 'check', '--config', file]);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^ok\n/);
    expect(code).toBe(0);
  });
});

test('there is an example for each way in', () => {
  expect(examples).toHaveLength(9);
});

test('the messages of the table stand in the code', () => {
  const source = (path: string): string[] =>
    readdirSync(path, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  const code = ['connections', 'consumers/source', 'accumulators/store', 'service'].flatMap((place) =>
    source(join(ROOT, 'src', place)),
  );
  const table = PAGE.slice(PAGE.indexOf('## What the messages mean'));
  const messages = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]);
  expect(messages.length).toBeGreaterThan(20);
  expect(messages.filter((message) => !code.some((text) => text.includes(message)))).toEqual([]);
});
