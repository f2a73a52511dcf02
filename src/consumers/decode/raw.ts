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

export interface RawItem {
  readonly id?: unknown;
  readonly position?: unknown;
  readonly score?: unknown;
  readonly propensity?: unknown;
  readonly team?: unknown;
  readonly category?: unknown;
}

export interface RawModel {
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
