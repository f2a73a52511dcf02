import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDecoder } from '../../../src/consumers/decode/decoder.ts';
import { ADAPTER_NAMES, type AdapterChoice } from '../../../src/consumers/decode/decoder-settings.ts';
import { INVALID_CODES } from '../../../src/vocabulary/drops.ts';
import { BOTH, bytes, CLICK, event, FEEDBACK, IMPRESSION, IMPRESSIONS, refusal } from './fixture.ts';
import { DICTIONARY, mutatedText } from './hostile.ts';

const MAP: AdapterChoice = {
  map: {
    requestId: '/requestId',
    ts: '/ts',
    items: '/items',
    'items.id': '/id',
    itemId: '/itemId',
    action: '/action',
    cohorts: '/cohorts',
    'cohorts.country': '/cohorts/country',
  },
};
const base = { requestId: '/requestId', ts: '/ts' };
const EACH: AdapterChoice = {
  map: { ...base, each: '/items', 'each.itemId': '/id', 'each.items': '/items', action: { const: 'click' } },
};
const MAPS: AdapterChoice = {
  maps: [
    { when: { '/action': ['click', 1] }, map: { ...base, itemId: '/itemId', action: '/action' } },
    { map: { ...base, items: '/items' } },
  ],
};
const MADE: AdapterChoice = {
  map: {
    requestId: { first: ['/requestId', { at: '/eventId', strip: 'r' }], match: '(.+)' },
    ts: { at: '/ts', timeOrigin: '2016-06-14T04:00:00Z', unit: 'ms', default: 5 },
    items: { at: { at: '/items', flatten: '' }, keep: { '/id': { not: { matches: 'x+$' } } } },
    'items.score': { at: '/score', decimal: ',', scale: 0.1 },
    itemId: { join: ['/itemId', '/action'], lower: true, only: 'letters-and-digits' },
    action: { at: '/action', default: 'click' },
    'cohorts.country': { at: '/extra', pairs: 'country' },
  },
};
const ROW = '2019-11-24 00:03:13.442536+00:00,14,3,1,0.029411764705882353,a,b,c,d';

/** Flips, splices and dictionary words on the bytes of a text. */
const mutatedBytes = fc
  .tuple(
    fc.oneof(mutatedText, fc.constantFrom(ROW, JSON.stringify(IMPRESSION), JSON.stringify(CLICK), '{}', '')),
    fc.array(
      fc.record({
        at: fc.nat(),
        length: fc.nat(8),
        put: fc.oneof(fc.uint8Array({ maxLength: 8 }), fc.constantFrom(...DICTIONARY)),
      }),
      { maxLength: 4 },
    ),
  )
  .map(([text, changes]) => {
    let value = bytes(text);
    for (const { at, length, put } of changes) {
      const from = value.length === 0 ? 0 : at % value.length;
      const middle = typeof put === 'string' ? bytes(put) : put;
      value = Uint8Array.from([...value.subarray(0, from), ...middle, ...value.subarray(from + length)]);
    }
    return value;
  });

const choices = fc.record({
  adapter: fc.constantFrom<AdapterChoice>(...ADAPTER_NAMES, MAP, EACH, MAPS, MADE),
  role: fc.constantFrom(BOTH.role, IMPRESSIONS, FEEDBACK),
  defaults: fc.constantFrom(
    new Map<string, string>(),
    new Map([
      ['variant', 'a'],
      ['country', 'DE'],
    ]),
  ),
});

describe('hostile bytes', () => {
  test('decoding always answers: events of the topic’s sides, or a code of the closed list', () => {
    fc.assert(
      fc.property(mutatedBytes, choices, (value, changed) => {
        const decoded = createDecoder({ ...BOTH, ...changed }).decode(value, '__proto__', 3);
        if ('refused' in decoded) {
          expect(decoded.refused).toBe('invalid');
          if (decoded.refused === 'invalid') expect(INVALID_CODES).toContain(decoded.code);
          if (decoded.refused !== 'unmapped') expect(changed.role[decoded.side]).toBe(true);
          return;
        }
        for (const { kind, ts } of decoded.events) {
          expect(changed.role[kind === 'impression' ? 'impressions' : 'feedback']).toBe(true);
          expect(Number.isSafeInteger(ts)).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('no part of a refused value is in the answer', () => {
    const secret = 'c4n4ry';
    const places = [
      { ...IMPRESSION, requestId: { [secret]: secret } },
      { ...IMPRESSION, experiments: { [secret]: 1 } },
      { ...IMPRESSION, cohorts: secret },
      { ...IMPRESSION, items: [{ [secret]: secret }] },
      { ...IMPRESSION, ts: secret },
      secret,
    ];
    for (const value of places) expect(refusal(value)).not.toContain(secret);
  });

  test('brackets up to the size limit are refused', () => {
    for (const open of ['[', '{"a":', '{"items":[']) {
      const text = open.repeat(Math.floor(BOTH.impressionBytes / open.length));
      expect(refusal(text)).toBe('not_json');
    }
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(refusal(deep)).toMatch(/^not_/);
    expect(['not_json', 'adapter_failed', 'wrong_type items[0].id']).toContain(
      refusal(`{"requestId":"r","ts":1795248000001,"items":[${deep}]}`),
    );
  });

  test('a long list of wrong items is refused by its length, before any of them is judged', () => {
    const items = `[${'{},'.repeat(80_000)}{}]`;
    expect(refusal(`{"requestId":"r","ts":1795248000001,"items":${items}}`)).toBe('too_many_items items');
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    '%s is plain text everywhere',
    (word) => {
      const read = event(
        `{"requestId":"${word}","ts":1795248000001,"userId":"${word}","items":["${word}",{"id":"${word}"}],"variant":"${word}","cohorts":{"${word}":"x","country":"${word}"},"experiments":{"${word}":"y"}}`,
        { dimensions: ['country', 'variant'] },
      );
      const label = word.startsWith('__') ? '__invalid__' : word;
      expect(read).toMatchObject({ requestId: word, userId: word, items: [word, word], dimensions: [label, label] });
      expect(event({ ...CLICK, requestId: word, itemId: word, action: word, eventId: word })).toMatchObject({
        requestId: word,
        itemId: word,
        action: word,
        eventId: word,
      });
      expect(Object.hasOwn(Object.prototype, 'country')).toBe(false);
    },
  );
});
