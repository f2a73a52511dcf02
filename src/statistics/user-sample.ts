import type { EpochMs } from '../vocabulary/events.ts';
import { sampleFirst, sampleKey } from '../vocabulary/user-words.ts';
import { SampleUnion } from './sample-union.ts';
import { HIGHEST_LEVEL, limitOf, MOST_VARIANTS, SampleColumns, type Sampled, type SampledUser } from './sampled.ts';

/**
 * Which users an experiment exposed: a sample of bounded size that merges like a set.
 *
 *     kept: users whose first word is below 2^(32 - j), j the smallest level at which at most K remain
 *     users in all = sampled · 2^j
 *
 * Distinct sampling (P. Gibbons, "Distinct sampling for highly-accurate answers to distinct values queries", VLDB 2001).
 * Exact while j = 0; above, exact for the sampled users, who were chosen without regard to the variant. Merge is
 * commutative, associative and idempotent, and equals the sample of the united history (specification: statistics 5.1).
 *
 * Example, K 3: users 0x1…, 0x6… in A and 0xC… in B, merged with 0x1… earlier in B and 0x8… in B: level 1, users 0x1… and
 * 0x6…, first exposures A 1, B 1, one crossover, 4 users in all.
 */

/**
 * K, per experiment and unit: enough to detect a split of 50.5/49.5. A user takes 28 bytes in memory, and about 120 in Redis. The algebra
 * holds for any K and any level, so samples that were stored with another K are read and merged as they are.
 */
export const SAMPLE_CAPACITY = 2 ** 18;

/**
 * One commit removes this many users who are out, or as many as it sets if these are more. Removing half of a full sample at once would
 * block Redis for 0.2 s or more.
 */
export const MOST_GONE = 2000;

/** What `drain` returns for the next commit. */
interface SampleChange {
  readonly level: number;
  /** Whether the level rose and must be stored, even if no user is. */
  readonly raised: boolean;
  /** Users to add or replace. */
  readonly users: readonly SampledUser[];
  /** Keys to remove if present: readers ignore them, since their first word is not below 2^(32 - level). */
  readonly gone: readonly number[];
}

/** Approximate bytes of a key in the set of changed keys. */
const CHANGED_BYTES = 40;
const GONE_BYTES = 8;

export class UserSample implements Sampled {
  readonly #capacity: number;
  readonly #users: SampleUnion;
  readonly #changed = new Set<number>();
  /** Evicted keys that may still be stored. None of them is added again: the level never falls. */
  readonly #gone: number[] = [];
  #raised = false;
  /** First words below this are in the sample. */
  #limit = 0;

  /**
   * @param capacity K; Infinity for a reader of all units, which evicts nobody
   * @param level as stored
   * @param users as stored, perhaps by a build with another K; may include users who are out
   * @param hashSeed as in `SampleUnion`
   */
  constructor(capacity: number = SAMPLE_CAPACITY, level = 0, users: Iterable<SampledUser> = [], hashSeed = 0) {
    this.#capacity = capacity;
    this.#users = new SampleUnion({ hashSeed });
    this.#raiseTo(level);
    this.#raised = false;
    for (const { key, seen, ts, variant } of users) {
      this.#put(key, seen, ts, variant);
      if (key >= limitOf(this.level)) this.#gone.push(key);
    }
    this.#changed.clear();
  }

  get level(): number {
    return this.#users.level;
  }

  get size(): number {
    return this.#users.size;
  }

