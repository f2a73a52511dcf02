import type { InvalidCode } from '../../vocabulary/drops.ts';
import type { UnmetCondition } from '../../vocabulary/unmapped.ts';

/**
 * A record as JSON.parse returned it: an object whose fields may be anything. None of the names here is in Object.prototype, so
 * plain access is safe; names that come from data are read with Object.hasOwn.
 */
export interface RawRecord {
  eventId?: unknown;
  requestId?: unknown;
  ts?: unknown;
  userId?: unknown;
  sessionId?: unknown;
  // impressions
  items?: unknown;
  offset?: unknown;
  surface?: unknown;
  variant?: unknown;
  experiments?: unknown;
  cohorts?: unknown;
  model?: unknown;
  // feedback
  itemId?: unknown;
  action?: unknown;
  value?: unknown;
}

/** The fields of an item, in the order in which the scanner knows them (wasm/scan/items.ts). */
export const ITEM_FIELDS = ['id', 'score', 'position', 'propensity', 'team', 'category'] as const;

export type RawItem = { readonly [name in (typeof ITEM_FIELDS)[number]]?: unknown };

/** Fields of records and items that are numbers, and may be written as text where they are mapped. */
export const NUMBER_FIELDS: ReadonlySet<string> = new Set(['value', 'offset', 'position', 'score', 'propensity']);

interface RawModel {
  readonly name?: unknown;
  readonly version?: unknown;
}

/** An object with fields of unknown names, to be read by `ownValue`. */
export type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is RawRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isItem(value: unknown): value is RawItem {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isModel(value: unknown): value is RawModel {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field that the object itself holds; undefined: none, or null. */
export function ownValue(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? (fields[name] ?? undefined) : undefined;
}

/** From experiment names to variants: every value is text or null. */
export function isVariants(value: unknown): value is Readonly<Record<string, string | null>> {
  if (!isFields(value)) return false;
  for (const name in value) {
    const variant = value[name];
    if (typeof variant !== 'string' && variant !== null) return false;
  }
  return true;
}

/** An event is an impression if it has `items`; null counts as absent. */
export function isImpression(record: RawRecord): boolean {
  return record.items !== undefined && record.items !== null;
}

/** What a record holds: canonical records, not yet validated; the code of a record that cannot be read; or what kept it out of all maps. */
export type Adapted = readonly RawRecord[] | InvalidCode | UnmetCondition;

export function isUnmet(adapted: Exclude<Adapted, string>): adapted is UnmetCondition {
  return 'field' in adapted;
}

/**
 * From the text of one record to 0..n records in canonical fields. The same records give the same result: an adapter remembers no more
 * than what earlier records of the same source said, as the header of a CSV file. `source` and `offset` identify the record: in Kafka
 * `topic:partition` and offset, in files the file's number and the row.
 */
export type Adapter = (text: string, source: string, offset: number) => Adapted;

/** Canonical JSON: the record is the event. */
export const canonicalAdapter: Adapter = (text) => {
  const record = parseObject(text);
  return typeof record === 'string' ? record : [record];
};

export function parseObject(text: string): RawRecord | InvalidCode {
  const value = parseJson(text);
  if (value === undefined) return 'not_json';
  return isRecord(value) ? value : 'not_an_object';
}

/** undefined: the text is no JSON. V8 takes longer to note where that was met than to find it out, so it shall not. */
export function parseJson(text: string): unknown {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** No log nests its lists and objects deeper. `JSON.parse` reads any depth, but what goes through a value level by level, as `JSON.stringify` does, ends with the stack. */
export const DEEPEST_JSON = 100;

/** Whether lists and objects in a JSON text are nested deeper than that. What is no JSON may be either. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = textEnd(json, at + 1);
      if (at < 0) return false;
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      if (++depth > DEEPEST_JSON) return true;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--;
  }
  return false;
}

/** The quote that ends the text in which `from` is; -1: there is none. */
function textEnd(json: string, from: number): number {
  for (let end = json.indexOf('"', from); end >= 0; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (end - escapes > from && json.charCodeAt(end - escapes - 1) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}
