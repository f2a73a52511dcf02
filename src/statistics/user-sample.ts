import type { EpochMs } from '../events.ts';
import { sampleFirst, sampleKey } from '../user-words.ts';

/**
 * Which users an experiment exposed: a sample of bounded size that merges like a set.
 *
 *     kept: users whose first word is below 2^(32 - j), j the smallest level at which at most K remain
 *     users in all = sampled · 2^j
 *
 * Distinct sampling (P. Gibbons, "Distinct sampling for highly-accurate answers to distinct values queries", VLDB 2001).
 * Exact while j = 0; above, exact for the sampled users, who were chosen without regard to the variant. Merge is
 * commutative, associative and idempotent, and equals the sample of the united history (statistics.md section 5).
 *
 * Example, K 3: users 0x1…, 0x6… in A and 0xC… in B, merged with 0x1… earlier in B and 0x8… in B: level 1, users 0x1… and
 * 0x6…, first exposures A 1, B 1, one crossover, 4 users in all.
 */

/** K, per experiment and unit. */
export const SAMPLE_CAPACITY = 32_768;

/** More variants than this have no place in the set of variants seen. */
export const MOST_VARIANTS = 31;

/** The first word and 21 bits of the second. */
export const KEY_BITS = 53;
const HIGHEST_LEVEL = 32;

/** One user of the sample; no user id is kept. */
export interface SampledUser {
  /** 53 bits, `sampleKey`. */
  readonly key: number;
  /** Bit v is set if the user saw variant v. */
  readonly seen: number;
  /** First exposure: the smallest event time, of equal ones the first variant. */
  readonly ts: EpochMs;
  readonly variant: number;
}

/** A user in memory: its object with two numbers, its entry in the map, and its place among those that changed. */
const USER_BYTES = 150;

/** What a reader sees of a sample, whoever keeps it. */
export interface Sampled {
  /** j. */
  readonly level: number;
  /** Number of sampled users. */
  readonly size: number;
  /** Shows each user once, in no particular order: the fields of `SampledUser`. */
  each(see: (key: number, seen: number, ts: EpochMs, variant: number) => void): void;
}

/** What `drain` hands out for the next commit. */
export interface SampleChange {
  readonly level: number;
  /** The level rose: replace everything stored by `users`. Otherwise add or replace these. */
  readonly whole: boolean;
  readonly users: readonly SampledUser[];
}

export class UserSample implements Sampled {
  readonly #capacity: number;
  readonly #users = new Map<number, SampledUser>();
  #level: number;
  readonly #changed = new Set<number>();
  #raised = false;
  /** First words below this are in. */
  #limit: number;

  /**
   * @param capacity K; Infinity for a reader of all units, which keeps what it gets
   * @param level of what was stored; @param users as stored
   */
  constructor(capacity: number = SAMPLE_CAPACITY, level = 0, users: Iterable<SampledUser> = []) {
    this.#capacity = capacity;
    this.#level = level;
    this.#limit = 2 ** (HIGHEST_LEVEL - level);
    for (const user of users) this.#put(user);
    this.#shrink();
    this.#changed.clear();
    this.#raised = this.#level !== level;
  }

  get level(): number {
    return this.#level;
  }

  get size(): number {
    return this.#users.size;
  }

  /** One exposure. Order and repetition do not matter. @param variant its place among the configured ones, from 0 */
  add(userId: string, variant: number, ts: EpochMs): void {
    const first = sampleFirst(userId);
    if (first < this.#limit) this.addKey(sampleKey(userId, first), variant, ts);
  }

  /** The same for a key that is known. */
  addKey(key: number, variant: number, ts: EpochMs): void {
    if (!(variant >= 0 && variant < MOST_VARIANTS)) {
      throw new RangeError(`variant ${variant}: an experiment can have ${MOST_VARIANTS} variants at most`);
    }
    this.#put({ key, seen: 2 ** variant, ts, variant });
    this.#shrink();
  }

  /** Bytes in memory, about. */
  get bytes(): number {
    return USER_BYTES * this.#users.size;
  }

  each(see: (key: number, seen: number, ts: EpochMs, variant: number) => void): void {
    for (const { key, seen, ts, variant } of this.#users.values()) see(key, seen, ts, variant);
  }

  /** In ascending order of keys. */
  users(): SampledUser[] {
    return [...this.#users.values()].sort((a, b) => a.key - b.key);
  }

  /** What is to be stored since the last call, for one commit. */
  drain(): SampleChange {
    const whole = this.#raised;
    const users = whole ? this.users() : this.#changedUsers();
    this.#changed.clear();
    this.#raised = false;
    return { level: this.#level, whole, users };
  }

  #changedUsers(): SampledUser[] {
    const keys = [...this.#changed].sort((a, b) => a - b);
    return keys.flatMap((key) => this.#users.get(key) ?? []);
  }

  #put(user: SampledUser): void {
    if (user.key >= 2 ** (KEY_BITS - this.#level)) return;
    const known = this.#users.get(user.key);
    const merged = known === undefined ? user : united(known, user);
    if (merged === known) return;
    this.#users.set(user.key, merged);
    this.#changed.add(user.key);
  }

  #shrink(): void {
    while (this.#users.size > this.#capacity && this.#level < HIGHEST_LEVEL) {
      this.#level++;
      this.#limit = 2 ** (HIGHEST_LEVEL - this.#level);
      this.#raised = true;
      const limit = 2 ** (KEY_BITS - this.#level);
      for (const key of this.#users.keys()) if (key >= limit) this.#users.delete(key);
    }
  }
}

/** `a` itself where `b` adds nothing. */
function united(a: SampledUser, b: SampledUser): SampledUser {
  const earlier = b.ts < a.ts || (b.ts === a.ts && b.variant < a.variant);
  const seen = a.seen | b.seen;
  if (!earlier && seen === a.seen) return a;
  const first = earlier ? b : a;
  return { key: a.key, seen, ts: first.ts, variant: first.variant };
}
