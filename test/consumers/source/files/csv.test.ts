import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { CsvRows } from '../../../../src/consumers/source/files/csv.ts';

const COLUMNS = ['a', 'b'];

/** `columns`: where its first row does not name them. */
function cutter(longest: number, columns: readonly string[] | undefined): CsvRows {
  return new CsvRows({ delimiter: ',', columns, longest, toObject: (names, fields) => ({ names, fields }) });
}

/** The rows of a text: their fields, or the code and the bytes of a refused one. */
function rowsOf(csv: CsvRows, text: string, cuts: readonly number[] = []): unknown[] {
  const bytes = Buffer.from(text);
  const ends = [...cuts.map((n) => n % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const rows = ends.flatMap((end, i) => csv.push(bytes.subarray(i === 0 ? 0 : ends[i - 1], end)));
  return [...rows, ...csv.end()].map(({ value, refused }) => {
    const own = Buffer.from(value).toString();
    return refused === undefined ? JSON.parse(own).fields : [refused, own];
  });
}

/** The same in the plainest form: each line from its own start, by one expression for a row. ASCII only. */
function reference(text: string, longest: number): unknown[] {
  const rows: unknown[] = [];
  const row =
    /(?:(?:"(?:[^"]|"")*"\r?(?![^,\n])[^,\n]*|(?!")[^,\n]*),)*(?:"(?:[^"]|"")*"\r?(?![^,\n])[^,\n]*|(?!")[^,\n]*)(?=\n|$)/y;
  for (let from = 0; from < text.length; ) {
    const feed = text.indexOf('\n', from);
    const line = text.slice(from, feed < 0 ? text.length : feed);
    row.lastIndex = from;
    const whole = row.exec(text)?.[0];
    const isWhole = whole !== undefined && (whole.length <= longest || whole.length === line.length);
    const own = isWhole ? whole : line;
    from += own.length + 1;
    const cut = own.replace(/\r$/, '');
    if (!isWhole) rows.push([own.length > longest ? 'too_large' : 'not_csv', own.slice(0, longest + 1)]);
    else if (cut.length > longest) rows.push(['too_large', cut.slice(0, longest + 1)]);
    else if (/[^ ]/.test(cut)) {
      const fields = [...`${cut},`.matchAll(/("(?:[^"]|"")*"\r?|[^,]*),/g)].map(([, field]) =>
        field.startsWith('"') ? field.replace(/^"|"\r?$/g, '').replaceAll('""', '"') : field,
      );
      rows.push(fields.length === COLUMNS.length ? fields : ['not_csv', cut]);
    }
  }
  return rows;
}

const pieces = fc.array(fc.constantFrom('"', '"', '""', ',', '\n', '\r\n', '",', ',"', '"\n', '\n"', 'a', 'ab', ' '), {
  maxLength: 50,
});
const texts = pieces.map((some) => some.join(''));

describe('rows of a CSV', () => {
  test('are those of its lines, however quotes stand and its bytes come', () => {
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.nat(100), { maxLength: 5 }),
        (text, longest, cuts) => {
          expect(rowsOf(cutter(longest, COLUMNS), text, cuts)).toEqual(reference(text, longest));
        },
      ),
      { numRuns: 2000, endOnFailure: true },
    );
  });

  test('cost a few looks at each byte, however quotes stand', () => {
    const repeated = fc.tuple(texts, texts, fc.integer({ min: 200, max: 2000 }));
    fc.assert(
      fc.property(
        repeated,
        fc.integer({ min: 20, max: 1 << 20 }),
        fc.integer({ min: 500, max: 9000 }),
        ([head, text, times], longest, size) => {
          const all = Buffer.from(head + `${text}\n`.repeat(times));
          const csv = cutter(longest, COLUMNS);
          for (let from = 0; from < all.length; from += size) csv.push(all.subarray(from, from + size));
          csv.end();
          // A line that is not whole is looked through again with the next chunk.
          expect(csv.searched).toBeLessThanOrEqual(4 * all.length + (all.length / size) * Buffer.byteLength(text));
        },
      ),
      { numRuns: 200, endOnFailure: true },
    );
  });

  it.each(['",A","B', '"', '"",', 'a,"', '"a\r'])('cost no more where each line is %j', (line) => {
    const text = `${line}\n`.repeat(20_000);
    const csv = cutter(1 << 24, COLUMNS);
    rowsOf(csv, text);
    expect(csv.searched).toBeLessThan(4 * text.length);
  });
});

describe('names of columns', () => {
  const namesOf = (header: readonly string[], longest = 1 << 24): string[] => {
    const csv = cutter(longest, undefined);
    const [row] = csv.push(Buffer.from(`${header.join(',')}\n${','.repeat(header.length - 1)}.\n`));
    return JSON.parse(Buffer.from(row.value).toString()).names;
  };

  test('are all different and none is empty; one that comes once stays as it is', () => {
    const name = fc.constantFrom('', 'a', 'a_2', 'a_2_2', 'a_3', 'column_1', 'column_2', ' a ', '__proto__');
    fc.assert(
      fc.property(fc.array(name, { minLength: 2, maxLength: 12 }), (header) => {
        const names = namesOf(header);
        expect(new Set(names).size).toBe(header.length);
        for (const [i, own] of names.entries()) {
          const written = header[i].trim() === '' ? `column_${i + 1}` : header[i].trim();
          expect(own === written || own.startsWith(`${written}_`)).toBe(true);
          if (!names.slice(0, i).includes(written)) expect(own).toBe(written);
        }
      }),
    );
  });

  it.each(['a', ''])('are numbered where 10,000 are %j; one more is refused', (name) => {
    for (const count of [9_999, 10_000]) {
      expect(namesOf(Array(count).fill(name)).at(-1)).toBe(name === 'a' ? `a_${count}` : `column_${count}`);
    }
    expect(() => namesOf(Array(10_001).fill(name))).toThrow(/has 10001 columns, the most are 10000/);
  });

  it('have 300 characters at most', () => {
    for (const length of [299, 300]) expect(namesOf(['b', 'a'.repeat(length)])[1]).toHaveLength(length);
    expect(() => namesOf(['b', 'a'.repeat(301)])).toThrow(/column 2 .*301 characters, the most are 300/);
  });
});
