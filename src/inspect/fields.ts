/** A profile of each field of some records. Paths are JSON pointers; the elements of a list have its path and `[]`. */
import { escapedStep, jsonIn } from '../consumers/decode/pointer.ts';
import { type Fields, isFields } from '../consumers/decode/raw.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { nameFit } from './field-names.ts';
import { TIME_FORMS, type TimeForm, timeOf } from './time-forms.ts';

type ValueType = 'text' | 'whole' | 'number' | 'boolean' | 'list' | 'object';

export interface Field {
  readonly path: string;
  /** Number of records in which it is not null. */
  records: number;
  /** Number of values in those records; a list has several. */
  values: number;
  readonly types: Map<ValueType, number>;
  /** Number of occurrences of each value, as text: `1` and `"1"` are one value, because they are one id. */
  readonly distinct: Map<string, number>;
  /** Whether there were too many values to keep all in `distinct`. */
  manyMore: boolean;
  example: unknown;
  /** Number of elements of all its lists together. */
  elements: number;
  readonly times: Map<TimeForm, number>;
  /** Number of times that are numbers in quotes. */
  quotedTimes: number;
  least: number;
  most: number;
  /** Number of whole numbers that JSON.parse has rounded, such as those above 2^53. */
  rounded: number;
}

/** An example of a text that is a number with a decimal comma; undefined: there is none. */
export function decimalComma({ distinct }: Field): string | undefined {
  return [...distinct.keys()].find((text) => /^-?\d+,\d+$/.test(text));
}

export interface Profile {
  readonly records: number;
  readonly fields: ReadonlyMap<string, Field>;
  /** Whether there are more fields than these. */
  readonly cut: boolean;
}

const MOST_FIELDS = 400;
const MOST_DISTINCT = 50_000;
const MOST_ELEMENTS = 200;
const DEEPEST = 8;

export function profileOf(rows: readonly Fields[]): Profile {
  const fields = new Map<string, Field>();
  let cut = false;
  const fieldAt = (path: string): Field | undefined => {
    const known = fields.get(path);
    if (known !== undefined) return known;
    if (fields.size >= MOST_FIELDS) {
      cut = true;
      return undefined;
    }
    const field = newField(path);
    fields.set(path, field);
    return field;
  };
  for (const row of rows) {
    const seen = new Set<string>();
    const walk = (value: unknown, path: string, depth: number): void => {
      if (value === undefined || value === null) return;
      const field = path === '' ? undefined : fieldAt(path);
      if (field !== undefined) {
        if (!seen.has(path)) field.records++;
        seen.add(path);
        note(field, value);
      }
      if (depth >= DEEPEST) return;
      if (Array.isArray(value)) {
        for (const element of value.slice(0, MOST_ELEMENTS)) walk(element, `${path}[]`, depth + 1);
      } else if (typeof value === 'string' && value.startsWith('{')) {
        // A pointer can continue into JSON inside a text.
        const inside = jsonIn(value);
        if (isFields(inside)) walk(inside, path, depth + 1);
      } else if (isFields(value)) {
        for (const name of Object.keys(value)) walk(value[name], `${path}/${escapedStep(name)}`, depth + 1);
      }
    };
    walk(row, '', 0);
  }
  return { records: rows.length, fields, cut };
}

function newField(path: string): Field {
  return {
    path,
    records: 0,
    values: 0,
    types: new Map(),
    distinct: new Map(),
    manyMore: false,
    example: undefined,
    elements: 0,
    times: new Map(),
    quotedTimes: 0,
    least: Number.POSITIVE_INFINITY,
    most: Number.NEGATIVE_INFINITY,
    rounded: 0,
  };
}

