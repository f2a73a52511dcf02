import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { FieldSource, OneSource, ValueSource } from '../../../src/consumers/decode/decoder-settings.ts';
import { getterOf, sourceProblem } from '../../../src/consumers/decode/field-source.ts';
import { isFields } from '../../../src/consumers/decode/raw.ts';
import { TRANSFORM_NAMES, TRANSFORMS } from '../../../src/consumers/decode/transforms.ts';
import { load, problems } from '../../config/fixture.ts';
import { decode, event, FEEDBACK, IMPRESSIONS, refusal } from './fixture.ts';
import { DICTIONARY } from './hostile.ts';

const FILE = resolve(import.meta.dirname, '../../../docs/specification/events.md');
const PAGE = readFileSync(FILE, 'utf8');
const EXAMPLES = TRANSFORM_NAMES.flatMap((name) => TRANSFORMS[name].examples.map((example) => ({ name, ...example })));

/** A field for which the transform is. */
const FIELD = { any: 'requestId', lists: 'items', times: 'ts', numbers: 'value' } as const;

describe('each transform', () => {
  test.each(EXAMPLES)('$name: $source of $record gives $gives', ({ name, source, record, gives }) => {
    expect(source[name]).toBeDefined();
    expect(getterOf(source)(record)).toEqual(gives);
  });

  test.each(TRANSFORM_NAMES)('%s has an example, and is taken by the configuration', (name) => {
    const { of, examples } = TRANSFORMS[name];
    expect(examples.length).toBeGreaterThan(0);
    for (const { source } of examples) {
      expect(sourceProblem(FIELD[of], source)).toBeUndefined();
      const map = {
        requestId: '/r',
        ts: '/t',
        items: '/i',
        itemId: '/j',
        action: { const: 'click' },
        [FIELD[of]]: source,
      };
      const given = load(stringify({ inputs: { events: { adapter: { map } } } })).inputs.events.adapter;
      expect(given).toEqual({ map });
    }
  });
});

const code = (value: unknown): string => `\`${String(value).replaceAll('|', '\\|')}\``;
const flow = (value: unknown): string =>
  stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim();

/** Markdown of all rows. */
function table(): string {
  const rows = TRANSFORM_NAMES.map((name) => {
    const { of, does, examples } = TRANSFORMS[name];
    const shown = examples.map(({ source, record, gives }) => {
      const found = gives === undefined ? 'nothing' : code(JSON.stringify(gives));
      return `${code(flow(source))} of ${code(JSON.stringify(record))}: ${found}`;
    });
    return `| ${[code(name), of, does.replaceAll('|', '\\|'), shown.join('<br>')].join(' | ')} |`;
  });
  return ['| transform | for | gives | examples |', '|---|---|---|---|', ...rows].join('\n');
}

test('the specification has the table of all transforms, as `npm run generate` writes it', async () => {
  const [begin, end] = ['<!-- begin of the transforms -->\n\n', '\n\n<!-- end of the transforms -->'];
  const from = PAGE.indexOf(begin) + begin.length;
  const to = PAGE.indexOf(end, from);
  expect(from).toBeGreaterThan(begin.length);
  expect(to).toBeGreaterThan(from);
  await expect(PAGE.slice(0, from) + table() + PAGE.slice(to)).toMatchFileSnapshot(FILE);
});

