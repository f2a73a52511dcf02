import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameFit, usualGrade } from '../../src/inspect/field-names.ts';
import { profileOf, timesOf } from '../../src/inspect/fields.ts';
import { binaryFormOf, encodingOf, lineEndsOf, textFormOf } from '../../src/inspect/file-shape.ts';
import { dateFormat, isOtherDate, isSerial, spoken, timeOf } from '../../src/inspect/time-forms.ts';

const T = Date.parse('2026-11-21T08:00:00.123Z');

describe('the form of a text', () => {
  it.each([
    ['{"a":1}\n{"a":2}\n', 'ndjson'],
    ['[{"a":1},\n {"a":2}]', 'json-array'],
    ['{\n "a": 1\n}\n', 'json-object'],
    ['q1 Q0 d1 1 9.5 tag\nq1 Q0 d2 2 9.1 tag\n', 'trec-run'],
    ['q1 0 d1 1\nq1 0 d2 0\n', 'trec-qrels'],
    ['', 'empty'],
    [' \n\n', 'empty'],
    ['hello\nworld\n', 'unknown'],
  ])('of %j is %s', (text, kind) => {
    expect(textFormOf(text).kind).toBe(kind);
  });

  it('is that of a table, whatever stands between its columns and in its quotes', () => {
    const cell = fc.string({ unit: fc.constantFrom(...'abc ;,|\t"\n'), maxLength: 8 });
    const names = ['request_id', 'item_id', 'ts'];
    fc.assert(
      fc.property(
        fc.constantFrom(',', '\t', ';', '|'),
        fc.array(fc.tuple(cell, cell, cell), { minLength: 2, maxLength: 20 }),
        (delimiter, rows) => {
          const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
          const text = [names, ...rows.map((row) => ['1', ...row.slice(1)].map(quoted))]
            .map((row) => `${row.join(delimiter)}\n`)
            .join('');
          expect(textFormOf(text)).toMatchObject({ kind: 'delimited', delimiter, columns: names, width: 3 });
        },
      ),
    );
  });

  it('has no header where the first row holds values', () => {
    expect(textFormOf('r1,2026-11-21T08:00:00Z,click\nr2,2026-11-21T08:00:01Z,click\n')).toMatchObject({
      columns: undefined,
      width: 3,
    });
    expect(textFormOf('1,2,3\n4,5,6\n')).toMatchObject({ columns: undefined });
  });
});

describe('bytes', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  it('tell Parquet, Avro and ORC', () => {
    expect(['PAR1....', 'Obj\u0001...', 'ORC...', '{"a":1}'].map((text) => binaryFormOf(bytes(text))?.kind)).toEqual([
      'parquet',
      'avro',
      'orc',
      undefined,
    ]);
  });

  it('tell their encoding', () => {
    expect(encodingOf(bytes('häkchen ✓'))).toBe('UTF-8');
    expect(encodingOf(bytes('\ufeffa'))).toBe('UTF-8 with a byte order mark');
    expect(encodingOf(Uint8Array.of(0xff, 0xfe, 0x61, 0))).toBe('UTF-16');
    expect(encodingOf(Uint8Array.of(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0))).toBe('UTF-32');
    expect(encodingOf(Uint8Array.of(0x68, 0xe4, 0x6b))).toBe('not UTF-8');
  });

  it('are UTF-8 wherever they are cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat(), (text, at) => {
        const all = bytes(`a${text}`);
        expect(encodingOf(all.subarray(0, 1 + (at % all.length)))).toMatch(/^UTF-8/);
      }),
    );
  });

  it('tell line ends', () => {
    expect(['a\nb\n', 'a\r\nb\r\n', 'a\rb\r', 'a\r\nb\n', 'a'].map(lineEndsOf)).toEqual([
      'LF',
      'CRLF',
      'CR',
      'mixed',
      'none',
    ]);
  });
});

