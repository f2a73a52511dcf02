import type { PlainList, PlainSlots } from '../measures/plain.ts';

/** A graded list as it stands in a line of NDJSON: a plain list, and the query that it answers. */
export interface NamedList {
  readonly query: string | undefined;
  readonly user: string | undefined;
  readonly session: string | undefined;
  readonly list: PlainList;
}

const LIST_FORMS =
  'expected {"grades": [...]}, {"items": [...], "positives": [...]} or {"scores": [...], "ratings": [...]}';

/** @returns a text: what is wrong */
export function namedList(line: string): NamedList | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return `this is no JSON; ${LIST_FORMS}`;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `no object; ${LIST_FORMS}`;
  const fields = new Map<string, unknown>(Object.entries(value));
  for (const field of FIELDS) {
    const wrong = field.wrong(fields);
    if (wrong !== undefined) return wrong;
  }
  const clash = clashOf(fields);
  if (clash !== undefined) return `${clash} do not go together; ${LIST_FORMS}`;
  const list = plainList(fields);
  if (list === undefined) return LIST_FORMS;
  const name = (field: Field<string | number>): string | undefined => field.of(fields)?.toString();
  return { query: name(QUERY), user: name(USER), session: name(SESSION), list };
}

type Guard<T> = (value: unknown) => value is T;

const isId: Guard<string | number> = (value) => typeof value === 'string' || typeof value === 'number';
const isNumber: Guard<number> = (value) => typeof value === 'number';
const isNumberOrNull: Guard<number | null> = (value) => typeof value === 'number' || value === null;

function listOf<T>(entry: Guard<T>): Guard<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(entry);
}

/** A field of a line as what it must be. Its absence is no mistake. */
class Field<T> {
  readonly name: string;
  readonly #guard: Guard<T>;
  readonly #expected: string;

  constructor(name: string, guard: Guard<T>, expected: string) {
    this.name = name;
    this.#guard = guard;
    this.#expected = expected;
  }

  of(fields: ReadonlyMap<string, unknown>): T | undefined {
    const value = fields.get(this.name);
    return this.#guard(value) ? value : undefined;
  }

  wrong(fields: ReadonlyMap<string, unknown>): string | undefined {
    const value = fields.get(this.name);
    if (value === undefined || this.#guard(value)) return undefined;
    return `${this.name} must be ${this.#expected}, got ${shortened(JSON.stringify(value))}`;
  }
}

const id = (name: string) => new Field(name, isId, 'a text or a number');
const ids = (name: string) => new Field(name, listOf(isId), 'a list of ids');
const numbers = (name: string) => new Field(name, listOf(isNumber), 'a list of numbers');
const numbersOrNull = (name: string) => new Field(name, listOf(isNumberOrNull), 'a list of numbers or null');

const QUERY = id('query');
const USER = id('user');
const SESSION = id('session');
const GRADES = numbers('grades');
const KNOWN = numbers('known');
const SCORES = numbersOrNull('scores');
const RATINGS = numbersOrNull('ratings');
const ITEMS = ids('items');
const POSITIVES = ids('positives');
const RANKS = numbers('ranks');
const OFFSET = new Field('offset', isNumber, 'a whole number');
const FIELDS = [QUERY, USER, SESSION, GRADES, KNOWN, SCORES, RATINGS, ITEMS, POSITIVES, RANKS, OFFSET];

/** Fields that say the same of a list in two ways, or that its form does not look at. */
const CLASHES: readonly (readonly [form: Field<unknown>, others: readonly Field<unknown>[]])[] = [
  [GRADES, [ITEMS, POSITIVES, RATINGS]],
  [ITEMS, [RATINGS, KNOWN]],
  [RATINGS, [POSITIVES, KNOWN]],
];

function clashOf(fields: ReadonlyMap<string, unknown>): string | undefined {
  for (const [form, others] of CLASHES) {
    const other = fields.has(form.name) ? others.find(({ name }) => fields.has(name)) : undefined;
    if (other !== undefined) return `${form.name} and ${other.name}`;
  }
  return undefined;
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}

/** undefined: none of the forms. Items alone are a list without positives, for measures that need no judgement. */
function plainList(fields: ReadonlyMap<string, unknown>): PlainList | undefined {
  const [scores, ranks, offset] = [SCORES.of(fields), RANKS.of(fields), OFFSET.of(fields)];
  const slots: PlainSlots = {
    ...(scores === undefined ? {} : { scores }),
    ...(ranks === undefined ? {} : { ranks }),
    ...(offset === undefined ? {} : { offset }),
  };
  const grades = GRADES.of(fields);
  const known = KNOWN.of(fields);
  if (grades !== undefined) return { ...slots, grades, ...(known === undefined ? {} : { known }) };
  const items = ITEMS.of(fields);
  if (items !== undefined) return { ...slots, items, positives: POSITIVES.of(fields) ?? [] };
  const ratings = RATINGS.of(fields);
  return ratings === undefined ? undefined : { ...slots, ratings };
}
