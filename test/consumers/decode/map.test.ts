import { describe, expect, test } from 'vitest';
import { mapProblems } from '../../../src/consumers/decode/map.ts';
import { parsePointer, resolvePointer } from '../../../src/consumers/decode/pointer.ts';
import type { FieldMap } from '../../../src/consumers/decode/settings.ts';
import { event, FEEDBACK, IMPRESSIONS, refusal } from './fixture.ts';

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

describe('the map adapter', () => {
  test('it takes each field from where it is', () => {
    expect(event(RECORD, { adapter })).toEqual({
      kind: 'impression',
      requestId: 'r-9',
      ts: Date.UTC(2026, 10, 21, 8),
      userId: undefined,
      offset: 0,
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
    const click = { context: { recommendationId: 'r-9' }, meta: { at: 0 }, click: { sku: 'a' } };
    expect(event(click, { adapter: { map } })).toMatchObject({ kind: 'feedback', itemId: 'a', action: 'click', ts: 0 });
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
    const record = (list: unknown) => ({ r: 'r', t: 0, list });
    expect(event(record(['a', { id: 'b' }]), { adapter: { map } })).toMatchObject({ items: ['a', 'b'] });
    const placed = { map: { ...map, 'items.position': '/at' } };
    expect(event(record([{ id: 'b', at: 3 }]), { adapter: placed })).toMatchObject({ items: ['b'], ranks: [3] });
    const whole = { map: { ...map, 'items.id': '' } };
    expect(event(record(['a', 'b']), { adapter: whole })).toMatchObject({ items: ['a', 'b'] });
  });

  test('single cohorts lie on top of mapped ones', () => {
    const map = { requestId: '/r', ts: '/t', items: '/list', cohorts: '/c', 'cohorts.country': '/geo' };
    const record = { r: 'r', t: 0, list: [], c: { country: 'FR', tenure: 'new' }, geo: 'DE' };
    const dimensions = ['country', 'tenure'];
    expect(event(record, { adapter: { map }, dimensions })).toMatchObject({ dimensions: ['DE', 'new'] });
    expect(event({ ...record, geo: null }, { adapter: { map }, dimensions })).toMatchObject({
      dimensions: ['FR', 'new'],
    });
    expect(refusal({ ...record, c: 'x' }, { adapter: { map } })).toBe('wrong_type cohorts');
  });

  test('names of Object.prototype are found only where the record has them', () => {
    const map = { requestId: '/constructor/name', ts: '/t', items: '/list' };
    expect(refusal({ t: 0, list: [] }, { adapter: { map } })).toBe('missing_field requestId');
    const own = { requestId: '/__proto__/id', ts: '/t', items: '/list' };
    expect(event('{"__proto__":{"id":"r"},"t":0,"list":[]}', { adapter: { map: own } })).toMatchObject({
      requestId: 'r',
    });
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
