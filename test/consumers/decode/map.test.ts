import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FieldMap } from '../../../src/consumers/decode/decoder-settings.ts';
import { together } from '../../../src/consumers/decode/field-source.ts';
import { mapProblems, mapsProblems } from '../../../src/consumers/decode/map.ts';
import { parsePointer, resolvePointer } from '../../../src/consumers/decode/pointer.ts';
import { decode, event, FEEDBACK, IMPRESSIONS, refusal } from './fixture.ts';

const SHOP: FieldMap = {
  requestId: '/context/recommendationId',
  ts: '/meta/at',
  items: '/payload/products',
  'items.id': '/sku',
  'items.score': '/rank/score',
  'items.position': '/rank/slot',
  variant: '/context/arm',
  surface: { const: 'home' },
  'cohorts.country': '/context/geo/country',
  'experiments.ranker': '/context/ranker',
  'model.name': '/meta/model',
};
const adapter = { map: SHOP };
const RECORD = {
  context: { recommendationId: 'r-9', arm: 'B', geo: { country: 'DE' }, ranker: 'x' },
  meta: { at: '2026-11-21T08:00:00Z', model: 'tt' },
  payload: {
    products: [
      { sku: 'b', rank: { score: 0.5, slot: 2 }, id: 'not this' },
      { sku: 'a', rank: { score: 0.9, slot: 1 } },
    ],
  },
};

const AT = 1_795_248_000_009;

describe('an id of several fields', () => {
  const part = fc.oneof(
    fc.string({ minLength: 1, unit: fc.constantFrom('a', 'b', '|', '\\', '1') }),
    fc.integer({ min: 0, max: 12 }),
  );

  test('never is that of other parts', () => {
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 3 }),
        fc.array(part, { minLength: 1, maxLength: 3 }),
        (a, b) => {
          expect(together(a) === together(b)).toBe(JSON.stringify(a.map(String)) === JSON.stringify(b.map(String)));
        },
      ),
    );
    expect(together(['a|b', 'c'])).toBe('a\\|b|c');
    expect(together(['a', 'b|c'])).toBe('a|b\\|c');
  });

  const map = { requestId: ['/s', '/n'], ts: '/at', itemId: '/sku', action: { const: 'click' } };
  const record = { s: 's1', n: 3, at: AT, sku: 'a' };

  test('ties both sides, under names and types of their own', () => {
    const lists = { requestId: ['/session', '/query'], ts: '/at', items: '/shown' };
    const shown = { session: 's1', query: '3', at: AT, shown: ['a'] };
    const click = event(record, { adapter: { map }, role: FEEDBACK });
    expect(click.requestId).toBe('s1|3');
    expect(event(shown, { adapter: { map: lists }, role: IMPRESSIONS }).requestId).toBe(click.requestId);
  });

  test.each([
    [{ n: undefined }, 'missing_field requestId'],
    [{ s: '' }, 'bad_id requestId'],
    [{ n: 1.5 }, 'bad_id requestId'],
    [{ n: {} }, 'wrong_type requestId'],
  ])('is refused where a part is none: %j', (change, code) => {
    expect(refusal({ ...record, ...change }, { adapter: { map }, role: FEEDBACK })).toBe(code);
  });

  test('may stand in the entries of a list', () => {
    const each = {
      each: '/clicks',
      'each.requestId': ['/s', '/n'],
      ts: '/at',
      'each.itemId': '/sku',
      action: { const: 'click' },
    };
    const decoded = event({ at: AT, clicks: [record] }, { adapter: { map: each }, role: FEEDBACK });
    expect(decoded.requestId).toBe('s1|3');
  });

  test('is of ids alone, and of pointers', () => {
    const problems = (more: FieldMap) =>
      mapProblems({ ...map, ...more }, FEEDBACK).map(({ field, message }) => `${field}: ${message}`);
    expect(problems({})).toEqual([]);
    expect(problems({ ts: ['/a', '/b'] })).toEqual([
      expect.stringMatching(/^ts: only ids are several fields together: requestId, /),
    ]);
    expect(problems({ requestId: ['/a', 'b'] })).toEqual([
      'requestId: expected a JSON pointer such as /context/id (RFC 6901)',
    ]);
  });
});

