import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitRow } from '../../../src/consumers/decode/csv-line.ts';
import { createDecoder } from '../../../src/consumers/decode/decoder.ts';
import { BOTH, bytes, decode, IMPRESSIONS, refusal } from './fixture.ts';

const HEADER = 'timestamp,item_id,position,click,propensity_score,user_feature_0,user_feature_1';
const ROW = '2019-11-24 00:03:13.442536+00:00,14,3,0,0.029411764705882353,cef,03a,7bc,9bd';
const options = { ...BOTH, adapter: 'open-bandit', dimensions: ['user_feature_0', 'user_feature_3'] } as const;
const at = Date.UTC(2019, 10, 24, 0, 3, 13, 442);

describe('the open-bandit adapter', () => {
  test('a row is an impression of one item at its position', () => {
    expect(decode(ROW, options)).toEqual({
      events: [
        {
          kind: 'impression',
          requestId: 'topic:0:7',
          ts: at,
          userId: 'cef|03a|7bc|9bd',
          pageOffset: 0,
          items: ['14'],
          ranks: [3],
          dimensions: ['cef', '9bd'],
        },
      ],
    });
  });

  test('a click is a feedback at the same time', () => {
    expect(decode(ROW.replace(',3,0,', ',1,1,'), options)).toMatchObject({
      events: [
        { kind: 'impression', ranks: undefined },
        { kind: 'feedback', requestId: 'topic:0:7', itemId: '14', action: 'click', ts: at },
      ],
    });
  });

  test('a header row holds no event and gives its source the order of the columns', () => {
    const decoder = createDecoder(options);
    const other = 'click,user_feature_0,unknown,position,item_id,timestamp';
    expect(decoder.decode(bytes(`${other}\r\n`), '0', 0)).toEqual({ events: [] });
    const row = bytes('1,x,,2,i,2019-11-24T00:03:13Z\r\n');
    expect(decoder.decode(row, '0', 1)).toMatchObject({
      events: [{ requestId: '0:1', items: ['i'], ranks: [2], dimensions: ['x', '__none__'] }, { action: 'click' }],
    });
    expect(decoder.decode(row, '1', 1)).toMatchObject({ code: 'not_csv' });
    expect(decode(HEADER, options)).toEqual({ events: [] });
  });

  test('columns may be named where a file has no header', () => {
    const columns = ['item_id', 'position', 'timestamp'];
    expect(decode('i,2,2019-11-24T00:03:13Z', { ...options, columns })).toMatchObject({ events: [{ items: ['i'] }] });
  });

  test.each([
    ['2019-11-24 00:03:13+00:00,14,3,0', 'not_csv'],
    [`${ROW},more`, 'not_csv'],
    [`"${ROW}`, 'not_csv'],
    ['', 'not_csv'],
    [ROW.replace('2019-11-24', '2019-13-24'), 'bad_time ts'],
    [ROW.replace(',14,', ',,'), 'missing_field items[0].id'],
    [ROW.replace(',3,0,', ',0,0,'), 'bad_position items[0].position'],
    [ROW.replace(',3,0,', ',,0,'), 'bad_position items[0].position'],
    [ROW.replace(',3,0,', ',0x3,0,'), 'bad_position items[0].position'],
    [ROW.replace(',3,0,', ',3,2,'), 'bad_number'],
    [ROW.replace(',0.0294', ',x0.0294'), 'bad_number items[0].propensity'],
  ])('%s is refused: %s', (row, expected) => {
    expect(refusal(row, options)).toBe(expected);
  });

  test('a clicked row needs a topic of both sides: it is never half read', () => {
    expect(refusal(ROW.replace(',3,0,', ',3,1,'), { ...options, role: IMPRESSIONS })).toBe('wrong_kind');
  });
});

const sample = new URL('../../../sample/open_bandit/', import.meta.url);

describe('the Open Bandit files', () => {
  test.each([
    ['random_men', [3284, 3388, 3328], [10, 22, 14]],
    ['bts_men', [3339, 3262, 3399], [30, 21, 18]],
  ])('%s: impressions and clicks by position', (name, shown, clicked) => {
    const decoder = createDecoder(options);
    const impressions = [0, 0, 0];
    const clicks = [0, 0, 0];
    const lines = gunzipSync(readFileSync(new URL(`${name}.csv.gz`, sample)))
      .toString()
      .split('\n');
    for (const [row, line] of lines.entries()) {
      if (line === '') continue;
      const decoded = decoder.decode(bytes(line), '0', row);
      if ('refused' in decoded) throw new Error(`row ${row} is refused`);
      let rank = 0;
      for (const event of decoded.events) {
        if (event.kind === 'impression') {
          rank = event.ranks?.[0] ?? 1;
          impressions[rank - 1]++;
        } else {
          clicks[rank - 1]++;
        }
      }
    }
    expect({ impressions, clicks }).toEqual({ impressions: shown, clicks: clicked });
  });
});

describe('rows of CSV', () => {
  test('what RFC 4180 writes is read back', () => {
    const quoted = (field: string) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', ',', '"', ' ', 'é') }), { minLength: 1 }),
        (fields) => {
          expect(splitRow(`${fields.map(quoted).join(',')}\r\n`)).toEqual(fields);
        },
      ),
    );
  });

  test.each(['"a', 'a"b', '"a"b', '"a",b"', '""a'])('%j is no row', (line) => {
    expect(splitRow(line)).toBeUndefined();
  });
});
