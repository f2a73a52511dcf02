/**
 * Fields that a map can make of others: a text taken apart, an id or a time written in another way. They stand in the rows that are
 * looked at like any field of the log; only the map that is proposed says how each is made.
 */
import type { FieldMap, FieldSource, ValueSource } from '../consumers/decode/decoder-settings.ts';
import { type Getter, getterOf, isTogether } from '../consumers/decode/field-source.ts';
import { escapedStep, jsonIn, parsePointer } from '../consumers/decode/pointer.ts';
import { type Fields, isFields } from '../consumers/decode/raw.ts';
import { opened } from '../consumers/decode/transforms.ts';

export interface MadeField {
  /** Where the value stands in the rows: `/ts`, or `/items[]/id` for one of each entry. */
  readonly path: string;
  /** How a map reads it, from the record or from the entry. */
  readonly source: ValueSource;
  /** Names of the files whose records it is made of. */
  readonly files: readonly string[];
}

const RECORD = Symbol('record');

interface MadeRow extends Fields {
  readonly [RECORD]: Fields;
}

function isMade(row: Fields): row is MadeRow {
  return RECORD in row;
}

/** The record of the log that a row was made of. */
export function recordOf(row: Fields): Fields {
  return isMade(row) ? row[RECORD] : row;
}

/** The rows with these fields in them, and lists in place of texts that hold one as JSON; each knows its record. */
export function rowsWith(made: readonly MadeField[], records: readonly Fields[]): readonly Fields[] {
  const texts = jsonLists(records);
  if (made.length === 0 && texts.length === 0) return records;
  // A list is made before what its entries hold.
  const levelled = made
    .map(({ path, source }) => ({ levels: path.split('[]').map(stepsOf), get: getterOf(source) }))
    .sort((a, b) => a.levels.length - b.levels.length);
  const lists = texts.map(stepsOf);
  return records.map((record): MadeRow => {
    const open = lists.reduce<unknown>((one, steps) => withValue(one, steps, opened), record);
    const row = levelled.reduce<unknown>((one, { levels, get }) => withField(one, levels, get), open);
    return { ...(isFields(row) ? row : record), [RECORD]: record };
  });
}

const NEARLY_ALL = 0.9;

/** Where texts are lists as JSON, which a map reads as lists. */
function jsonLists(records: readonly Fields[]): readonly string[] {
  const counts = new Map<string, { all: number; lists: number }>();
  const look = (value: unknown, path: string): void => {
    if (typeof value === 'string' && value !== '' && !value.startsWith('{')) {
      const count = counts.get(path) ?? { all: 0, lists: 0 };
      count.all++;
      if (value.startsWith('[') && Array.isArray(jsonIn(value))) count.lists++;
      counts.set(path, count);
      return;
    }
    const within = opened(value);
    if (isFields(within))
      for (const [name, member] of Object.entries(within)) look(member, `${path}/${escapedStep(name)}`);
  };
  for (const record of records) look(record, '');
  return [...counts].filter(([, { all, lists }]) => lists >= NEARLY_ALL * all).map(([path]) => path);
}

/** The pointer from an entry of the innermost list to the value, or from the record if there is no list. */
export function entryPath(path: string): string {
  return path.slice(path.includes('[]') ? path.lastIndexOf('[]') + 2 : 0);
}

type Steps = readonly string[];

function stepsOf(path: string): Steps {
  return parsePointer(path) ?? [];
}

function withField(base: unknown, [steps, ...within]: readonly Steps[], get: Getter): unknown {
  if (within.length === 0) return withValue(base, steps, () => get(base));
  return withValue(base, steps, (found) => {
    const list = opened(found);
    return Array.isArray(list) ? list.map((entry: unknown) => withField(entry, within, get)) : found;
  });
}

function withValue(base: unknown, [step, ...rest]: Steps, change: (found: unknown) => unknown): unknown {
  if (step === undefined) return change(base);
  const within = opened(base);
  if (Array.isArray(within)) {
    return within.map((entry: unknown, at) => (String(at) === step ? withValue(entry, rest, change) : entry));
  }
  return isFields(within) ? { ...within, [step]: withValue(within[step], rest, change) } : base;
}

/** Fields of one place put together: transforms have an order of their own. */
export function merged(made: readonly MadeField[]): readonly MadeField[] {
  const byPlace = new Map<string, MadeField>();
  for (const field of made) {
    const key = JSON.stringify([field.path, field.files]);
    const known = byPlace.get(key);
    byPlace.set(key, known === undefined ? field : { ...field, source: { ...known.source, ...field.source } });
  }
  return [...byPlace.values()];
}

/** The map with the source of each of these fields in place of its path. */
export function mapWith(map: FieldMap, made: readonly MadeField[]): FieldMap {
  const sources = new Map(made.map(({ path, source }) => [path, source]));
  const [items, each] = [pathOf(map['items']), pathOf(map['each'])];
  const whole = (as: string, path: string): string => {
    if (as.startsWith('items.')) return `${items}[]${path}`;
    return as.startsWith('each.') ? `${each}[]${path}` : path;
  };
  const sourceOf = (as: string, source: FieldSource): FieldSource => {
    if (typeof source === 'string') return sources.get(whole(as, source)) ?? source;
    if (!isTogether(source) || !source.some((path) => sources.has(whole(as, path)))) return source;
    return { join: source.map((path) => sources.get(whole(as, path)) ?? path), with: '|' };
  };
  const entry = map['items.id'] === undefined ? sources.get(`${items}[]`) : undefined;
  return {
    ...Object.fromEntries(Object.entries(map).map(([as, source]) => [as, sourceOf(as, source)])),
    ...(entry !== undefined && { 'items.id': entry }),
  };
}

function pathOf(source: FieldSource | undefined): string | undefined {
  if (source === undefined || typeof source === 'string') return source;
  return isTogether(source) || typeof source.at !== 'string' ? undefined : source.at;
}

/** Returns text such as: strip "q-", lower. */
export function sourceWords({ at, ...transforms }: ValueSource): string {
  return Object.entries(transforms)
    .map(([name, argument]) => (argument === true ? name : `${name} ${JSON.stringify(argument)}`))
    .join(', ');
}