describe('the map adapter', () => {
  test('it takes each field from where it is', () => {
    expect(event(RECORD, { adapter })).toEqual({
      kind: 'impression',
      requestId: 'r-9',
      ts: Date.UTC(2026, 10, 21, 8),
      userId: undefined,
      pageOffset: 0,
      items: ['a', 'b'],
      ranks: undefined,
      dimensions: ['DE', 'x', 'tt', 'home', 'B'],
    });
  });

  test('it carries scores and categories in the order of ranks, where they are asked for', () => {
    const map: FieldMap = { ...SHOP, 'items.category': '/kind' };
    const [second, first] = RECORD.payload.products;
    const record = { ...RECORD, payload: { products: [{ ...second, kind: 'x' }, first] } };
    const carried = { adapter: { map }, carries: { scores: true, categories: true } };
    expect(event(record, carried)).toMatchObject({ items: ['a', 'b'], scores: [0.9, 0.5], categories: ['', 'x'] });
    expect(event(record, { adapter: { map } })).not.toHaveProperty('scores');
    expect(event(record, { adapter: { map } })).not.toHaveProperty('categories');
  });

  test('a record without its list is feedback', () => {
    const map = { ...SHOP, itemId: '/click/sku', action: { const: 'click' } };
    const click = { context: { recommendationId: 'r-9' }, meta: { at: AT }, click: { sku: 'a' } };
    expect(event(click, { adapter: { map } })).toMatchObject({
      kind: 'feedback',
      itemId: 'a',
      action: 'click',
      ts: AT,
    });
  });

  test('what it finds is validated like a canonical event', () => {
    expect(refusal({ ...RECORD, meta: {} }, { adapter })).toBe('missing_field ts');
    expect(refusal({ ...RECORD, payload: { products: [{ id: 'a' }] } }, { adapter })).toBe('missing_field items[0].id');
    expect(refusal({ ...RECORD, payload: { products: 'a' } }, { adapter })).toBe('wrong_type items');
    expect(refusal('[]', { adapter })).toBe('not_an_object');
    expect(refusal('{', { adapter })).toBe('not_json');
  });

  test('items that are not mapped stay as they are, and an id keeps its own name unless it is mapped', () => {
    const map = { requestId: '/r', ts: '/t', items: '/list' };
    const record = (list: unknown) => ({ r: 'r', t: AT, list });
    expect(event(record(['a', { id: 'b' }]), { adapter: { map } })).toMatchObject({ items: ['a', 'b'] });
    const placed = { map: { ...map, 'items.position': '/at' } };
    expect(event(record([{ id: 'b', at: 3 }]), { adapter: placed })).toMatchObject({ items: ['b'], ranks: [3] });
    const whole = { map: { ...map, 'items.id': '' } };
    expect(event(record(['a', 'b']), { adapter: whole })).toMatchObject({ items: ['a', 'b'] });
  });

  test('single cohorts lie on top of mapped ones', () => {
    const map = { requestId: '/r', ts: '/t', items: '/list', cohorts: '/c', 'cohorts.country': '/geo' };
    const record = { r: 'r', t: AT, list: [], c: { country: 'FR', tenure: 'new' }, geo: 'DE' };
    const dimensions = ['country', 'tenure'];
    expect(event(record, { adapter: { map }, dimensions })).toMatchObject({ dimensions: ['DE', 'new'] });
    expect(event({ ...record, geo: null }, { adapter: { map }, dimensions })).toMatchObject({
      dimensions: ['FR', 'new'],
    });
    expect(refusal({ ...record, c: 'x' }, { adapter: { map } })).toBe('wrong_type cohorts');
  });

  test('names of Object.prototype are found only where the record has them', () => {
    const map = { requestId: '/constructor/name', ts: '/t', items: '/list' };
    expect(refusal({ t: AT, list: [] }, { adapter: { map } })).toBe('missing_field requestId');
    const own = { requestId: '/__proto__/id', ts: '/t', items: '/list' };
    expect(event('{"__proto__":{"id":"r"},"t":1795248000009,"list":[]}', { adapter: { map: own } })).toMatchObject({
      requestId: 'r',
    });
  });
});

