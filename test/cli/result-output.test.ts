import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receval } from './receval.ts';

const FILES = ['--impressions', 'shop/impressions.ndjson.gz', '--feedback', 'shop/feedback.ndjson.gz'];
const HORIZONS = ['30m', '5m', '1m'];

describe('tables of a replay', () => {
  let folder: string;
  let narrow: string;
  let wide: string;
  const replay = async (...flags: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await receval(['replay', ...FILES, '--close-all', ...flags], { cwd: folder });
    expect(code, stderr).toBe(0);
    // Progress is for terminals.
    expect(stderr).toBe('');
    return stdout;
  };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'receval-tables-'));
    const made = await receval(['simulate', '--to', 'shop', '--events', '3000'], { cwd: folder });
    expect(made.code, made.stderr).toBe(0);
    narrow = await replay();
    wide = await replay('--wide');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The first column of numbers of the rows of one table, from its head on. */
  function rowsOf(text: string, head: string): readonly string[] {
    const lines = text.split('\n');
    const from = lines.findIndex((line) => line.replace(/\s+/g, ' ').startsWith(head));
    expect(from, text).toBeGreaterThanOrEqual(0);
    const to = lines.findIndex((line, i) => i > from && !line.startsWith(' '));
    return lines.slice(from + 1, to).map((line) => line.trim());
  }

  it('are at most 120 columns wide where there is no terminal, and as wide as they are with --wide', () => {
    expect(Math.max(...narrow.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
    expect(Math.max(...wide.split('\n').map((line) => line.length))).toBeGreaterThan(120);
    expect(narrow).not.toContain('±');
    expect(wide).toContain('±');
  });

  it('show the longest horizon first, and of many rows no other', () => {
    for (const text of [narrow, wide]) {
      expect(rowsOf(text, ' horizon ').map((row) => row.split(/\s+/)[0])).toEqual(HORIZONS);
    }
    const cohorts = rowsOf(wide, ' variant country horizon');
    expect(cohorts.length).toBeGreaterThan(12);
    expect(cohorts.slice(0, 3).map((row) => row.split(/\s+/)[2])).toEqual(HORIZONS);
    const shown = rowsOf(narrow, ' variant country horizon');
    expect(shown).toHaveLength(cohorts.length / 3);
    for (const row of shown) expect(row.split(/\s+/)[2]).toBe('30m');
    expect(narrow).toContain('at 30m; --wide also shows the other horizons\n');
    expect(wide).not.toContain('--wide');
  });

  it('tell the n of a row once, and of a measure that has another one with --wide', () => {
    const [first] = rowsOf(wide, ' horizon impressions positives n mrr');
    const [, impressions, , n, mrr] = first.split(/\s{2,}/);
    expect(Number(n.replace(',', ''))).toBeLessThan(Number(impressions.replace(',', '')));
    expect(mrr).toMatch(new RegExp(`^0\\.\\d{6} ± 0\\.\\d{6} \\(n ${impressions}\\)$`));
    expect(narrow).toContain('--wide also shows n of mrr, which is not that of the row\n');
    expect(narrow).not.toContain('(n ');
  });

  it('show 1.96 standard errors behind ±, and say so below', async () => {
    const json = JSON.parse(await replay('--output', 'json'));
    const { value, stderr } = json.rows.find(
      ({ by, horizon }: { by: readonly string[]; horizon: string }) => by.length === 0 && horizon === '30m',
    ).measures['hit@10'];
    expect(wide).toContain(` ${value.toFixed(6)} ± ${(1.96 * stderr).toFixed(6)} `);
    const legend = '± 1.96 standard errors (95 %)\n';
    // One for each table of measures.
    expect(wide.split(legend)).toHaveLength(4);
    expect(narrow).not.toContain(legend);
    const markdown = await replay('--output', 'md', '--measures', 'mrr,hit@10');
    expect(markdown).toContain(`| ${value.toFixed(6)} ± ${(1.96 * stderr).toFixed(6)}`);
    expect(markdown.split(legend)).toHaveLength(4);
    expect(await replay('--output', 'md', '--measures', 'distinct')).not.toContain('±');
  });

  it('of empty files is an error, of one and of two', async () => {
    for (const name of ['a', 'b']) writeFileSync(join(folder, name), '');
    for (const files of [
      ['--events', 'a'],
      ['--events', 'a', 'b'],
      ['--impressions', 'a', '--feedback', 'b'],
    ]) {
      const { code, stdout } = await receval(['replay', ...files], { cwd: folder });
      expect(code).toBe(1);
      expect(stdout).toContain('nothing_counted: There is no impression in the input.');
    }
  });
});
