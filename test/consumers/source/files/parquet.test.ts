import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { FileRow } from '../../../../src/consumers/source/files/format.ts';
import { UnreadableFile } from '../../../../src/consumers/source/files/lines.ts';
import { ParquetColumn } from '../../../../src/consumers/source/files/parquet-column.ts';
import { openRows, readRows } from '../../../../src/consumers/source/files/rows.ts';
import { ROOT } from '../../../cli/receval.ts';
import { runs } from '../../../runs.ts';
import { run } from '../../../services/commands.ts';
import { RECEVAL } from '../../../tested.ts';

const FIXTURES = join(import.meta.dirname, 'rows');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-parquet-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(bytes: Uint8Array): string {
  const path = join(folder, `f${files++}.parquet`);
  writeFileSync(path, bytes);
  return path;
}

type ColumnData = Parameters<typeof parquetWriteBuffer>[0]['columnData'];

function written(
  columnData: ColumnData,
  options: { readonly rowGroupSize?: number; readonly pageSize?: number } = {},
): string {
  return file(new Uint8Array(parquetWriteBuffer({ columnData, ...options })));
}

async function rowsOf(path: string, longest = 1 << 20): Promise<FileRow[]> {
  const rows: FileRow[] = [];
  for await (const group of readRows(path, { longest })) rows.push(...group);
  return rows;
}

const parsed = (rows: readonly FileRow[]): unknown[] =>
  rows.map(({ value }) => JSON.parse(Buffer.from(value).toString()));

/** As hyparquet reads the whole file at once. */
async function reference(path: string): Promise<unknown[]> {
  const bytes = readFileSync(path);
  const rows = await parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
  });
  const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);
  return rows.map((row): unknown => JSON.parse(JSON.stringify(row, plain)));
}

describe('a Parquet file', () => {
  const ROW = {
    id: '9007199254740993',
    small: 7,
    at: '2026-11-21T08:00:00.123Z',
    local: '2026-11-21T08:00:00.123',
    day: '2026-11-21',
    score: 0.5,
    shown: true,
    text: 'ü',
    items: ['a', 'b'],
    slots: [
      { sku: 'a', rank: 1 },
      { sku: 'b', rank: 2 },
    ],
    user: { id: 'u', age: 30 },
  };

  test.each(['none', 'snappy', 'gzip', 'brotli', 'zstd', 'lz4'])('of pyarrow, packed by %s, reads', async (codec) => {
    const rows = parsed(await rowsOf(join(FIXTURES, `rows-${codec}.parquet`)));
    expect(rows).toHaveLength(7);
    expect(rows[0]).toEqual(ROW);
    expect(rows[6]).toMatchObject({ id: 6, items: [], shown: false, at: null });
  });

  it('is refused on standard input, packed, or damaged, with the reason', async () => {
    const plain = readFileSync(join(FIXTURES, 'rows-none.parquet'));
    await expect(rowsOf(file(gzipSync(plain)))).rejects.toThrow(/cannot read .*unpack the file/);
    await expect(rowsOf(file(plain.subarray(0, plain.length - 100)))).rejects.toThrow(/cannot read /);
    const damaged = Buffer.from(readFileSync(join(FIXTURES, 'rows-snappy.parquet')));
    damaged.fill(0xff, 30, 120);
    await expect(rowsOf(file(damaged))).rejects.toThrow(/cannot read /);
  });

  it('is recognised by its first bytes, with its rows', async () => {
    const { format, rows } = await openRows(join(FIXTURES, 'rows-zstd.parquet'));
    expect(format?.kind).toBe('parquet');
    const numbers: number[] = [];
    for await (const group of rows) numbers.push(...group.map(({ row }) => row));
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });
});

