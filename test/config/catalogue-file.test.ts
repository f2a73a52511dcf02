import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCatalogue, withCatalogue } from '../../src/config/catalogue-file.ts';
import { ConfigError } from '../../src/config/problems.ts';
import { fingerprint } from '../../src/unit/fingerprint.ts';
import { load } from './fixture.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-catalogue-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(content: string | Uint8Array): string {
  const path = join(folder, `items-${files++}`);
  writeFileSync(path, content);
  return path;
}

async function problemsOf(content: string, most = 100): Promise<readonly string[]> {
  const path = file(content);
  try {
    await readCatalogue(path, most);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.problems.map((problem) => `${problem.path}: ${problem.message}`.replaceAll(path, 'FILE'));
    }
    throw error;
  }
  throw new Error('nothing is wrong with this file');
}

const CSV = 'item,name,popularity,category\na,Alpha,50,x\nb,"Beta, ""best""",2.5e1,x\n\nc,,0,\n7,,,y\n';
const NDJSON = [
  '{"item":"a","popularity":50,"category":"x","price":3}',
  '{"item":"b","popularity":25,"category":"x"}',
  '{"item":"c","popularity":0,"category":null}',
  '{"item":7,"category":"y"}',
].join('\n');

describe('an item file', () => {
  it.each([
    ['CSV', CSV],
    ['CSV with the marks of Windows', `\ufeff${CSV.replaceAll('\n', '\r\n')}`],
    ['NDJSON', NDJSON],
  ])('as %s, plain or gzipped, says what is known of items', async (_, text) => {
    for (const content of [text, gzipSync(text)]) {
      const items = await readCatalogue(file(content), 4);
      expect(items.size).toBe(4);
      expect(items.mostPopular).toEqual({ item: 'a', popularity: 50 });
      expect(
        ['a', 'b', 'c', '7', 'd'].map((item) => [items.has(item), items.popularity(item), items.category(item)]),
      ).toEqual([
        [true, 50, 'x'],
        [true, 25, 'x'],
        [true, 0, undefined],
        [true, undefined, 'y'],
        [false, undefined, undefined],
      ]);
    }
  });

  it('has one fingerprint however it is written', async () => {
    const prints = await Promise.all(
      [CSV, NDJSON, gzipSync(NDJSON), 'category,item,popularity\ny,7,\n,c,0\nx,b,25\nx,a,50\n'].map(async (content) => {
        const items = await readCatalogue(file(content), 10);
        return [items.fingerprint('item'), items.fingerprint('popularity'), items.fingerprint('category')];
      }),
    );
    expect(new Set(prints.map((print) => print.join())).size).toBe(1);
    expect(new Set(prints[0]).size).toBe(3);
  });

  it('reads back what was written, quotes and all', async () => {
    const item = fc
      .string({ minLength: 1, maxLength: 12 })
      .filter((text) => !/[\r\n\0]/.test(text) && text.trim() !== '');
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(item, { minLength: 1, maxLength: 8 }), async (items) => {
        const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
        const csv = await readCatalogue(file(['item', ...items.map(quoted)].join('\n')), 10);
        const json = await readCatalogue(file(items.map((text) => JSON.stringify({ item: text })).join('\n')), 10);
        expect(items.every((text) => csv.has(text) && json.has(text))).toBe(true);
        expect(csv.fingerprint('item')).toBe(json.fingerprint('item'));
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['name,price\na,1', ['FILE:1: expected a header that names the column "item", such as item,popularity,category']],
    ['item\na\nb\na\n', ['FILE:4: the item "a" appears twice']],
    [
      'item,popularity\na,many\nb,-1\nc,1e999',
      [
        'FILE:2: popularity: expected a number, found "many"',
        'FILE:3: popularity of "b": expected a number from 0, found -1',
        'FILE:4: popularity of "c"',
      ],
    ],
    [
      'item,category\na\n"b,x\n,x',
      [
        'FILE:2: expected 2 fields as in the header, found 1',
        'FILE:3: not CSV',
        'FILE:4: expected an item id, found none',
      ],
    ],
    [
      '{"item":"a"}\nnonsense\n[1]\n{"id":"b"}\n{"item":"c","popularity":"5"}',
      [
        'FILE:2: not JSON',
        'FILE:3: expected a JSON object',
        'FILE:4: item: expected text or a whole number',
        'FILE:5: popularity: expected a number',
      ],
    ],
    ['item\n', ['catalogue: FILE holds no item']],
    ['', ['catalogue: FILE holds no item']],
    [`item\n${'a'.repeat(70_000)}`, ['FILE:2: a line of more than 65536 characters']],
  ])('%j is refused, with its lines', async (content, expected) => {
    const found = await problemsOf(content);
    expect(found.length).toBe(expected.length);
    for (const [i, message] of expected.entries()) expect(found[i]).toContain(message);
  });

  it('with more items than the limit is refused, at the limit it is not', async () => {
    expect((await readCatalogue(file('item\na\nb'), 2)).size).toBe(2);
    expect(await problemsOf('item\na\nb\nc\n', 2)).toEqual(['FILE:4: more than 2 items; raise limits.catalogueItems']);
  });

  it('tells ten mistakes and no more', async () => {
    expect(await problemsOf(`item\n${'a\n'.repeat(50)}`)).toHaveLength(10);
  });

  it('that is not there is named', async () => {
    await expect(readCatalogue(join(folder, 'none.csv'), 9)).rejects.toThrow(
      /catalogue: cannot read .*none\.csv: ENOENT/,
    );
  });
});

describe('the settings of a configuration with a catalogue', () => {
  const path = (): string => file('item,popularity,category\na,50,x\nb,5,y\n');

  it('hold what stands in it', async () => {
    const settings = await withCatalogue(load(`{catalogue: ${path()}, measures: [coverage, mrr]}`));
    expect(settings.itemFile?.size).toBe(2);
    expect((await withCatalogue(load('measures: [mrr]'))).itemFile).toBeUndefined();
  });

  it('must fit the measures', async () => {
    await expect(withCatalogue(load(`{catalogue: ${path()}, measures: [novelty(users=49)]}`))).rejects.toThrow(
      'measures: novelty(users=49): the item "a" of the catalogue has popularity 50, more than users=49',
    );
    await expect(withCatalogue(load(`{catalogue: ${file('item\na\n')}, measures: [popularity]}`))).rejects.toThrow(
      'measures: popularity: no item of the catalogue has a popularity',
    );
  });

  it('have another shape only where what changed in the file shapes sums', async () => {
    const shapeOf = async (text: string, measures: string): Promise<string> =>
      fingerprint(await withCatalogue(load(`{catalogue: ${file(text)}, measures: [${measures}], experiments: {}}`)))
        .shape;
    const before = 'item,popularity,category\na,50,x\nb,5,y\n';
    const popular = before.replace('50', '40');
    const moved = before.replace(',x', ',z');
    const more = `${before}c,1,x\n`;
    const differs = async (measures: string): Promise<readonly boolean[]> => {
      const first = await shapeOf(before, measures);
      return Promise.all([popular, moved, more].map(async (text) => (await shapeOf(text, measures)) !== first));
    };
    expect(await differs('mrr, gini, distinct')).toEqual([false, false, false]);
    expect(await differs('popularity')).toEqual([true, false, true]);
    expect(await differs('novelty(users=100)')).toEqual([true, false, true]);
    expect(await differs('diversity')).toEqual([false, true, true]);
    expect(await differs('coverage')).toEqual([false, false, true]);
    expect(await differs('gini(over=catalogue)')).toEqual([false, false, true]);
  });

  it('have the shape that they had before there were such measures', () => {
    expect(fingerprint(load('measures: [mrr]')).shape).not.toMatch(/catalogue|itemsCounted/);
    expect(fingerprint(load('{measures: [gini], experiments: {}}')).shape).toContain('"limits.itemsCounted":100000');
    expect(fingerprint(load('{measures: [distinct], experiments: {}}')).shape).not.toContain('itemsCounted');
  });
});