describe('times', () => {
  it.each([
    ['2026-11-21T08:00:00.123Z', 'zoned'],
    ['2026-11-21 09:00:00.123+01:00', 'zoned'],
    ['2026-11-21 08:00:00.123', 'local'],
    ['2026-11-21T08:00:00.123', 'local'],
    [T, 'ms'],
    [String(T), 'ms'],
    [T / 1000, 's'],
    [T * 1000, 'us'],
    [T * 1e6, 'ns'],
  ])('%j is %s', (value, form) => {
    const time = timeOf(value);
    expect(time?.form).toBe(form);
    expect(Math.abs((time?.ms ?? 0) - T)).toBeLessThanOrEqual(1);
  });

  it('with the letters UTC are instants', () => {
    expect(timeOf('2026-11-21 08:00:00.123 UTC')?.ms).toBe(T);
  });

  it.each([7, '7', '2026-11-21', 'yesterday', '21/11/2026 08:00', true, null, 1e11])('%j is none', (value) => {
    expect(timeOf(value)).toBeUndefined();
  });

  it('in another form are seen to be dates', () => {
    expect(
      ['21/11/2026 08:00', '21.11.2026', '2026/11/21', 'Nov 21 2026', 'p-1', '2026-11-21'].map(isOtherDate),
    ).toEqual([true, true, true, true, false, false]);
  });

  it.each([
    ['20/Nov/2026:08:00:11 +0100', '%d/%b/%Y:%H:%M:%S %z'],
    ['[20/Nov/2026:08:00:11 +0100]', '[%d/%b/%Y:%H:%M:%S %z]'],
    ['Fri, 20 Nov 2026 08:00:11 GMT', '%a, %d %b %Y %H:%M:%S GMT'],
    ['Fri, 20 Nov 2026 08:00:11 +0100', '%a, %d %b %Y %H:%M:%S %z'],
    ['Fri Nov 20 08:00:11 2026', '%a %b %d %H:%M:%S %Y'],
    ['20-Nov-2026 08:00:11', '%d-%b-%Y %H:%M:%S'],
    ['2026/11/20 08:00:11', '%Y/%m/%d %H:%M:%S'],
    ['20261120080011', '%Y%m%d%H%M%S'],
    ['20261120T080011Z', '%Y%m%dT%H%M%SZ'],
    ['11/20/2026 8:00:11 PM', '%m/%d/%Y %I:%M:%S %p'],
    ['11/10/2026 8:00:11 PM', undefined],
    ['20261320080011', undefined],
  ])('are told by their form alone where it is unmistakable: %s', (text, format) => {
    expect(dateFormat([text])).toBe(format);
    // Digits alone may be an id.
    expect(isOtherDate(text)).toBe(!/^\d+$/.test(text));
  });

  it('are days of a spreadsheet where they have a fraction and lie in this century', () => {
    expect(
      ['46346.33846108', '46346,338', '36525.99', '73051.5000', '46346', '46346.5', '146346.5001'].map(isSerial),
    ).toEqual([true, true, false, false, false, false, false]);
    expect([isOtherDate(46346.33846108), isOtherDate(46346)]).toEqual([true, false]);
  });

  it('are not seen in ids that lie in their range: the name tells, or the year', () => {
    const field = (name: string, values: readonly unknown[]) => {
      const found = profileOf(values.map((value) => ({ [name]: value }))).fields.get(`/${name}`);
      return found === undefined ? undefined : timesOf(found)?.form;
    };
    expect(field('isbn', [9780439784542, 9780545139700])).toBeUndefined();
    expect(field('sku', [T, T + 1])).toBeUndefined();
    expect(field('x', [T, T + 1])).toBe('ms');
    expect(field('ts', [9780439784542, 9780545139700])).toBe('ms');
  });

  it('are spoken of in one unit, or two', () => {
    expect([5, 1500, 90_000, 19_800_000, 3_600_000, 200_000_000].map(spoken)).toEqual([
      '5 ms',
      '1.5 s',
      '1.5 min',
      '5 h 30 min',
      '1 h',
      '2.3 days',
    ]);
  });
});

describe('names', () => {
  it('fit whatever their spelling, and with what stands before them', () => {
    expect(
      ['/requestId', '/request_id', '/REQUEST-ID', '/ctx/request/id'].map((path) => nameFit(path, 'requestId') > 0.85),
    ).toEqual([true, true, true, true]);
    expect(nameFit('/colour', 'requestId')).toBe(0);
    expect(nameFit('/userId', 'userId')).toBeGreaterThan(nameFit('/userId', 'requestId'));
  });

  it.each([
    ['click', 1],
    ['Product Clicked', 1],
    ['select_item', 1],
    ['add_to_cart', 2],
    ['Order Completed', 3],
    ['purchase', 3],
    ['view', 0],
    ['impression', 0],
    ['hide', 'veto'],
    ['dislike', 'veto'],
    ['rating', 'rating'],
    ['remove_from_cart', undefined],
    ['geklickt', 1],
    ['beäugt', undefined],
  ])('of actions say what they are worth: %s', (action, grade) => {
    expect(usualGrade(action)).toBe(grade);
  });
});
