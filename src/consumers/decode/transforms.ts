/**
 * What a map can do with a value on its way to its field (specification: events 6.2): one row for each transform, in the order in which they are
 * applied. A value that a transform cannot take is left as it is, for its field to be judged. The examples are tests, and the table of the
 * specification.
 */
import { conditionProblems, isAbsent, meetsAll } from './conditions.ts';
import { splitRow } from './csv-line.ts';
import type { TransformArguments, TransformsOf, ValueSource } from './decoder-settings.ts';
import { patternOf } from './pattern.ts';
import { jsonIn, numberIn, parsePointer, resolvePointer } from './pointer.ts';
import { isFields, ownValue } from './raw.ts';
import { dateReader, instantText, parseTime, timeZone as zoneOf } from './times.ts';

/** One step from a value to another; undefined stands for no value. It never throws. */
type Step = (value: unknown) => unknown;

interface Example {
  readonly source: ValueSource;
  readonly record: object;
  /** undefined: no value. */
  readonly gives: unknown;
}

interface Transform<Argument> {
  /** The fields that it is for: `lists` are items and each, `times` ts, `numbers` these and value, score and such. */
  readonly of: 'any' | 'numbers' | 'times' | 'lists';
  readonly does: string;
  readonly examples: readonly Example[];
  readonly step: (argument: Argument, source: ValueSource) => Step;
  readonly problem?: (argument: Argument, source: ValueSource) => string | undefined;
}