test('every source that docs/events.md shows is a sound one', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../docs/events.md'), 'utf8');
  const shown = [...page.matchAll(/`((?:[a-zA-Z.]+): \{[^`]*\})`/g)].map(([, written]): unknown => parse(written));
  const sources = shown.flatMap((map) => Object.entries(recordOf(map)));
  expect(sources.length).toBeGreaterThan(20);
  for (const [field, written] of sources) {
    const map = { requestId: '/r', ts: '/t', items: '/i', itemId: '/j', action: '/a', [field]: written };
    const each = field === 'each' ? { 'each.value': '/v' } : {};
    expect(
      () => load(stringify({ inputs: { events: { adapter: { map: { ...map, ...each } } } } })),
      field,
    ).not.toThrow();
  }
});

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!isFields(value)) throw new Error('no map');
  return value;
}

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    '',
    ' ',
    'q-1',
    '1.234,5',
    '11/9/2019 8:05:03 PM',
    '2026-11-21T08:00',
    'a|b',
    'N1-0 N2-1',
    '[1]',
    '{"a":1}',
    '"a,b',
    '[]',
    '61',
    '-1e308',
    '__proto__',
  ),
);
const word = fc.constantFrom(...DICTIONARY).filter((one) => {
  try {
    JSON.parse(one);
    return true;
  } catch {
    return false;
  }
});
const leaf = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  word.map((one): unknown => JSON.parse(one)),
);
const key = fc.constantFrom(
  'a',
  'key',
  'name',
  'value',
  'item_1',
  'item_02',
  'id',
  'label',
  '__proto__',
  'constructor',
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'medium' },
    leaf,
    fc.array(tie('json'), { maxLength: 4 }),
    fc
      .array(fc.tuple(key, tie('json')), { maxLength: 4 })
      .map((members): unknown =>
        JSON.parse(`{${members.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v) ?? null}`).join()}}`),
      ),
  ),
}));
const pointer = fc.constantFrom('', '/a', '/a/0', '/value', '/a/b', '/__proto__', '/constructor/name', '/id');
const conditions = fc.dictionary(
  pointer,
  fc.oneof(
    fc.constantFrom('a', 1, true),
    fc.constantFrom({ exists: true }, { matches: '(?i)a+b*$' }, { above: 1 }, { not: { below: 3 } }),
  ),
  { maxKeys: 2 },
);
/** Any of the transforms, with arguments that the configuration takes. */
const steps = fc.record(
  {
    pairs: fc.constantFrom('a', '__proto__'),
    trim: fc.constant<true>(true),
    strip: fc.oneof(text, fc.record({ prefix: text, suffix: text }, { requiredKeys: [] })),
    lower: fc.constant<true>(true),
    only: fc.constantFrom('letters-and-digits', 'digits'),
    match: fc.constantFrom('a', '(a*)b?', '^([^-]+)-', '(?i)(?:a|b)+$', ''),
    decimal: fc.constant<','>(','),
    add: fc.double({ noNaN: true }),
    scale: fc.double({ noNaN: true }),
    format: fc.constantFrom('%Y-%m-%d', '%m/%d/%Y %I:%M:%S %p', '%d %B %y %H:%M:%S.%f%z'),
    timeOrigin: fc.constantFrom('2016-06-14T04:00:00Z', '1970-01-01T00:00:00Z'),
    unit: fc.constantFrom('ns', 'ms', 'd'),
    timeZone: fc.constantFrom('Europe/Berlin', '+01:00'),
    parse: fc.constant<'csv'>('csv'),
    split: fc.constantFrom(' ', '|', ','),
    label: fc.constantFrom('-', ':'),
    gather: fc.constantFrom('', 'item_'),
    flatten: pointer,
    keep: conditions,
    drop: conditions,
    default: fc.constantFrom('', 'x', 0, false),
  },
  { requiredKeys: [] },
);
const from = (one: fc.Arbitrary<OneSource>) =>
  fc.oneof(
    fc.record({ at: one }),
    fc.record({ first: fc.array(one, { minLength: 2, maxLength: 3 }) }),
    fc.record({ join: fc.array(one, { minLength: 2, maxLength: 3 }), with: text }),
  );
const made = (one: fc.Arbitrary<OneSource>): fc.Arbitrary<ValueSource> =>
  fc.tuple(from(one), steps).map(([origin, more]) => ({ ...origin, ...more }));
const source: fc.Arbitrary<FieldSource> = fc.oneof(
  made(pointer),
  made(fc.oneof(pointer, made(pointer))),
  fc.array(pointer, { minLength: 2, maxLength: 3 }),
);

