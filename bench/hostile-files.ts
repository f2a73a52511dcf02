/** Files that were made to be slow, beside ordinary ones of the same form, and what reading them costs. Part of `npm run bench:hostile`. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rowObject } from '../src/consumers/decode/csv-row.ts';
import { createDecoder } from '../src/consumers/decode/decoder.ts';
import type { ListChoice } from '../src/consumers/decode/decoder-settings.ts';
import { listKey } from '../src/consumers/decode/list.ts';
import { FileSource } from '../src/consumers/source/files/files.ts';

interface Written {
  readonly text: string;
  readonly isRowsOfItems?: boolean;
}

interface FileAttack {
  readonly name: string;
  /** @param x how many times as many rows as in the small size */
  readonly hostile: (x: number) => Written;
  readonly ordinary: (x: number) => Written;
}

const START = 1_790_000_000_000;
const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);
const CANONICAL = 'requestId,ts,items\n';

/** Rows of one item with the time of its click, for requests of `each` items. */
function rowsOfItems(rows: number, each: number, order: (rows: readonly string[]) => readonly string[]): Written {
  const texts = range(rows).map((i) => {
    const request = Math.floor(i / each);
    const ts = START + request * 1000;
    return `r${request},item-${i % each},${ts},1,${ts + 900}\n`;
  });
  return { text: ['requestId,itemId,ts,clicked,at\n', ...order(texts)].join(''), isRowsOfItems: true };
}

const asTheyAre = (rows: readonly string[]): readonly string[] => rows;
const lists = (count: number): string =>
  range(count)
    .map((i) => `{"requestId":"r${i}","ts":${START + i * 1000},"items":["a","b","c"]}\n`)
    .join('');

export const FILE_ATTACKS: readonly FileAttack[] = [
  {
    name: 'CSV: each line opens a quote, read from outside and from inside of one',
    hostile: (x) => ({ text: CANONICAL + '",A","B\n'.repeat(40_000 * x) }),
    ordinary: (x) => ({ text: CANONICAL + 'xxAx,xB\n'.repeat(40_000 * x) }),
  },
  {
    name: 'CSV: a quote that nothing closes in each line',
    hostile: (x) => ({ text: CANONICAL + `r,${START},"abc\n`.repeat(40_000 * x) }),
    ordinary: (x) => ({ text: CANONICAL + `r,${START},abcd\n`.repeat(40_000 * x) }),
  },
  {
    name: 'CSV: 10,000 columns of one name',
    hostile: (x) => ({
      text: `${Array(10_000).fill('a').join()}\n${`${Array(10_000).fill('1').join()}\n`.repeat(20 * x)}`,
    }),
    ordinary: (x) => ({
      text: `${range(10_000).map((i) => `a_${i}`)}\n${`${Array(10_000).fill('1').join()}\n`.repeat(20 * x)}`,
    }),
  },
  {
    name: 'CSV: rows of items, newest first',
    hostile: (x) => rowsOfItems(40_000 * x, 1, (rows) => rows.toReversed()),
    ordinary: (x) => rowsOfItems(40_000 * x, 1, asTheyAre),
  },
  {
    name: 'CSV: rows of items of one moment, clicks at falling times',
    hostile: (x) => ({
      text: `requestId,itemId,ts,clicked,at\n${range(40_000 * x)
        .map((i) => `r${i},item,${START},1,${START + 900_000_000 - i}\n`)
        .join('')}`,
      isRowsOfItems: true,
    }),
    ordinary: (x) => rowsOfItems(40_000 * x, 1, asTheyAre),
  },
  {
    name: 'CSV: 200,000 requests of one item',
    hostile: (x) => rowsOfItems(200_000 * x, 1, asTheyAre),
    ordinary: (x) => rowsOfItems(200_000 * x, 5, asTheyAre),
  },
  {
    name: 'NDJSON: blank lines',
    hostile: (x) => ({ text: `{}${'\n'.repeat(4_000_000 * x)}` }),
    ordinary: (x) => ({ text: lists(60_000 * x) }),
  },
  {
    name: 'NDJSON: fields nested 5,000 deep',
    hostile: (x) => ({
      text: `{"requestId":"r","ts":${START},"items":["a"],"x":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}\n`.repeat(
        100 * x,
      ),
    }),
    ordinary: (x) => ({ text: lists(60_000 * x) }),
  },
  {
    name: 'JSON: a list of lists nested 5,000 deep',
    hostile: (x) => ({
      text: `[${Array(300 * x)
        .fill('['.repeat(5000) + ']'.repeat(5000))
        .join()}]`,
    }),
    ordinary: (x) => ({
      text: `[${lists(60_000 * x)
        .trim()
        .replaceAll('\n', ',')}]`,
    }),
  },
];

const ROWS_OF_ITEMS: ListChoice = {
  list: { by: 'requestId', within: 10_000 },
  map: { requestId: '/requestId', ts: '/ts', 'items.id': '/itemId' },
  feedback: { clicked: { action: 'click', ts: '/at' } },
};

/** CPU of reading and decoding it. */
export async function measureFile({
  text,
  isRowsOfItems = false,
}: Written): Promise<{ nsPerByte: number; bytes: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'receval-hostile-'));
  try {
    const path = join(folder, 'log');
    writeFileSync(path, text);
    const bytes = statSync(path).size;
    const adapter = isRowsOfItems ? ROWS_OF_ITEMS : 'canonical';
    const decoder = createDecoder({
      adapter,
      role: { impressions: true, feedback: isRowsOfItems },
      dimensions: [],
      itemsPerList: 1000,
      impressionBytes: 262_144,
      feedbackBytes: 65_536,
      tsUnit: 'ms',
      positionBase: 1,
    });
    const file = {
      path,
      name: '1',
      decoder,
      side: 'impressions',
      toObject: rowObject(adapter),
      lists: isRowsOfItems ? { keyOf: listKey(ROWS_OF_ITEMS), within: ROWS_OF_ITEMS.list.within } : undefined,
    } as const;
    const source = new FileSource([{ files: [file], order: 'time' }], 262_144);
    const cpu = process.cpuUsage();
    await source.run({ assigned: async () => {}, batch: async () => {} });
    const { user, system } = process.cpuUsage(cpu);
    return { nsPerByte: ((user + system) * 1000) / bytes, bytes };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
