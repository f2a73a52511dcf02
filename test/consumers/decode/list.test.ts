import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ListChoice } from '../../../src/consumers/decode/decoder-settings.ts';
import { listKey, listProblems } from '../../../src/consumers/decode/list.ts';
import { BOTH, bytes, decode, FEEDBACK, refusal } from './fixture.ts';

const T = 1_795_248_000_000;
const ADAPTER: ListChoice = {
  list: { by: 'request', order: 'rank', within: 1000 },
  map: { ts: '/at', itemId: '/item', userId: '/user', variant: '/arm', 'items.score': '/p' },
  feedback: { clicked: 'click', bought: { action: 'purchase', ts: '/bought', value: '/price' } },
};
const row = (item: string, rank: unknown, more: object = {}) => ({
  request: 'r',
  at: T,
  user: 'u',
  arm: 'b',
  item,
  rank,
  ...more,
});

const list = (rows: unknown, adapter: ListChoice = ADAPTER, more: object = {}) =>
  decode(rows, { adapter, dimensions: ['variant'], carries: { scores: true, categories: false }, ...more });

describe('rows of one shown item each', () => {
  test('are one impression, in the order of their positions, and feedback of those that say so', () => {
    const rows = [
      row('b', '2', { at: T + 5, clicked: '1' }),
      row('a', 1, { p: '0.75', clicked: 0, bought: '2026-11-21 08:00:09 UTC', price: '9.5' }),
      row('c', 3, { at: String(T - 5), clicked: '' }),
    ];
    const shared = { kind: 'feedback', requestId: 'r', eventId: undefined };
    expect(list(rows)).toEqual({
      events: [
        {
          ...{ kind: 'impression', requestId: 'r', ts: T - 5, userId: 'u', pageOffset: 0, ranks: undefined },
          ...{ items: ['a', 'b', 'c'], dimensions: ['b'], scores: [0.75, Number.NaN, Number.NaN] },
        },
        { ...shared, itemId: 'b', ts: T + 5, action: 'click', value: undefined },
        { ...shared, itemId: 'a', ts: Date.parse('2026-11-21T08:00:09Z'), action: 'purchase', value: 9.5 },
      ],
    });
  });

  test('a request with one row and no item in it found nothing; with several rows an item is missing', () => {
    const none = { request: 'r', at: T, item: null };
    expect(list([none])).toMatchObject({ events: [{ kind: 'impression', items: [] }] });
    expect(refusal([none, row('a', 1)], { adapter: ADAPTER })).toBe('missing_field items[0].id');
    expect(refusal([{ request: 'r', at: T }], { adapter: ADAPTER })).toBe('missing_field items[0].id');
  });

  test('any order of rows is the same list; without an order it is theirs', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 8 }),
        fc.infiniteStream(fc.nat(100)),
        (ranks, draws) => {
          const rows = ranks.map((rank) => row(`i${rank}`, rank));
          const shuffled = rows
            .map((one) => ({ one, at: draws.next().value }))
            .sort((a, b) => a.at - b.at)
            .map(({ one }) => one);
          expect(list(shuffled)).toEqual(list(rows));
          const unordered = { ...ADAPTER, list: { by: 'request', within: 1000 } };
          expect(list(shuffled, unordered)).toMatchObject({ events: [{ items: shuffled.map(({ item }) => item) }] });
        },
      ),
    );
  });

  test('keep the gaps between positions, which begin where positionBase says', () => {
    expect(list([row('a', 3), row('b', 7)])).toMatchObject({ events: [{ items: ['a', 'b'], ranks: [3, 7] }] });
    expect(list([row('a', 0), row('b', 1)], ADAPTER, { positionBase: 0 })).toMatchObject({
      events: [{ ranks: undefined }],
    });
    expect(refusal([row('a', 0)], { adapter: ADAPTER })).toBe('bad_position items[0].position');
    expect(refusal([row('a', 1), row('b', 1)], { adapter: ADAPTER })).toBe('duplicate_position items');
    expect(refusal([row('a', 1), row('b', undefined)], { adapter: ADAPTER })).toBe('mixed_positions items');
  });

  test('are all or nothing', () => {
    expect(refusal([row('a', 1), row('', 2)], { adapter: ADAPTER })).toBe('bad_id items[1].id');
    expect(refusal([row('a', 1), row('b', 2, { at: 'noon' })], { adapter: ADAPTER })).toBe('bad_time ts');
    expect(refusal([{ ...row('a', 1), request: null }], { adapter: ADAPTER })).toBe('missing_field requestId');
    expect(refusal([row('a', 1, { clicked: 'perhaps' })], { adapter: ADAPTER })).toBe('wrong_type');
    expect(refusal('[{"request":"r"', { adapter: ADAPTER })).toBe('not_json');
    for (const text of ['{"request":"r"}', '[]', '[7]', 'null'])
      expect(refusal(text, { adapter: ADAPTER })).toBe('not_an_object');
  });

  test.each([
    [[true, 1, 3, 0.5, '1', 'true', 'T', 'Yes', 'y', '2026-11-21T08:00:00Z', T], 2],
    [[false, 0, -1, '', '0', 'False', 'no', 'NULL', null, undefined], 1],
  ])('%j make %d events', (values, count) => {
    for (const clicked of values)
      expect(list([row('a', 1, { clicked })]), String(clicked)).toHaveProperty('events.length', count);
  });

  test('under canonical names need no map; names with a slash are pointers', () => {
    const rows = [{ requestId: 'r', ts: T, itemId: 'a', rank: 1, variant: 'b', score: '0.5' }];
    const plain: ListChoice = { list: { by: 'requestId', order: 'rank', within: 10 } };
    expect(list(rows, plain)).toMatchObject({
      events: [{ requestId: 'r', items: ['a'], dimensions: ['b'], scores: [0.5] }],
    });
    const deep: ListChoice = { list: { by: '/a/b', order: '/a/c', within: 10 }, map: { ts: '/ts', itemId: '/itemId' } };
    expect(list([{ ...rows[0], a: { b: 'x', c: 2 } }], deep)).toMatchObject({
      events: [{ requestId: 'x', ranks: [2] }],
    });
    const mapped: ListChoice = {
      list: { by: 'requestId', within: 10 },
      map: { requestId: '/q~1id', ts: '/ts', itemId: '/itemId' },
    };
    expect(list([{ ...rows[0], 'q/id': 'y' }], mapped)).toMatchObject({ events: [{ requestId: 'y' }] });
    expect(listKey(mapped)(bytes('{"q/id":7}'))).toBe('7');
  });

  test('belong to the request that they name; a row that names none is told', () => {
    const key = listKey(ADAPTER);
    expect(
      ['{"request":"r"}', '{"request":7}', '{"request":""}', '{}', '[]', '{"requ'].map((text) => key(bytes(text))),
    ).toEqual(['r', '7', undefined, undefined, undefined, undefined]);
  });

  test('tell what is wrong with their settings', () => {
    const told = (choice: ListChoice, role = BOTH.role) =>
      listProblems(choice, role).map(({ at, message }) => `${at.join('.')}: ${message}`);
    const { list: settings } = ADAPTER;
    expect(told(ADAPTER)).toEqual([]);
    expect(told({ list: settings })).toEqual([]);
    expect(told(ADAPTER, FEEDBACK)).toEqual([': rows of one item each make impressions: set it there']);
    expect(told({ list: settings, map: { ts: '/at' } })).toEqual(['map.: itemId is missing; feedback needs it']);
    const odd: ListChoice = {
      list: { by: '/a~2', order: 'rank', within: 1 },
      map: { ts: '/at', itemId: '/i', 'items.position': '/p', action: '/x', itms: '/y' },
      feedback: { '/c~': 'click', b: { action: 'buy', ts: 'at' } },
    };
    expect(told(odd)).toEqual([
      expect.stringMatching(/^list\.by: expected a JSON pointer/),
      expect.stringMatching(/^feedback\.\/c~: expected a JSON pointer/),
      expect.stringMatching(/^feedback\.b\.ts: expected a JSON pointer/),
      expect.stringMatching(/^map\.itms: unknown field/),
      'map.action: write feedback, such as {clicked: click}',
      'map.items.position: write list.order',
    ]);
  });
});

