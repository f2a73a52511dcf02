/** Logs in which something is lacking to make lists of them: what it is, and what stands in its place, is told in the first round. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleFiles } from '../../src/cli/inspect.ts';
import { withoutFolders } from '../../src/cli/sample-file.ts';
import { inspect } from '../../src/inspect/inspection.ts';
import { LogsInFolder, lines, wrongIn } from './logs-in-folder.ts';
import { MADE_AT } from './made-log.ts';

let logs: LogsInFolder;
beforeEach(() => {
  logs = new LogsInFolder();
});
afterEach(() => logs.remove());

const numbers = Array.from({ length: 40 }, (_, n) => n);
const item = (n: number, rank: number): string => `p${(7 * n + rank) % 31}`;
const csv = (rows: readonly (readonly (string | number)[])[]): string =>
  `${rows.map((row) => row.join(',')).join('\n')}\n`;
/** Of 40 lists of three, every second one clicked at rank 1, 2, 3, 1, ... */
const MRR = Number(((7 + 7 / 2 + 6 / 3) / 40).toFixed(6));
const isClicked = (n: number, rank: number): number => Number(n % 2 === 0 && rank === (n / 2) % 3);

describe('rows of shown items without an id of the list', () => {
  it.each([
    ['ms', (at: number) => at],
    ['ISO', (at: number) => new Date(at).toISOString()],
  ])('are told to be that, with a rule that makes lists of them: times in %s', async (_, write) => {
    const rows = numbers.flatMap((n) =>
      [0, 1, 2].map((rank) => [`u${n % 8}`, item(n, rank), write(MADE_AT + 600_000 * n), isClicked(n, rank), 0]),
    );
    logs.write('log.csv', csv([['user_id', 'video_id', 'time', 'is_click', 'is_hate'], ...rows]));
    const [{ code, cause, command }, ...others] = wrongIn(await logs.look('log.csv'));
    expect([code, others]).toEqual(['no_lists', []]);
    expect(cause).toContain('Each row of log.csv is an item that was shown (/video_id), and /is_click says');
    logs.run(command);
    expect(await logs.mrr(await logs.look('mended-log.ndjson'))).toBe(MRR);
  });
});

describe('lists in two tables', () => {
  it.each([
    ['counting from a start', (n: number) => 61 + 90_000 * n],
    ['of dates', (n: number) => new Date(MADE_AT + 90_000 * n).toISOString()],
  ])('are joined by their id, with times %s', async (_, when) => {
    logs.write(
      'rows.csv',
      csv([
        ['grp', 'ad_id', 'clicked'],
        ...numbers.flatMap((n) => [0, 1, 2].map((rank) => [700 + n, item(n, rank), isClicked(n, rank)])),
      ]),
    );
    logs.write('about.csv', csv([['grp', 'who', 'timestamp'], ...numbers.map((n) => [700 + n, `u${n % 8}`, when(n)])]));
    for (const names of [
      ['rows.csv', 'about.csv'],
      ['about.csv', 'rows.csv'],
    ]) {
      const [{ code, cause, command }, ...others] = wrongIn(await logs.look(...names));
      expect([code, others]).toEqual(['lists_not_read', []]);
      expect(cause).toContain('two tables that belong together by /grp: rows.csv has a row for each item');
      expect(cause.includes('counts from a start')).toBe(typeof when(0) === 'number');
      logs.run(command);
      expect(await logs.mrr(await logs.look('mended-rows.ndjson'))).toBe(MRR);
    }
  });
});

describe('one log without ids of lists', () => {
  it('is joined by the last touch, and told that this is a guess', async () => {
    const record = (n: number, later: number, name: string, items: readonly string[]) => ({
      event_name: name,
      event_timestamp: String(1000 * (MADE_AT + 90_000 * n + later)),
      user_pseudo_id: `c${n % 8}.5`,
      event_params: [{ key: 'page_location', value: { string_value: 'https://shop.example/' } }],
      items: items.map((item_id) => ({ item_id })),
    });
    const records = numbers.flatMap((n) => [
      record(
        n,
        0,
        'view_item_list',
        [0, 1, 2].map((rank) => item(n, rank)),
      ),
      ...(n % 2 === 0 ? [record(n, 5000, 'select_item', [item(n, (n / 2) % 3)])] : []),
    ]);
    logs.write('events.json', lines(records));
    const found = await logs.look('events.json');
    expect([wrongIn(found), found.touch]).toEqual([[], { feedback: 20, several: expect.any(Number), none: 0 }]);
    const told = found.findings.find(({ code }) => code === 'no_list_id');
    expect(told?.cause).toContain('joined with the last list in which its user saw that item');
    expect(told?.remedy).toContain('docs/adapters/ga4.md');
    expect(await logs.mrr(found)).toBe(MRR);
  });

  it('is wrong as before if few of the clicks are on what their user saw', async () => {
    logs.write(
      'shown.ndjson',
      lines(
        numbers.map((n) => ({ ts: MADE_AT + 9000 * n, userId: `u${n % 8}`, items: [0, 1, 2].map((i) => item(n, i)) })),
      ),
    );
    logs.write(
      'clicks.ndjson',
      lines(
        numbers.map((n) => ({
          ts: MADE_AT + 9000 * n + 2000,
          userId: `u${(n + 1) % 8}`,
          itemId: `x${n % 5}`,
          action: 'click',
        })),
      ),
    );
    const found = await logs.look('shown.ndjson', 'clicks.ndjson');
    expect([found.touch, wrongIn(found).map(({ code }) => code)]).toEqual([
      undefined,
      expect.arrayContaining(['nothing_joined']),
    ]);
  });
});

