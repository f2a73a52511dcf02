import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkpointToStored,
  FIELDS_HELD,
  fromStored,
  rowsToStored,
  someFromStored,
} from '../../../src/accumulators/store/checksums.ts';
import { isAltered, mustBeAsStored } from '../../../src/accumulators/store/json.ts';
import { FORMAT_VERSION, paneKey, unitKey } from '../../../src/accumulators/store/layout.ts';
import type { Fields } from '../../../src/accumulators/store/store-port.ts';

const UNIT = unitKey('shop', 0);
const PANES = [0, 1].map((n) => paneKey({ namespace: 'shop', unit: 0, generation: '1c' }, 'm', 60_000 * n));
const OLDER = paneKey({ namespace: 'shop', unit: 0, generation: '1' }, 'm', 0);
const FORMAT = String(FORMAT_VERSION);

const text = fc.oneof(fc.json({ maxDepth: 1 }), fc.string({ unit: 'grapheme', maxLength: 20 }));
const row = fc.tuple(fc.stringMatching(/^[a-z0-9]{0,4}\|[a-z]{0,3}\|[A-Z,]{0,6}$/), text);
const rows = fc.array(row, { minLength: 1, maxLength: 6 }).map((pairs) => new Map(pairs));

/** What Redis holds, with the number of fields that the script counts. */
function held(key: string, fields: Fields): Map<string, string> {
  const stored = new Map(rowsToStored(key, fields));
  return key === OLDER ? stored : stored.set(FIELDS_HELD, String(fields.size));
}

const isRefused = (fields: Fields): boolean => fields.size > 0 && [...fields.values()].every(isAltered);

