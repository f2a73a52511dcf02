import type { Exact } from '../measures/sums.ts';
import { addExact } from './exact.ts';

/** Sums and amounts of up to this size are exact as doubles. */
const LIMIT = 2 ** 52;

/**
 * Whole numbers at numbered places, all 0 at first. They are doubles while these are exact; larger numbers are kept separately.
 * One object holds the sums of many rows, or of all buckets of a vector: an array for each would be work for the garbage
 * collector.
 */
export class ExactSums {
  /** For each place its number, or what was added to it since the last part of it was moved to `#beyond`. */
  #values: Float64Array;
  #beyond: Map<number, bigint> | undefined;

  constructor(places: number) {
    this.#values = new Float64Array(places);
  }

  /** Number of places. */
  get length(): number {
    return this.#values.length;
  }

  /** Makes room for this many places, and keeps what there is. */
  grow(places: number): void {
    const grown = new Float64Array(places);
    grown.set(this.#values);
    this.#values = grown;
  }

  /** The number at a place that holds a count, which no traffic makes as large as 2^52. */
  count(at: number): number {
    return this.#values[at];
  }

  get(at: number): Exact {
    const value = this.#values[at];
    if (this.#beyond === undefined) return value;
    const beyond = this.#beyond.get(at);
    return beyond === undefined ? value : addExact(beyond, value);
  }

  /** Adds a whole number of at most 2^52. */
  add(at: number, amount: number): void {
    const sum = this.#values[at] + amount;
    if (sum <= LIMIT && sum >= -LIMIT) this.#values[at] = sum;
    else this.#putBeyond(at, sum);
  }

  /** Adds `width` such numbers, from `amounts[from]` on, to the places from `at` on. */
  addAll(at: number, amounts: Float64Array, from: number, width: number): void {
    const values = this.#values;
    for (let i = 0; i < width; i++) {
      const amount = amounts[from + i];
      // Skipping zeros avoids fetching sums that do not change: of many rows, few are in the processor's cache.
      if (amount === 0) continue;
      const sum = values[at + i] + amount;
      if (sum <= LIMIT && sum >= -LIMIT) values[at + i] = sum;
      else this.#putBeyond(at + i, sum);
    }
  }

  /** Adds the first `count` amounts, each to its column, relative to `at`. */
  addEach(at: number, columns: Int32Array, amounts: Float64Array, count: number): void {
    const values = this.#values;
    for (let i = 0; i < count; i++) {
      const place = at + columns[i];
      const sum = values[place] + amounts[i];
      if (sum <= LIMIT && sum >= -LIMIT) values[place] = sum;
      else this.#putBeyond(place, sum);
    }
  }

  /** Adds a whole number of any size. */
  addExact(at: number, value: Exact): void {
    if (value === 0) return;
    const sum = addExact(this.#values[at], value);
    if (typeof sum === 'number' && sum <= LIMIT && sum >= -LIMIT) this.#values[at] = sum;
    else this.#putBeyond(at, sum);
  }

  /** Adds `width` places of `other` from `from` on, each to its place from `to` on. */
  addFrom(other: ExactSums, from: number, to: number, width: number): void {
    this.addAll(to, other.#values, from, width);
    if (other.#beyond === undefined) return;
    for (let i = 0; i < width; i++) this.addExact(to + i, other.#beyond.get(from + i) ?? 0);
  }

  /**
   * Copies `width` places from `at` on to doubles, from `to` on. Returns false if one of them is no exact double; then the copy
   * is incomplete.
   */
  read(at: number, width: number, doubles: Float64Array, to: number): boolean {
    const values = this.#values;
    for (let i = 0; i < width; i++) doubles[to + i] = values[at + i];
    if (this.#beyond === undefined) return true;
    for (let i = 0; i < width; i++) if (this.#beyond.has(at + i)) return false;
    return true;
  }

  /** Sets `width` places from `at` on to 0. */
  clear(at: number, width: number): void {
    this.#values.fill(0, at, at + width);
    if (this.#beyond !== undefined) for (let i = 0; i < width; i++) this.#beyond.delete(at + i);
  }

  get bytes(): number {
    return this.#values.byteLength;
  }

  /** `sum`: the number at the place, without what was moved to `#beyond`. */
  #putBeyond(at: number, sum: Exact): void {
    this.#beyond ??= new Map();
    this.#beyond.set(at, (this.#beyond.get(at) ?? 0n) + BigInt(sum));
    this.#values[at] = 0;
  }
}
