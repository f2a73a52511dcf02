/** Item ids that the lists write otherwise: the command that is shown changes those of the lists, wherever they are. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sampleFiles } from '../../src/cli/inspect.ts';
import { inspect } from '../../src/inspect/inspection.ts';
import { MADE_AT } from './made-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-items-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const numbers = Array.from({ length: 40 }, (_, n) => n);
const places = [0, 1, 2];
const item = (n: number, i: number): string => `sku-${(7 * n + 5 * i) % 23}`;
const time = (n: number): string => new Date(MADE_AT + 9000 * n).toISOString();
const lines = (records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

const LISTS: Readonly<Record<string, (write: (id: string) => string) => string>> = {
  'ids.ndjson': (write) =>
    lines(numbers.map((n) => ({ list: `r${n}x`, time: time(n), shown: places.map((i) => write(item(n, i))) }))),
  'objects.ndjson': (write) =>
    lines(
      numbers.map((n) => ({ list: `r${n}x`, time: time(n), shown: places.map((i) => ({ sku: write(item(n, i)) })) })),
    ),
  'rows.csv': (write) =>
    ['list,time,sku,rank']
      .concat(numbers.flatMap((n) => places.map((i) => `r${n}x,${time(n)},${write(item(n, i))},${i + 1}`)))
      .join('\n'),
};

it.each(
  Object.keys(LISTS).flatMap(
    (name) =>
      [
        [name, 'capitals', (id: string) => id.toUpperCase(), (id: string) => id],
        [name, 'zeros', (id: string) => id.slice(4).padStart(5, '0'), (id: string) => id.slice(4)],
      ] as const,
  ),
)('in %s, with %s', async (name, _, shown, clicked) => {
  writeFileSync(join(folder, name), LISTS[name](shown));
  writeFileSync(
    join(folder, 'clicks.ndjson'),
    lines(numbers.map((n) => ({ list: `r${n}x`, time: time(n), sku: clicked(item(n, n % 3)), event: 'click' }))),
  );
  const look = async (lists: string) => {
    const given = [lists, 'clicks.ndjson'].map((path) => ({ path: join(folder, path), role: undefined }));
    return inspect(await sampleFiles(given, 1000), { now: MADE_AT + 1e7, grades: new Set(), weights: undefined });
  };
  const [{ cause, command }] = (await look(name)).findings;
  expect(cause).toContain('The item ids differ');
  execFileSync('sh', ['-c', command ?? 'false'], { cwd: folder });
  const mended = await look(`mended-${name}`);
  expect(mended.findings.filter(({ level }) => level === 'wrong')).toEqual([]);
  expect(mended.facts.joining).toMatchObject({ known: 40, inList: 40 });
});
