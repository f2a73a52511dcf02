import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receval } from './receval.ts';

const T = Date.parse('2026-11-21T08:00:00.000Z');
const LISTS = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
const OBJECTS = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
const REQUESTS = Array.from({ length: 40 }, (_, n) => n);
/** Of these records something is nested. */
const DEEP = REQUESTS.filter((n) => n % 10 === 3);

let folder: string;
const write = (name: string, lines: readonly string[]) => writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
const json = (fields: object, more: string): string => `${JSON.stringify(fields).slice(0, -1)}${more}}`;
const run = (...args: readonly string[]) => receval(args, { cwd: folder });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-deep-'));
  const list = (n: number, more: string) => json({ requestId: `r${n}`, ts: T + n * 1000, items: ['a', 'b'] }, more);
  const click = (n: number, more: string) =>
    json({ requestId: `r${n}`, ts: T + 500 + n * 1000, itemId: 'b', action: 'click' }, more);
  const at = (n: number, more: string) => (DEEP.includes(n) ? more : '');
  write(
    'lists.ndjson',
    REQUESTS.map((n) => list(n, at(n, `,"x":${OBJECTS}`))),
  );
  write(
    'clicks.ndjson',
    REQUESTS.map((n) => click(n, at(n, `,"x":${LISTS}`))),
  );
  // Within texts, which maps and inspect look into.
  write(
    'texts.ndjson',
    REQUESTS.map((n) => list(n, `,"x":${JSON.stringify(OBJECTS)},"y":${JSON.stringify(LISTS)}`)),
  );
  write(
    'items.ndjson',
    REQUESTS.map((n) => json({ requestId: `r${n}`, ts: T + n * 1000 }, `,"items":${at(n, LISTS) || '["a","b"]'}`)),
  );
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const cells = (n: number) => [`r${n}`, T + n * 1000, at(n, quoted(LISTS)) || 'a|b', at(n, quoted(OBJECTS))].join();
  write('lists.csv', ['requestId,ts,items,cohorts', ...REQUESTS.map(cells)]);
  write('graded.ndjson', [`{"grades":${LISTS}}`]);
  write('maps.yaml', [
    'inputs:',
    '  impressions:',
    '    adapter: {maps: [{when: {/x: other}, map: {requestId: /requestId, ts: /ts, items: /items}}, {map: {requestId: /requestId, ts: /ts, items: /items, userId: /y/0/0, cohorts.c: /x/a/a/a}}]}',
  ]);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('records that are nested 20,000 deep', () => {
  it('are counted and named by inspect', async () => {
    const { stdout, stderr } = await run('inspect', 'lists.ndjson', 'clicks.ndjson', '--output', 'json');
    expect(stderr).toBe('');
    const { files, findings } = JSON.parse(stdout);
    for (const [f, name] of ['lists.ndjson', 'clicks.ndjson'].entries()) {
      expect(files[f]).toMatchObject({ name, records: 40 });
      expect(files[f].bad).toEqual(DEEP.map((n) => ({ row: n + 1, why: 'is nested deeper than 100 levels' })));
      expect(findings).toContainEqual(
        expect.objectContaining({
          code: 'bad_rows',
          message: `4 of 40 records of ${name} were left out here; record 4 is nested deeper than 100 levels.`,
        }),
      );
    }
  });

  it.each([['texts.ndjson'], ['items.ndjson'], ['lists.csv']])('in %s end neither inspect nor replay', async (file) => {
    for (const form of ['json', 'text']) {
      const { code, stdout, stderr } = await run('inspect', file, 'clicks.ndjson', '--output', form);
      expect([code === 0 || code === 1, stderr]).toEqual([true, '']);
      expect(stdout).toContain(file);
    }
    const invalid = file === 'texts.ndjson' ? 0 : DEEP.length;
    // The map takes no list of texts between bars.
    for (const config of file === 'lists.csv' ? [[]] : [[], ['--config', 'maps.yaml']]) {
      const kept = [
        '--dead-letters',
        `letters-${file}-${config.length}`,
        '--dropped',
        `dropped-${file}-${config.length}`,
      ];
      const args = ['--impressions', file, '--feedback', 'clicks.ndjson', '--close-all', '--output', 'json'];
      const { stdout, stderr } = await run('replay', ...args, ...config, ...kept);
      expect(stderr).not.toMatch(/stack|receval:/);
      const { impressions, feedback } = JSON.parse(stdout);
      expect(impressions).toMatchObject({ read: 40, accepted: 40 - invalid });
      expect(feedback).toMatchObject({ read: 40, attributed: 40 - invalid });
      const letters = invalid === 0 ? [] : readFileSync(join(folder, kept[1]), 'utf8').trim().split('\n');
      expect(letters).toHaveLength(invalid);
    }
  });

  it('are named by score', async () => {
    const { code, stderr } = await run('score', '--lists', 'graded.ndjson', '--measures', 'mrr');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^receval: graded.ndjson, line 1: nested deeper than 100 levels; expected /);
  });
});