describe('what people did in a session', () => {
  it('is not taken for a list that was shown', async () => {
    const records = numbers.map((n) => ({
      session: n,
      events: [0, 1, 2].map((i) => ({
        aid: 100 + ((7 * n + i) % 31),
        ts: MADE_AT + 90_000 * n + 1000 * i,
        type: ['clicks', 'carts', 'orders'][i],
      })),
    }));
    logs.write('train.jsonl', lines(records));
    const inspection = await logs.look('train.jsonl');
    expect(inspection.impressions).toBeUndefined();
    const [{ code, cause }, ...others] = wrongIn(inspection);
    expect([code, others]).toEqual(['no_lists', []]);
    expect(cause).toContain('/events is what people did (/events/*/type is clicks, carts, orders)');
  });

  it('is something else where the elements are products with a type', async () => {
    const records = numbers.map((n) => ({
      id: `q${n}x`,
      at: MADE_AT + 90_000 * n,
      products: [0, 1, 2].map((rank) => ({
        sku: item(n, rank),
        type: ['book', 'film', 'toy'][rank],
        added_at: MADE_AT - 1e9 * rank,
      })),
    }));
    logs.write('shown.ndjson', lines(records));
    expect((await logs.look('shown.ndjson')).impressions).toBeDefined();
  });
});

describe('a table in the folder of a log', () => {
  it('that says what the items are is left out, and told', async () => {
    const folder = join(logs.folder, 'bundle');
    mkdirSync(folder);
    const seen = (n: number) => [0, 1, 2].map((rank) => 100 + ((7 * n + rank) % 31));
    const behaviors = numbers.map((n) => ({
      impression_id: 5000 + n,
      impression_time: MADE_AT + 9000 * n,
      article_ids_inview: seen(n),
      article_ids_clicked: seen(n).filter((_, rank) => isClicked(n, rank) === 1),
    }));
    const articles = Array.from({ length: 31 }, (_, n) => ({
      article_id: 100 + n,
      title: `News ${n}`,
      published_time: MADE_AT - 1e8 * n,
      topics: ['a', 'b'],
    }));
    logs.write('bundle/behaviors.ndjson', lines(behaviors));
    logs.write('bundle/articles.ndjson', lines(articles));
    const { given } = await withoutFolders([{ path: folder, role: undefined }]);
    const inspection = inspect(await sampleFiles(given, 1000), {
      now: MADE_AT + 9e8,
      grades: new Set(),
      weights: undefined,
    });
    expect(wrongIn(inspection)).toEqual([]);
    expect(inspection.findings.find(({ code }) => code === 'files_differ')?.cause).toMatch(
      /articles.ndjson is left out/,
    );
    expect(inspection.impressions?.files).toEqual([join(folder, 'behaviors.ndjson')]);
  });

  it('that holds histories of people, with lists of times, is left out', async () => {
    const folder = join(logs.folder, 'bundle');
    mkdirSync(folder);
    logs.write(
      'bundle/behaviors.ndjson',
      lines(numbers.map((n) => ({ impression_id: n, impression_time: MADE_AT + n, seen: [item(n, 0)] }))),
    );
    logs.write(
      'bundle/history.ndjson',
      lines(numbers.map((n) => ({ user_id: n, times: [MADE_AT - n, MADE_AT - 2 * n], articles: [n, n + 1] }))),
    );
    const { given, leftOut } = await withoutFolders([{ path: folder, role: undefined }]);
    expect(given.map(({ path }) => path)).toEqual([join(folder, 'behaviors.ndjson')]);
    expect(leftOut[0].files).toEqual(['history.ndjson (no field holds times)']);
  });
});
