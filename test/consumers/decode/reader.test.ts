import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { explain, feedbackSchema, impressionSchema } from '../../../src/consumers/decode/canonical.ts';
import { createDecoder, feedbackOf, impressionOf } from '../../../src/consumers/decode/decoder.ts';
import { type DecoderOptions, TS_UNITS } from '../../../src/consumers/decode/decoder-settings.ts';
import { Dimensions } from '../../../src/consumers/decode/dimensions.ts';
import { isImpression, isRecord } from '../../../src/consumers/decode/raw.ts';
import { Reader } from '../../../src/consumers/decode/reader.ts';
import type { Event } from '../../../src/vocabulary/events.ts';
import { runs } from '../../runs.ts';
import { BOTH } from './fixture.ts';
import { feedback, impressions, mutatedText } from './hostile.ts';

/** What the fast reader and the schemas make of one parsed record; undefined: not valid. */
function both(text: string, options: DecoderOptions): { fast: Event | undefined; plain: Event | undefined } {
  const record: unknown = JSON.parse(text);
  if (!isRecord(record)) return { fast: undefined, plain: undefined };
  const reader = new Reader(options, new Dimensions(options.dimensions));
  if (isImpression(record)) {
    const judged = impressionSchema(options).safeParse(record);
    const plain = judged.success
      ? impressionOf(judged.data, new Dimensions(options.dimensions), options.carries)
      : undefined;
    return { fast: reader.impression(record), plain };
  }
  const judged = feedbackSchema(options).safeParse(record);
  return { fast: reader.feedback(record), plain: judged.success ? feedbackOf(judged.data) : undefined };
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

describe('the fast reader and the schemas', () => {
  test('both accept every valid event and make the same of it', () => {
    const ids = { dimensions: ['constructor', 'country', 'experiment_ranker', 'model', 'surface', 'variant'] };
    fc.assert(
      fc.property(fc.oneof(impressions, feedback), options, (event, { carries }) => {
        const { fast, plain } = both(JSON.stringify(event), { ...BOTH, ...ids, carries });
        expect(plain).toBeDefined();
        expect(fast).toStrictEqual(plain);
      }),
      { numRuns: runs(750) },
    );
  });

  test('on damaged events they agree: what one accepts the other accepts, with the same result', () => {
    let refused = 0;
    let accepted = 0;
    fc.assert(
      fc.property(mutatedText, options, (text, changed) => {
        fc.pre(isJson(text));
        const { fast, plain } = both(text, { ...BOTH, ...changed });
        expect(fast).toStrictEqual(plain);
        if (plain === undefined) refused++;
        else accepted++;
      }),
      { numRuns: runs(1500) },
    );
    // Both outcomes must have been tried, or the property says nothing.
    expect(Math.min(refused, accepted)).toBeGreaterThan(110);
  });
});

test('a refused impression has the code and field of the first issue of the schemas, however many items are invalid', () => {
  const item = fc.constantFrom<unknown>(
    'a',
    7,
    '',
    null,
    [],
    { id: 'b' },
    { id: 'b', position: 3 },
    { id: 'b', position: 'x' },
    { id: '', score: 1 },
    { id: 'c', score: 'x' },
    { id: 'c', team: 4 },
    { category: 'x' },
  );
  const record = fc.record(
    {
      requestId: fc.constantFrom<unknown>('r', '', 1.5),
      ts: fc.constantFrom<unknown>(1000, 'never'),
      sessionId: fc.constantFrom<unknown>('s', {}),
      items: fc.oneof(fc.array(item, { maxLength: 7 }), fc.constant('none')),
      offset: fc.constantFrom<unknown>(0, -1),
      surface: fc.constantFrom<unknown>('home', 4),
    },
    { requiredKeys: ['items'] },
  );
  let refused = 0;
  fc.assert(
    fc.property(record, options, (impression, changed) => {
      const settings = { ...BOTH, ...changed };
      const judged = impressionSchema(settings).safeParse(impression);
      const decoded = createDecoder(settings).decode(Buffer.from(JSON.stringify(impression)), '0', 0);
      if (judged.success) expect(decoded).toHaveProperty('events');
      else {
        refused++;
        expect(decoded).toEqual({ refused: 'invalid', side: 'impressions', ...explain(judged.error) });
      }
    }),
    { numRuns: runs(1500) },
  );
  expect(refused).toBeGreaterThan(450);
});