describe('a record of several events', () => {
  const ORDER: FieldMap = {
    each: '/order/lines',
    'each.itemId': '/sku',
    'each.value': '/price',
    requestId: '/list',
    ts: '/at',
    action: { const: 'purchase' },
  };
  const lines = [
    { sku: 'a', price: 5 },
    { sku: 7, price: null },
  ];
  const record = { list: 'r', at: AT, order: { lines } };

  test('the list may be a text that is split, as several clicked items in one cell', () => {
    const map = {
      requestId: '/r',
      ts: '/at',
      action: { const: 'click' },
      each: { at: '/clicked', split: '|' },
      'each.itemId': '',
    };
    const clicked = (text: unknown) => decode({ r: 'r', at: AT, clicked: text }, { adapter: { map }, role: FEEDBACK });
    expect(clicked('a | b')).toMatchObject({ events: [{ itemId: 'a' }, { itemId: 'b' }] });
    expect(clicked('a')).toMatchObject({ events: [{ itemId: 'a' }] });
    expect(clicked('[]')).toMatchObject({ events: [] });
    expect(clicked(undefined)).toMatchObject({ refused: 'invalid', code: 'missing_field' });
  });

  test('each entry of the list is an event, with fields of its own and those of the record', () => {
    const common = { kind: 'feedback', requestId: 'r', ts: AT, action: 'purchase', eventId: undefined };
    expect(decode(record, { adapter: { map: ORDER } })).toEqual({
      events: [
        { ...common, itemId: 'a', value: 5 },
        { ...common, itemId: '7', value: undefined },
      ],
    });
  });

  test('entries that would repeat a long id thousands of times are too large; as many with a short id are not', () => {
    const map = { ...ORDER, each: '/ids', 'each.itemId': '', 'each.value': '/price' };
    const options = { adapter: { map }, impressionBytes: 100_000, feedbackBytes: 100_000 };
    const ids = Array.from({ length: 10_000 }, (_, n) => n % 10);
    // 16 times the largest record: 160 units for each of 10,000 entries, of which 8 are the item and 8 the action.
    const padded = (units: number) => ({ list: 'r'.repeat(units - 16 - 3 * 8), at: AT, ids });
    expect(decode(padded(160), options)).toHaveProperty('events.length', 10_000);
    expect(refusal(padded(161), options)).toBe('too_large');
    expect(decode({ list: 'r'.repeat(50_000), at: AT, ids: [1] }, options)).toHaveProperty('events.length', 1);
  });

  test('entries may share 100,000 items in all', () => {
    const map = { each: '/ids', 'each.requestId': '', items: '/shown', 'items.id': '/sku', ts: '/at' };
    const options = { adapter: { map }, role: IMPRESSIONS, impressionBytes: 1_000_000 };
    const batch = (entries: number) => ({
      at: AT,
      ids: Array.from({ length: entries }, (_, n) => `r${n}`),
      shown: Array.from({ length: 1000 }, (_, n) => ({ sku: n })),
    });
    expect(decode(batch(100), options)).toHaveProperty('events.length', 100);
    expect(refusal(batch(101), options)).toBe('too_large');
    const split = { ...map, items: { at: '/shown', split: ',' }, 'items.id': '' };
    const texts = (entries: number) => ({
      ...batch(entries),
      shown: batch(entries)
        .shown.map(({ sku }) => sku)
        .join(),
    });
    expect(decode(texts(100), { ...options, adapter: { map: split } })).toHaveProperty('events.length', 100);
    expect(refusal(texts(101), { ...options, adapter: { map: split } })).toBe('too_large');
  });

  test('entries that are no objects are found by the empty pointer', () => {
    const map = { ...ORDER, each: '/ids', 'each.itemId': '', 'each.value': '/price' };
    const decoded = decode({ list: 'r', at: AT, ids: ['a', 'b'] }, { adapter: { map } });
    expect(decoded).toMatchObject({ events: [{ itemId: 'a' }, { itemId: 'b' }] });
  });

  test('an entry may hold a list: fields of its items are relative to the item', () => {
    const map = {
      each: '/batch',
      'each.requestId': '/id',
      'each.items': '/shown',
      'items.id': '/sku',
      'each.cohorts.country': '/geo',
      'cohorts.tenure': '/tenure',
      ts: '/at',
    };
    const batch = [
      { id: 'r1', shown: [{ sku: 'a' }, { sku: 'b' }], geo: 'DE' },
      { id: 'r2', shown: [{ sku: 'c' }], geo: 'FR' },
    ];
    expect(
      decode({ at: AT, tenure: 'new', batch }, { adapter: { map }, dimensions: ['country', 'tenure'] }),
    ).toMatchObject({
      events: [
        { requestId: 'r1', items: ['a', 'b'], dimensions: ['DE', 'new'] },
        { requestId: 'r2', items: ['c'], dimensions: ['FR', 'new'] },
      ],
    });
  });

  test('a record of several events holds what the same events hold alone', () => {
    const alone: FieldMap = { requestId: '/r', ts: '/t', itemId: '/i', value: '/v', action: { const: 'click' } };
    const together: FieldMap = {
      each: '/all',
      'each.requestId': '/r',
      'each.ts': '/t',
      'each.itemId': '/i',
      'each.value': '/v',
      action: { const: 'click' },
    };
    const entry = fc.record({ r: fc.constantFrom('a', 'b', 7, ''), t: fc.nat(), i: fc.nat(9), v: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(entry), (all) => {
        const apart = all.map((one) => decode(one, { adapter: { map: alone } }));
        const wrong = apart.find((decoded) => 'refused' in decoded);
        const events = apart.flatMap((decoded) => ('events' in decoded ? decoded.events : []));
        expect(decode({ all }, { adapter: { map: together } })).toEqual(wrong ?? { events });
      }),
    );
  });

  test('an empty list holds no event; a list that is missing or something else is invalid', () => {
    const adapter = { map: ORDER };
    expect(decode({ ...record, order: { lines: [] } }, { adapter })).toEqual({ events: [] });
    expect(refusal({ ...record, order: null }, { adapter })).toBe('missing_field');
    expect(refusal({ ...record, order: { lines: 'a' } }, { adapter })).toBe('wrong_type');
  });

  test('one wrong entry makes the whole record invalid', () => {
    const wrong = { ...record, order: { lines: [...lines, { price: 1 }] } };
    expect(refusal(wrong, { adapter: { map: ORDER } })).toBe('missing_field itemId');
  });
});

