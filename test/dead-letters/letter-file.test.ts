import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DeadLetter, lineOf } from '../../src/dead-letters/letter.ts';
import { LetterFile, type LetterFileOptions } from '../../src/dead-letters/letter-file.ts';
import { LetterRefused } from '../../src/dead-letters/letter-queue.ts';
import { letter } from './letters.ts';

let top: string;
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'receval-letters-'));
});
afterAll(() => rmSync(top, { recursive: true }));

let folders = 0;
function folder(): string {
  const path = join(top, String(folders++));
  mkdirSync(path);
  return path;
}

async function written(options: LetterFileOptions, batches: readonly (readonly DeadLetter[])[]): Promise<void> {
  const file = new LetterFile(options);
  for (const batch of batches) await file.write(batch);
  await file.close();
}

/** The lines of all files, the oldest first. */
function lines(path: string): string[] {
  const all: string[] = [];
  for (let n = 1000; n >= 0; n--) {
    const name = n === 0 ? path : `${path}.${n}`;
    if (existsSync(name)) all.push(...readFileSync(name, 'utf8').split(/(?<=\n)/));
  }
  return all;
}

describe('a file of letters', () => {
  it('holds the newest letters, whole lines in order, and never more than its bound', async () => {
    const sizes = fc.array(fc.array(fc.nat(300), { minLength: 1, maxLength: 10 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 4 }), fc.nat(12), async (batches, files, stop) => {
        const path = join(folder(), 'letters.ndjson');
        const options = { path, files, fileBytes: 1000 };
        let n = 0;
        const all = batches.map((batch) => batch.map((size) => letter(n++, 'x'.repeat(size))));
        // Another process continues where one has ended.
        await written(options, all.slice(0, stop));
        await written(options, all.slice(stop));
        const found = lines(path);
        const expected = all.flat().map(lineOf);
        expect(found).toEqual(expected.slice(expected.length - found.length));
        const there = readdirSync(join(path, '..')).map((name) => statSync(join(path, '..', name)));
        expect(there.length).toBeLessThanOrEqual(files);
        for (const { size } of there) expect(size).toBeLessThanOrEqual(1000);
        const bytes = expected.reduce((sum, line) => sum + line.length, 0);
        // One file may always be cut short by the line that did not fit.
        if (bytes <= 1000) expect(found.length).toBe(expected.length);
      }),
      { numRuns: 80 },
    );
  });

  it('is for nobody else to read', async () => {
    const path = join(folder(), 'letters.ndjson');
    const before = process.umask(0);
    try {
      await written({ path, files: 2, fileBytes: 1000 }, [[letter(1, 'x'.repeat(600))], [letter(2, 'x'.repeat(600))]]);
    } finally {
      process.umask(before);
    }
    for (const name of [path, `${path}.1`]) expect(statSync(name).mode & 0o777).toBe(0o600);
  });

  it('follows no symbolic link, neither for the first file nor for those set aside, and says what to do', async () => {
    const top = folder();
    const path = join(top, 'letters.ndjson');
    const victim = join(top, 'victim');
    writeFileSync(victim, 'mine\n');
    for (const target of [victim, join(top, 'nowhere')]) {
      symlinkSync(target, path);
      await expect(written({ path, files: 2, fileBytes: 1000 }, [[letter(1)]])).rejects.toThrow(
        /letters\.ndjson is a symbolic link, which is not followed: remove it/,
      );
      rmSync(path);
    }
    expect(existsSync(join(top, 'nowhere'))).toBe(false);
    for (const n of [1, 2]) symlinkSync(victim, `${path}.${n}`);
    await written(
      { path, files: 3, fileBytes: 1000 },
      [1, 2, 3, 4].map((n) => [letter(n, 'x'.repeat(500))]),
    );
    expect(readFileSync(victim, 'utf8')).toBe('mine\n');
    for (const n of [1, 2]) expect(lstatSync(`${path}.${n}`).isFile()).toBe(true);
  });

  it('says once which files others may read or write, those set aside among them, and stays silent for its own', async () => {
    const path = join(folder(), 'letters.ndjson');
    const told: (readonly string[])[] = [];
    const options = { path, files: 3, fileBytes: 1000, onOpenToOthers: (paths: readonly string[]) => told.push(paths) };
    const big = [1, 2, 3, 4, 5].map((n) => [letter(n, 'x'.repeat(500))]);
    await written(options, big);
    await written(options, big);
    expect(told).toEqual([]);
    chmodSync(path, 0o640);
    chmodSync(`${path}.2`, 0o602);
    await written(options, big);
    expect(told).toEqual([[path, `${path}.2`]]);
  });

  it('refuses a line that is longer than a file, and writes none of its batch', async () => {
    const path = join(folder(), 'letters.ndjson');
    const file = new LetterFile({ path, files: 2, fileBytes: 1000 });
    await expect(file.write([letter(1), letter(2, 'x'.repeat(1000))])).rejects.toThrow(LetterRefused);
    expect(existsSync(path)).toBe(false);
  });

  it('reports a full disk, and a folder that is not there; then goes on when it is mended', async () => {
    const full = new LetterFile({ path: '/dev/full', files: 2, fileBytes: 1000 });
    await expect(full.write([letter(1)])).rejects.toThrow(/ENOSPC/);
    const missing = join(folder(), 'later');
    const file = new LetterFile({ path: join(missing, 'letters.ndjson'), files: 2, fileBytes: 1000 });
    await expect(file.write([letter(1)])).rejects.toThrow(/ENOENT/);
    mkdirSync(missing);
    await file.write([letter(2)]);
    await file.close();
    expect(lines(join(missing, 'letters.ndjson'))).toEqual([lineOf(letter(2))]);
  });

  it('leaves what stood there before', async () => {
    const path = join(folder(), 'letters.ndjson');
    writeFileSync(path, 'mine\n');
    await written({ path, files: 2, fileBytes: 1000 }, [[letter(1)]]);
    expect(lines(path)).toEqual(['mine\n', lineOf(letter(1))]);
  });
});
