import fc from 'fast-check';
import type { DeadLetter } from '../../src/dead-letters/letter.ts';
import { INVALID_CODES } from '../../src/vocabulary/drops.ts';

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
);

/** Any letter from a topic. */
export const letters: fc.Arbitrary<DeadLetter> = fc.record({
  place: fc.record({
    topic: fc.constantFrom('impressions', 'feedback'),
    partition: fc.nat(20),
    offset: fc.nat(),
    timestamp: fc.option(fc.nat(), { nil: undefined }),
  }),
  code: fc.constantFrom(...INVALID_CODES),
  field: fc.constantFrom(undefined, 'ts', 'items[3].id'),
  key: fc.option(bytes, { freq: 4 }),
  value: bytes,
  headers: fc.array(fc.record({ name: fc.string({ maxLength: 5 }), value: fc.option(bytes, { freq: 5 }) }), {
    maxLength: 3,
  }),
});

/** Any letter of a batch that could not be decoded. */
export const batchLetters: fc.Arbitrary<DeadLetter> = fc.record({
  place: fc.record({
    topic: fc.constantFrom('impressions', 'feedback'),
    partition: fc.nat(20),
    offset: fc.nat(),
    timestamp: fc.constant(undefined),
  }),
  code: fc.constant(undefined),
  batch: fc.record({ next: fc.nat(), records: fc.nat(), problem: fc.string(), bytes: fc.nat() }),
  field: fc.constant(undefined),
  key: fc.constant(null),
  value: bytes,
  headers: fc.constant([]),
});

/** A small letter; `n` stands in it. */
export function letter(n: number, value = `value ${n}`): DeadLetter {
  return {
    place: { topic: 't', partition: 0, offset: n, timestamp: 1_800_000_000_000 },
    code: 'not_json',
    field: undefined,
    key: null,
    value: Buffer.from(value),
    headers: [],
  };
}
