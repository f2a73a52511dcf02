import type { EpochMs } from '../vocabulary/events.ts';
import { fmix32 } from '../vocabulary/user-words.ts';
import type { Arrivals, Exposed } from './exposure.ts';
import { copied, KEY_BITS, limitOf, type Sampled, type SampledUser } from './sampled.ts';

const FIRST_PLACES = 1024;
/** Leaves room for the users that are added until the next growth. */
const ROOM = 1.05;
/** More than the number of variants, so that a set of variants and one variant fit into one number. */
const VARIANTS = 32;

/** Number of spans of time in which arrivals are counted: enough to show a ramp, few enough that each has many users. */
const SPANS = 8;

/** Users that saw the same variants, and the same one first. */
interface Group {
  readonly seen: number;
  readonly variant: number;
  users: number;
}

/**
 * The counted union of the samples of all units, without raising the level again (specification: statistics 5.1): readers only
 * need how many users saw what. Commutative, associative and idempotent like `UserSample`.
 *
 * Why not a map of users: a million of them took seconds of one turn of the event loop, and 150 bytes each. Here a user is an
 * index into three arrays, found by its key in an open-addressing table, 28 bytes in all; groups are counted as they change,
 * and a reader adds each sample as it arrives.
 *
 * Example: user 1 in variant 0 at time 5, and elsewhere in variant 1 at time 3: one group, seen 0 and 1, first 1, one user.
 */
export class SampleUnion implements Sampled {
  #level = 0;
  /** Keys below it are in the sample. */
  #limit = limitOf(0);
  #size = 0;
  #keys: Float64Array;
  #times: Float64Array;
  readonly #hash: KeyHash;
  /** Index of the group of each user. */
  #groupOf: Int32Array;
  /**
   * The hash table: the lowest bits of the key's hash, then linear probing, lead to a user's index + 1; 0 is a free slot. At most half of
   * the slots are taken.
   */
  #slots: Int32Array;
  readonly #groups: Group[] = [];
  /** Index of a group by variants seen · VARIANTS + first variant. */
  readonly #known = new Map<number, number>();

  /**
   * @param expected approximate number of users. It only saves time, as the table grows with them
   * @param hashSeed affects no result. If nobody can guess it, user ids that were chosen to collide cannot make each search visit all
   * users
   */
  constructor({ expected = 0, hashSeed = 0 }: { readonly expected?: number; readonly hashSeed?: number } = {}) {
    this.#hash = new KeyHash(hashSeed);
    const places = 2 ** Math.ceil(Math.log2(Math.max(FIRST_PLACES, ROOM * expected)));
    this.#keys = new Float64Array(places);
    this.#times = new Float64Array(places);
    this.#groupOf = new Int32Array(places);
    this.#slots = new Int32Array(2 * places);
  }

