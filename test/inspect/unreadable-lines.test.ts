/** What inspect says to do with a log works although some of its lines cannot be read. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { receval } from '../cli/receval.ts';
import { MADE_AT } from './made-log.ts';

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
