/** Ids of 64 bits: as JSON numbers they lose digits, and a command writes them as text without a loss. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MADE_AT } from './made-log.ts';
import { inspected, writeLogs, wrongIn } from './written-logs.ts';

const numbers = Array.from({ length: 40 }, (_, n) => n);
const SAFE = 2n ** 53n - 1n;
const item = (n: number): number => 100 + ((7 * n) % 23);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-large-ids-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Lists and clicks whose ids count from this number on; each id as it stands in the JSON. */
function write(name: string, id: (n: number) => string, items: (n: number) => string): readonly string[] {
  const lists = numbers.map(
    (n) =>
      `{"rid":${id(n)},"at":${MADE_AT + n * 9000},"user":${n % 7},"skus":[${[n, n + 1, n + 2].map(items).join(', ')}]}\n`,
  );
  const clicks = numbers.map(
    (n) => `{"rid":${id(n)},"at":${MADE_AT + n * 9000 + 4000},"sku":${items(n)},"type":"click"}\n`,
  );
  return writeLogs(folder, name, lists, clicks);
}

const small = (n: number): string => String(item(n));

describe('ids as numbers', () => {
  it.each([
    ['up to 2^53 - 1', (n: number) => SAFE - 39n + BigInt(n), 0],
    ['from 2^53 on', (n: number) => SAFE + 1n + BigInt(n), 2],
    ['of 64 bits', (n: number) => 1_860_000_000_000_003_792n + 4096n * BigInt(n), 2],
  ])('%s', async (name, id, found) => {
    const wrong = wrongIn(await inspected(write(name.replaceAll(/\W/g, '-'), (n) => String(id(n)), small)));
    expect(wrong.map(({ code }) => code)).toEqual(Array.from({ length: found }, () => 'ids_too_large'));
  });

  it.each([
    ['of requests', (n: number) => String(1_860_000_000_000_003_792n + BigInt(n)), small],
    ['of items', (n: number) => `"r${n}x"`, (n: number) => String(1_860_000_000_000_003_792n + BigInt(item(n)))],
  ])('become text without a loss by the commands that are shown: %s', async (name, id, items) => {
    const paths = write(name.replaceAll(' ', '-'), id, items);
    const wrong = wrongIn(await inspected(paths));
    expect(wrong.map(({ code }) => code)).toEqual(['ids_too_large', 'ids_too_large']);
    for (const { command } of wrong) execFileSync('sh', ['-c', command ?? 'false'], { cwd: folder });
    const mended = paths.map((path) => path.replace(`${folder}/`, `${folder}/mended-`));
    expect(readFileSync(mended[1], 'utf8')).toContain(
      name === 'of requests' ? '"1860000000000003793"' : '"1860000000000003899"',
    );
    const again = await inspected(mended);
    expect(wrongIn(again)).toEqual([]);
    expect(again.facts.joining).toMatchObject({ asked: 40, known: 40, inList: 40 });
  });
});
