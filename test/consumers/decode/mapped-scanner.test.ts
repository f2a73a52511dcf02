/** Records with names of others: what the scanner makes of them by a plan of the map is what the map makes of them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AdapterChoice, FieldMap } from '../../../src/consumers/decode/decoder-settings.ts';
import { scanPlan } from '../../../src/consumers/decode/scan-plan.ts';
import { runs } from '../../runs.ts';
import { bytes, CLICK, FEEDBACK, IMPRESSION, IMPRESSIONS } from './fixture.ts';
import { casedRecords, mappedRecords, SELDOM, withAdapter } from './mapped-records.ts';
import { agrees, scannerOf } from './scanned.ts';

describe('the scanner of a map', () => {
  test.each([
    ['a map', mappedRecords],
    ['the maps that records choose', casedRecords],
  ])('makes of what it knows the same as %s', (_, records) => {
    let known = 0;
    fc.assert(
      fc.property(records, ({ all, texts }) => {
        const scanner = scannerOf(all);
        for (const text of texts) if (agrees(text, all, scanner)) known++;
      }),
      { numRuns: runs(3000), examples: SELDOM.map((one) => [one]) },
    );
    expect(known).toBeGreaterThan(150);
  });

  const NESTED: FieldMap = {
    requestId: '/context/request/id',
    ts: '/context/ts',
    items: '/payload/items',
    'items.id': '/product/sku',
    'items.score': '/product/score',
    userId: '/context/user',
    variant: '/context/arm',
    'cohorts.country': '/context/geo/country',
    itemId: '/payload/product/sku',
    action: '/a_name_of_more_than_16_bytes',
  };
  const SHOWN = {
    type: 'view',
    context: { request: { id: 'r-1' }, ts: IMPRESSION.ts, user: 'u', arm: 'A', geo: { country: 'DE', city: 'x' } },
    payload: { items: IMPRESSION.items.map(({ id }, i) => ({ product: { sku: id, score: 1 - i / 8 }, shelf: 'x' })) },
  };
  const DONE = {
    type: 'click',
    context: { request: { id: 'r-1' }, ts: CLICK.ts, user: 'u' },
    payload: { product: { sku: 'i3', price: 2.5 } },
    a_name_of_more_than_16_bytes: 'click',
  };

  test('knows nested records of both sides', () => {
    const all = withAdapter({ map: NESTED });
    const scanner = scannerOf(all);
    for (let n = 0; n < 3; n++) {
      expect(agrees(JSON.stringify(SHOWN), all, scanner)).toBe(true);
      expect(agrees(JSON.stringify(DONE), all, scanner)).toBe(true);
    }
  });

  test('knows records of maps, with constants, and leaves those with events in a list to their map', () => {
    const all = withAdapter({
      maps: [
        {
          when: { '/type': 'order' },
          map: {
            ts: '/context/ts',
            each: '/lines',
            'each.requestId': '/rid',
            'each.itemId': '/sku',
            action: { const: 'purchase' },
          },
        },
        { when: { '/type': 'view' }, map: NESTED },
        {
          when: { '/payload': { exists: true } },
          map: {
            requestId: '/context/request/id',
            ts: '/context/ts',
            itemId: '/payload/product/sku',
            action: { const: 'tap' },
          },
        },
      ],
    });
    const scanner = scannerOf(all);
    expect(agrees(JSON.stringify(SHOWN), all, scanner)).toBe(true);
    expect(agrees(JSON.stringify(DONE), all, scanner)).toBe(true);
    const order = { type: 'order', context: DONE.context, lines: [{ rid: 'r-1', sku: 'i3' }] };
    expect(scanner.scan(bytes(JSON.stringify(order)))).toBeUndefined();
    expect(scanner.scan(bytes(JSON.stringify({ type: 'page', context: {} })))).toBeUndefined();
  });

  test('on records with one byte put in the place of another it agrees', () => {
    const all = withAdapter({ map: NESTED });
    const scanner = scannerOf(all);
    for (const text of [JSON.stringify(SHOWN), JSON.stringify(DONE)]) {
      for (let at = 0; at < text.length; at++) {
        for (const byte of ['', '"', '\\', '{', '}', '[', ']', ':', ',', '0', '1', '-', '.', 'e', ' ', 'n', 'é']) {
          agrees(text.slice(0, at) + byte + text.slice(at + 1), all, scanner);
        }
      }
    }
  });

  test.each([
    [
      'an object twice',
      '{"context":{"ts":1795248000001},"context":{"request":{"id":"r"}},"a_name_of_more_than_16_bytes":"x","payload":{"product":{"sku":"i"}}}',
    ],
    ['an object in a text', '{"context":"{\\"ts\\":1}","payload":{}}'],
    ['an item that is its id alone', JSON.stringify({ ...SHOWN, payload: { items: ['i7'] } })],
  ])('leaves %s to the map', (_, text) => {
    expect(scannerOf(withAdapter({ map: NESTED })).scan(bytes(text))).toBeUndefined();
  });
});

describe('a plan', () => {
  const plain = { requestId: '/r', ts: '/t', itemId: '/i', action: '/a' };

  test.each<[string, AdapterChoice]>([
    ['transforms', { map: { ...plain, requestId: { at: '/r', lower: true } } }],
    ['an id of two fields', { map: { ...plain, requestId: ['/r', '/s'] } }],
    ['an entry of a list', { map: { ...plain, itemId: '/items/0/id' } }],
    ['events in a list', { map: { requestId: '/r', ts: '/t', action: '/a', each: '/items', 'each.itemId': '/id' } }],
    ['names beyond ASCII', { map: { ...plain, itemId: '/größe' } }],
    ['rows', { list: { by: 'requestId', within: 10 } }],
    ['another condition', { maps: [{ when: { '/type': { matches: 'c' } }, map: plain }] }],
  ])('is not made of %s', (_, adapter) => {
    expect(scanPlan(adapter)).toBeUndefined();
  });

  test('is made of one map beside one that it cannot express', () => {
    const adapter = {
      maps: [{ when: { '/x': 'y' }, map: { ...plain, itemId: { at: '/i', lower: true } } }, { map: plain }],
    } as const;
    expect(scanPlan(adapter)?.cases.map(({ isSlow }) => isSlow)).toEqual([true, false]);
  });

  test('of one side knows no record of the other', () => {
    const text = JSON.stringify({ r: 'r', t: 1_795_248_000_000, i: 'i', a: 'click' });
    expect(scannerOf(withAdapter({ map: plain }, { role: IMPRESSIONS })).scan(bytes(text))).toBeUndefined();
    expect(scannerOf(withAdapter({ map: plain }, { role: FEEDBACK })).scan(bytes(text))).toBeDefined();
  });
});
