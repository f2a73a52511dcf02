import fc from 'fast-check';

/** Words that have broken decoders. As JSON text, so that what JSON.stringify would fix stays as it is. */
export const DICTIONARY: readonly string[] = [
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"\\ud800"',
  '"\\u0000"',
  '""',
  '"__none__"',
  '1e999',
  '-1e999',
  '-0',
  '9007199254740993',
  '1.5',
  '123456789012345678901234567890',
  'null',
  'true',
  '[]',
  '{}',
  '[[]]',
  '{"__proto__":{"items":[]}}',
  '"9999-12-31T23:59:59.999-00:01"',
  '"2026-02-30T00:00:00Z"',
  `"${'x'.repeat(300)}"`,
  '['.repeat(2000),
];

const idText = fc.oneof(
  fc.string({ minLength: 1, maxLength: 6, unit: 'binary' }),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'i1', 'i2'),
);
const id = fc.oneof(idText, fc.maxSafeInteger());
const ts = fc.oneof(
  fc.integer({ min: 1e12, max: 1e13 - 1 }),
  fc.double({ min: 1e12, max: 9.9e12, noNaN: true }),
  fc.double({ min: 1e9, max: 9.9e9, noNaN: true }),
  fc.integer({ min: 1e15, max: Number.MAX_SAFE_INTEGER }),
  fc.double({ min: 1e18, max: 9.9e18, noNaN: true }),
  fc.integer({ min: 1e9, max: 1e10 - 1 }).map(String),
  fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString()),
);
const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 });
const text = fc.string({ maxLength: 6, unit: 'binary' });
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 6 });
/** Objects with keys from data, made by JSON so that `__proto__` is an ordinary key. */
const dictionary = (value: fc.Arbitrary<unknown>) =>
  fc
    .array(fc.tuple(fc.oneof(idText, fc.constantFrom('country', 'default', 'ranker')), value), { maxLength: 4 })
    .map((entries): unknown =>
      JSON.parse(`{${entries.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join(',')}}`),
    );

const itemFields = { score: orNull(finite), propensity: orNull(finite), team: orNull(text), category: orNull(text) };
const plainItems = fc.array(fc.oneof(id, fc.record({ id, ...itemFields }, { requiredKeys: ['id'] })), {
  maxLength: 12,
});
const placedItems = fc
  .uniqueArray(fc.integer({ min: 1, max: 20 }), { maxLength: 12 })
  .chain((positions) => fc.tuple(...positions.map((position) => fc.record({ id, position: fc.constant(position) }))));

/** Impressions that are valid with positions that start at 1. */
export const impressions = fc.record(
  {
    requestId: id,
    ts,
    items: fc.oneof(plainItems, placedItems),
    eventId: orNull(id),
    userId: orNull(id),
    sessionId: orNull(id),
    offset: orNull(fc.constantFrom(0, 1, 10, 1_000_000, -0)),
    surface: orNull(text),
    variant: orNull(text),
    experiments: orNull(dictionary(orNull(text))),
    cohorts: orNull(dictionary(fc.oneof(text, finite, fc.boolean(), fc.constant(null), fc.constant([])))),
    model: orNull(fc.record({ name: text, version: orNull(fc.oneof(text, finite)) }, { requiredKeys: ['name'] })),
    extra: fc.jsonValue(),
  },
  { requiredKeys: ['requestId', 'ts', 'items'] },
);

export const feedback = fc.record(
  {
    requestId: id,
    itemId: id,
    ts,
    action: fc.oneof(fc.constantFrom('click', 'rating', '__proto__'), fc.string({ minLength: 1, maxLength: 5 })),
    eventId: orNull(id),
    userId: orNull(id),
    value: orNull(finite),
  },
  { requiredKeys: ['requestId', 'itemId', 'ts', 'action'] },
);

/** The text of a valid event with some values replaced by words of the dictionary, at any depth. */
export const mutatedText = fc
  .tuple(
    fc.oneof(impressions, feedback),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...DICTIONARY)), { maxLength: 3 }),
  )
  .map(([event, changes]) => {
    let text = JSON.stringify(event);
    for (const [at, word] of changes) {
      const values = [...text.matchAll(/(?<=[:[,])(?:"(?:[^"\\]|\\.)*"(?!:)|-?[0-9][0-9.e+-]*|null|true|false)/g)];
      if (values.length === 0) continue;
      const { index, 0: old } = values[at % values.length];
      text = text.slice(0, index) + word + text.slice(index + old.length);
    }
    return text;
  });