describe('a source of a field', () => {
  test('gives something of any JSON, changes nothing, and is no larger than the record allows', () => {
    fc.assert(
      fc.property(source, json, (one, root) => {
        const before = JSON.stringify(root);
        const found = JSON.stringify(getterOf(one)(root)) ?? '';
        expect(JSON.stringify(root)).toBe(before);
        // At most two lists of labels, each of which puts 20 characters around each of its parts, and three copies.
        expect(found.length).toBeLessThanOrEqual(60 * (before.length + JSON.stringify(one).length));
      }),
      { numRuns: 3000 },
    );
  });

  test('means the same, made once for all records or for each', () => {
    fc.assert(
      fc.property(source, fc.array(json, { maxLength: 5 }), (one, records) => {
        const once = getterOf(one);
        expect(records.map(once)).toEqual(records.map((record) => getterOf(one)(record)));
      }),
      { numRuns: 2000 },
    );
  });

  test('finds nothing in the prototype of an object', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(getterOf({ at: '/a', pairs: name })({ a: [{ key: 'x', value: 1 }, {}] })).toBeUndefined();
      expect(getterOf({ at: `/${name}`, lower: true })({})).toBeUndefined();
    }
    const slots: unknown = JSON.parse('{"__proto__1":{"__proto__":{"id":"x"}},"s1":{"__proto__":{"id":"x"}}}');
    const [entry] = [getterOf({ at: '', gather: 's' })(slots)].flat();
    expect(entry).not.toHaveProperty('id');
    expect(Object.getPrototypeOf(entry)).toBe(Object.prototype);
  });

  test('gives the first that exists, and several as one text', () => {
    const first = getterOf({ first: ['/userId', { at: '/anonymousId', strip: 'a-' }], default: 'none' });
    expect(
      [{ userId: 'u' }, { userId: '', anonymousId: 'a-7' }, { userId: null, anonymousId: 'x' }, {}].map(first),
    ).toEqual(['u', '7', 'x', 'none']);
    const joined = getterOf({ join: ['/a', { at: '/b', lower: true }], with: '/' });
    expect([{ a: 1, b: 'B' }, { a: 'x' }, { a: {}, b: 'b' }].map(joined)).toEqual(['1/b', undefined, {}]);
    expect(getterOf({ at: { at: '/list', strip: '[' }, split: ',' })({ list: '[a, b' })).toEqual(['a', 'b']);
  });
});

describe('a map with transforms', () => {
  const lists = { requestId: '/id', ts: { at: '/time', format: '%m/%d/%Y %I:%M:%S %p' }, timeZone: 'UTC' };
  const MIND = { id: 7, time: '11/13/2019 8:36:57 AM', shown: 'N1-0 N2-1 N3-0' };
  const { timeZone, ...base } = lists;
  const shown = { at: '/shown', split: ' ', label: '-' };

  test('reads lists whose ids have the clicks behind them, as MIND has', () => {
    const map = { ...base, items: shown };
    expect(event(MIND, { adapter: { map }, role: IMPRESSIONS, timeZone })).toMatchObject({
      requestId: '7',
      ts: Date.UTC(2019, 10, 13, 8, 36, 57),
      items: ['N1', 'N2', 'N3'],
    });
    const clicks = {
      ...base,
      each: { ...shown, keep: { '/label': '1' } },
      'each.itemId': '/id',
      action: { const: 'click' },
    };
    expect(decode(MIND, { adapter: { map: clicks }, role: FEEDBACK, timeZone })).toMatchObject({
      events: [{ itemId: 'N2' }],
    });
  });

  test('refuses what its transforms cannot take, with the name of the field', () => {
    const map = {
      requestId: { at: '/id', match: '^r-([0-9]+)$' },
      ts: { at: '/at', timeOrigin: '2016-06-14T04:00:00Z', unit: 'ms' },
      itemId: { at: '/item', lower: true },
      action: { const: 'click' },
      value: { at: '/price', decimal: ',', scale: 0.5 },
    } as const;
    const read = (change: object) => ({ id: 'r-1', at: 61, item: 'A', price: '3,5', ...change });
    expect(event(read({}), { adapter: { map }, role: FEEDBACK })).toMatchObject({
      requestId: '1',
      itemId: 'a',
      value: 1.75,
    });
    const refused = (change: object) => refusal(read(change), { adapter: { map }, role: FEEDBACK });
    expect(refused({ id: 'x' })).toBe('missing_field requestId');
    expect(refused({ id: {} })).toBe('wrong_type requestId');
    expect(refused({ at: 'noon' })).toBe('bad_time ts');
    expect(refused({ at: -1e15 })).toBe('bad_time ts');
    expect(refused({ item: 1.5 })).toBe('bad_id itemId');
    expect(refused({ price: '3,5 EUR' })).toBe('wrong_type value');
  });

  test('keeps the places of gathered slots', () => {
    const map = { requestId: '/r', ts: '/t', items: { at: '', gather: 'slot' }, 'items.position': '/position' };
    const record = { r: 'r', t: 1_795_248_000_009, slot3: 'c', slot1: 'a', slot2: '' };
    expect(event(record, { adapter: { map }, role: IMPRESSIONS })).toMatchObject({ items: ['a', 'c'], ranks: [1, 3] });
  });

  test('works on what the entries of a record share once: a crafted record is not slow', () => {
    const map = {
      each: '/e',
      'each.itemId': '',
      requestId: { at: '/long', match: '(?i)(?:a|aa)+b' },
      ts: '/t',
      action: { const: 'click' },
    };
    const record = { e: Array.from({ length: 10_000 }, () => 'i'), long: 'a'.repeat(4000), t: 1_795_248_000_009 };
    const begin = performance.now();
    expect(refusal(record, { adapter: { map }, role: FEEDBACK })).toBe('missing_field requestId');
    const items = { ...map, items: { at: '/shown' }, 'items.id': { at: '', match: '(?:a|aa)+b|i' } };
    decode({ ...record, shown: Array.from({ length: 10 }, () => 'a'.repeat(4000)) }, { adapter: { map: items } });
    expect(performance.now() - begin).toBeLessThan(3000);
  });
});

