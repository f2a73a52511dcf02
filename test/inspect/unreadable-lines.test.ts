/** What inspect says to do with a log works although some of its lines cannot be read. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { Rows } from '../../src/inspect/inspected.ts';
import { inspect } from '../../src/inspect/inspection.ts';
import { receval } from '../cli/receval.ts';
import { MADE_AT, sampledFile } from './made-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-unreadable-'));
afterAll(() => rmSync(folder, { recursive: true }));

const numbers = Array.from({ length: 60 }, (_, n) => n);
const BROKEN = ['{"requestId":"r1","ts":', '[1,2]', 'null', '"text"'];

function write(name: string, rows: readonly object[]): void {
  const lines = rows.map((row) => JSON.stringify(row));
  lines.splice(30, 0, ...BROKEN);
  const text = lines.map((line) => `${line}\n`).join('');
  writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(text) : text);
}

async function commandFor(code: string, ...files: readonly string[]): Promise<string> {
  const { stdout } = await receval(['inspect', ...files, '--output', 'json'], { cwd: folder });
  const { findings }: { readonly findings: readonly { readonly code: string; readonly command?: string }[] } =
    JSON.parse(stdout);
  return findings.find((finding) => finding.code === code)?.command ?? '';
}

const run = (command: string) =>
  execFileSync('bash', ['-ec', `set -o pipefail; ${command}`], { cwd: folder, stdio: 'pipe' });
const rowsOf = (name: string) =>
  readFileSync(join(folder, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('with lines that are not JSON, or no objects', () => {
  it.each(['pages.ndjson', 'pages.ndjson.gz'])('pages of lists are put together: %s', async (name) => {
    const page = (n: number, offset: number) => ({
      requestId: `r${n}`,
      ts: MADE_AT + 10_000 * n + offset,
      offset,
      items: [0, 1, 2].map((i) => `p${n % 7}-${offset + i}`),
    });
    write(
      name,
      numbers.flatMap((n) => [page(n, 0), page(n, 3)]),
    );
    write(
      'clicks.ndjson',
      numbers.map((n) => ({
        requestId: `r${n}`,
        ts: MADE_AT + 10_000 * n + 900,
        itemId: `p${n % 7}-4`,
        action: 'click',
      })),
    );
    run(await commandFor('lists_in_pages', name, 'clicks.ndjson'));
    const whole = rowsOf('whole-lists.ndjson');
    expect(whole.map(({ requestId, items }) => [requestId, items.length])).toEqual(numbers.map((n) => [`r${n}`, 6]));
  });

  it('records are sorted, in one file and in several', async () => {
    const list = (n: number) => ({
      requestId: `r${n}`,
      ts: MADE_AT + 60_000 * ((37 * n) % 60),
      items: ['a', 'b', 'c'],
    });
    write('a.ndjson', numbers.map(list));
    write(
      'b.ndjson',
      numbers.map((n) => ({ ...list(n), requestId: `s${n}` })),
    );
    write(
      'done.ndjson',
      numbers.map((n) => ({ requestId: `r${n}`, ts: list(n).ts + 900, itemId: 'b', action: 'click' })),
    );
    for (const lists of [['a.ndjson'], ['a.ndjson', 'b.ndjson']]) {
      run(await commandFor('out_of_order', ...lists, 'done.ndjson'));
      for (const name of lists) {
        const times = rowsOf(`mended-${name}`).map(({ ts }) => ts);
        expect(times).toHaveLength(60);
        expect(times).toEqual(times.toSorted((x, y) => x - y));
      }
    }
  });
});

it('records of a topic that are nested too deep are named by their partition and offset', () => {
  const few = numbers.slice(0, 40);
  const lists = few.map((n) => ({ requestId: `r${n}`, ts: MADE_AT + n * 1000, items: ['a', 'b'] }));
  const clicks = few.map((n) => ({ requestId: `r${n}`, ts: MADE_AT + n * 1000 + 500, itemId: 'a', action: 'click' }));
  const rows = new Rows();
  for (const click of clicks) rows.add(JSON.stringify(click), undefined);
  rows.add(`{"x":${'['.repeat(5000)}${']'.repeat(5000)}}`, undefined);
  const log = { partition: 3, offsets: [...few, 77] };
  const topic = { ...sampledFile('clicks', rows.rows), bad: rows.bad, log };
  const { findings } = inspect([sampledFile('lists', lists), topic], {
    now: MADE_AT + 9e8,
    grades: new Set(),
    weights: undefined,
  });
  expect(findings).toContainEqual(
    expect.objectContaining({
      code: 'bad_rows',
      cause:
        '1 of 41 sampled records of clicks, partition 3, were left out here; the one at offset 77 is nested deeper than 100 levels.',
    }),
  );
});