describe('several maps', () => {
  const base = { requestId: '/list', ts: '/at' };
  const adapter = {
    maps: [
      { when: { '/event': 'Product List Viewed' }, map: { ...base, items: '/products' } },
      {
        when: { '/event': ['Product Clicked', 'Product Added'], '/test': false },
        map: { ...base, itemId: '/product', action: '/event' },
      },
    ],
  };
  const list = { event: 'Product List Viewed', list: 'r', at: AT, products: ['a'] };
  const click = { event: 'Product Added', test: false, list: 'r', at: AT, product: 'a', products: ['b', 'c'] };

  test('the first whose conditions the record meets is used', () => {
    expect(event(list, { adapter })).toMatchObject({ kind: 'impression', items: ['a'] });
    expect(event(click, { adapter })).toMatchObject({ kind: 'feedback', itemId: 'a', action: 'Product Added' });
    const rest = { maps: [...adapter.maps, { map: { ...base, itemId: '/product', action: { const: 'x' } } }] };
    expect(event({ ...click, event: 'other' }, { adapter: rest })).toMatchObject({ action: 'x' });
    expect(event(click, { adapter: rest })).toMatchObject({ action: 'Product Added' });
  });

  test('of a record that meets none it is known what kept it out of the map that it came closest to (specification: events 6.1)', () => {
    for (const [other, field, value] of [
      [{ ...click, test: true }, '/test', 'true'],
      [{ ...click, test: 0 }, '/test', '0'],
      [{ ...click, test: [] }, '/test', '__invalid__'],
      [{ ...click, test: null }, '/test', '__none__'],
      [{ ...click, event: 'Page' }, '/event', 'Page'],
      [{ ...click, event: `\u001b[2J${'x'.repeat(200)}` }, '/event', `?[2J${'x'.repeat(60)}`],
      [{ ...click, event: '__other__' }, '/event', '__invalid__'],
      [{ ...click, event: '\ud83d' }, '/event', '?'],
      [{}, '/event', '__none__'],
      [{ event: '' }, '/event', '__none__'],
    ] as const) {
      expect(decode(other, { adapter })).toEqual({ refused: 'unmapped', condition: { field, value } });
    }
  });

  test('one that is no object is invalid', () => {
    expect(refusal('[]', { adapter })).toBe('not_an_object');
    expect(refusal('{', { adapter })).toBe('not_json');
  });

  test('a condition may ask whether there is a value, whichever it is', () => {
    const apart = {
      maps: [
        { when: { '/order/no': { exists: true } }, map: { ...base, itemId: '/sku', action: { const: 'purchase' } } },
        { when: { '/test': { exists: false } }, map: { ...base, itemId: '/product', action: { const: 'click' } } },
      ],
    };
    const seen = (record: object) =>
      decode({ list: 'r', at: AT, sku: 's', product: 'p', ...record }, { adapter: apart });
    for (const no of [7, '', 0, false, {}]) {
      expect(seen({ order: { no } })).toMatchObject({ events: [{ itemId: 's', action: 'purchase' }] });
    }
    for (const none of [{}, { order: null }, { order: { no: null } }, { order: 'no', test: null }]) {
      expect(seen(none)).toMatchObject({ events: [{ itemId: 'p', action: 'click' }] });
    }
    // Whatever stands there may be an id.
    expect(seen({ test: 'u-17' })).toEqual({
      refused: 'unmapped',
      condition: { field: '/order/no', value: '__none__' },
    });
    const [, second] = apart.maps;
    expect(decode({ list: 'r', test: 'u-17' }, { adapter: { maps: [second] } })).toEqual({
      refused: 'unmapped',
      condition: { field: '/test', value: '__any__' },
    });
    expect(mapsProblems(apart.maps, FEEDBACK)).toEqual([]);
  });

  test('what the chosen map finds is validated', () => {
    expect(refusal({ ...click, product: null }, { adapter })).toBe('missing_field itemId');
  });

  test('all problems are told, each where it is', () => {
    const both = { impressions: true, feedback: true };
    expect(mapsProblems(adapter.maps, both)).toEqual([]);
    expect(mapsProblems(adapter.maps.slice(0, 1), both)).toEqual([{ at: ['maps'], message: 'none makes feedback' }]);
    expect(mapsProblems(adapter.maps, IMPRESSIONS)).toEqual([
      { at: ['maps', 1], message: 'makes feedback, and this topic carries none' },
    ]);
    expect(
      mapsProblems(
        [
          { map: { ...base, itemId: '/i' } },
          { when: { event: 'x' }, map: { each: '/l', ts: '/t', 'each.requestId': '/r', 'each.items': 'p' } },
        ],
        both,
      ),
    ).toEqual([
      { at: ['maps', 0, 'map', ''], message: expect.stringContaining('action is missing') },
      { at: ['maps', 0], message: 'takes every record, so that no map after it is reached; give it a when' },
      { at: ['maps', 1, 'map', 'each.items'], message: 'expected a JSON pointer such as /context/id (RFC 6901)' },
      { at: ['maps', 1, 'when', 'event'], message: 'expected a JSON pointer such as /event (RFC 6901)' },
    ]);
  });
});