  /**
   * Adds one exposure. Order and repetition do not matter.
   * @param variant its index among the configured ones, from 0
   */
  add(userId: string, variant: number, ts: EpochMs): void {
    const first = sampleFirst(userId);
    if (first < this.#limit) this.addKey(sampleKey(userId, first), variant, ts);
  }

  /** Adds one exposure by key. */
  addKey(key: number, variant: number, ts: EpochMs): void {
    if (!(variant >= 0 && variant < MOST_VARIANTS)) {
      throw new RangeError(`variant ${variant}: an experiment can have ${MOST_VARIANTS} variants at most`);
    }
    this.#put(key, 2 ** variant, ts, variant);
  }

  /** Approximate bytes in memory. */
  get bytes(): number {
    return this.#users.bytes + CHANGED_BYTES * this.#changed.size + GONE_BYTES * this.#gone.length;
  }

  each(see: (key: number, seen: number, ts: EpochMs, variant: number) => void): void {
    this.#users.each(see);
  }

  /** The changes since the last call, for one commit to store. */
  drain(): SampleChange {
    const raised = this.#raised;
    const users = this.#changedUsers();
    // Removes at least as many as are set, so that no more are stored than when the level rose.
    const gone = this.#gone.splice(-Math.max(MOST_GONE, users.length));
    this.#changed.clear();
    this.#raised = false;
    return { level: this.level, raised, users, gone };
  }

  #changedUsers(): SampledUser[] {
    const keys = [...this.#changed].sort((a, b) => a - b);
    return keys.flatMap((key) => this.#users.find(key) ?? []);
  }

  #put(key: number, seen: number, ts: EpochMs, variant: number): void {
    // The level rises before a user too many is added, so that the table never exceeds the capacity.
    while (this.size >= this.#capacity && this.level < HIGHEST_LEVEL && this.#isNew(key)) this.#raiseTo(this.level + 1);
    if (this.#users.put(key, seen, ts, variant)) this.#changed.add(key);
  }

  #isNew(key: number): boolean {
    return key < limitOf(this.level) && this.#users.find(key) === undefined;
  }

  #raiseTo(level: number): void {
    if (level > this.level) {
      this.#users.raise(level, (key) => {
        this.#changed.delete(key);
        this.#gone.push(key);
      });
    }
    this.#limit = 2 ** (HIGHEST_LEVEL - level);
    this.#raised = true;
  }
}

/**
 * A user sample as fields of a hash (specification: layout 5): `level`, and for each user its key, to
 * [variants seen, first exposure in ms, first variant] as JSON.
 *
 * A user who is out at this level counts for nobody, and is removed by some later commit (MOST_GONE of user-sample.ts).
 *
 * Example: user key 5 seen in variants 0 and 1, first at 10 in variant 1, is field `5` with `[3,10,1]`.
 */
const LEVEL = 'level';

/** The fields to set; none if neither a user nor the level changed. The fields to remove are named by the keys in `gone`. */
export function fieldsOfSample({ level, raised, users }: Omit<SampleChange, 'gone'>): Map<string, string> {
  const fields = new Map<string, string>();
  if (users.length === 0 && !raised) return fields;
  fields.set(LEVEL, String(level));
  for (const { key, seen, ts, variant } of users) fields.set(String(key), `[${seen},${ts},${variant}]`);
  return fields;
}

/**
 * Reads one field of a stored sample into `read`. Call `read.trim()` after the last one. Without fields the sample is empty.
 * @param variants number of variants of the run
 * @throws Error that names the field that is wrong
 */
export function readField(read: SampleColumns, field: string, text: string, variants: number): void {
  if (field === LEVEL) read.level = levelOf(text);
  else read.push(userOf(field, text, variants));
}

/** Throws an Error if a stored sample has users, and no level. */
export function mustHaveLevel(fields: ReadonlyMap<string, string>): void {
  if (fields.size > 0 && !fields.has(LEVEL)) throw new Error(`user sample: ${LEVEL} is gone`);
}

/**
 * A stored sample to which users can be added.
 * @param variants as in `readField`
 * @param capacity as in `UserSample`
 * @param hashSeed as in `UserSample`
 */
export function sampleOfFields(
  fields: ReadonlyMap<string, string>,
  variants: number,
  capacity?: number,
  hashSeed?: number,
): UserSample {
  const read = new SampleColumns();
  for (const [field, text] of fields) readField(read, field, text, variants);
  mustHaveLevel(fields);
  const users: SampledUser[] = [];
  read.each((key, seen, ts, variant) => users.push({ key, seen, ts, variant }));
  return new UserSample(capacity, read.level, users, hashSeed);
}

function levelOf(text: string): number {
  const level = whole(Number(text), LEVEL, text);
  if (text !== '' && level >= 0 && level <= HIGHEST_LEVEL) return level;
  throw new Error(`user sample: ${LEVEL}: expected 0 to ${HIGHEST_LEVEL}, found ${text.slice(0, 60)}`);
}

const USER = /^\[\d+,-?\d+,\d+\]$/;

/** Parses without the arrays that a regular expression would allocate: a reader of 32 units reads a million of these in a minute. */
function userOf(field: string, text: string, variants: number): SampledUser {
  const [first, second] = [text.indexOf(','), text.lastIndexOf(',')];
  const seen = Number(text.slice(1, first));
  const variant = Number(text.slice(second + 1, -1));
  if (!USER.test(text)) {
    throw new Error(`user sample: ${field}: expected [variants, time, variant], found ${text.slice(0, 60)}`);
  }
  if (seen >= 2 ** variants || variant >= variants || (seen & (1 << variant)) === 0) {
    throw new Error(`user sample: ${field}: no user of ${variants} variants: ${text.slice(0, 60)}`);
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