/** Milliseconds of each unit in which times are counted. */
const UNIT_MS = { ns: 1e-6, us: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const TRANSFORMS: { readonly [Name in keyof TransformArguments]: Transform<TransformArguments[Name]> } = {
  pairs: {
    of: 'any',
    does: 'the value of the pair with this `key` (or `name`), in a list of pairs; where the value is an object, its only member',
    examples: [
      {
        source: { at: '/params', pairs: 'list' },
        record: { params: [{ key: 'list', value: { string_value: 'r1' } }] },
        gives: 'r1',
      },
      { source: { at: '/params', pairs: 'list' }, record: { params: [{ name: 'list', value: 7 }] }, gives: 7 },
    ],
    step: (name) => onList((list) => pairedWith(list, name)),
  },
  trim: {
    of: 'any',
    does: 'without blanks around it',
    examples: [{ source: { at: '/id', trim: true }, record: { id: ' a b ' }, gives: 'a b' }],
    step: () => onText((text) => text.trim()),
  },
  strip: {
    of: 'any',
    does: 'without this prefix, or `{prefix, suffix}`, where it has them',
    examples: [
      { source: { at: '/id', strip: 'q-' }, record: { id: 'q-17' }, gives: '17' },
      { source: { at: '/id', strip: { suffix: '.html' } }, record: { id: 'a.html' }, gives: 'a' },
      { source: { at: '/id', strip: 'q-' }, record: { id: '17' }, gives: '17' },
    ],
    step: (cut) => {
      const { prefix = '', suffix = '' } = typeof cut === 'string' ? { prefix: cut } : cut;
      return onText((text) => stripped(text, prefix, suffix));
    },
  },
  lower: {
    of: 'any',
    does: 'in lower case',
    examples: [{ source: { at: '/id', lower: true }, record: { id: 'AB-1' }, gives: 'ab-1' }],
    step: () => onText((text) => text.toLowerCase()),
  },
  only: {
    of: 'any',
    does: 'its `letters-and-digits`, or its `digits`, alone',
    examples: [
      { source: { at: '/id', only: 'letters-and-digits' }, record: { id: '{0A1b-2}' }, gives: '0A1b2' },
      { source: { at: '/id', only: 'digits' }, record: { id: 'SKU 0040' }, gives: '0040' },
    ],
    step: (kept) => {
      const others = kept === 'digits' ? /\D/g : /[^\p{L}\p{M}\p{Nd}]/gu;
      return onText((text) => text.replace(others, ''));
    },
  },
  match: {
    of: 'any',
    does: 'what the first group of this pattern holds, or all that it matches; no value where it does not match',
    examples: [
      { source: { at: '/url', match: '[?&]rid=([^&]+)' }, record: { url: '/p?x=1&rid=r1' }, gives: 'r1' },
      { source: { at: '/url', match: '[?&]rid=([^&]+)' }, record: { url: '/p' }, gives: undefined },
    ],
    step: (pattern) => {
      const matcher = patternOf(pattern);
      if (typeof matcher === 'string') return () => undefined;
      return onText((text) => {
        const match = matcher(text);
        return match?.group ?? match?.text;
      });
    },
    problem: (pattern) => {
      const matcher = patternOf(pattern);
      return typeof matcher === 'string' ? matcher : undefined;
    },
  },
  decimal: {
    of: 'numbers',
    does: 'a number whose decimals follow a comma; points, apostrophes and blanks group its thousands',
    examples: [
      { source: { at: '/price', decimal: ',' }, record: { price: '1.234,50' }, gives: 1234.5 },
      { source: { at: '/price', decimal: ',' }, record: { price: '3,5' }, gives: 3.5 },
    ],
    step: () => (value) => (typeof value === 'string' ? commaNumber(value) : value),
  },
  add: {
    of: 'numbers',
    does: 'this number is added',
    examples: [{ source: { at: '/page', add: -1, scale: 10 }, record: { page: 3 }, gives: 20 }],
    step: (by) => onNumber((number) => number + by),
  },
  scale: {
    of: 'numbers',
    does: 'times this number',
    examples: [{ source: { at: '/cents', scale: 0.01 }, record: { cents: '250' }, gives: 2.5 }],
    step: (by) => onNumber((number) => number * by),
  },
  format: {
    of: 'times',
    does: 'a time in this format, as in strptime: %Y %y %m %d %b %B %H %I %p %M %S %f %z, and %a %A, which decide nothing',
    examples: [
      {
        source: { at: '/at', format: '%m/%d/%Y %I:%M:%S %p' },
        record: { at: '11/9/2019 8:05:03 PM' },
        gives: '2019-11-09T20:05:03',
      },
      { source: { at: '/at', format: '%d %b %Y' }, record: { at: '2019-11-09' }, gives: '' },
    ],
    step: (format) => {
      const read = dateReader(format) ?? (() => '');
      return onText(read);
    },
    problem: (format) =>
      dateReader(format) === undefined
        ? 'expected a format such as "%d.%m.%Y %H:%M:%S": a year, a month and a day at least, each part once'
        : undefined,
  },
  timeOrigin: {
    of: 'times',
    does: 'a number that counts from this time, in `unit` (default: s)',
    examples: [
      {
        source: { at: '/ms', timeOrigin: '2016-06-14T04:00:00Z', unit: 'ms' },
        record: { ms: 61_000 },
        gives: '2016-06-14T04:01:01.000Z',
      },
    ],
    step: (origin, { unit = 's' }) => countedFrom(parseTime(origin), unit),
    problem: (origin) => (parseTime(origin) >= 0 ? undefined : 'expected a time such as 2016-06-14T04:00:00Z'),
  },
  unit: {
    of: 'times',
    does: 'a number of ns, us, ms, s, m, h or d since 1970, whatever its size, or since `timeOrigin`',
    examples: [{ source: { at: '/day', unit: 'd' }, record: { day: 18_000 }, gives: '2019-04-14T00:00:00.000Z' }],
    step: (unit, { timeOrigin }) => (timeOrigin === undefined ? countedFrom(0, unit) : (value) => value),
  },
  timeZone: {
    of: 'times',
    does: 'the zone of a time without one, in place of that of its input',
    examples: [
      {
        source: { at: '/at', timeZone: 'Europe/Berlin' },
        record: { at: '2026-11-21 09:00:00' },
        gives: '2026-11-21T08:00:00.000Z',
      },
    ],
    step: (name) => {
      const zone = zoneOf(name);
      return onText((text) => instantText(parseTime(text, zone)) || text);
    },
    problem: (name) =>
      zoneOf(name) === undefined ? 'expected a time zone such as Europe/Berlin or +01:00' : undefined,
  },
  parse: {
    of: 'lists',
    does: 'a row of `csv` in a text, as a list',
    examples: [{ source: { at: '/ids', parse: 'csv' }, record: { ids: 'a,"b,c"' }, gives: ['a', 'b,c'] }],
    step: () => onText((text) => splitRow(text) ?? text),
  },
  split: {
    of: 'lists',
    does: 'a text as the list of its parts between these separators, without blanks around each',
    examples: [{ source: { at: '/ids', split: '|' }, record: { ids: 'a|b | c' }, gives: ['a', 'b', 'c'] }],
    step: (separator) => (value) =>
      typeof value !== 'string' || isEmptyList(value) ? value : value.split(separator).map((part) => part.trim()),
  },
  label: {
    of: 'lists',
    does: 'entries of ids with a label behind the last of these separators, as `{id, label}`',
    examples: [
      {
        source: { at: '/shown', split: ' ', label: '-' },
        record: { shown: 'N1-0 N2-1' },
        gives: [
          { id: 'N1', label: '0' },
          { id: 'N2', label: '1' },
        ],
      },
    ],
    step: (separator) => onList((list) => list.map((entry) => labelled(entry, separator))),
  },
  gather: {
    of: 'lists',
    does: 'the members of an object that are called this and a number, by number, with it as `position`; those without a value are left out',
    examples: [
      {
        source: { at: '', gather: 'item_' },
        record: { item_2: 'b', item_1: 'a', item_3: null },
        gives: [
          { id: 'a', position: 1 },
          { id: 'b', position: 2 },
        ],
      },
    ],
    step: (prefix) => (value) => gathered(opened(value), prefix),
  },
  flatten: {
    of: 'lists',
    does: 'one list of all lists to which this pointer leads from the entries',
    examples: [
      {
        source: { at: '/rows', flatten: '/items' },
        record: { rows: [{ items: ['a', 'b'] }, {}, { items: ['c'] }] },
        gives: ['a', 'b', 'c'],
      },
      { source: { at: '/rows', flatten: '' }, record: { rows: [['a'], ['b']] }, gives: ['a', 'b'] },
    ],
    step: (pointer) => {
      const path = parsePointer(pointer) ?? [];
      return onList((list) => list.flatMap((entry) => opened(resolvePointer(entry, path)) ?? []));
    },
    problem: (pointer) => (parsePointer(pointer) === undefined ? 'expected a JSON pointer such as /items' : undefined),
  },
  keep: {
    of: 'lists',
    does: 'the entries that meet all of these conditions',
    examples: [
      {
        source: { at: '/shown', split: ' ', label: '-', keep: { '/label': '1' } },
        record: { shown: 'N1-0 N2-1' },
        gives: [{ id: 'N2', label: '1' }],
      },
    ],
    step: (conditions) => {
      const meets = meetsAll(conditions);
      return onList((list) => list.filter((entry) => meets(entry)));
    },
    problem: problemOf,
  },
  drop: {
    of: 'lists',
    does: 'the entries that do not meet all of these conditions',
    examples: [
      {
        source: { at: '/shown', drop: { '/kind': 'ad' } },
        record: { shown: [{ id: 'a' }, { id: 'b', kind: 'ad' }] },
        gives: [{ id: 'a' }],
      },
    ],
    step: (conditions) => {
      const meets = meetsAll(conditions);
      return onList((list) => list.filter((entry) => !meets(entry)));
    },
    problem: problemOf,
  },
  default: {
    of: 'any',
    does: 'this value where there is none, or an empty text',
    examples: [{ source: { at: '/arm', default: 'control' }, record: { arm: null }, gives: 'control' }],
    step: (value) => (found) => (isNothing(found) ? value : found),
  },
};

type Name = keyof TransformArguments;

function isName(name: string): name is Name {
  return Object.hasOwn(TRANSFORMS, name);
}

export const TRANSFORM_NAMES: readonly Name[] = Object.keys(TRANSFORMS).filter(isName);

/** The steps of a source, in the order of the table. */
export function stepsOf(source: ValueSource): readonly Step[] {
  return TRANSFORM_NAMES.flatMap((name) => {
    const step = stepOf(name, source);
    if (step === undefined) return [];
    return [name === 'default' ? step : (value: unknown): unknown => (isAbsent(value) ? value : step(value))];
  });
}

function stepOf<One extends Name>(name: One, source: ValueSource): Step | undefined {
  const given: TransformsOf = source;
  const argument = given[name];
  return argument === undefined ? undefined : TRANSFORMS[name].step(argument, source);
}

/** What is wrong with an argument; undefined: nothing. */
export function argumentProblem<One extends Name>(name: One, source: ValueSource): string | undefined {
  const given: TransformsOf = source;
  const argument = given[name];
  return argument === undefined ? undefined : TRANSFORMS[name].problem?.(argument, source);
}

function problemOf(conditions: Parameters<typeof conditionProblems>[0]): string | undefined {
  const [first] = conditionProblems(conditions);
  return first === undefined ? undefined : `${first.at}: ${first.message}`;
}

/** No value, or an empty text, which programs write for none. */
export function isNothing(value: unknown): boolean {
  return isAbsent(value) || value === '';
}

/** A text without anything in it, or `[]`, which programs write for an empty list whatever separates the items of others. */
export function isEmptyList(text: string): boolean {
  return /^\s*(?:\[\s*\]\s*)?$/.test(text);
}

/** Parses a text that holds an object or a list as JSON; any other value is returned as it is. */
export function opened(value: unknown): unknown {
  return typeof value === 'string' ? jsonIn(value) : value;
}

/** Whole numbers, and yes and no, are read as texts. */
function onText(step: (text: string) => unknown): Step {
  return (value) => {
    if (typeof value === 'string') return step(value);
    return Number.isSafeInteger(value) || typeof value === 'boolean' ? step(String(value)) : value;
  };
}

function onNumber(step: (number: number) => number): Step {
  return (value) => {
    const number = numberIn(value);
    return typeof number === 'number' ? step(number) : value;
  };
}

function onList(step: (list: readonly unknown[]) => unknown): Step {
  return (value) => {
    const list = opened(value);
    return Array.isArray(list) ? step(list) : value;
  };
}

function pairedWith(list: readonly unknown[], name: string): unknown {
  const pair = list.find((one) => isFields(one) && (ownValue(one, 'key') ?? ownValue(one, 'name')) === name);
  const value = isFields(pair) ? ownValue(pair, 'value') : undefined;
  if (!isFields(value)) return value;
  const members = Object.values(value).filter((member) => !isAbsent(member));
  return members.length === 1 ? members[0] : value;
}

function stripped(text: string, prefix: string, suffix: string): string {
  const rest = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  return rest.endsWith(suffix) ? rest.slice(0, rest.length - suffix.length) : rest;
}

const WITH_COMMA = /^\s*(-?)([0-9]{1,3}(?:[.'’ \u00a0\u202f][0-9]{3}){1,6}|[0-9]{1,20})(?:,([0-9]{1,20}))?\s*$/;

function commaNumber(text: string): unknown {
  const [whole, sign, before = '', behind = '0'] = (text.length <= 60 ? WITH_COMMA.exec(text) : null) ?? [];
  return whole === undefined ? text : Number(`${sign}${before.replace(/[^0-9]/g, '')}.${behind}`);
}

function countedFrom(origin: number, unit: keyof typeof UNIT_MS): Step {
  return (value) => {
    const number = numberIn(value);
    return typeof number === 'number' ? instantText(Math.floor(origin + number * UNIT_MS[unit])) : '';
  };
}

function labelled(entry: unknown, separator: string): unknown {
  if (typeof entry !== 'string') return entry;
  const at = entry.lastIndexOf(separator);
  return at < 0 ? { id: entry } : { id: entry.slice(0, at), label: entry.slice(at + separator.length) };
}

function gathered(value: unknown, prefix: string): unknown {
  if (!isFields(value)) return value;
  const slots = Object.keys(value).flatMap((name) => {
    const number = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    return /^[0-9]{1,9}$/.test(number) && !isNothing(value[name])
      ? [{ position: Number(number), found: value[name] }]
      : [];
  });
  slots.sort((a, b) => a.position - b.position);
  return slots.map(({ position, found }) => (isFields(found) ? { position, ...found } : { id: found, position }));
}