function note(field: Field, value: unknown): void {
  const type = typeOf(value);
  field.values++;
  field.types.set(type, (field.types.get(type) ?? 0) + 1);
  field.example ??= value;
  if (Array.isArray(value)) field.elements += value.length;
  if (type === 'list' || type === 'object') return;
  if (type === 'whole' && !Number.isSafeInteger(value)) field.rounded++;
  const number =
    typeof value === 'number' ? value : typeof value === 'string' && isNumeric(value) ? Number(value) : Number.NaN;
  if (number < field.least) field.least = number;
  if (number > field.most) field.most = number;
  const text = String(value);
  const times = field.distinct.get(text);
  if (times !== undefined) field.distinct.set(text, times + 1);
  else if (field.distinct.size < MOST_DISTINCT) field.distinct.set(text, 1);
  else field.manyMore = true;
  const time = timeOf(value);
  if (time === undefined) return;
  field.times.set(time.form, (field.times.get(time.form) ?? 0) + 1);
  if (time.quoted) field.quotedTimes++;
}

function typeOf(value: unknown): ValueType {
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'number':
      return Number.isInteger(value) ? 'whole' : 'number';
    case 'boolean':
      return 'boolean';
    default:
      return 'object';
  }
}

export function isNumeric(text: string): boolean {
  return text.length <= 40 && /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(text);
}

export function isNumbers({ distinct }: Field): boolean {
  return distinct.size > 0 && [...distinct.keys()].every(isNumeric);
}

export function isOffset(field: Field): boolean {
  return mainType(field) === 'whole' && field.least >= 0 && field.most <= 1_000_000;
}

/** Whether the path leads to elements of a list, or into them. */
export function isOfElements(path: string): boolean {
  return path.includes('[]');
}

/** Its most frequent type. */
export function mainType({ types }: Field): ValueType {
  return [...types].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 'text';
}

/** Whether its values can be ids: text or integers. */
export function isIdLike(field: Field): boolean {
  const { types, values, distinct } = field;
  if ((types.get('text') ?? 0) + (types.get('whole') ?? 0) < 0.9 * values) return false;
  let longest = 0;
  for (const id of distinct.keys()) {
    if (id.length > longest) longest = id.length;
    if (longest > 200) return false;
  }
  return values > 0;
}

/** Years 2005 to 2040. A number outside this range is a time only if the field's name suggests it. */
const EARLIEST = 1.1e12;
const LATEST = 2.2e12;

/** The most frequent form, if nearly all values are times. Ids may be in the range of times: then the name decides. */
export function timesOf(field: Field): { readonly form: TimeForm; readonly quoted: boolean } | undefined {
  const { path, times, values, quotedTimes, least, most } = field;
  const all = [...times.values()].reduce((sum, n) => sum + n, 0);
  if (all < 0.9 * values || values === 0) return undefined;
  const [form] = [...times].sort(([, a], [, b]) => b - a)[0];
  const isNumber = form === 's' || form === 'ms' || form === 'us' || form === 'ns';
  if (isNumber && nameFit(path, 'ts') === 0) {
    const [first, last] = [least, most].map((value) => timeOf(value)?.ms ?? 0);
    const isId =
      /id$/i.test(path) ||
      (path.endsWith('[]') && nameFit(path.replace(/s?\[\]$/, ''), 'itemId') > 0) ||
      Math.max(nameFit(path, 'itemId'), nameFit(path, 'requestId'), nameFit(path, 'userId')) > 0;
    if (isId || first < EARLIEST || last > LATEST) return undefined;
  }
  return { form, quoted: quotedTimes > all / 2 };
}

/** The forms that at least one value in a hundred has. */
export function timeFormsOf({ times, values }: Field): readonly TimeForm[] {
  return TIME_FORMS.filter((form) => (times.get(form) ?? 0) >= 0.01 * values);
}

/** Returns text such as `12,345` or `50,000+`. */
export function distinctWords({ distinct, manyMore }: Field): string {
  return `${grouped(distinct.size)}${manyMore ? '+' : ''}`;
}

/** Path of the field whose name fits a request id best; undefined: none fits. */
export function requestField({ fields }: Profile): string | undefined {
  return [...fields.values()]
    .filter(({ path }) => nameFit(path, 'requestId') > 0 && !path.includes('[]'))
    .sort((a, b) => nameFit(b.path, 'requestId') - nameFit(a.path, 'requestId'))[0]?.path;
}
