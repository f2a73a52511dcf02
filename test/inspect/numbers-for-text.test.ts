/** Variants that are logged as 0 and 1 are read as text. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MADE_AT } from './made-log.ts';
import { inspected, writeLogs, wrongIn } from './written-logs.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-numbers-for-text-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** @param arm of a list, as it stands in the JSON */
function write(name: string, arm: (n: number) => string): readonly string[] {
  const numbers = Array.from({ length: 40 }, (_, n) => n);
  const lists = numbers.map(
    (n) => `{"rid":"r${n}x","at":${MADE_AT + n * 9000},"user":"u${n}","arm":${arm(n)},"skus":["a${n}","b","c"]}\n`,
  );
  const clicks = numbers.map((n) => `{"rid":"r${n}x","at":${MADE_AT + n * 9000 + 4000},"sku":"b","type":"click"}\n`);
  return writeLogs(folder, name, lists, clicks);
}

describe('a field of text that holds', () => {
  it.each([
    ['whole numbers', (n: number) => String(n % 2), ['0', '1']],
    ['yes and no', (n: number) => String(n % 2 === 0), ['true', 'false']],
    ['numbers, and nothing in some records', (n: number) => (n % 5 === 4 ? 'null' : String(n % 2)), ['0', '1']],
  ])('%s is read as text by the map that is proposed', async (name, arm, variants) => {
    const found = await inspected(write(name.replaceAll(/\W/g, '-'), arm));
    expect([wrongIn(found), found.refused]).toEqual([[], []]);
    expect(found.mends[0].finding.cause).toMatch(/^\/arm of .* \(variant\) holds (0|true), and not a text\.$/);
    expect([...found.facts.variants.keys()].sort()).toEqual([...variants].sort());
  });
});
