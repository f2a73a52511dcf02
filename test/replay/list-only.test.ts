import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Finished, receval } from '../cli/receval.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-list-only-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const T = Date.parse('2026-11-21T08:00:00.000Z');
/** Lists C of the worked examples. */
const IMPRESSIONS = ['abc', 'abd', 'ace']
  .map((items, i) => JSON.stringify({ requestId: `r${i}`, ts: T + i, variant: i < 2 ? 'A' : 'B', items: [...items] }))
  .join('\n');
const CATALOGUE = 'item,popularity,category\na,50,x\nb,25,x\nc,10,y\nd,5,y\ne,1,z\nf,,\ng,,\nh,,\ni,,\nj,,\n';
const EXPECTED: readonly (readonly [name: string, value: number])[] = [
  ['coverage', 0.5],
  ['distinct', 5],
  ['diversity', 7 / 9],
  ['duplicated', 0],
  ['entropy', 2.19716],
  ['entropy(norm=max)', 0.946265],
  ['gini', 0.222222],
  ['gini(corrected=yes)', 0.277778],
  ['gini(exposure=log2)', 0.360522],
  ['gini(over=catalogue)', 0.611111],
  ['length', 3],
  ['novelty(users=100)', 2.734404],
  ['popularity', 25.111111],
  ['short', 1],
];

interface Row {
  readonly by: readonly string[];
  readonly horizon: string;
  readonly measures: Readonly<
    Record<string, { value: number | null; n: number; stderr: number | null; reason?: string }>
  >;
}

interface Result {
  readonly catalogue?: { readonly unknownItems: Readonly<Record<string, number>> };
  readonly rows: readonly Row[];
}

let runs = 0;
async function replay(
  config: string,
  impressions: string,
  catalogue: string | Uint8Array = CATALOGUE,
  ...flags: readonly string[]
): Promise<Finished> {
  const cwd = join(folder, String(runs++));
  writeFiles(cwd, {
    'receval.yaml': config,
    'impressions.ndjson': impressions,
    'feedback.ndjson': '',
    'items.csv': catalogue,
  });
  const inputs = ['--impressions', 'impressions.ndjson', '--feedback', 'feedback.ndjson'];
  return receval(['replay', ...inputs, '--output', 'json', ...flags], { cwd });
}

function writeFiles(cwd: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  mkdirSync(cwd);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
}

function resultOf({ code, stdout }: Finished): Result {
  expect(code).toBe(0);
  return JSON.parse(stdout) as Result;
}

const config = (measures: readonly string[], more = ''): string =>
  `{attribution: {horizons: [1m, 5m]}, cohorts: [[], [variant]], catalogue: items.csv, measures: [${measures.map((name) => `"${name}"`)}]${more}}`;

describe('a replay with a catalogue', () => {
  it.each([
    ['plain', CATALOGUE],
    ['gzipped', gzipSync(CATALOGUE)],
  ])('(%s) shows the values of the worked examples, at every horizon', async (_, catalogue) => {
    const result = resultOf(await replay(config(EXPECTED.map(([name]) => name)), IMPRESSIONS, catalogue));
    for (const horizon of ['1m', '5m']) {
      const row = result.rows.find((one) => one.by.length === 0 && one.horizon === horizon);
      for (const [name, value] of EXPECTED) {
        expect(row?.measures[name].value, name).toBeCloseTo(value, 6);
        expect(row?.measures[name].n, name).toBe(3);
      }
      expect(row?.measures['gini']).toMatchObject({ stderr: null, reason: 'no_vector' });
    }
    expect(result.catalogue).toEqual({ unknownItems: { '1m': 0, '5m': 0 } });
  });

  it('keeps items for everything alone, or for the sets that are asked for', async () => {
    const values = async (more: string): Promise<readonly unknown[]> => {
      const { rows } = resultOf(await replay(config(['distinct', 'length'], more), IMPRESSIONS));
      return rows.filter(({ horizon }) => horizon === '1m').map(({ measures }) => measures['distinct'].value);
    };
    expect(await values('')).toEqual([5, null, null]);
    expect(await values(', itemSets: [[], [variant]]')).toEqual([5, 4, 3]);
  });

  it('leaves out and counts what the catalogue does not know, and takes the category of the event', async () => {
    const items = [{ id: 'new', category: 'x' }, { id: 'a', category: 'z' }, { id: 'b' }];
    const impression = JSON.stringify({ requestId: 'r', ts: T, items });
    const names = ['coverage', 'distinct', 'popularity', 'diversity', 'gini(over=catalogue)'];
    const { rows, catalogue } = resultOf(await replay(config(names), impression));
    const value = (name: string): unknown => rows[0].measures[name].value;
    expect(value('distinct')).toBe(3);
    expect(value('coverage')).toBe(0.2);
    expect(value('popularity')).toBe(37.5);
    expect(value('diversity')).toBeCloseTo(2 / 3, 9);
    expect(value('gini(over=catalogue)')).toBeCloseTo(0.8, 12);
    expect(catalogue).toEqual({ unknownItems: { '1m': 1, '5m': 1 } });
  });

  it('has no value above the limit of items, and says so', async () => {
    const at = async (limit: number): Promise<readonly [Finished, unknown]> => {
      const done = await replay(config(['gini', 'distinct'], `, limits: {itemsCounted: ${limit}}`), IMPRESSIONS);
      return [done, resultOf(done).rows[0].measures['gini'].value];
    };
    const [within, value] = await at(5);
    expect(value).toBeCloseTo(0.222222, 6);
    expect(within.stderr).toBe('');
    const [beyond, none] = await at(4);
    expect(none).toBeNull();
    expect(resultOf(beyond).rows[0].measures['distinct'].value).toBe(5);
    expect(beyond.stderr).toContain(
      '2 of 6 rows have no gini and entropy: more items than limits.itemsCounted were shown',
    );
  });

  it('counts empty lists as short, and with a length of 0', async () => {
    const lists = `${IMPRESSIONS}\n${JSON.stringify({ requestId: 'empty', ts: T, items: [] })}`;
    // Without feedback mrr says nothing, which is no failure here.
    const measured = config(['length', 'short(below=3)', 'duplicated', 'popularity', 'mrr', 'mrr(min_list_length=1)']);
    const { rows } = resultOf(await replay(measured, lists, CATALOGUE, '--allow-empty', '--close-all'));
    const { measures } = rows[0];
    expect(measures['length']).toMatchObject({ value: 2.25, n: 4 });
    expect(measures['short(below=3)']).toMatchObject({ value: 0.25, n: 4 });
    expect(measures['duplicated']).toMatchObject({ value: 0, n: 4 });
    expect(measures['popularity'].n).toBe(3);
    expect(measures['mrr'].n).toBe(4);
    expect(measures['mrr(min_list_length=1)'].n).toBe(3);
  });

  it('stops at a catalogue that is wrong, with the line', async () => {
    const done = await replay(config(['coverage']), IMPRESSIONS, 'item\na\na\n');
    expect(done.code).toBe(2);
    expect(done.stderr).toContain('items.csv:3: the item "a" appears twice');
  });
});
