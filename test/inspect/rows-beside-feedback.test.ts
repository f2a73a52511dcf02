/** One log with a row for each shown item and the clicks beside them: told, with the commands that make two files of it, which read. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleFiles } from '../../src/cli/inspect.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { Inspection } from '../../src/inspect/inspected.ts';
import { inspect } from '../../src/inspect/inspection.ts';
import { configurationOf } from '../../src/inspect/proposed-configuration.ts';
import { replay } from '../../src/replay/file-replay.ts';
import { MADE_AT } from './made-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-rows-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Row {
  readonly time: string;
  readonly kind: string;
  readonly search: string | null;
  readonly person: string;
  readonly sku: string | null;
  readonly rank: number | null;
}

/** Lists of four; of each `clicked`th one an item was clicked, and of some a page was viewed. Users overlap: rows are mixed. */
function rowsOf(clicked: number, isRanked = true): { readonly rows: readonly Row[]; readonly mrr: number } {
  const rows: { readonly at: number; readonly row: Row }[] = [];
  const lists = 60;
  let reciprocals = 0;
  for (let n = 0; n < lists; n++) {
    const at = MADE_AT + 4000 * n;
    const add = (kind: string, later: number, item: number | undefined): void => {
      const time = new Date(at + later).toISOString();
      const [search, sku] = item === undefined ? [null, null] : [`s${n}x`, `p${(7 * n + item) % 23}`];
      rows.push({
        at: at + later,
        row: { time, kind, search, person: `u${n % 19}`, sku, rank: item === undefined || !isRanked ? null : item + 1 },
      });
    };
    for (let i = 0; i < 4; i++) add('impression', 0, i);
    if (n % clicked === 0) {
      add('click', 9000, (n / clicked) % 4);
      reciprocals += 1 / (((n / clicked) % 4) + 1);
    }
    if (n % 3 === 0) add('page_view', 500, undefined);
  }
  rows.sort((a, b) => a.at - b.at);
  return { rows: rows.map(({ row }) => row), mrr: reciprocals / lists };
}

const WRITERS = {
  'events.ndjson': (rows: readonly Row[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  'events.csv': (rows: readonly Row[]) =>
    [Object.keys(rows[0]), ...rows.map((row) => Object.values(row).map((value) => value ?? ''))]
      .map((cells) => `${cells.join(',')}\n`)
      .join(''),
  'events.json': (rows: readonly Row[]) => JSON.stringify(rows),
} as const;

async function look(names: readonly string[]): Promise<Inspection> {
  const given = names.map((name) => ({ path: join(folder, name), role: undefined }));
  return inspect(await sampleFiles(given, 20_000), { now: MADE_AT + 1e7, grades: new Set(), weights: undefined });
}

const wrongIn = ({ findings }: Inspection) => findings.filter(({ level }) => level === 'wrong');

describe('rows of shown items beside clicks', () => {
  it('are told apart where the kinds are numbers', async () => {
    const named = rowsOf(3).rows.flatMap((row) => {
      const kind = { impression: 1, click: 2 }[row.kind];
      return kind === undefined ? [] : [{ ...row, kind }];
    });
    writeFileSync(join(folder, 'events.ndjson'), named.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const [{ code, command }] = wrongIn(await look(['events.ndjson']));
    expect(code).toBe('rows_beside_feedback');
    execFileSync('sh', ['-c', command ?? 'false'], { cwd: folder });
    const split = await look(['shown-events.ndjson', 'done-events.ndjson']);
    expect(split.facts.joining).toMatchObject({ known: 20, inList: 20 });
  });

  it('are told apart also where the user says that the file holds impressions', async () => {
    writeFileSync(join(folder, 'events.csv'), WRITERS['events.csv'](rowsOf(3).rows));
    const [file] = await sampleFiles([{ path: join(folder, 'events.csv'), role: 'impressions' }], 20_000);
    const said = inspect([file], { now: MADE_AT + 1e7, grades: new Set(), weights: undefined });
    expect(wrongIn(said).map(({ code }) => code)).toEqual(['rows_beside_feedback']);
  });

  it('are told apart whatever the kinds are called', async () => {
    const named = rowsOf(3).rows.map((row) => ({
      ...row,
      kind: { impression: 'näytetty', click: 'napsautus' }[row.kind] ?? row.kind,
    }));
    writeFileSync(join(folder, 'events.ndjson'), WRITERS['events.ndjson'](named));
    const [{ code, cause }] = wrongIn(await look(['events.ndjson']));
    expect([code, cause.includes('/kind: näytetty (240)), and feedback beside them (napsautus (20))')]).toEqual([
      'rows_beside_feedback',
      true,
    ]);
  });

  describe.each(['events.ndjson', 'events.csv', 'events.json'] as const)('in %s', (name) => {
    it.each([
      [1, true],
      [2, true],
      [12, true],
      [2, false],
    ])(
      'are told apart, and two files of them give the right numbers: every %ith is clicked, with positions: %s',
      async (clicked, isRanked) => {
        const { rows, mrr } = rowsOf(clicked, isRanked);
        writeFileSync(join(folder, name), WRITERS[name](rows));
        const inspection = await look([name]);
        expect(inspection.files[0].guess?.role).toBe('both');
        expect(inspection.facts.joining.inList).toBe(60 / clicked);
        expect(configurationOf(inspection, { topics: undefined })).toBeUndefined();
        const [{ code, cause, command }] = wrongIn(inspection);
        expect([wrongIn(inspection).length, code]).toEqual([1, 'rows_beside_feedback']);
        expect(cause).toContain(`/kind: impression (240)`);
        execFileSync('sh', ['-c', command ?? 'false'], { cwd: folder });

        const split = await look([`shown-${name}`, `done-${name}`]);
        expect(wrongIn(split)).toEqual([]);
        const written = configurationOf(split, { topics: undefined }) ?? '';
        const settings = loadSettings({ file: 'written', readFile: () => written, env: {}, command: 'replay' });
        const file = (path: string) => [{ path: join(folder, path), defaults: new Map<string, string>() }];
        const result = await replay({
          settings,
          inputs: { impressions: file(`shown-${name}`), feedback: file(`done-${name}`) },
          adapter: undefined,
          order: 'time',
          closeAll: true,
          newId: randomUUID,
          hashSeed: 1,
          onProgress: () => {},
        });
        expect(result.rows.filter(({ by }) => by.length === 0).at(-1)?.measures['mrr']?.value).toBeCloseTo(mrr, 9);
        expect(result.feedback.drops).toMatchObject({ orphan: 0, not_in_list: 0, invalid: 0 });
      },
    );
  });
});
