import { MOST_VARIANTS, SampleColumns, type SampledUser } from './sampled.ts';
import { type SampleChange, UserSample } from './user-sample.ts';

/**
 * A user sample as fields of a hash (specification: layout 5): `level`, and for each user its key, to
 * [variants seen, first exposure in ms, first variant] as JSON.
 *
 * A user who is out at this level counts for nobody, and is removed by some later commit (MOST_GONE of user-sample.ts).
 *
 * Example: user key 5 seen in variants 0 and 1, first at 10 in variant 1, is field `5` with `[3,10,1]`.
 */
const LEVEL = 'level';

/** What is to be set. No users changed, nor the level: nothing. The fields to remove are named by the keys that are gone. */
export function fieldsOfSample({ level, raised, users }: Omit<SampleChange, 'gone'>): Map<string, string> {
  const fields = new Map<string, string>();
  if (users.length === 0 && !raised) return fields;
  fields.set(LEVEL, String(level));
  for (const { key, seen, ts, variant } of users) fields.set(String(key), `[${seen},${ts},${variant}]`);
  return fields;
}

/**
 * Reads one field of a stored sample into `read`; call `read.trim()` after the last one. No field at all is an empty sample.
 * Throws an Error that names the field that is wrong.
 */
export function readField(read: SampleColumns, field: string, text: string): void {
  if (field === LEVEL) read.level = whole(Number(text), field, text);
  else read.push(userOf(field, text));
}

/** A stored sample that more users can be added to. @param capacity and @param hashSeed as in `UserSample` */
export function sampleOfFields(fields: ReadonlyMap<string, string>, capacity?: number, hashSeed?: number): UserSample {
  const read = new SampleColumns();
  for (const [field, text] of fields) readField(read, field, text);
  const users: SampledUser[] = [];
  read.each((key, seen, ts, variant) => users.push({ key, seen, ts, variant }));
  return new UserSample(capacity, read.level, users, hashSeed);
}

const USER = /^\[\d+,-?\d+,\d+\]$/;

/** Without the lists that a match would make: a reader of 32 units has a million of these to read in a minute. */
function userOf(field: string, text: string): SampledUser {
  const [first, second] = [text.indexOf(','), text.lastIndexOf(',')];
  const seen = Number(text.slice(1, first));
  const variant = Number(text.slice(second + 1, -1));
  if (!USER.test(text) || seen >= 2 ** MOST_VARIANTS || variant >= MOST_VARIANTS) {
    throw new Error(`user sample: ${field}: expected [variants, time, variant], found ${text.slice(0, 60)}`);
  }
  return {
    key: whole(Number(field), field, text),
    seen,
    ts: whole(Number(text.slice(first + 1, second)), field, text),
    variant,
  };
}

function whole(value: number, field: string, text: string): number {
  if (Number.isSafeInteger(value)) return value;
  throw new Error(`user sample: ${field}: expected whole numbers, found ${text.slice(0, 60)}`);
}