describe('what is stored with checksums', () => {
  it('reads back as it was, whole or in part', () => {
    fc.assert(
      fc.property(rows, fc.nat(5), (fields, part) => {
        expect(fromStored(PANES[0], held(PANES[0], fields))).toEqual(fields);
        const some = new Map([...held(PANES[0], fields)].slice(0, part + 1));
        some.delete(FIELDS_HELD);
        expect(someFromStored(PANES[0], some)).toEqual(new Map([...fields].slice(0, part + 1)));
      }),
    );
  });

  it('ends with a CRC-32 behind the text, as a second value of JSON', () => {
    const stored = rowsToStored(PANES[0], new Map([['30m||', '{"impressions":2}']]));
    // The same from Python: zlib.crc32((key + "\n30m||" + text).encode()).
    expect(stored.get('30m||')).toBe('{"impressions":2} "7b92d665"');
  });

  it.each<[string, (fields: Map<string, string>, field: string, other: string, digit: string) => void]>([
    [
      'a digit is another',
      (fields, field, _, digit) => {
        const stored = fields.get(field) ?? '';
        const at = stored.search(/\d/);
        fields.set(field, stored.slice(0, at) + (stored[at] === digit ? '¤' : digit) + stored.slice(at + 1));
      },
    ],
    ['the text is written anew, without a checksum', (fields, field, other) => fields.set(field, other)],
    [
      'a bit is turned',
      (fields, field) => {
        const bytes = Buffer.from(fields.get(field) ?? '');
        bytes[Math.floor(bytes.length / 2)] ^= 1;
        fields.set(field, bytes.toString());
      },
    ],
    ['the end is cut off', (fields, field) => fields.set(field, (fields.get(field) ?? '').slice(0, -1))],
    ['the text is empty', (fields, field) => fields.set(field, '')],
    ['a field is gone', (fields, field) => fields.delete(field)],
    [
      'a field has another name',
      (fields, field) => {
        fields.set(`${field}x`, fields.get(field) ?? '');
        fields.delete(field);
      },
    ],
    ['a field was copied to another name', (fields, field) => fields.set(`${field}x`, fields.get(field) ?? '')],
    ['the number of fields is gone', (fields) => fields.delete(FIELDS_HELD)],
    [
      'the number of fields is another',
      (fields) => fields.set(FIELDS_HELD, String(Number(fields.get(FIELDS_HELD)) + 1)),
    ],
  ])('is refused as a whole where %s', (_, alter) => {
    fc.assert(
      fc.property(rows, fc.nat(5), text, fc.constantFrom(...'0123456789'), (fields, n, other, digit) => {
        const stored = held(PANES[0], fields);
        const field = [...fields.keys()][n % fields.size];
        alter(stored, field, other, digit);
        if (stored.size === 1) return;
        expect(isRefused(fromStored(PANES[0], stored))).toBe(true);
      }),
    );
  });

  it('is refused under another key, and with the text of another field or an earlier checksum', () => {
    fc.assert(
      fc.property(rows, text, (fields, other) => {
        expect(isRefused(fromStored(PANES[1], held(PANES[0], fields)))).toBe(true);
        const [field, ...more] = fields.keys();
        const stored = held(PANES[0], fields);
        if (fields.get(field) !== other) {
          const checksum = (stored.get(field) ?? '').slice(-11);
          expect(isRefused(fromStored(PANES[0], new Map([...stored, [field, other + checksum]])))).toBe(true);
        }
        for (const one of more) {
          const mixed = new Map([...stored, [one, stored.get(field) ?? '']]);
          expect(isRefused(fromStored(PANES[0], mixed))).toBe(true);
        }
      }),
    );
  });

  it('is passed on without them under a key, and in a unit, of an earlier format', () => {
    const fields = new Map([['30m||', '{"impressions":2}']]);
    expect(held(OLDER, fields)).toEqual(fields);
    expect(fromStored(OLDER, new Map(fields))).toEqual(fields);
    const unit = new Map([
      ['format', '4'],
      ['watermark', '5'],
    ]);
    expect(checkpointToStored({ unit: UNIT, checkpoint: unit, seq: 1, cid: 'c' })).toEqual(unit);
    expect(fromStored(UNIT, new Map(unit))).toEqual(unit);
  });

  it('of a unit belongs to one commit, and leaves its owner and its format readable, whatever happened to the rest', () => {
    const checkpoint = new Map([
      ['format', FORMAT],
      ['watermark', '5'],
      ['runs', '[]'],
    ]);
    const stored = (seq: number, cid: string, fields: Fields = checkpoint): Map<string, string> =>
      new Map([
        ['token', 't'],
        ['seq', String(seq)],
        ['cid', cid],
        ...checkpointToStored({ unit: UNIT, checkpoint: fields, seq, cid }),
      ]);
    const now = stored(7, 'c');
    const expected = new Map(
      [...now]
        .filter(([field]) => field !== FIELDS_HELD)
        .map(([field, text]) => [field, checkpoint.get(field) ?? text]),
    );
    expect(fromStored(UNIT, new Map(now))).toEqual(expected);
    // A later build has stored more before this one committed again.
    const later = stored(6, 'b', new Map([...checkpoint, ['later', '1']]));
    expect(fromStored(UNIT, new Map([...later, ...now]))).toEqual(expected);
    const before = stored(6, 'b');
    const other = checkpointToStored({ unit: unitKey('shop', 1), checkpoint, seq: 7, cid: 'c' });
    for (const field of ['watermark', 'runs', 'seq', 'cid', FIELDS_HELD]) {
      const whole = now.get(field) ?? '';
      for (const text of [undefined, '6', `6${whole.slice(1)}`, before.get(field), other.get(field)]) {
        if (text === whole) continue;
        const altered = new Map(now);
        if (text === undefined) altered.delete(field);
        else altered.set(field, text);
        const read = fromStored(UNIT, altered);
        expect([read.get('token'), read.get('format')], `${field}: ${text}`).toEqual(['t', FORMAT]);
        expect(() => mustBeAsStored(read), `${field}: ${text}`).toThrow(/^altered: /);
      }
    }
  });
});
