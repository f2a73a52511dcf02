import { type Exact, PER_ONE } from '../measures/sums.ts';

/**
 * Up to this size a value in units is rounded from the product of doubles, whose error is below 2^-13 units. Larger values are
 * rounded exactly.
 */
export const DIRECT_LIMIT = 2 ** 40;

const LARGEST_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const FRACTION_BITS = 42;

/**
 * A value as a whole multiple of 1e-9, rounded once, half away from zero: 0.6666666666666666 is 666666667. A number while it is
 * a safe integer, else a bigint. Throws a RangeError for NaN and the infinities.
 */
export function fixed(value: number): Exact {
  const product = value * PER_ONE;
  if (product >= 0 && product <= DIRECT_LIMIT) return Math.round(product) + 0;
  if (product < 0 && product >= -DIRECT_LIMIT) return 0 - Math.round(-product);
  if (!Number.isFinite(value)) throw new RangeError(`cannot add ${value} to a row: a measure's value must be finite`);
  const size = fixedExactly(Math.abs(value));
  return normal(value < 0 ? -size : size);
}

/** Needs value > 1024, so that its last bit is worth at least 2^-42. */
function fixedExactly(value: number): bigint {
  const units = BigInt(PER_ONE);
  if (value >= 2 ** 53) return BigInt(value) * units;
  const scaled = BigInt(value * 2 ** FRACTION_BITS) * units;
  return (scaled + (1n << BigInt(FRACTION_BITS - 1))) >> BigInt(FRACTION_BITS);
}

/** The sum, without rounding. Equal sums have one form: a number while safe. */
export function addExact(a: Exact, b: Exact): Exact {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return normal(BigInt(a) + BigInt(b));
}

/** a - b, without rounding. */
export function difference(a: Exact, b: Exact): Exact {
  return addExact(a, typeof b === 'number' ? 0 - b : -b);
}

/** The one form of a whole number: a number while safe. */
function normal(value: bigint): Exact {
  return value <= LARGEST_SAFE && value >= -LARGEST_SAFE ? Number(value) : value;
}

const BILLION = 1e9;
const THREE_DIGITS: readonly string[] = Array.from({ length: 1000 }, (_, i) => String(i).padStart(3, '0'));

/**
 * Digits as JSON: a number while it is a safe integer, else a string, so that no reader rounds them. Numbers above 32 bits are
 * printed in two parts, which takes 0.10 us where String takes 0.25: a row of items has thousands of them.
 */
export function printExact(value: Exact): string {
  if (typeof value === 'bigint') return `"${value}"`;
  if (value < BILLION) return String(value);
  const billions = Math.floor(value / BILLION);
  const rest = (value - billions * BILLION) | 0;
  const thousands = (rest / 1000) | 0;
  const millions = (thousands / 1000) | 0;
  return `${billions}${THREE_DIGITS[millions]}${THREE_DIGITS[thousands - millions * 1000]}${THREE_DIGITS[rest - thousands * 1000]}`;
}

/** Reads back, from parsed JSON, what `printExact` wrote; undefined: not a whole number. */
export function parseExact(json: unknown): Exact | undefined {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? json : undefined;
  if (typeof json !== 'string' || !/^-?\d+$/.test(json)) return undefined;
  return normal(BigInt(json));
}

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
