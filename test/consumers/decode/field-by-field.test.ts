import fc from 'fast-check';
import { expect, test } from 'vitest';
import { explain, feedbackSchema, impressionSchema } from '../../../src/consumers/decode/canonical.ts';
import { TS_UNITS } from '../../../src/consumers/decode/decoder-settings.ts';
import { feedbackJudge, impressionJudge } from '../../../src/consumers/decode/field-by-field.ts';
import { runs } from '../../runs.ts';
import { BOTH, CLICK, IMPRESSION } from './fixture.ts';

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
const feedback = fc.record(
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
  ['an impression', impression, impressionSchema, impressionJudge],
  ['feedback', feedback, feedbackSchema, feedbackJudge],
] as const)(
  '%s is judged as by the whole schema: the same data, or the first of its issues',
  (_, records, schema, judge) => {
    const both = SETTINGS.map((settings) => ({ schema: schema(settings), judge: judge(settings) }));
    let valid = 0;
    const refusals = new Set<string>();
    fc.assert(
      fc.property(records, fc.constantFrom(...both), (record, { schema: plain, judge: fast }) => {
        const { data, error } = plain.safeParse(record);
        if (error === undefined) {
          valid++;
          expect(fast(record)).toStrictEqual({ valid: data });
        } else {
          const invalid = explain(error);
          refusals.add(`${invalid.code} ${invalid.field}`);
          expect(fast(record)).toStrictEqual({ invalid });
        }
      }),
      { numRuns: runs(2000) },
    );
    // Both outcomes must have been tried, the second in many ways, or the property says nothing.
    expect(valid).toBeGreaterThan(100);
    expect(refusals.size).toBeGreaterThan(12);
  },
);

test('what comes behind the first wrong field, or the first wrong item, is not looked at', () => {
  const unread = (name: string, before: object) =>
    Object.defineProperty(before, name, {
      enumerable: true,
      get: () => {
        throw new Error(`${name} is read`);
      },
    });
  const judge = impressionJudge(BOTH);
  expect(judge(unread('items', { requestId: 'r', ts: 'never' }))).toEqual({
    invalid: { code: 'bad_time', field: 'ts' },
  });
  const items = unread('2', ['a', { id: 'b', score: 'x' }, 'c']);
  expect(judge(unread('offset', { ...IMPRESSION, items }))).toEqual({
    invalid: { code: 'wrong_type', field: 'items[1].score' },
  });
  expect(feedbackJudge(BOTH)(unread('action', { ...CLICK, itemId: null }))).toEqual({
    invalid: { code: 'missing_field', field: 'itemId' },
  });
});