describe('a Parquet file, some rows at a time', () => {
  test.each(['pages-1.parquet', 'pages-2.parquet'])('%s of pyarrow has the rows of all at once', async (name) => {
    const path = join(FIXTURES, name);
    const rows = await rowsOf(path);
    expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
    expect(parsed(rows)).toEqual(await reference(path));
    const [{ list }] = parsed(rows.slice(41, 42)) as [{ readonly list: readonly number[] }];
    expect([list.length, list[2499]]).toEqual([2500, 41 * 2499]);
  });

  test('has them whatever its values, its groups and its pages', async () => {
    const text = fc.oneof(fc.constantFrom('a', 'b', 'ü', ''), fc.string({ unit: 'binary' }));
    const column = fc.oneof(
      fc.record({ type: fc.constant('STRING' as const), of: fc.constant(text) }),
      fc.record({ type: fc.constant('INT32' as const), of: fc.constant(fc.integer()) }),
      fc.record({
        type: fc.constant('DOUBLE' as const),
        of: fc.constant(fc.double({ noNaN: true, noDefaultInfinity: true })),
      }),
      fc.record({ type: fc.constant('BOOLEAN' as const), of: fc.constant(fc.boolean()) }),
      fc.record({ type: fc.constant('JSON' as const), of: fc.constant(fc.array(fc.dictionary(text, fc.integer()))) }),
    );
    const table = fc
      .tuple(fc.array(column, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 60 }))
      .chain(([columns, rows]) =>
        fc.tuple(
          ...columns.map(({ type, of }) =>
            fc.record({
              type: fc.constant(type),
              data: fc.array<unknown>(fc.option<unknown>(of, { freq: 4 }), { minLength: rows, maxLength: rows }),
              times: fc.integer({ min: 1, max: 60 }),
            }),
          ),
        ),
      );
    const sizes = fc.record({
      rowGroupSize: fc.integer({ min: 1, max: 3000 }),
      pageSize: fc.integer({ min: 1, max: 5000 }),
    });
    await fc.assert(
      fc.asyncProperty(table, sizes, async (columns, options) => {
        const times = columns[0].times;
        const columnData = columns.map(({ type, data }, i) => ({
          name: `c${i}`,
          type,
          nullable: true,
          data: Array.from({ length: times }, () => data).flat(),
        }));
        const path = written(columnData, options);
        expect(parsed(await rowsOf(path))).toEqual(await reference(path));
      }),
      { numRuns: runs(30), endOnFailure: true },
    );
  });

  test('that is damaged gives rows, or ends with words', async () => {
    const kept = ['pages-1.parquet', 'pages-2.parquet', 'rows-zstd.parquet', 'rows-none.parquet'].map((name) =>
      readFileSync(join(FIXTURES, name)),
    );
    const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }), atEnd: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...kept),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        async (whole, changes) => {
          const bytes = Buffer.from(whole);
          for (const { at, byte, atEnd } of changes) {
            const place = at % (atEnd ? Math.min(bytes.length, 1500) : bytes.length);
            bytes[atEnd ? bytes.length - 1 - place : place] = byte;
          }
          const path = file(bytes);
          // What is rejected twice would be unhandled, and fail the test.
          const outcome = await rowsOf(path).catch((error: unknown) => error);
          rmSync(path);
          if (!Array.isArray(outcome)) expect(outcome).toBeInstanceOf(UnreadableFile);
        },
      ),
      { numRuns: runs(200), endOnFailure: true },
    );
  });
});

it('a schema that says to have fewer fields than none ends with words, and not never', async () => {
  const bytes = readFileSync(join(FIXTURES, 'rows-none.parquet'));
  for (const [fromEnd, byte] of [
    [6105, 23],
    [4746, 1],
    [699, 134],
    [75, 132],
  ])
    bytes[bytes.length - fromEnd] = byte;
  await expect(rowsOf(file(bytes))).rejects.toThrow(/cannot read /);
});