describe('problems of a map', () => {
  const both = { impressions: true, feedback: true };

  test('a sound map has none', () => {
    expect(mapProblems(SHOP, IMPRESSIONS)).toEqual([]);
    expect(mapProblems({ ...SHOP, itemId: '/click', action: { const: 'click' } }, both)).toEqual([]);
  });

  test('wrong names, wrong pointers and missing fields are all told', () => {
    const map = {
      requestid: '/a',
      ts: 'at',
      items: { const: 1 },
      'items.sku': '/b',
      'cohorts.Country': '/c',
      action: '/~2',
    };
    expect(mapProblems(map, both)).toEqual([
      { field: '', message: 'requestId is missing; every event needs it' },
      { field: '', message: 'itemId is missing; feedback needs it' },
      { field: 'requestid', message: 'unknown field; did you mean "requestId"?' },
      { field: 'ts', message: 'expected a JSON pointer such as /context/id (RFC 6901)' },
      { field: 'items', message: 'expected a JSON pointer; a list cannot be constant' },
      { field: 'items.sku', message: expect.stringContaining('unknown field; expected one of requestId, ts, items') },
      { field: 'cohorts.Country', message: 'expected cohorts.<name> with a name such as country' },
      { field: 'action', message: 'expected a JSON pointer such as /context/id (RFC 6901)' },
    ]);
  });

  test('a topic needs the fields of its sides only', () => {
    const base = { requestId: '/r', ts: '/t' };
    const missing = (role: typeof both) => mapProblems(base, role).map(({ message }) => message.split(' ')[0]);
    expect(missing(IMPRESSIONS)).toEqual(['items']);
    expect(missing(FEEDBACK)).toEqual(['itemId', 'action']);
    expect(missing(both)).toEqual(['items', 'itemId', 'action']);
  });

  test('fields of items need the list', () => {
    const map = { requestId: '/r', ts: '/t', itemId: '/i', action: '/a', 'items.id': '/x' };
    expect(mapProblems(map, FEEDBACK)).toEqual([
      { field: 'items.id', message: 'needs items, the pointer to the list' },
    ]);
  });
});

