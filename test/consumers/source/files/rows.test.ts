import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { canonicalRow } from '../../../../src/consumers/decode/csv-row.ts';
import { CsvRows } from '../../../../src/consumers/source/files/csv.ts';
import { ANY_FORM, formatOf } from '../../../../src/consumers/source/files/format.ts';
import { JsonValues, openRows, type RowsOptions, readRows } from '../../../../src/consumers/source/files/rows.ts';
import { decode } from '../../decode/fixture.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-rows-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(content: string | Uint8Array, ending = ''): string {
  const path = join(folder, `f${files++}${ending}`);
  writeFileSync(path, content);
  return path;
}

/** Text of the rows of a file; of a refused one its code and the text. */
async function rowsOf(path: string, options: RowsOptions = {}): Promise<string[]> {
  const rows: string[] = [];
  for await (const group of readRows(path, options)) {
    for (const { value, refused } of group) {
      const text = Buffer.from(value).toString();
      rows.push(refused === undefined ? text : `${refused}: ${text}`);
    }
  }
  return rows;
}

const parsed = async (path: string, options: RowsOptions = {}): Promise<unknown[]> =>
  (await rowsOf(path, options)).map((text): unknown => JSON.parse(text));

const word = fc.oneof(
  fc.constantFrom(
    'a',
    'it-7',
    '0',
    'ü',
    'a,b',
    'x"y"z',
    '"',
    'line\nbreak',
    'cr\r\nlf',
    'tab\there',
    ' blank ',
    '😀',
    ';|',
  ),
  fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text.trim() !== '' && !text.includes('\\N')),
);
/** An id that survives its place in a list between bars. */
const id = fc.stringMatching(/^[A-Za-z0-9_.-]{1,8}$/);
const ts = fc.integer({ min: 1e12, max: 1e13 - 1 });
const impression = fc.record({
  requestId: word,
  ts,
  userId: word,
  variant: word,
  'cohorts.country': word,
  items: fc.array(fc.record({ id, score: fc.double({ min: -1e6, max: 1e6, noNaN: true }) }), {
    minLength: 1,
    maxLength: 4,
  }),
});
const feedback = fc.record({
  requestId: word,
  ts,
  itemId: word,
  action: word,
  eventId: word,
  value: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
});
const logs = fc.oneof(
  fc.array(impression, { minLength: 1, maxLength: 12 }),
  fc.array(feedback, { minLength: 1, maxLength: 12 }),
);
type Row = Readonly<Record<string, unknown>>;

/** The canonical record of a row of these. */
function record({ 'cohorts.country': country, ...rest }: Row): object {
  return country === undefined ? rest : { ...rest, cohorts: { country } };
}

function cell(value: unknown, delimiter: string, quotesAll: boolean): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const must = text.includes(delimiter) || /["\r\n]/.test(text) || text.trim() !== text;
  return quotesAll || must ? `"${text.replaceAll('"', '""')}"` : text;
}

function csv(rows: readonly Row[], delimiter: string, end: string, quotesAll: boolean): string {
  const names = Object.keys(rows[0]);
  const lines = rows.map((row) => names.map((name) => cell(row[name], delimiter, quotesAll)).join(delimiter));
  return [names.join(delimiter), ...lines].map((line) => `${line}${end}`).join('');
}

function parquet(rows: readonly Row[], rowGroupSize: number): Uint8Array {
  const names = Object.keys(rows[0]);
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: names.map((name) => {
        const data = rows.map((row) => row[name]);
        if (name === 'ts') return { name, data: data.map((value) => BigInt(Number(value))), type: 'INT64' as const };
        if (name === 'value') return { name, data, type: 'DOUBLE' as const };
        if (name === 'items')
          return { name, data: data.map((items) => JSON.stringify(items)), type: 'STRING' as const };
        return { name, data, type: 'STRING' as const };
      }),
      rowGroupSize,
    }),
  );
}

const events = (texts: readonly string[]) =>
  texts.map((text) => decode(text, { carries: { scores: true, categories: true } }));