describe('what is wrong with a source is reported', () => {
  const ofField = (field: string, written: string): string | undefined =>
    problems(
      `inputs: {feedback: {adapter: {map: {requestId: /r, ts: /t, itemId: /i, action: /a, ${field}: ${written}}}}}`,
    )[0];

  test.each([
    [
      'userId',
      '{at: /u, stripp: x}',
      'inputs.feedback.adapter.map.userId.stripp: unknown setting; did you mean "strip"?',
    ],
    ['userId', '{at: u}', 'inputs.feedback.adapter.map.userId: expected a JSON pointer such as /context/id (RFC 6901)'],
    ['userId', '{lower: true}', 'inputs.feedback.adapter.map.userId: needs one of at, first, join and const'],
    ['userId', '{at: /u, const: x}', 'inputs.feedback.adapter.map.userId: needs one of at, first, join and const'],
    [
      'userId',
      '{const: x, lower: true}',
      'inputs.feedback.adapter.map.userId: a constant is as it is: leave out lower',
    ],
    ['userId', '{at: /u, with: x}', 'inputs.feedback.adapter.map.userId: with stands between the values of join'],
    ['userId', '{at: /u, match: "(a"}', 'inputs.feedback.adapter.map.userId: match: a ( is not closed'],
    ['userId', '{first: [/u, {at: /v, match: "(a"}]}', 'inputs.feedback.adapter.map.userId: match: a ( is not closed'],
    ['userId', '{at: /u, scale: 2}', 'inputs.feedback.adapter.map.userId: scale is for numbers, such as value'],
    ['userId', '{at: /u, split: ","}', 'inputs.feedback.adapter.map.userId: split is for lists, such as items'],
    ['value', '{at: /u, format: "%Y"}', 'inputs.feedback.adapter.map.value: format is for times, such as ts'],
    [
      'sessionId',
      '{at: /u, only: letter}',
      'inputs.feedback.adapter.map.sessionId.only: expected letters-and-digits, digits; found "letter"',
    ],
    ['sessionId', '{at: /u, lower: false}', 'inputs.feedback.adapter.map.sessionId.lower: expected true; found false'],
  ])('%s: %s', (field, written, problem) => {
    expect(ofField(field, written)).toBe(problem);
  });

  test.each([
    ['ts', { at: '/t', format: '%H:%M' }, /^format: expected a format such as/],
    ['ts', { at: '/t', format: '%Y-%m-%d %q' }, /^format: expected a format such as/],
    ['ts', { at: '/t', timeZone: 'Berlin' }, /^timeZone: expected a time zone/],
    ['ts', { at: '/t', timeOrigin: 'yesterday' }, /^timeOrigin: expected a time such as/],
    ['items', { at: '/i', flatten: 'x' }, /^flatten: expected a JSON pointer/],
    ['items', { at: '/i', default: 'x' }, /^a list has no default/],
    ['items', { const: 'x' }, /^expected a JSON pointer; a list cannot be constant/],
    [
      'items',
      { at: '/i', keep: { '/x': { matches: '(' } } },
      /^keep: \/x: matches: a \( is not closed|^keep: \/x: matches: the pattern ends/,
    ],
    ['each', { at: '/i', drop: { x: 1 } }, /^drop: x: expected a JSON pointer/],
  ] as const)('%s: %j', (field, one, problem) => {
    expect(sourceProblem(field, one)).toMatch(problem);
  });
});
