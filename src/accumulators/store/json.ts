import { messageOf } from '../../vocabulary/error-text.ts';

/** Readers of parts of stored JSON. Each returns the part or throws an Error that names its place and what was expected. */

/** An object of parsed JSON. */
export type Keyed = Readonly<Record<string, unknown>>;

export function isKeyed(value: unknown): value is Keyed {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Begins what a store returns in place of a text that is not what a commit has stored (checksums.ts). No decoder takes it for a value. */
const ALTERED = 'altered: ';

/** What stands in place of each text of a hash that was altered. @param why in words, such as which checksum differs */
export function alteredText(why: string): string {
  return `${ALTERED}${why}`;
}

/** Whether a store has put this in place of a text. */
export function isAltered(text: string): boolean {
  return text.startsWith(ALTERED);
}

/** Throws an Error if any of the texts was altered. */
export function mustBeAsStored(fields: ReadonlyMap<string, string>): void {
  for (const text of fields.values()) if (isAltered(text)) throw new Error(text);
}

/** JSON.parse whose error names the place. */
export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(isAltered(text) ? text : `${where}: expected JSON`);
  }
}

export function keysOf(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (!isKeyed(value)) throw new Error(`${where}: expected an object`);
  return value;
}

export function listOf<T>(value: unknown, where: string, element: (value: unknown, where: string) => T): readonly T[] {
  if (!Array.isArray(value)) throw new Error(`${where}: expected a list`);
  return value.map((one, i) => {
    try {
      return element(one, where);
    } catch {
      // The name is made only now: naming every element takes longer than reading it.
      return element(one, `${where}[${i}]`);
    }
  });
}

export function textOf(value: unknown, where: string): string {
  if (typeof value !== 'string') throw new Error(`${where}: expected a text`);
  return value;
}

export function whole(value: unknown, where: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new Error(`${where}: expected a whole number`);
  return value;
}

/** A whole number that counts something. */
export function countOf(value: unknown, where: string): number {
  const count = whole(value, where);
  if (count < 0) throw new Error(`${where}: expected 0 or more, found ${count}`);
  return count;
}

/** The latest time of a JavaScript Date, in milliseconds after 1970; the earliest is its negative. */
const MOST_TIME = 8.64e15;

/** A time; null is -Infinity, which JSON cannot write. */
export function timeOf(value: unknown, where: string): number {
  if (value === null) return Number.NEGATIVE_INFINITY;
  const time = whole(value, where);
  if (Math.abs(time) > MOST_TIME) throw new Error(`${where}: expected a time, found ${time}`);
  return time;
}

export function rangeOf(value: unknown, where: string): readonly [from: number, to: number] {
  const ends = listOf(value, where, whole);
  if (ends.length !== 2 || ends[0] >= ends[1]) throw new Error(`${where}: expected [from, to) with from below to`);
  return [ends[0], ends[1]];
}

/** A checkpoint that this build cannot read. Restarting does not help. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  readonly exitCode = 2;
  /** Why its unit stops. */
  readonly stop: 'format' | 'damaged';

  constructor(message: string, stop: 'format' | 'damaged' = 'damaged') {
    super(message);
    this.stop = stop;
  }
}

/** The error for a row that this build cannot read, or that contradicts itself. @param key under which it is stored */
export function damagedRow(key: string, field: string, error: unknown): CheckpointError {
  return damaged(`the row ${field} of ${key}`, error);
}

/** The error for a damaged checkpoint, with what to do. */
export function damagedCheckpoint(error: unknown): CheckpointError {
  return damaged('the stored checkpoint', error);
}

/** Reads what is stored under a key, such as the users of a run. @throws CheckpointError that names the key */
export function readKey<Read>(key: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (error instanceof CheckpointError) throw new CheckpointError(`${key}: ${error.message}`, error.stop);
    throw damaged(key, error);
  }
}

/** The error for what is damaged, such as a key, with what to do. */
export function damaged(what: string, error: unknown): CheckpointError {
  return new CheckpointError(
    `${what} is damaged: ${messageOf(error)}. Restore the store from a backup, or rebuild the unit from the log`,
  );
}