describe('a row that is too large', () => {
  const ids = ['a', 'b', 'c'];

  it.each([0, 979, 980, 981, 999, 1000, 1001, 500_000])(
    'with a text of %d characters is so where its JSON is',
    async (length) => {
      const texts = Array<string>(3).fill('x'.repeat(length));
      const rows = await rowsOf(
        written([
          { name: 'id', data: ids },
          { name: 'text', data: texts },
        ]),
        1000,
      );
      expect(parsed(rows)).toMatchObject(ids.map((id) => ({ id })));
      for (const { refused, value } of rows) {
        // What decodes it refuses a longer one, too.
        expect(refused === 'too_large' || value.length > 1000).toBe('{"id":"a","text":""}'.length + length > 1000);
        expect(value.length).toBeLessThan(1100);
        if (length > 1000) expect(refused).toBe('too_large');
      }
    },
  );

  it('or nested too deep in a column of JSON, is left as a text', async () => {
    const deep = `${'['.repeat(101)}${']'.repeat(101)}`;
    const values: readonly unknown[] = [JSON.parse(deep), JSON.parse(deep.slice(1, -1)), 'x'.repeat(1000)];
    const rows = await rowsOf(written([{ name: 'a', data: [...values], type: 'JSON', nullable: false }]), 1000);
    expect(parsed(rows)).toEqual([{ a: deep }, { a: JSON.parse(deep.slice(1, -1)) }, { a: `"${'x'.repeat(99)}` }]);
    expect(rows.map(({ refused }) => refused)).toEqual([undefined, undefined, 'too_large']);
  });

  it('is not made for each row that shares a text', async () => {
    const count = 20_000;
    const shared = written([
      { name: 'id', data: Array.from({ length: count }, (_, i) => i) },
      { name: 'text', data: Array<string>(count).fill('x'.repeat(1 << 22)) },
    ]);
    const rows = await rowsOf(shared, 1 << 18);
    expect(rows).toHaveLength(count);
    expect(rows.every(({ refused, value }) => refused === 'too_large' && value.length < 200)).toBe(true);
  });
});

