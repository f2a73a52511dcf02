/** Empty lists from the log to what is printed (specification: measures 5.11, statistics 5.6). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receval } from '../cli/receval.ts';

const T = Date.parse('2026-11-21T08:00:00Z');
const CONFIG = `
attribution: {horizons: [1m]}
cohorts: [[], [variant]]
experiments: {default: {control: control, variants: {control: 1, treatment: 1}, primary: hit@10}}
measures: [hit@10, mrr, mrr(min_list_length=1), mrr(empty=skip), mrr(empty=one), mrr(per=user), recall(avg=micro)@5, ctr, length]
`;
const LISTS = 1200;

interface Row {
  readonly labels: Readonly<Record<string, string>>;
  readonly impressions: number;
  readonly empty?: number;
  readonly measures: Readonly<Record<string, { readonly value: number | null; readonly n: number }>>;
}

const lists = Array.from({ length: LISTS }, (_, n) => {
  const user = n % 300;
  const variant = user % 2 === 0 ? 'control' : 'treatment';
  // Of the four searches of a user the treatment finds nothing for one, or for three: for half of all.
  const isEmpty = variant === 'treatment' && Math.floor(n / 300) < (user % 4 === 1 ? 1 : 3);
  return { requestId: `r${n}`, ts: T + n * 1000, userId: `u${user}`, variant, items: isEmpty ? [] : ['a', 'b', 'c'] };
});
const isClicked = (n: number): boolean => lists[n].items.length > 0 && Math.floor(n / 2) % 5 >= 2;
/** On the second item in the control, on the first one in the treatment. */
const clicks = lists.flatMap(({ requestId, ts, variant }, n) => {
  return isClicked(n) ? [{ requestId, ts: ts + 1000, itemId: variant === 'control' ? 'b' : 'a', action: 'click' }] : [];
});
/** Who scrolls to the end asks for a page that does not exist. */
const paged = lists.flatMap((list, n) => [list, ...(n % 3 === 0 ? [{ ...list, offset: 10, items: [] }] : [])]);
const clickedIn = (variant: string): number =>
  lists.filter((list, n) => list.variant === variant && isClicked(n)).length;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-empty-'));
  const lines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
  writeFileSync(join(folder, 'receval.yaml'), CONFIG);
  writeFileSync(join(folder, 'shown.ndjson'), lines(lists));
  writeFileSync(join(folder, 'paged.ndjson'), lines(paged));
  writeFileSync(join(folder, 'clicks.ndjson'), lines(clicks));
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (command: string, shown: string, ...flags: readonly string[]) =>
  receval([command, '--impressions', shown, '--feedback', 'clicks.ndjson', '--close-all', ...flags], { cwd: folder });

async function rowsOf(shown: string): Promise<ReadonlyMap<string, Row>> {
  const { stdout } = await run('replay', shown, '--output', 'json');
  const { rows } = JSON.parse(stdout) as { readonly rows: readonly Row[] };
  return new Map(rows.map((row) => [row.labels['variant'] ?? '', row]));
}

describe('a treatment that finds nothing for half of its searches', () => {
  it('has half the means of measures of grades, and what leaves empty lists out as before', async () => {
    const rows = await rowsOf('shown.ndjson');
    const value = (variant: string, name: string) => rows.get(variant)?.measures[name];
    expect([rows.get('control')?.empty, rows.get('treatment')?.empty, rows.get('')?.empty]).toEqual([
      undefined,
      300,
      300,
    ]);
    const [one, other] = [clickedIn('control'), clickedIn('treatment')];
    expect([one, other]).toEqual([360, expect.closeTo(180, -1)]);
    const expected: readonly (readonly [name: string, above: number, n: number])[] = [
      ['hit@10', other, 600],
      ['mrr', other, 600],
      ['mrr(min_list_length=1)', other, 300],
      ['mrr(empty=skip)', other, other],
      // Lists without a click count 1, but not those that are empty.
      ['mrr(empty=one)', 300, 600],
      ['mrr(per=user)', (other / 600) * 150, 150],
      ['recall(avg=micro)@5', other, other],
      ['ctr', other, 900],
      ['length', 900, 600],
    ];
    for (const [name, above, n] of expected) {
      expect([name, value('treatment', name)]).toEqual([
        name,
        expect.objectContaining({ value: expect.closeTo(above / n, 9), n }),
      ]);
    }
    expect(value('control', 'hit@10')).toMatchObject({ value: one / 600, n: 600 });
  });

  it('is worse, with the share of its empty lists beside it, in words, in JSON and among the findings', async () => {
    const table = await run('compare', 'shown.ndjson', '--measures', 'hit@10,ctr');
    expect([table.code, table.stdout]).toEqual([3, expect.stringContaining('treatment: regressed (primary_worse)')]);
    expect(table.stdout).toMatch(/ treatment +150 +600 +50 %\n/);
    expect(table.stdout).toContain(
      '\n50 % of the lists of treatment are empty, 0 % of those of control (p <0.0001): they count 0 in hit@10, so that is part of the difference.\n',
    );
    expect(table.stdout).toContain(
      'empty_lists: 25 % of the impressions are empty lists (300 of 1,200; control 0 %, treatment 50 %)',
    );
    const { emptyLists, notes } = JSON.parse(
      (await run('compare', 'shown.ndjson', '--measures', 'hit@10', '--output', 'json')).stdout,
    );
    expect(emptyLists).toEqual({ control: { share: 0 }, treatment: { share: 0.5, p: expect.any(Number) } });
    expect(notes).toContain('empty_lists');
    const page = await run('compare', 'shown.ndjson', '--measures', 'hit@10', '--output', 'html');
    expect(/50.% of the lists of treatment are empty, 0.% of those of control/.test(page.stdout)).toBe(true);
  });

  it('has the same means where people ask for pages that do not exist', async () => {
    const more = await rowsOf('paged.ndjson');
    for (const [variant, row] of await rowsOf('shown.ndjson')) {
      const other = more.get(variant);
      expect(other?.impressions).toBeGreaterThan(row.impressions);
      expect(other?.empty).toBe(row.empty);
      for (const name of Object.keys(row.measures).filter((one) => one !== 'length')) {
        expect([name, other?.measures[name].value, other?.measures[name].n]).toEqual([
          name,
          row.measures[name].value,
          row.measures[name].n,
        ]);
      }
    }
  });
});