describe('problems of a map with each', () => {
  const base = { requestId: '/r', ts: '/t', action: '/a' };

  test('a sound one has none', () => {
    expect(mapProblems({ ...base, each: '/l', 'each.itemId': '/i', 'each.eventId': '/e' }, FEEDBACK)).toEqual([]);
  });

  test.each([
    [{ 'each.itemId': '/i' }, 'each.itemId', 'needs each, the pointer to the list of events'],
    [{ each: '/l', itemId: '/i' }, 'each', 'needs a field of its entries, such as each.itemId'],
    [{ each: { const: 1 }, 'each.itemId': '/i' }, 'each', 'expected a JSON pointer; a list cannot be constant'],
    [
      { each: '/l', 'each.itemId': '/i', itemId: '/j' },
      'each.itemId',
      'appears twice: as itemId of the record and of each entry',
    ],
    [{ each: '/l', 'each.itemId': '/i', eventId: '/e' }, 'eventId', expect.stringContaining('all but one are dupl')],
    [{ each: '/l', 'each.itemid': '/i', itemId: '/j' }, 'each.itemid', expect.stringContaining('mean "itemId"?')],
    [
      { each: '/l', 'each.itemId': '/i', 'each.items.id': '/x' },
      'each.items.id',
      'fields of items are relative to the item: write items.id',
    ],
    [{ eech: '/l', itemId: '/i' }, 'eech', 'unknown field; did you mean "each"?'],
  ])('%j', (fields, field, message) => {
    expect(mapProblems({ ...base, ...fields }, FEEDBACK)).toEqual([{ field, message }]);
  });
});

describe('JSON pointers', () => {
  // The examples of RFC 6901 section 5.
  const document: unknown = JSON.parse(
    '{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8}',
  );
  test.each([
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
    ['', document],
    ['/foo/2', undefined],
    ['/foo/00', undefined],
    ['/foo/-', undefined],
    ['/foo/length', undefined],
    ['/foo/0/0', undefined],
    ['/toString', undefined],
  ])('%j finds what it should', (text, value) => {
    expect(resolvePointer(document, parsePointer(text) ?? ['no pointer'])).toEqual(value);
  });

  test.each(['foo', '/~', '/~2', '/a~'])('%j is no pointer', (text) => {
    expect(parsePointer(text)).toBeUndefined();
  });
});