describe('a list of events', () => {
  const forms = fc.record({
    delimiter: fc.constantFrom(',', '\t', ';', '|'),
    end: fc.constantFrom('\n', '\r\n'),
    mark: fc.constantFrom('', '\ufeff'),
    quotesAll: fc.boolean(),
    indent: fc.constantFrom(undefined, 1),
    pack: fc.constantFrom((bytes: Buffer) => bytes, gzipSync),
  });

  test('reads equal from NDJSON, a JSON list, objects over several lines, CSV with any delimiter, and Parquet', async () => {
    await fc.assert(
      fc.asyncProperty(logs, forms, fc.integer({ min: 1, max: 5 }), async (rows, form, group) => {
        const { delimiter, end, mark, quotesAll, indent, pack } = form;
        const records = rows.map(record);
        const packed = (text: string) => file(pack(Buffer.from(mark + text)));
        const lines = records.map((one) => `${JSON.stringify(one)}${end}`).join('');
        const expected = events(await rowsOf(packed(lines)));
        expect(expected).toHaveLength(rows.length);
        expect(expected.every((decoded) => 'events' in decoded)).toBe(true);

        const list = packed(JSON.stringify(records, undefined, indent));
        expect(events(await rowsOf(list))).toStrictEqual(expected);
        const loose = packed(records.map((one) => JSON.stringify(one, undefined, 2)).join(end));
        expect(events(await rowsOf(loose))).toStrictEqual(expected);
        const table = packed(csv(rows, delimiter, end, quotesAll));
        const canonical = { toObject: canonicalRow, form: { ...ANY_FORM, delimiter } };
        expect(events(await rowsOf(table, canonical))).toStrictEqual(expected);
        const columns = (await parsed(file(parquet(rows, group), '.parquet'))).map((row) =>
          JSON.stringify(record(Object.fromEntries(Object.entries(row ?? {})))),
        );
        expect(
          events(
            columns.map((text) =>
              text.replace(/"items":"(\[.*?\])"(?=[,}])/, (_, t) => `"items":${JSON.parse(`"${t}"`)}`),
            ),
          ),
        ).toStrictEqual(expected);
      }),
      { numRuns: 30, endOnFailure: true },
    );
  });

  test('is cut alike wherever its bytes are cut into chunks', () => {
    fc.assert(
      fc.property(
        logs,
        forms,
        fc.array(fc.nat(400), { maxLength: 8 }),
        (rows, { delimiter, end, quotesAll, indent }, cuts) => {
          const inChunks = (cutter: CsvRows | JsonValues, text: string, at: readonly number[]): unknown[] => {
            const bytes = Buffer.from(text);
            const read: unknown[] = [];
            let from = 0;
            for (const cut of [...at.map((n) => n % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
              read.push(...cutter.push(bytes.subarray(from, cut)));
              from = cut;
            }
            read.push(...cutter.end());
            return read;
          };
          const settings = { delimiter, columns: undefined, longest: 200, toObject: canonicalRow };
          const table = csv(rows, delimiter, end, quotesAll);
          expect(inChunks(new CsvRows(settings), table, cuts)).toStrictEqual(
            inChunks(new CsvRows(settings), table, []),
          );
          const list = JSON.stringify(rows, undefined, indent);
          expect(inChunks(new JsonValues(200), list, cuts)).toStrictEqual(inChunks(new JsonValues(200), list, []));
        },
      ),
      { numRuns: 150, endOnFailure: true },
    );
  });
});

describe('what a file is', () => {
  test.each([
    ['{"a":1}\n', 'x', 'ndjson', undefined],
    ['  \n\n {"a":1}\n', 'x.csv', 'ndjson', undefined],
    ['{\n  "a": 1\n}', 'x.ndjson', 'json', undefined],
    ['[{"a":1}]', 'x.txt', 'json', undefined],
    ['a,b\n1,2\n', 'x', 'csv', ','],
    ['a;b,c;d\n', 'x', 'csv', ';'],
    ['a\tb\n', 'x.log', 'csv', '\t'],
    ['a|b|c\n', 'x', 'csv', '|'],
    ['"a;b;c",d\n', 'x', 'csv', ','],
    ['item\n7\n', 'x.csv.gz', 'csv', ','],
    ['item,b\n', 'x.tsv', 'csv', '\t'],
    ['broken, line\n{"a":1}\n', 'x', 'ndjson', undefined],
    ['a,b\n[#,{}\n', 'x', 'csv', ','],
    ['a,b\n{},[\n', 'x', 'csv', ','],
    ['no columns', 'x', 'ndjson', undefined],
    ['PAR1....', 'x.csv', 'parquet', undefined],
  ])('%j called %s is %s', (text, name, kind, delimiter) => {
    expect(formatOf(Buffer.from(text), name)).toMatchObject({ kind, delimiter });
  });

  it('is what the configuration says', () => {
    const first = Buffer.from('a;b\n');
    expect(formatOf(first, 'x', { ...ANY_FORM, format: 'ndjson' }).kind).toBe('ndjson');
    expect(formatOf(first, 'x', { ...ANY_FORM, format: 'tsv' }).delimiter).toBe('\t');
    expect(formatOf(first, 'x', { ...ANY_FORM, format: 'csv', delimiter: ',' }).delimiter).toBe(',');
  });

  it('has line ends and maybe a mark, and is not UTF-16', () => {
    expect(formatOf(Buffer.from('\ufeffa,b\r\n'), 'x')).toMatchObject({ hasMark: true, lineEnd: 'crlf' });
    expect(formatOf(Buffer.from('a,b\n'), 'x')).toMatchObject({ hasMark: false, lineEnd: 'lf' });
    expect(formatOf(Buffer.from('a,b'), 'x')).toMatchObject({ lineEnd: undefined });
    expect(() => formatOf(Buffer.from('\ufeffa,b\n', 'utf16le'), 'x')).toThrow(/UTF-16.*UTF-8/);
    for (const mark of [Buffer.of(0xff, 0xfe, 0, 0), Buffer.of(0, 0, 0xfe, 0xff)])
      expect(() => formatOf(Buffer.concat([mark, Buffer.of(0x61, 0, 0, 0)]), 'x')).toThrow(/UTF-32.*UTF-8/);
  });
});

test.each(['{"a":"1"}\r{"a":"2"}\r', 'a\r1\r2\r', '{\r"a":"1"\r}\r{"a":"2"}'])(
  'the line ends of old Macs are line ends: %j',
  async (text) => {
    expect(await parsed(file(text, text.startsWith('a') ? '.csv' : ''))).toEqual([{ a: '1' }, { a: '2' }]);
  },
);

describe('CSV', () => {
  const read = (text: string | Uint8Array, options: RowsOptions = {}) => rowsOf(file(text, '.csv'), options);

  test.each([
    ['empty', ''],
    ['a header alone', 'a,b\n'],
    ['a mark alone', '\ufeff'],
    ['blank lines', '\n  \n\r\n'],
  ])('%s holds no row', async (_, text) => {
    expect(await read(text)).toEqual([]);
  });

  it('leaves empty fields out, names columns that have no name or the same one, and skips blank lines', async () => {
    expect(await read('a, b ,,a\n1,,3,4\n\n\\N,x,y,z')).toEqual([
      '{"a":"1","column_3":"3","a_2":"4"}',
      '{"b":"x","column_3":"y","a_2":"z"}',
    ]);
  });

  it('has no header where the columns are configured', async () => {
    const form = { ...ANY_FORM, columns: ['a', 'b'] };
    expect(await read('1,2\n3,4\n', { form })).toEqual(['{"a":"1","b":"2"}', '{"a":"3","b":"4"}']);
  });

  it('takes a quote inside of a field as it is', async () => {
    expect(await read('a,b\n5" disk,x\nit""s,"q""q"\n')).toEqual([
      '{"a":"5\\" disk","b":"x"}',
      '{"a":"it\\"\\"s","b":"q\\"q"}',
    ]);
  });

  it('refuses a row of another number of fields, and reads on', async () => {
    expect(await read('a,b\n1\n1,2,3\n4,5\n')).toEqual(['not_csv: 1', 'not_csv: 1,2,3', '{"a":"4","b":"5"}']);
  });

  it('loses no more than its own line to a quote that does not end, or stands where none may', async () => {
    expect(await read('a,b\n"1,2\n3,4\n"x"y,1\n5,6')).toEqual([
      'not_csv: "1,2',
      '{"a":"3","b":"4"}',
      'not_csv: "x"y,1',
      '{"a":"5","b":"6"}',
    ]);
    const many = Array.from({ length: 500 }, (_, i) => `${i},x`);
    const lost = await read(['a,b', '"open,1', ...many].join('\n'), { longest: 100 });
    expect(lost).toHaveLength(501);
    expect(lost[0]).toBe('not_csv: "open,1');
    expect(lost[500]).toBe('{"a":"499","b":"x"}');
  });

  it('refuses bytes that are no UTF-8, and a row that is too long, cut above the longest', async () => {
    expect((await read(Buffer.from('a,b\n\xff,1\nü,1\n', 'latin1')))[0]).toMatch(/^not_utf8/);
    for (const [length, code] of [
      [98, undefined],
      [99, 'too_large'],
      [600_000, 'too_large'],
    ] as const) {
      const rows = await read(`a,b\n${'x'.repeat(length)},1\n2,3\n`, { longest: 100 });
      expect(rows).toHaveLength(2);
      expect(rows[0].startsWith('too_large')).toBe(code !== undefined);
      expect(rows[0].length).toBeLessThan(150);
      expect(rows[1]).toBe('{"a":"2","b":"3"}');
    }
  });

  it('counts its header and records, not lines', async () => {
    const rows: number[] = [];
    for await (const group of readRows(file('a,b\n"x\ny",1\n\n2,3\n', '.csv')))
      rows.push(...group.map(({ row }) => row));
    expect(rows).toEqual([2, 3]);
  });
});

describe('a JSON list', () => {
  test.each([
    ['[]', []],
    ['[ {"a":"]}"} , 7,"x, y",[1,[2]],null ]', ['{"a":"]}"}', '7', '"x, y"', '[1,[2]]', 'null']],
    ['[{"a":1},{"a" 2},{"a":3}]', ['{"a":1}', '{"a" 2}', '{"a":3}']],
    ['[{"a":"\\"]"}]', ['{"a":"\\"]"}']],
    ['[{"a":1}][{"a":2}]\n[]\n[3]', ['{"a":1}', '{"a":2}', '3']],
    ['[{"a":1}] {"a":2}', ['{"a":1}', '{"a":2}']],
    ['{\n"a":1}{"b":2} 7', ['{\n"a":1}', '{"b":2}', '7']],
  ])('%j holds its values, right or wrong', async (text, values) => {
    expect(await rowsOf(file(text), { form: { ...ANY_FORM, format: 'json' } })).toEqual(values);
  });

  test.each(['[{"a":1}][{"a":2}', '[{"a":1},{"a":', '[{"a":1}', '[{"a":"x', '[1'])('%j is cut off', async (text) => {
    await expect(rowsOf(file(text))).rejects.toThrow(/cannot read .*cut off\?/);
  });

  it('that grows while it is read is reported', async () => {
    const path = file(`[${'{"a":1},'.repeat(100_000)}`);
    const { rows } = await openRows(path);
    await rows.next();
    writeFileSync(path, '{"a":', { flag: 'a' });
    const read = async () => {
      for await (const _ of rows);
    };
    await expect(read()).rejects.toThrow(/cannot read .*it changed while it was read: .*was it cut off\?/);
  });

  it('keeps no more of a value than can be valid', async () => {
    const rows = await rowsOf(file(`[{"a":"${'x'.repeat(600_000)}"},{"b":1}]`), { longest: 50 });
    expect(rows.map((text) => text.length)).toEqual([51, 7]);
  });
});

describe('packed files', () => {
  const RECORDED = resolveFixture('rows.ndjson.zst');

  it('are unpacked by their first bytes: zstd of several frames, some of them to be skipped', async () => {
    const frame = readFileSync(RECORDED);
    const skipped = Buffer.from([0x52, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const once = await rowsOf(RECORDED);
    expect(once).toHaveLength(20_000);
    expect(once[19_999]).toBe('{"n":19999,"text":"row 19999 of many"}');
    expect(await rowsOf(file(Buffer.concat([frame, skipped, frame])))).toEqual([...once, ...once]);
    expect(await rowsOf(file(Buffer.concat([skipped, frame])))).toEqual(once);
  });

  const FRAME = readFileSync(RECORDED);
  const MEMBER = gzipSync(Array.from({ length: 1000 }, (_, n) => `{"n":${n}}\n`).join(''));
  const REFUSED =
    /^cannot read \S+: .*(?:damaged|too early).*\. Copy the file again from where it was written, or pack it again$/;

  it.each([
    ['zstd', FRAME],
    ['gzip', MEMBER],
  ])('are refused wherever they are cut off: %s', async (_, packed) => {
    const cut = fc.integer({ min: 4, max: packed.length - 1 });
    await fc.assert(
      fc.asyncProperty(cut, async (end) => {
        await expect(rowsOf(file(packed.subarray(0, end)))).rejects.toThrow(REFUSED);
        await expect(rowsOf(file(Buffer.concat([packed, packed.subarray(0, end)])))).rejects.toThrow(REFUSED);
      }),
      { numRuns: 20, examples: [[packed.length - 1], [packed.length - 4], [packed.length - 8]] },
    );
  });

  it('are refused wherever a bit of a zstd frame is wrong, or it is read as it was', async () => {
    const right = await rowsOf(RECORDED);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 4, max: FRAME.length - 1 }), fc.nat(7), async (at, bit) => {
        const wrong = Buffer.from(FRAME);
        wrong[at] ^= 1 << bit;
        const read = await rowsOf(file(wrong)).catch((error: unknown) => String(error));
        if (typeof read === 'string')
          expect(read).toMatch(/cannot read \S+: (?:zstd data is damaged|zstd: its window)/);
        else expect(read).toEqual(right); // such as with a larger window
      }),
      {
        numRuns: 40,
        seed: 8878,
        examples: [
          [4, 4],
          [4, 2],
          [FRAME.length - 1, 0],
          [FRAME.length - 4, 7],
        ],
      },
    );
  });

  it.each([
    ['the checksum of a member', (m: Buffer) => m.length - 6],
    ['the length of a member', (m: Buffer) => m.length - 1],
    ['the start of the next member', (m: Buffer) => m.length],
  ])('are refused where %s is wrong', async (_, at) => {
    const packed = Buffer.concat([MEMBER, MEMBER]);
    packed[at(MEMBER)] ^= 1;
    await expect(rowsOf(file(packed))).rejects.toThrow(REFUSED);
  });

  it('may end with zeros, as tapes do, but not go on behind them', async () => {
    const zeros = Buffer.alloc(600_000);
    expect(await rowsOf(file(Buffer.concat([MEMBER, zeros])))).toHaveLength(1000);
    await expect(rowsOf(file(Buffer.concat([MEMBER, zeros, MEMBER])))).rejects.toThrow(REFUSED);
  });

  it.each([
    ['zstd', FRAME, 20_000],
    ['gzip', MEMBER, 1000],
  ])('come out of a pipe byte by byte at first: %s', async (_, packed, rows) => {
    const path = join(folder, `pipe${files++}`);
    execFileSync('mkfifo', [path]);
    const writer = createWriteStream(path);
    const read = rowsOf(path);
    for (const byte of packed.subarray(0, 6)) {
      writer.write(Buffer.of(byte));
      await setTimeout(20);
    }
    writer.end(packed.subarray(6));
    expect(await read).toHaveLength(rows);
  });

  it('are refused where their window is above 32 MiB', async () => {
    const wide = Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0, 15 << 3, 1, 0, 0);
    expect(await rowsOf(file(wide))).toEqual([]);
    wide[5] = (15 << 3) + 1;
    await expect(rowsOf(file(wide))).rejects.toThrow('its window is above 32 MiB: pack it without --long');
  });

  it('are not unpacked where nobody packs so', async () => {
    expect(await rowsOf(file(brotliCompressSync('{"a":1}')))).toHaveLength(1);
  });
});

function resolveFixture(name: string): string {
  return join(import.meta.dirname, 'rows', name);
}
