import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DecoderOptions, TS_UNITS } from '../../../src/consumers/decode/decoder-settings.ts';
import { Dimensions } from '../../../src/consumers/decode/dimensions.ts';
import type { Invalid } from '../../../src/consumers/decode/event-fields.ts';
import { isImpression, isRecord } from '../../../src/consumers/decode/raw.ts';
import { Reader } from '../../../src/consumers/decode/reader.ts';
import type { Event } from '../../../src/vocabulary/events.ts';
import { runs } from '../../runs.ts';
import { BOTH, CLICK, IMPRESSION } from './fixture.ts';
import { feedback, impressions, mutatedText } from './hostile.ts';
import { plainFeedback, plainImpression } from './plain-events.ts';

/** What the reader and the schemas make of one parsed record. */
function both(text: string, options: DecoderOptions): { fast: Event | Invalid; plain: Event | Invalid } | undefined {
  const record: unknown = JSON.parse(text);
  if (!isRecord(record)) return undefined;
  const dimensions = new Dimensions(options.dimensions);
  const reader = new Reader(options, dimensions);
  return isImpression(record)
    ? { fast: reader.impression(record), plain: plainImpression(record, options, dimensions) }
    : { fast: reader.feedback(record), plain: plainFeedback(record, options) };
}

const options = fc.record({
  itemsPerList: fc.constantFrom(1, 5, 1000),
  tsUnit: fc.constantFrom(...TS_UNITS),
  timeZone: fc.constantFrom(undefined, 'Europe/Berlin', '+05:30'),
  positionBase: fc.constantFrom(0 as const, 1 as const),
  carries: fc.record({ scores: fc.boolean(), categories: fc.boolean() }),
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the reader and the schemas', () => {
  test('both accept every valid event and make the same of it', () => {
    const ids = { dimensions: ['constructor', 'country', 'experiment_ranker', 'model', 'surface', 'variant'] };
    fc.assert(
      fc.property(fc.oneof(impressions, feedback), options, (event, { carries }) => {
        const read = both(JSON.stringify(event), { ...BOTH, ...ids, carries });
        expect(read?.plain).toHaveProperty('kind');
        expect(read?.fast).toStrictEqual(read?.plain);
      }),
      { numRuns: runs(750) },
    );
  });

  test('on damaged events they agree: the same event, or the same first thing that is wrong', () => {
    let refused = 0;
    let accepted = 0;
    fc.assert(
      fc.property(mutatedText, options, (text, changed) => {
        fc.pre(isJson(text));
        const read = both(text, { ...BOTH, ...changed });
        expect(read?.fast).toStrictEqual(read?.plain);
        if (read !== undefined && 'kind' in read.plain) accepted++;
        else refused++;
      }),
      { numRuns: runs(1500) },
    );
    // Both outcomes must have been tried, or the property says nothing.
    expect(Math.min(refused, accepted)).toBeGreaterThan(110);
  });
});

/** Mostly one of these, else anything: null, of a wrong type, out of range, wrong further inside. */
const mostly = (...valid: unknown[]) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...valid) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown>(
        ...[undefined, null, true, '', 'text', 0, -1, 1.5, 1e15, 1e300, -1e300, Number.NaN, Number.POSITIVE_INFINITY],
        ...[[], [[]], ['a', null], {}, { name: 7 }, { name: 'm', version: {} }, { id: '' }, { a: 'b' }, { a: 7 }],
      ),
    },
  );

const eventFields = {
  requestId: mostly('r', 7),
  ts: mostly(1_795_248_000_123, 1_795_248_000, '2026-11-21T10:00:00Z', '2026-11-21 10:00:00', '1795248000123'),
  eventId: mostly('e', 7, '', null, undefined),
  userId: mostly('u', 7, '', null, undefined),
  sessionId: mostly('s', 7, '', null, undefined),
};

