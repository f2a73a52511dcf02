/** Forms that public data sets and products have: what looks like a list, an id or a log of its own and is none is not taken for one. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogsInFolder, lines, wrongIn } from './logs-in-folder.ts';
import { MADE_AT } from './made-log.ts';

let logs: LogsInFolder;
beforeEach(() => {
  logs = new LogsInFolder();
});
afterEach(() => logs.remove());

const numbers = Array.from({ length: 40 }, (_, n) => n);
const at = (n: number): number => MADE_AT + 9000 * n;
const ids = (n: number): readonly string[] => [0, 1, 2].map((i) => `s${((7 * n + 5 * i) % 23) + 10}`);
/** Each list is clicked, at ranks 1, 2, 3, 1, ... */
const MRR = Number(((14 + 13 / 2 + 13 / 3) / 40).toFixed(6));

describe('the answer of a database', () => {
  it.each(['data', 'rows'])(
    'whose records are in a list (%s) is told to be one, with the command that writes them',
    async (name) => {
      const answer = (records: readonly object[]) =>
        JSON.stringify({ meta: [{ name: 'id' }], [name]: records, n: 40 }, null, 1);
      logs.write('q.json', answer(numbers.map((n) => ({ list: `q${n}x`, time: at(n), shown: ids(n) }))));
      logs.write(
        'c.json',
        answer(numbers.map((n) => ({ list: `q${n}x`, time: at(n) + 2000, sku: ids(n)[n % 3], event: 'click' }))),
      );
      const found = wrongIn(await logs.look('q.json', 'c.json'));
      expect(found.map(({ code }) => code)).toEqual(['format_not_read', 'format_not_read']);
      for (const { command } of found) logs.run(command);
      expect(await logs.mrr(await logs.look('documents-q.ndjson', 'documents-c.ndjson'))).toBe(MRR);
    },
  );

  it('is none where a single list has times of its own', async () => {
    const items = ids(0).map((sku) => ({ sku, added: at(0) - 9e6 }));
    logs.write('q.json', JSON.stringify({ list: 'q0', time: at(0), items: [...items, ...items] }, null, 1));
    expect(wrongIn(await logs.look('q.json')).map(({ code }) => code)).not.toContain('format_not_read');
  });
});

describe('fields with a number each', () => {
  const flags = (n: number) => Object.fromEntries([0, 1, 2].map((i) => [`click_${i}`, i === n % 3 ? '1' : '0']));

  it('are no list of items where they say yes or no', async () => {
    logs.write('log.ndjson', lines(numbers.map((n) => ({ serp_id: `q${n}x`, time: at(n), ...flags(n) }))));
    const found = await logs.look('log.ndjson');
    expect(found.mends).toEqual([]);
    expect(wrongIn(found).map(({ code }) => code)).toContain('no_lists');
  });

  it('are one where each holds another item', async () => {
    const items = (n: number) => Object.fromEntries(ids(n).map((id, i) => [`item_${i}`, id]));
    logs.write(
      'shown.ndjson',
      lines(numbers.map((n) => ({ serp_id: `q${n}x`, time: at(n), ...items(n), ...flags(n) }))),
    );
    logs.write(
      'clicks.ndjson',
      lines(numbers.map((n) => ({ serp_id: `q${n}x`, time: at(n) + 2000, sku: ids(n)[n % 3], event: 'click' }))),
    );
    const found = await logs.look('shown.ndjson', 'clicks.ndjson');
    expect(wrongIn(found)).toEqual([]);
    expect(await logs.mrr(found)).toBe(MRR);
  });
});

describe('rows of items', () => {
  it('are no lists by the hour and minute in which they were shown', async () => {
    const rows = numbers.flatMap((n) =>
      ids(n).map((id, i) => `u${n % 5},${id},${1000 + n},${at(60 * n)},${Number(i === n % 3)}`),
    );
    logs.write('rows.csv', ['user_id,video_id,hourmin,time_ms,is_click', ...rows].join('\n'));
    const found = await logs.look('rows.csv');
    expect(wrongIn(found).map(({ code }) => code)).toEqual(['no_lists']);
    expect(wrongIn(found)[0].cause).toContain('no field says which rows were one list');
  });
});

describe('times of .NET', () => {
  it.each(['', '+0100', '-0530'])('are read, whatever their offset says: %j', async (offset) => {
    const date = (ms: number): string => `/Date(${ms}${offset})/`;
    logs.write('shown.ndjson', lines(numbers.map((n) => ({ list: `q${n}x`, on: date(at(n)), shown: ids(n) }))));
    logs.write(
      'clicks.ndjson',
      lines(numbers.map((n) => ({ list: `q${n}x`, on: date(at(n) + 2000), sku: ids(n)[n % 3], event: 'click' }))),
    );
    const found = await logs.look('shown.ndjson', 'clicks.ndjson');
    expect(wrongIn(found)).toEqual([]);
    expect(found.facts.joining.delays).toEqual(numbers.map(() => 2000));
    expect(await logs.mrr(found)).toBe(MRR);
  });
});

describe('times that count from a start', () => {
  it('are sorted as numbers by the command that is printed', async () => {
    // As text, 900 would stand behind 1950900.
    const start = (n: number): number => 50_000 * ((7 * n) % 40) + 900;
    const table = (head: string, rows: readonly string[]) => `${[head, ...rows].join('\n')}\n`;
    const shown = numbers.map((n) => `q${n}x;${start(n)};${ids(n).join(',')}`);
    const clicked = numbers.map((n) => `q${n}x;${start(n) + 20};${ids(n)[n % 3]}`);
    logs.write('shown.csv', table('queryId;timeframe;items', shown));
    logs.write('clicks.csv', table('queryId;timeframe;itemId', clicked));
    const [{ code, command }] = wrongIn(await logs.look('shown.csv', 'clicks.csv'));
    expect(code).toBe('out_of_order');
    logs.run(command);
    const sorted = await logs.look('mended-shown.csv', 'mended-clicks.csv');
    expect(wrongIn(sorted)).toEqual([]);
    expect(await logs.mrr(sorted)).toBe(MRR);
  });
});
