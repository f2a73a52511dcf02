/** The scanner beside the plain way, and records as producers write them. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { createDecoder } from '../../../src/consumers/decode/decoder.ts';
import { type DecoderOptions, TS_UNITS } from '../../../src/consumers/decode/decoder-settings.ts';
import { Dimensions } from '../../../src/consumers/decode/dimensions.ts';
import { scanPlan } from '../../../src/consumers/decode/scan-plan.ts';
import { Scanner } from '../../../src/consumers/decode/scanner.ts';
import type { PackedFeedback, PackedImpression } from '../../../src/consumers/packed/packed-events.ts';
import { readText } from '../../../src/consumers/packed/text.ts';
import type { Event } from '../../../src/vocabulary/events.ts';
import { bucketWord, sampleKey } from '../../../src/vocabulary/user-words.ts';
import { BOTH, bytes, FEEDBACK, IMPRESSIONS } from './fixture.ts';

export const DIMENSIONS = ['constructor', 'country', 'experiment_ranker', 'model', 'surface', 'variant'];

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
export function agrees(text: string, options: DecoderOptions, scanner: Scanner): boolean {
  const scanned = scanner.scan(bytes(text));
  if (scanned === undefined) return false;
  const decoded = createDecoder(options).decode(bytes(text), 'log', 0);
  expect(
    'events' in decoded ? decoded.events.map((event) => plain(event, options.sampleUsers === true)) : decoded,
  ).toStrictEqual([unpacked(scanned)]);
  return true;
}

export function scannerOf(options: DecoderOptions, dimensions = new Dimensions(options.dimensions)): Scanner {
  const plan = scanPlan(options.adapter);
  if (plan === undefined) throw new Error('the scanner knows no record of this adapter');
  return new Scanner(options, dimensions, plan);
}

export const options = fc.record({
  itemsPerList: fc.constantFrom(1, 5, 1000),
  tsUnit: fc.constantFrom(...TS_UNITS),
  timeZone: fc.constantFrom(undefined, 'Europe/Berlin', '+05:30'),
  positionBase: fc.constantFrom(0 as const, 1 as const),
  role: fc.constantFrom(BOTH.role, IMPRESSIONS, FEEDBACK),
  carries: fc.record({ scores: fc.boolean(), categories: fc.boolean() }),
  sampleUsers: fc.boolean(),
});

export const word = fc.oneof(
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
export const number = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1, 0.99864, -2.5) },
  { weight: 1, arbitrary: fc.constantFrom(1e30, -1e30, 1.2e30, 999_999_999_999_999_900_000, -1e21) },
  { weight: 4, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 }) },
);
/** Mostly `usual`, now and then something that the field should not or need not hold. */
export function mostly(usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const odd = fc.constantFrom<unknown>(null, '', 7, -1, 1.5, true, 'ü', '\\', [], {}, ['x'], { a: 'b' });
  return fc.oneof({ weight: 60, arbitrary: usual }, { weight: 1, arbitrary: odd });
}
/** In each unit, at the ends of its range and beside them, and texts of all kinds. */
export const time = fc.oneof(
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
/** Ids are texts, or whole numbers. */
const id = fc.oneof(
  { weight: 30, arbitrary: word },
  { weight: 10, arbitrary: fc.integer({ min: 0, max: 99_999 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(999_999_999_999_999, 1e15, Number.MAX_SAFE_INTEGER, 2 ** 53, -3, 0, 1.5),
  },
);
const shared = { requestId: mostly(id), ts: mostly(time) };
const optional = {
  userId: mostly(id),
  sessionId: mostly(id),
  eventId: mostly(id),
  note: fc.json().map((text): unknown => JSON.parse(text)),
};
const plainItem = fc.record(
  { id: mostly(id), score: mostly(number), propensity: mostly(number), team: mostly(word), category: mostly(word) },
  { requiredKeys: ['id'] },
);
const plainItems = fc.oneof(
  fc.array(plainItem, { maxLength: 6 }),
  fc.array(mostly(id), { maxLength: 6 }),
  fc.array(plainItem, { maxLength: 6 }).map((items) => items.map((item, s) => ({ ...item, position: 1 + s }))),
  fc
    .array(fc.tuple(plainItem, fc.integer({ min: 0, max: 9 })), { maxLength: 3 })
    .map((items) => items.map(([item, position]) => ({ ...item, position }))),
);
/** What producers write, most of it plain. */
export const usual = fc.oneof(
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
    { ...shared, ...optional, itemId: mostly(id), action: mostly(word), value: mostly(number) },
    { requiredKeys: ['requestId', 'ts', 'itemId', 'action'] },
  ),
);

/** Layouts that producers write. */
export const layouts = fc.constantFrom(
  (event: unknown) => JSON.stringify(event),
  (event: unknown) => JSON.stringify(event, undefined, 2),
  (event: unknown) => JSON.stringify(event).replaceAll(',"', ', "').replaceAll('":', '": '),
);
