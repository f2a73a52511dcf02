import type { EpochMs } from '../vocabulary/events.ts';

/** The set of variants seen is a 32-bit number, which has no room for more. */
export const MOST_VARIANTS = 31;

/** Bits of a sample key: the first word, and 21 bits of the second. */
export const KEY_BITS = 53;
export const HIGHEST_LEVEL = 32;

/** Keys below it are in the sample of this level. */
export function limitOf(level: number): number {
  return 2 ** (KEY_BITS - level);
}

/** One user of the sample; no user id is kept. */
export interface SampledUser {
  /** A number of 53 bits (`sampleKey`). */
  readonly key: number;
  /** Bit v is set if the user saw variant v. */
  readonly seen: number;
  /** First exposure: the smallest event time, and among equal ones the first variant. */
  readonly ts: EpochMs;
  readonly variant: number;
}

/** What a reader sees of a sample, however it is stored. */
export interface Sampled {
  /** j. */
  readonly level: number;
  /** Number of sampled users. */
  readonly size: number;
  /** Visits each user once, in no particular order, with the fields of `SampledUser`. */
  each(see: (key: number, seen: number, ts: EpochMs, variant: number) => void): void;
}

const FIRST_PLACES = 64;

/** A read-only sample in columns: 21 bytes per user, where a table of objects takes five times as much. Readers keep one for every unit. */
export class SampleColumns implements Sampled {
  /** j. */
  level = 0;
  #size = 0;
  #keys = new Float64Array(FIRST_PLACES);
  #times = new Float64Array(FIRST_PLACES);
  #seen = new Int32Array(FIRST_PLACES);
  #variants = new Uint8Array(FIRST_PLACES);

  get size(): number {
    return this.#size;
  }

  /** Adds a user, whose key must not be present yet. */
  push({ key, seen, ts, variant }: SampledUser): void {
    if (this.#size === this.#keys.length) this.#grow();
    this.#keys[this.#size] = key;
    this.#times[this.#size] = ts;
    this.#seen[this.#size] = seen;
    this.#variants[this.#size++] = variant;
  }

  /** Removes the users who are out at this level. Must be called after the last push, when the level is known. */
  trim(): void {
    const limit = limitOf(this.level);
    const size = this.#size;
    this.#size = 0;
    for (let i = 0; i < size; i++) {
      if (this.#keys[i] >= limit) continue;
      const to = this.#size++;
      this.#keys[to] = this.#keys[i];
      this.#times[to] = this.#times[i];
      this.#seen[to] = this.#seen[i];
      this.#variants[to] = this.#variants[i];
    }
  }

  each(see: (key: number, seen: number, ts: EpochMs, variant: number) => void): void {
    for (let i = 0; i < this.#size; i++) see(this.#keys[i], this.#seen[i], this.#times[i], this.#variants[i]);
  }

  #grow(): void {
    const places = 2 * this.#keys.length;
    this.#keys = copied(new Float64Array(places), this.#keys);
    this.#times = copied(new Float64Array(places), this.#times);
    this.#seen = copied(new Int32Array(places), this.#seen);
    this.#variants = copied(new Uint8Array(places), this.#variants);
  }
}

/** Copies `cells` to the start of `into`, and returns `into`. */
export function copied<Cells extends Float64Array | Int32Array | Uint8Array>(into: Cells, cells: Cells): Cells {
  into.set(cells);
  return into;
}