describe('what takes too much memory', () => {
  it('is a row group of which a part is held at a time: 200,000 rows in one, in a heap of 150 MB', async () => {
    const count = 200_000;
    const path = written(
      [
        { name: 'requestId', data: Array.from({ length: count }, (_, i) => `request-${i}`) },
        { name: 'ts', data: Array<bigint>(count).fill(1_790_000_000_000n), type: 'INT64' },
        { name: 'items', data: Array<string>(count).fill('["a","b","c"]') },
        ...['b', 'c', 'd', 'e'].map((name) => ({
          name,
          data: Array.from({ length: count }, (_, i) => `${name}-${i}`),
        })),
      ],
      { rowGroupSize: count },
    );
    const clicks = join(folder, 'clicks.ndjson');
    writeFileSync(clicks, '');
    const command = ['replay', '--impressions', path, '--feedback', clicks, '--close-all', '--output', 'json'];
    const { stdout, stderr } = await run(process.execPath, ['--max-old-space-size=150', RECEVAL, ...command], {
      cwd: ROOT,
    });
    expect(stderr).not.toMatch(/heap|abort/i);
    expect(JSON.parse(stdout).impressions.read).toBe(count);
  });

  const zigzag = (value: number): number[] => {
    const bytes: number[] = [];
    for (let left = 2 * value; ; left = Math.floor(left / 128)) {
      bytes.push(left < 128 ? left : (left % 128) + 128);
      if (left < 128) return bytes;
    }
  };
  const i32 = (value: number): number[] => [0x15, ...zigzag(value)];
  /** A page in the form of Thrift; 3: a field of four fields later. */
  const dictionary = (bytes: number, values: number): number[] => [
    ...i32(2),
    ...i32(bytes),
    ...i32(4),
    0x4c,
    ...i32(values),
    ...i32(0),
    0,
    0,
  ];
  const data = (bytes: number, values: number): number[] => [
    ...[...i32(0), ...i32(bytes), ...i32(bytes), 0x2c, ...i32(values), ...i32(8), ...i32(3), ...i32(3), 0, 0],
  ];
  const columnOf = (bytes: readonly number[], held = { bytes: 0 }, repeated = false): ParquetColumn => {
    const element = { name: 'a', type: 'INT32', repetition_type: repeated ? 'REPEATED' : 'REQUIRED' } as const;
    const leaf = { children: [], count: 1, element, path: ['a'] };
    const schemaPath = [{ children: [leaf], count: 2, element: { name: 'root' }, path: [] }, leaf];
    const decoder = {
      pathInSchema: ['a'],
      type: 'INT32',
      element,
      schemaPath,
      codec: 'UNCOMPRESSED',
      parsers: DEFAULT_PARSERS,
    } as const;
    const file = Uint8Array.from(bytes);
    return new ParquetColumn(
      { ...decoder, pathInSchema: ['a'] },
      0,
      file.length,
      async (from, to) => file.slice(from, to),
      held,
    );
  };
  const one = [1, 0, 0, 0];
  const rle = (times: number, value: number): number[] => [...zigzag(times), value];
  const levels = (...runs: readonly number[][]): number[] => [runs.flat().length, 0, 0, 0, ...runs.flat()];

  it.each([
    [
      'a page of more than 128 MiB',
      [...dictionary(2 ** 27 + 1, 1), ...one],
      /a page has 134217729 bytes, the most are 134217728/,
    ],
    [
      'a dictionary of more than 2^20 values',
      [...dictionary(4, 2 ** 20 + 1), ...one],
      /a dictionary has 1048577 values/,
    ],
    [
      'a page that does not say how many values it has',
      [...i32(0), ...i32(4), ...i32(4), 0x2c, 0x25, 0, 0x15, 6, 0x15, 6, 0, 0, ...one],
      /the header of a page is damaged/,
    ],
    [
      'a page of fewer values than none',
      [...i32(0), ...i32(4), ...i32(4), 0x2c, 0x15, 1, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0, ...one],
      /the header of a page is damaged/,
    ],
    ['a page that is cut off', dictionary(4, 1), /it ends in the middle of a page/],
    ['a page without its dictionary', [...data(1, 1), 0, 0], /refers to a dictionary that is not there/],
  ])('is refused: %s', async (_, bytes, words) => {
    await expect(columnOf(bytes).fill(1)).rejects.toThrow(words);
  });

  it('is refused: more than 1,000 rows for each byte of the file', async () => {
    const columnData = [{ name: 'a', data: new Int32Array(2_000_000) }];
    const path = written(columnData, { rowGroupSize: 2_000_000 });
    expect(statSync(path).size).toBeLessThan(2000);
    await expect(rowsOf(path)).rejects.toThrow(/it says to have 2000000 rows in \d+ bytes: that is no log/);
    expect(await rowsOf(written([{ name: 'a', data: new Int32Array(50_000) }]))).toHaveLength(50_000);
  });

  it('is read: one value in 100 million rows, of which few are held', async () => {
    const column = columnOf([...dictionary(4, 1), ...one, ...data(1, 100_000_000), 0]);
    await column.fill(500);
    expect(column.ready).toBeGreaterThanOrEqual(500);
    expect(column.ready).toBeLessThan(3000);
    expect(column.take(500)).toEqual(Array(500).fill(1));
  });

  it('is read: rows of a field that is repeated itself, which go on over what is decoded at once', async () => {
    const runs = [rle(1, 0), rle(2000, 1), rle(1, 0), rle(10, 1)];
    const page = [...levels(...runs), ...levels(rle(2012, 1)), 0];
    const column = columnOf([...dictionary(4, 1), ...one, ...data(page.length, 2012), ...page], { bytes: 0 }, true);
    await column.fill(2);
    expect(column.take(2)).toEqual([Array(2001).fill(1), Array(11).fill(1)]);
  });

  it('is refused: pages of all columns that take more than 512 MiB, a row of more than 2^22 values', async () => {
    const held = { bytes: 2 ** 29 - 4 };
    await expect(columnOf([...dictionary(4, 1), ...one, ...data(1, 9), 0], held).fill(1)).rejects.toThrow(
      /more than 536870912 bytes/,
    );
    // All in one row: repeated but for the first, and none is null.
    const page = [...levels(rle(1, 0), rle(2 ** 22 + 5000, 1)), ...levels(rle(2 ** 22 + 5001, 1)), 0];
    const long = columnOf(
      [...dictionary(4, 1), ...one, ...data(page.length, 2 ** 22 + 5001), ...page],
      { bytes: 0 },
      true,
    );
    await expect(long.fill(1)).rejects.toThrow(/a row has more than 4194304 values in a/);
  });
});
