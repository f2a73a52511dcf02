import { type SampleChange, type SampledUser, UserSample } from './user-sample.ts';

/**
 * A user sample as fields of a hash (interfaces.md section 4): `level`, and for each user its key, to
 * [variants seen, first exposure in ms, first variant] as JSON.
 *
 * Example: user key 5 seen in variants 0 and 1, first at 10 in variant 1, is field `5` with `[3,10,1]`.
 */
const LEVEL = 'level';

/** What is to be set. With `whole` the hash is to be deleted before. No users changed: nothing. */
export function fieldsOfSample({ level, whole, users }: SampleChange): Map<string, string> {
  const fields = new Map<string, string>();
  if (users.length === 0 && !whole) return fields;
  fields.set(LEVEL, String(level));
  for (const { key, seen, ts, variant } of users) fields.set(String(key), `[${seen},${ts},${variant}]`);
  return fields;
}

/** The level and the users of a hash; an empty one is an empty sample. Throws an Error that says which field is wrong. */
export function readSample(fields: ReadonlyMap<string, string>): {
  readonly level: number;
  readonly users: readonly SampledUser[];
} {
  const users: SampledUser[] = [];
  let level = 0;
  for (const [field, text] of fields) {
    if (field === LEVEL) level = whole(Number(text), field, text);
    else users.push(userOf(field, text));
  }
  return { level, users };
}

/** A sample as it was stored. @param capacity as in `UserSample` */
export function sampleOfFields(fields: ReadonlyMap<string, string>, capacity?: number): UserSample {
  const { level, users } = readSample(fields);
  return new UserSample(capacity, level, users);
}

function userOf(field: string, text: string): SampledUser {
  const numbers = /^\[(\d+),(-?\d+),(\d+)\]$/.exec(text);
  if (numbers === null) {
    throw new Error(`user sample: ${field}: expected [variants, time, variant], found ${text.slice(0, 60)}`);
  }
  const [seen, ts, variant] = numbers.slice(1).map((digits) => whole(Number(digits), field, text));
  return { key: whole(Number(field), field, text), seen, ts, variant };
}

function whole(value: number, field: string, text: string): number {
  if (Number.isSafeInteger(value)) return value;
  throw new Error(`user sample: ${field}: expected whole numbers, found ${text.slice(0, 60)}`);
}