describe('the map adapter reads texts', () => {
  const map = { requestId: '/r', ts: '/t', items: { at: '/i', split: '|' }, 'cohorts.country': '/c' } as const;
  const record = { r: 'r', t: T, i: ' a |b|c', c: 'DE' };

  test('that are split into lists, without the blanks around each part', () => {
    expect(decode(record, { adapter: { map } })).toMatchObject({ events: [{ items: ['a', 'b', 'c'] }] });
    for (const i of ['', ' ', '[]', ' [ ] ']) {
      expect(decode({ ...record, i }, { adapter: { map } })).toMatchObject({ events: [{ items: [] }] });
    }
    expect(decode({ ...record, i: ['x|y'] }, { adapter: { map } })).toMatchObject({ events: [{ items: ['x|y'] }] });
    expect(refusal({ ...record, i: 'a||b' }, { adapter: { map } })).toBe('bad_id items[1].id');
    const split = { ...map, 'items.id': '' };
    expect(decode(record, { adapter: { map: split } })).toMatchObject({ events: [{ items: ['a', 'b', 'c'] }] });
  });

  test('that hold JSON: pointers lead into them, and a list or object may stand in one', () => {
    const inside = { requestId: '/p/r', ts: '/t', items: '/p/i', 'items.id': '/sku', cohorts: '/c' };
    const text = {
      t: T,
      p: JSON.stringify({ r: 'r', i: JSON.stringify([{ sku: 'a' }, { sku: 'b' }]) }),
      c: '{"country":"DE"}',
    };
    const options = { adapter: { map: inside }, dimensions: ['country'] };
    expect(decode(text, options)).toMatchObject({
      events: [{ requestId: 'r', items: ['a', 'b'], dimensions: ['DE'] }],
    });
    expect(refusal({ ...text, p: '{"r":' }, options)).toBe('missing_field requestId');
    expect(refusal({ ...text, p: 'r' }, options)).toBe('missing_field requestId');
  });

  test('that hold numbers', () => {
    const numbers = { requestId: '/r', ts: '/t', itemId: '/i', action: '/a', value: '/v' };
    const role = { adapter: { map: numbers }, role: FEEDBACK };
    for (const [v, value] of [
      ['4.5', 4.5],
      [' -1e3 ', -1000],
      [4, 4],
      [null, undefined],
    ]) {
      expect(decode({ r: 'r', t: T, i: 'i', a: 'x', v }, role)).toMatchObject({ events: [{ value }] });
    }
    for (const v of ['four', '', '1,5', '0x10'])
      expect(refusal({ r: 'r', t: T, i: 'i', a: 'x', v }, role)).toBe('wrong_type value');
    expect(refusal({ requestId: 'r', ts: T, itemId: 'i', action: 'x', value: '4' }, { role: FEEDBACK })).toBe(
      'wrong_type value',
    );
  });
});