const item = fc.oneof(
  mostly('a', 7),
  fc.record(
    {
      id: mostly('a', 7),
      score: mostly(0.5, null, undefined),
      propensity: mostly(0.5, null, undefined),
      team: mostly('', 'a', null, undefined),
      category: mostly('', 'c', null, undefined),
    },
    { requiredKeys: ['id'] },
  ),
);
const placed = fc
  .uniqueArray(fc.integer({ min: 0, max: 12 }), { maxLength: 7 })
  .chain((places) =>
    fc.tuple(
      ...places.map((place) => fc.record({ id: mostly('a', 7), position: mostly(place, place, place, 3, null) })),
    ),
  );

const impression = fc.record(
  {
    ...eventFields,
    items: fc.oneof(
      { weight: 3, arbitrary: fc.array(item, { maxLength: 7 }) },
      { weight: 3, arbitrary: placed },
      { weight: 1, arbitrary: mostly([]) },
    ),
    offset: mostly(0, 10, -0, 1_000_000, null, undefined),
    surface: mostly('', 'home', null, undefined),
    variant: mostly('', 'b', null, undefined),
    experiments: mostly({}, { ranker: 'b', other: null }, null, undefined),
    cohorts: mostly({}, { country: 'de', other: [] }, null, undefined),
    model: mostly({ name: 'm' }, { name: 'm', version: 3 }, { name: 'm', version: null, more: 1 }, null, undefined),
    more: fc.constant(1),
  },
  { requiredKeys: ['requestId', 'ts'] },
);
const clicked = fc.record(
  {
    ...eventFields,
    itemId: mostly('i', 7),
    action: mostly('click', 'rating'),
    value: mostly(1, -0.5, null, undefined),
    more: fc.constant(1),
  },
  { requiredKeys: ['requestId', 'ts'] },
);
const SETTINGS = [
  BOTH,
  { ...BOTH, positionBase: 0 },
  { ...BOTH, itemsPerList: 1, timeZone: 'Europe/Berlin' },
  { ...BOTH, itemsPerList: 3, positionBase: 0, timeZone: '+05:30' },
  ...TS_UNITS.map((tsUnit) => ({ ...BOTH, itemsPerList: 5, tsUnit })),
] as const;

test.each([
  ['an impression', impression],
  ['feedback', clicked],
] as const)('%s of any fields: the same event, or the same first thing that is wrong', (kind, records) => {
  let valid = 0;
  const refusals = new Set<string>();
  fc.assert(
    fc.property(records, fc.constantFrom(...SETTINGS), (record, settings) => {
      const dimensions = new Dimensions(settings.dimensions);
      const reader = new Reader(settings, dimensions);
      const [fast, plain] =
        kind === 'feedback'
          ? [reader.feedback(record), plainFeedback(record, settings)]
          : [reader.impression(record), plainImpression(record, settings, dimensions)];
      expect(fast).toStrictEqual(plain);
      if ('code' in plain) refusals.add(`${plain.code} ${plain.field}`);
      else valid++;
    }),
    { numRuns: runs(2000) },
  );
  // Both outcomes must have been tried, the second in many ways, or the property says nothing.
  expect(valid).toBeGreaterThan(100);
  expect(refusals.size).toBeGreaterThan(12);
});

test('what comes behind the first wrong field, or the first wrong item, is not looked at', () => {
  const unread = (name: string, before: object) =>
    Object.defineProperty(before, name, {
      enumerable: true,
      get: () => {
        throw new Error(`${name} is read`);
      },
    });
  const reader = new Reader(BOTH, new Dimensions(BOTH.dimensions));
  expect(reader.impression(unread('items', { requestId: 'r', ts: 'never' }))).toEqual({
    code: 'bad_time',
    field: 'ts',
  });
  const items = unread('2', ['a', { id: 'b', score: 'x' }, 'c']);
  expect(reader.impression(unread('offset', { ...IMPRESSION, items }))).toEqual({
    code: 'wrong_type',
    field: 'items[1].score',
  });
  expect(reader.feedback(unread('action', { ...CLICK, itemId: null }))).toEqual({
    code: 'missing_field',
    field: 'itemId',
  });
});
