import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BATCH_BYTES,
  batchLetterOf,
  type DeadLetter,
  errorHeaders,
  kept,
  letterOf,
  lineOf,
} from '../../src/dead-letters/letter.ts';
import { batchLetters, letter, letters } from './letters.ts';

type Line = Readonly<Record<string, unknown>> & { readonly headers?: readonly Readonly<Record<string, unknown>>[] };

function bytesOf(line: Readonly<Record<string, unknown>>, name: string): Buffer | null | undefined {
  const base64 = line[`${name}Base64`];
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  const text = line[name];
  return typeof text === 'string' ? Buffer.from(text) : text === null ? null : undefined;
}

function hex(bytes: Uint8Array | null | undefined): string | null {
  return bytes === null || bytes === undefined ? null : Buffer.from(bytes).toString('hex');
}

function headersOf(one: DeadLetter): Record<string, string> {
  return Object.fromEntries(errorHeaders(one).map(({ name, value }) => [name, Buffer.from(value ?? '').toString()]));
}

describe('a line', () => {
  it('is one line of JSON that gives back every byte, text or not', () => {
    fc.assert(
      fc.property(letters, (one) => {
        const text = lineOf(one);
        expect(text.indexOf('\n')).toBe(text.length - 1);
        const line: Line = JSON.parse(text);
        expect(line).toMatchObject({ ...JSON.parse(JSON.stringify(one.place)), reason: 'invalid', code: one.code });
        expect(line['field']).toBe(one.field);
        expect(hex(bytesOf(line, 'value'))).toBe(hex(one.value));
        expect(hex(bytesOf(line, 'key'))).toBe(hex(one.key));
        expect((line.headers ?? []).map((header) => [header['name'], hex(bytesOf(header, 'value'))])).toEqual(
          one.headers.map(({ name, value }) => [Buffer.from(name).toString(), hex(value)]),
        );
      }),
    );
  });

  it.each([
    ['text', Buffer.from('{"a":1}'), { value: '{"a":1}' }],
    ['a byte order mark', Buffer.from('\ufeffx'), { value: '\ufeffx' }],
    ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe]), { valueBase64: '//4=' }],
    ['a lone surrogate in UTF-8', Buffer.from([0xed, 0xa0, 0x80]), { valueBase64: '7aCA' }],
    ['nothing', Buffer.alloc(0), { value: '' }],
  ])('holds %s', (_, value, expected) => {
    expect(JSON.parse(lineOf({ ...letter(1), value }))).toMatchObject(expected);
  });
});

describe('the letter of a batch', () => {
  const place = { topic: 't', partition: 2, offset: 5, timestamp: undefined };

  it('says what was lost, in a line and in headers', () => {
    fc.assert(
      fc.property(batchLetters, (one) => {
        const line: Line = JSON.parse(lineOf(one));
        expect(line).toMatchObject({ ...JSON.parse(JSON.stringify(one.place)), ...one.batch, reason: 'undecodable' });
        expect([line['code'], line['field'], line['key']]).toEqual([undefined, undefined, undefined]);
        expect(hex(bytesOf(line, 'value'))).toBe(hex(one.value));
        expect(headersOf(one)).toMatchObject({
          '__receval.errors.reason': 'undecodable',
          '__receval.errors.offset': String('offset' in one.place ? one.place.offset : ''),
          '__receval.errors.next': String(one.batch?.next),
          '__receval.errors.records': String(one.batch?.records),
          '__receval.errors.problem': one.batch?.problem,
          '__receval.errors.bytes': String(one.batch?.bytes),
        });
        expect(headersOf(one)).not.toHaveProperty('__receval.errors.code');
      }),
    );
  });

  it.each([BATCH_BYTES - 1, BATCH_BYTES, BATCH_BYTES + 1])('of %d bytes keeps no more than its share', (length) => {
    const bytes = Buffer.alloc(length, 7);
    const { value, batch } = batchLetterOf({ from: 5, to: 9, records: 3, reason: 'damaged', bytes }, place);
    expect(value).toHaveLength(Math.min(length, BATCH_BYTES));
    expect(batch).toEqual({ next: 9, records: 3, problem: 'damaged', bytes: length });
  });
});

describe('the error headers', () => {
  it('name reason, code, field and place, as text', () => {
    expect(headersOf({ ...letter(7), code: 'missing_field', field: 'ts' })).toEqual({
      '__receval.errors.reason': 'invalid',
      '__receval.errors.code': 'missing_field',
      '__receval.errors.field': 'ts',
      '__receval.errors.topic': 't',
      '__receval.errors.partition': '0',
      '__receval.errors.offset': '7',
      '__receval.errors.timestamp': '1800000000000',
    });
  });

  it('leave out what is not known', () => {
    const place = { topic: 't', partition: 1, offset: 2, timestamp: undefined };
    expect(Object.keys(headersOf({ ...letter(0), place }))).toEqual(
      ['reason', 'code', 'topic', 'partition', 'offset'].map((name) => `__receval.errors.${name}`),
    );
  });
});

describe('a letter', () => {
  it('that is kept does not change with the bytes that were read', () => {
    fc.assert(
      fc.property(letters, (one) => {
        const copy = kept(one);
        const before = lineOf(one);
        for (const bytes of [one.value, one.key, ...one.headers.map(({ value }) => value)]) bytes?.fill(7);
        expect(lineOf(copy)).toBe(before);
      }),
    );
  });

  it('of a record without envelope has neither key nor headers', () => {
    const record = { offset: 3, timestamp: undefined, value: Buffer.from('x') };
    expect(letterOf({ record, code: 'not_json', field: undefined }, { file: 'a', row: 4 })).toEqual({
      place: { file: 'a', row: 4 },
      code: 'not_json',
      field: undefined,
      key: null,
      value: record.value,
      headers: [],
    });
  });
});
