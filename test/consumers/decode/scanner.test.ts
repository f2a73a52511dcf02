import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDecoder } from '../../../src/consumers/decode/decoder.ts';
import { Dimensions } from '../../../src/consumers/decode/dimensions.ts';
import { runs } from '../../runs.ts';
import { BOTH, bytes, CLICK, IMPRESSION } from './fixture.ts';
import { feedback, impressions, mutatedText } from './hostile.ts';
import { agrees, DIMENSIONS, layouts, options, scannerOf, usual } from './scanned.ts';

/** A usual record with a piece taken out, doubled, or put elsewhere. */
const spliced = fc.tuple(usual, fc.nat(), fc.nat(12), fc.nat()).map(([event, at, length, to]) => {
  const text = JSON.stringify(event);
  const from = at % text.length;
  const piece = text.slice(from, from + length);
  const rest = to % 3 === 0 ? text : text.slice(0, from) + text.slice(from + length);
  const put = to % (rest.length + 1);
  return to % 3 === 1 ? rest : rest.slice(0, put) + piece + rest.slice(put);
});
const damaged = fc.oneof(
  mutatedText,
  spliced,
  usual.map((event) => JSON.stringify(event)),
);

describe('the scanner', () => {
  test.each([
    ['nothing', {}],
    ['scores and categories', { carries: { scores: true, categories: true } }],
    ['keys of users', { sampleUsers: true }],
  ])(
    'makes of what it knows the same as the plain way, one after the other in the same memory, carrying %s',
    (_, carried) => {
      const all = { ...BOTH, dimensions: DIMENSIONS, ...carried };
      const scanner = scannerOf(all);
      let known = 0;
      fc.assert(
        fc.property(fc.oneof({ weight: 4, arbitrary: usual }, impressions, feedback), layouts, (event, layout) => {
          if (agrees(layout(event), all, scanner)) known++;
        }),
        { numRuns: runs(1500) },
      );
      expect(known).toBeGreaterThan(180);
    },
  );

  test('on damaged events it agrees, or leaves them to the plain way', () => {
    let known = 0;
    let left = 0;
    fc.assert(
      fc.property(damaged, options, (text, changed) => {
        const all = { ...BOTH, ...changed };
        if (agrees(text, all, scannerOf(all))) known++;
        else left++;
      }),
      { numRuns: runs(3000) },
    );
    expect(Math.min(known, left)).toBeGreaterThan(50);
  });

  test('on plain records with one byte put in the place of another it agrees', () => {
    const scanner = scannerOf(BOTH);
    const texts = [JSON.stringify(shortImpression()), JSON.stringify({ ...CLICK, userId: 'u', value: 1.5 })];
    for (const text of texts) {
      expect(agrees(text, BOTH, scanner)).toBe(true);
      for (let at = 0; at < text.length; at++) {
        for (const put of [
          '',
          '"',
          '\\',
          '{',
          '}',
          '[',
          ']',
          ':',
          ',',
          '0',
          '1',
          '-',
          '.',
          'e',
          ' ',
          'n',
          '\u0001',
          'é',
        ]) {
          agrees(text.slice(0, at) + put + text.slice(at + 1), BOTH, scanner);
        }
        agrees(text.slice(0, at), BOTH, scanner);
      }
    }
  });

  test.each([
    ['the canonical impression', JSON.stringify(IMPRESSION)],
    ['the canonical feedback', JSON.stringify(CLICK)],
    ['a list of 20 with scores', JSON.stringify(longImpression())],
    ['items that are texts', '{"requestId":"r","ts":1795248000001,"items":["a","b"]}'],
    [
      'positions in order',
      '{"requestId":"r","ts":1795248000001,"items":[{"id":"a","position":3},{"id":"b","position":7}]}',
    ],
    ['no items', '{"requestId":"r","ts":1795248000001,"items":[]}'],
    ['fields of others', '{"requestId":"r","ts":1795248000001,"items":["a"],"context":{"a":[1,2.5e3,true,null,"x"]}}'],
    ['empty and null ids', '{"requestId":"r","ts":1795248000001,"userId":"","sessionId":null,"items":["a"]}'],
    ['ids that are numbers', '{"requestId":7,"userId":0,"ts":1795248000001,"items":[1,23456789012]}'],
    ['ids of items that are numbers', '{"requestId":7,"ts":1795248000001,"items":[{"id":1},{"id":2}]}'],
    [
      'a click with ids that are numbers',
      '{"requestId":7,"itemId":1,"eventId":12,"ts":1795248000001,"action":"click"}',
    ],
    ['an ISO time', '{"requestId":"r","ts":"2026-11-21T08:00:00.123Z","itemId":"i","action":"click"}'],
  ])('knows %s', (_, text) => {
    expect(agrees(text, BOTH, scannerOf(BOTH))).toBe(true);
  });

  test.each([
    ['a field twice', '{"requestId":"r","requestId":"s","ts":1795248000001,"items":["a"]}'],
    ['an escape', '{"requestId":"r\\u0041","ts":1795248000001,"items":["a"]}'],
    ['letters beyond ASCII', '{"requestId":"ü","ts":1795248000001,"items":["a"]}'],
    ['an id that is a number with decimals', '{"requestId":7.0,"ts":1795248000001,"items":["a"]}'],
    ['an id of more than 15 digits', '{"requestId":1234567890123456,"ts":1795248000001,"items":["a"]}'],
    [
      'positions out of order',
      '{"requestId":"r","ts":1795248000001,"items":[{"id":"a","position":2},{"id":"b","position":1}]}',
    ],
    ['some positions', '{"requestId":"r","ts":1795248000001,"items":[{"id":"a","position":1},{"id":"b"}]}'],
    ['a number that may be infinite', '{"requestId":"r","ts":1795248000001,"itemId":"i","action":"a","value":1e999}'],
    ['a model without a name', '{"requestId":"r","ts":1795248000001,"items":["a"],"model":{"version":"1"}}'],
    ['more behind the object', '{"requestId":"r","ts":1795248000001,"items":["a"]} x'],
    ['a blank that is none', '{"requestId":"r","ts":1795248000001,\u00a0"items":["a"]}'],
  ])('leaves %s to the plain way', (_, text) => {
    expect(scannerOf(BOTH).scan(bytes(text))).toBeUndefined();
  });

  test('counts ignored keys of a context each time it comes', () => {
    const dimensions = new Dimensions(['country']);
    const scanner = scannerOf(BOTH, dimensions);
    const text = '{"requestId":"r","ts":1795248000001,"items":["a"],"cohorts":{"Not A Name":"x","country":"DE"}}';
    for (let n = 1; n <= 3; n++) {
      scanner.scan(bytes(text));
      expect(dimensions.ignoredKeys).toBe(n);
    }
  });
});

