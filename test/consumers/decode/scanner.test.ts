import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDecoder } from '../../../src/consumers/decode/decoder.ts';
import { type DecoderOptions, TS_UNITS } from '../../../src/consumers/decode/decoder-settings.ts';
import { Dimensions } from '../../../src/consumers/decode/dimensions.ts';
import { Scanner } from '../../../src/consumers/decode/scanner.ts';
import type { PackedFeedback, PackedImpression } from '../../../src/consumers/packed/packed-events.ts';
import { readText } from '../../../src/consumers/packed/text.ts';
import type { Event } from '../../../src/vocabulary/events.ts';
import { bucketWord, sampleKey } from '../../../src/vocabulary/user-words.ts';
import { runs } from '../../runs.ts';
import { BOTH, bytes, CLICK, FEEDBACK, IMPRESSION, IMPRESSIONS } from './fixture.ts';
import { feedback, impressions, mutatedText } from './hostile.ts';

const DIMENSIONS = ['constructor', 'country', 'experiment_ranker', 'model', 'surface', 'variant'];

/** The same with its texts read back, and no more of the user than whether there is one. */
function unpacked(event: PackedImpression | PackedFeedback): unknown {
  const { kind, ts, u8 } = event;
  if (kind === 'feedback') {
    const { request, item, action, eventId, value } = event;
    return {
      kind,
      requestId: readText(u8, request),
      itemId: readText(u8, item),
      ts,
      action: readText(u8, action),
      eventId: eventId < 0 ? undefined : readText(u8, eventId),
      value: Number.isNaN(value) ? undefined : value,
    };
  }
  const { isUserless, userWord, pageOffset, length, items, hasRanks, ranks, dimensions, tuple } = event;
  const { hasScores, scores, hasCategories, categories, sampleKey } = event;
  return {
    kind,
    requestId: event.requestId,
    ts,
    isUserless,
    userWord,
    sampleKey,
    pageOffset,
    items: Array.from(items.subarray(0, length), (at) => readText(u8, at)),
    ranks: hasRanks ? [...ranks.subarray(0, length)] : undefined,
    scores: hasScores ? [...scores.subarray(0, length)] : undefined,
    categories: hasCategories ? Array.from(categories.subarray(0, length), (at) => readText(u8, at)) : undefined,
    dimensions,
    tuple,
  };
}

function plain(event: Event, sampleUsers: boolean): unknown {
  if (event.kind === 'feedback') return event;
  const { userId, scores, categories, ...rest } = event;
  const userWord = bucketWord(userId ?? event.requestId);
  const key = sampleUsers && userId !== undefined ? sampleKey(userId) : -1;
  const user = { isUserless: userId === undefined, userWord, sampleKey: key };
  return { ...rest, ...user, scores, categories, tuple: event.dimensions.join(',') };
}

/** Holds the scanner to the plain way on one text; returns whether it knew the event. */
function agrees(text: string, options: DecoderOptions, scanner: Scanner): boolean {
  const scanned = scanner.scan(bytes(text));
  if (scanned === undefined) return false;
  const decoded = createDecoder(options).decode(bytes(text), 'log', 0);
  expect(
    'events' in decoded ? decoded.events.map((event) => plain(event, options.sampleUsers === true)) : decoded,
  ).toStrictEqual([unpacked(scanned)]);
  return true;
}

function scannerOf(options: DecoderOptions): Scanner {
  return new Scanner(options, new Dimensions(options.dimensions));
}

const options = fc.record({
  itemsPerList: fc.constantFrom(1, 5, 1000),
  tsUnit: fc.constantFrom(...TS_UNITS),
  timeZone: fc.constantFrom(undefined, 'Europe/Berlin', '+05:30'),
  positionBase: fc.constantFrom(0 as const, 1 as const),
  role: fc.constantFrom(BOTH.role, IMPRESSIONS, FEEDBACK),
  carries: fc.record({ scores: fc.boolean(), categories: fc.boolean() }),
  sampleUsers: fc.boolean(),
});