  /** j. */
  get level(): number {
    return this.#level;
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes in memory of the whole tables, used or not. */
  get bytes(): number {
    return this.#keys.byteLength + this.#times.byteLength + this.#groupOf.byteLength + this.#slots.byteLength;
  }

  add(sample: Sampled): void {
    if (sample.level > this.#level) this.raise(sample.level);
    sample.each((key, seen, ts, variant) => this.put(key, seen, ts, variant));
  }

  each(see: (key: number, seen: number, ts: EpochMs, variant: number) => void): void {
    for (let i = 0; i < this.#size; i++) {
      const { seen, variant } = this.#groups[this.#groupOf[i]];
      see(this.#keys[i], seen, this.#times[i], variant);
    }
  }

  /** The user with this key; undefined: not in the sample. */
  find(key: number): SampledUser | undefined {
    const place = this.#slots[this.#slotOf(key)] - 1;
    if (place < 0) return undefined;
    const { seen, variant } = this.#groups[this.#groupOf[place]];
    return { key, seen, ts: this.#times[place], variant };
  }

  /** The counts at present, which later additions do not change. Groups are in ascending order. */
  exposed(): Exposed {
    const groups = this.#groups.filter(({ users }) => users > 0).map((group) => ({ ...group }));
    groups.sort((a, b) => a.seen - b.seen || a.variant - b.variant);
    // Computed here rather than as users arrive, because users who leave a sample that is halved must not count.
    const times = this.#times.subarray(0, this.#size);
    const began = times.length === 0 ? undefined : times.reduce((least, time) => Math.min(least, time));
    return { level: this.#level, sampled: this.#size, began, groups };
  }

  /**
   * Arrivals in equal spans of time from the first user to the last; empty if all came at the same time. Variants are those of an
   * experiment.
   */
  arrivals(): readonly Arrivals[] {
    const times = this.#times.subarray(0, this.#size);
    const from = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
    const length = times.reduce((most, time) => Math.max(most, time - from), 0) / SPANS;
    if (length === 0) return [];
    const users = Array.from({ length: SPANS }, () => new Array<number>(VARIANTS).fill(0));
    for (const [i, time] of times.entries()) {
      users[Math.min(SPANS - 1, Math.floor((time - from) / length))][this.#groups[this.#groupOf[i]].variant]++;
    }
    return users.map((of, s) => ({
      from: from + Math.round(s * length),
      to: from + Math.round((s + 1) * length),
      users: of,
    }));
  }

  /**
   * Adds one exposure, or all that is known of a user. Returns whether anything changed. If `seen` is always 0, `variant` may be any
   * whole number from 0.
   */
  put(key: number, seen: number, ts: EpochMs, variant: number): boolean {
    if (key >= this.#limit) return false;
    const slot = this.#slotOf(key);
    const place = this.#slots[slot] - 1;
    if (place < 0) {
      this.#insert(slot, key, ts, this.#group(seen, variant));
      return true;
    }
    const before = this.#groupOf[place];
    const known = this.#groups[before];
    const isEarlier = ts < this.#times[place] || (ts === this.#times[place] && variant < known.variant);
    if (isEarlier) this.#times[place] = ts;
    const after = this.#group(known.seen | seen, isEarlier ? variant : known.variant);
    if (after === before) return isEarlier;
    this.#groupOf[place] = after;
    known.users--;
    this.#groups[after].users++;
    return true;
  }

  /** Mean number of slots that a successful search visits; 0: there are no users. */
  get probes(): number {
    const last = this.#slots.length - 1;
    let slots = 0;
    for (let i = 0; i < this.#size; i++) {
      const key = this.#keys[i];
      slots += ((this.#slotOf(key) - this.#home(key)) & last) + 1;
    }
    return this.#size === 0 ? 0 : slots / this.#size;
  }

  /** The slot where the search for a key starts. */
  #home(key: number): number {
    return this.#hash.of(key) & (this.#slots.length - 1);
  }

  /** The slot of a key, or the free slot where it belongs. */
  #slotOf(key: number): number {
    const last = this.#slots.length - 1;
    let slot = this.#home(key);
    while (this.#slots[slot] !== 0 && this.#keys[this.#slots[slot] - 1] !== key) slot = (slot + 1) & last;
    return slot;
  }

  #insert(free: number, key: number, ts: EpochMs, group: number): void {
    let slot = free;
    if (this.#size === this.#keys.length) {
      this.#grow();
      slot = this.#slotOf(key);
    }
    const place = this.#size++;
    this.#keys[place] = key;
    this.#times[place] = ts;
    this.#groupOf[place] = group;
    this.#slots[slot] = place + 1;
    this.#groups[group].users++;
  }

  #grow(): void {
    const places = 2 * this.#size;
    this.#keys = copied(new Float64Array(places), this.#keys);
    this.#times = copied(new Float64Array(places), this.#times);
    this.#groupOf = copied(new Int32Array(places), this.#groupOf);
    this.#slots = new Int32Array(2 * places);
    for (let i = 0; i < this.#size; i++) this.#slots[this.#slotOf(this.#keys[i])] = i + 1;
  }

  #group(seen: number, variant: number): number {
    const name = seen * VARIANTS + variant;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    this.#known.set(name, this.#groups.length);
    return this.#groups.push({ seen, variant, users: 0 }) - 1;
  }

  /** Raises the level: removes users who are not in the sample of the higher level, and passes their keys to `gone`. */
  raise(level: number, gone?: (key: number) => void): void {
    this.#level = level;
    this.#limit = limitOf(level);
    const size = this.#size;
    this.#size = 0;
    this.#slots.fill(0);
    for (const group of this.#groups) group.users = 0;
    for (let i = 0; i < size; i++) {
      const key = this.#keys[i];
      if (key < this.#limit) this.#insert(this.#slotOf(key), key, this.#times[i], this.#groupOf[i]);
      else gone?.(key);
    }
  }
}

const BYTE = 256;

const BYTES = Math.ceil(KEY_BITS / 8);

/**
 * A hash of sample keys that nobody who chooses user ids can predict: simple tabulation, with a random word for each value of each byte.
 * With it a search with linear probing takes constant expected time for any set of keys that was chosen without knowing the words (M.
 * Patrascu and M. Thorup, "The power of simple tabulation hashing", JACM 2012).
 */
class KeyHash {
  /** Random words by byte of the key, from the lowest, then by its value. */
  readonly #words: Uint32Array;

  /** @param seed a whole number below 2^53, as `newHashSeed` draws it */
  constructor(seed: number) {
    const [low, high] = [seed | 0, Math.floor(seed / 2 ** 32) | 0];
    // This is a loop because `Uint32Array.from` takes 20 times as long, and every look at an experiment makes one of these.
    const words = new Uint32Array(BYTES * BYTE);
    for (let i = 0; i < words.length; i++) words[i] = fmix32(fmix32(fmix32(i + 1) ^ low) ^ high);
    this.#words = words;
  }

  /** The hash of a key: 32 bits, signed. */
  of(key: number): number {
    const words = this.#words;
    const low = key | 0;
    const high = (key / 2 ** 32) | 0;
    return (
      words[low & 255] ^
      words[256 + ((low >>> 8) & 255)] ^
      words[512 + ((low >>> 16) & 255)] ^
      words[768 + (low >>> 24)] ^
      words[1024 + (high & 255)] ^
      words[1280 + ((high >>> 8) & 255)] ^
      words[1536 + (high >>> 16)]
    );
  }
}