describe('a context that is too long to be remembered', () => {
  const key = fc.oneof(
    fc.constantFrom('country', 'ranker', 'default', '__proto__', 'name', 'version', 'Bad Key', '7'),
    fc.stringMatching(/^[a-zA-Z_ ]{0,8}$/),
  );
  const value = fc.oneof(
    fc.constantFrom('DE', '', null, true, -0, 1e300, [1], { country: 'x' }),
    fc.stringMatching(/^[a-z]{0,5}$/),
  );
  const members = (values: fc.Arbitrary<unknown>) =>
    fc
      .array(fc.tuple(key, values), { maxLength: 12 })
      .map((all) => `{${all.map(([k, v]) => `${JSON.stringify(k)}: ${JSON.stringify(v)}`).join(' ,')}}`);
  const context = fc.record(
    {
      cohorts: fc.oneof(members(value), fc.constant('[]'), fc.constant('null')),
      experiments: fc.oneof(members(fc.constantFrom('A', 'B', null)), members(value)),
      model: fc.oneof(members(value), fc.constant('{"name":"m","version":7}')),
      surface: fc.constantFrom('"home"', '{}', '[]', '"home"'),
    },
    { requiredKeys: ['cohorts'] },
  );

  test('is read as the long way reads it, and as many keys are ignored', () => {
    let known = 0;
    fc.assert(
      fc.property(context, (fields) => {
        const filler = ` "long": "${'x'.repeat(1100)}"`;
        const cohorts = fields.cohorts.startsWith('{')
          ? fields.cohorts.replace('{', fields.cohorts === '{}' ? `{${filler}` : `{${filler},`)
          : fields.cohorts;
        const rest = Object.entries({ ...fields, cohorts }).map(([name, json]) => `"${name}":${json}`);
        const text = `{"requestId":"r","ts":1795248000001,"items":["a"],${rest.join(',')}}`;
        const dimensions = new Dimensions(DIMENSIONS);
        const decoder = createDecoder({ ...BOTH, dimensions: DIMENSIONS });
        const scanned = agrees(text, { ...BOTH, dimensions: DIMENSIONS }, scannerOf(BOTH, dimensions));
        if (scanned) known++;
        decoder.decode(bytes(text), 'log', 0);
        expect(dimensions.ignoredKeys).toBe(scanned ? decoder.ignoredCohortKeys : 0);
      }),
      { numRuns: 400 },
    );
    expect(known).toBeGreaterThan(20);
  });

  test('of a thousand keys is not left to the long way', () => {
    const cohorts = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`Key-${n}`, 'x']));
    const dimensions = new Dimensions(['country']);
    const text = JSON.stringify({
      requestId: 'r',
      ts: 1_795_248_000_001,
      items: ['a'],
      cohorts: { ...cohorts, country: 'DE' },
    });
    expect(scannerOf(BOTH, dimensions).scan(bytes(text))).toMatchObject({ dimensions: ['DE'] });
    expect(dimensions.ignoredKeys).toBe(1000);
  });
});

test('an impression whose ranks are not in their order has its ignored keys counted once', () => {
  const decoder = createDecoder({ ...BOTH, dimensions: ['country'] });
  const items = [
    { id: 'a', position: 2 },
    { id: 'b', position: 1 },
  ];
  decoder.scan(
    bytes(JSON.stringify({ requestId: 'r', ts: 1_795_248_000_001, items, cohorts: { 'Not A Name': 'x' } })),
    'log',
    0,
  );
  expect(decoder.ignoredCohortKeys).toBe(1);
});

function longImpression(): unknown {
  return {
    requestId: 'b8fc8f7a-803d-7b52-a199-20bac41ca6ce',
    ts: 1760000040675,
    userId: 'u_1',
    sessionId: 's_1',
    surface: 'home',
    variant: 'A',
    cohorts: { country: 'US' },
    model: { name: 'ranker', version: '2026.9' },
    offset: 0,
    items: Array.from({ length: 20 }, (_, s) => ({ id: `itm_${1000 * s}`, score: 1 - s / 32 })),
  };
}

function shortImpression(): unknown {
  return {
    requestId: 'r-1',
    ts: 1760000040675,
    userId: 'u',
    variant: 'A',
    cohorts: { country: 'US' },
    model: { name: 'm' },
    offset: 0,
    items: [
      { id: 'a', score: 0.5, position: 1, team: 't', category: 'c', propensity: 0.25 },
      { id: 'b', position: 2 },
    ],
  };
}