const word = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      'r',
      'item-1',
      'itm_4190616',
      'u_1',
      'DE',
      'a b',
      '0198a3c4-5d6e-7f80-9a1b-2c3d4e5f6a7b',
    ),
  },
  { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 50 }).filter((text) => /^[ !#-[\]-~]+$/.test(text)) },
);
/** Sometimes at the edge of what a value may be, or beyond. */
const number = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1, 0.99864, -2.5) },
  { weight: 1, arbitrary: fc.constantFrom(1e30, -1e30, 1.2e30, 999_999_999_999_999_900_000, -1e21) },
  { weight: 4, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 }) },
);
/** Mostly `usual`, now and then something that the field should not or need not hold. */
function mostly(usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const odd = fc.constantFrom<unknown>(null, '', 7, -1, 1.5, true, 'ü', '\\', [], {}, ['x'], { a: 'b' });
  return fc.oneof({ weight: 60, arbitrary: usual }, { weight: 1, arbitrary: odd });
}
/** In each unit, at the ends of its range and beside them, and texts of all kinds. */
const time = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1e12, max: 1e13 - 1 }) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(1e9, 1e10, 1e12, 1e13, 1e15, 1e16, 1e18, 1e19), fc.constantFrom(-1, -0.5, 0, 0.5, 1))
      .map(([end, beside]) => end + beside),
  },
  { weight: 2, arbitrary: fc.double({ min: 1e9, max: 1e10, noNaN: true }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 10n ** 15n, max: 10n ** 19n }).map(Number) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '2026-11-21T08:00:00.123Z',
      '2026-11-21 08:00:00.123 UTC',
      '2026-11-21 08:00:00',
      '1795248000123',
      '1795248000.5',
      '17952480001',
      1.5,
    ),
  },
);
const shared = { requestId: mostly(word), ts: mostly(time) };
const optional = {
  userId: mostly(word),
  sessionId: mostly(word),
  eventId: mostly(word),
  note: fc.json().map((text): unknown => JSON.parse(text)),
};
const plainItem = fc.record(
  { id: mostly(word), score: mostly(number), propensity: mostly(number), team: mostly(word), category: mostly(word) },
  { requiredKeys: ['id'] },
);
const plainItems = fc.oneof(
  fc.array(plainItem, { maxLength: 6 }),
  fc.array(mostly(word), { maxLength: 6 }),
  fc.array(plainItem, { maxLength: 6 }).map((items) => items.map((item, s) => ({ ...item, position: 1 + s }))),
  fc
    .array(fc.tuple(plainItem, fc.integer({ min: 0, max: 9 })), { maxLength: 3 })
    .map((items) => items.map(([item, position]) => ({ ...item, position }))),
);
/** What producers write, most of it plain. */
const usual = fc.oneof(
  fc.record(
    {
      ...shared,
      ...optional,
      items: mostly(plainItems),
      offset: mostly(fc.integer({ min: 0, max: 40 })),
      surface: mostly(word),
      variant: mostly(word),
      cohorts: mostly(fc.dictionary(fc.constantFrom('country', 'tenure', 'No Name'), mostly(word))),
      experiments: mostly(fc.record({ ranker: mostly(word) })),
      model: mostly(fc.record({ name: mostly(word), version: mostly(word) }, { requiredKeys: ['name'] })),
    },
    { requiredKeys: ['requestId', 'ts', 'items'] },
  ),
  fc.record(
    { ...shared, ...optional, itemId: mostly(word), action: mostly(word), value: mostly(number) },
    { requiredKeys: ['requestId', 'ts', 'itemId', 'action'] },
  ),
);

/** Layouts that producers write. */
const layouts = fc.constantFrom(
  (event: unknown) => JSON.stringify(event),
  (event: unknown) => JSON.stringify(event, undefined, 2),
  (event: unknown) => JSON.stringify(event).replaceAll(',"', ', "').replaceAll('":', '": '),
);

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
    ['an ISO time', '{"requestId":"r","ts":"2026-11-21T08:00:00.123Z","itemId":"i","action":"click"}'],
  ])('knows %s', (_, text) => {
    expect(agrees(text, BOTH, scannerOf(BOTH))).toBe(true);
  });

  test.each([
    ['a field twice', '{"requestId":"r","requestId":"s","ts":1795248000001,"items":["a"]}'],
    ['an escape', '{"requestId":"r\\u0041","ts":1795248000001,"items":["a"]}'],
    ['letters beyond ASCII', '{"requestId":"ü","ts":1795248000001,"items":["a"]}'],
    ['an id that is a number', '{"requestId":7,"ts":1795248000001,"items":["a"]}'],
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
    const scanner = new Scanner(BOTH, dimensions);
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
        const scanned = agrees(text, { ...BOTH, dimensions: DIMENSIONS }, new Scanner({ ...BOTH }, dimensions));
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
    expect(new Scanner(BOTH, dimensions).scan(bytes(text))).toMatchObject({ dimensions: ['DE'] });
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
