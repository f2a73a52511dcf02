/** Variants that are logged as 0 and 1: text is asked for, and a command writes it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
    ['whole numbers', (n: number) => String(n % 2), 'such as "0" in place of 0'],
    ['yes and no', (n: number) => String(n % 2 === 0), 'such as "true" in place of true'],
    ['numbers, and nothing in some records', (n: number) => (n % 5 === 4 ? 'null' : String(n % 2)), 'in place of 0'],
  ])('%s becomes text by the command that is shown', async (name, arm, such) => {
    const paths = write(name.replaceAll(/\W/g, '-'), arm);
    const [wrong, ...others] = wrongIn(await inspected(paths));
    expect(others).toEqual([]);
    expect(wrong).toMatchObject({ code: 'most_invalid' });
    expect(wrong.remedy).toContain('Write /arm as text');
    expect(wrong.remedy).toContain(such);
    execFileSync('sh', ['-c', wrong.command ?? 'false'], { cwd: folder });
    const mended = paths[0].replace(`${folder}/`, `${folder}/mended-`);
    const again = await inspected([mended, paths[1]]);
    expect(wrongIn(again)).toEqual([]);
    expect(readFileSync(mended, 'utf8')).not.toContain('"null"');
  });
});
