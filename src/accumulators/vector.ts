/**
 * Sums by user bucket (specification: statistics 1.2), from which standard errors are computed. A bucket takes memory from its
 * first list on, so a cohort of few users is small. Measured (Node 20, 7 measures, none of them 0): 0.05 us per list and
 * vector, the text of the vectors included.
 */
import { type Exact, SUMS, type SumsKind } from '../measures/sums.ts';
import { addExact } from './exact.ts';

/** Lists of a bucket, and those with a positive by `relevantFrom`. */
export const LISTS = 0;
export const POSITIVES = 1;
const HEADS = 2;

/**
 * Columns of a measure, counted from its first one. A measure that counts lists has the number that it left out, the number of
 * lists with positives by its own rule less that by `relevantFrom`, and its sums from SUM on: the first two are mostly 0, so
 * that most lists change only the sums. The other kinds have their sums from the first column on. Squares and tails have no
 * column.
 */
export const LEFT_OUT_LISTS = 0;
export const MORE_POSITIVES = 1;
export const SUM = 2;
export const NUMERATOR = 0;
export const DENOMINATOR = 1;

/** Columns before the sums of a kind. */
export function columnsBeforeSums(kind: SumsKind): number {
  return SUMS[kind].counted ? SUM : 0;
}

function widthOf(kind: SumsKind): number {
  return columnsBeforeSums(kind) + SUMS[kind].values.length;
}

/** First column of each measure, followed by the number of all columns. */
export function vectorOffsets(kinds: readonly SumsKind[]): readonly number[] {
  const offsets = [HEADS];
  for (const kind of kinds) offsets.push(offsets[offsets.length - 1] + widthOf(kind));
  return offsets;
}

/** A vector's objects: itself, and two arrays with a buffer each. */
const VECTOR_BYTES = 450;
/** Sums of doubles up to this size, and values up to 2^40, are exact. */
const LIMIT = 2 ** 52;

export class Vector {
  /** Number of buckets, a power of two. */
  readonly buckets: number;
  /** Number of columns. */
  readonly width: number;
  /** For each bucket its slot + 1; 0: nothing was added to it. */
  readonly #slots: Uint16Array;
  #used = 0;
  /** By slot, then column: the sum, except those in `beyond`. */
  #sums: Float64Array;
  /** Sums that are too large for exact doubles, by index in `sums`. */
  #beyond: Map<number, bigint> | undefined;

  constructor(buckets: number, width: number) {
    this.buckets = buckets;
    this.width = width;
    this.#slots = new Uint16Array(buckets);
    this.#sums = new Float64Array(2 * width);
  }

  /**
   * Adds one list: `count` amounts, whole numbers of at most 2^40, each to its column. `bucket`: of 256; it is folded.
   */
  add(bucket: number, positive: boolean, columns: Int32Array, amounts: Float64Array, count: number): void {
    const own = bucket & (this.buckets - 1);
    const slot = this.#slots[own];
    const base = slot > 0 ? (slot - 1) * this.width : this.#open(own);
    const sums = this.#sums;
    sums[base + LISTS]++;
    if (positive) sums[base + POSITIVES]++;
    for (let i = 0; i < count; i++) {
      const at = base + columns[i];
      const sum = sums[at] + amounts[i];
      if (sum <= LIMIT && sum >= -LIMIT) sums[at] = sum;
      else this.#putBeyond(at, sum);
    }
  }

  /** Adds to one sum. `bucket` as in `add`. */
  addTo(bucket: number, column: number, value: Exact): void {
    if (value === 0) return;
    const at = this.#base(bucket & (this.buckets - 1)) + column;
    const sum = addExact(this.#sums[at], value);
    if (typeof sum === 'number' && sum <= LIMIT && sum >= -LIMIT) this.#sums[at] = sum;
    else this.#putBeyond(at, sum);
  }

  /** Adds every sum of `other`, which may have more buckets: they are folded. */
  merge(other: Vector): void {
    if (other.width !== this.width) {
      throw new Error(`vectors of ${this.width} and ${other.width} columns cannot be merged: decode both by one shape`);
    }
    if (other.buckets % this.buckets !== 0) {
      throw new Error(
        `a vector of ${other.buckets} buckets cannot be added to one of ${this.buckets}: fold the larger`,
      );
    }
    if (this.#beyond === undefined && other.#beyond === undefined && this.#addAll(other)) return;
    for (const bucket of other.filled()) {
      for (let column = 0; column < this.width; column++) this.addTo(bucket, column, other.sum(bucket, column));
    }
  }

  /** Adds doubles to doubles. Returns false, and adds nothing, if a sum may become too large to be exact. */
  #addAll(other: Vector): boolean {
    const { width } = this;
    const mine = this.#sums.reduce((most, sum) => Math.max(most, Math.abs(sum)), 0);
    const others = other.#sums.reduce((most, sum) => Math.max(most, Math.abs(sum)), 0);
    if (mine + (others * other.buckets) / this.buckets > LIMIT) return false;
    for (let bucket = 0; bucket < other.buckets; bucket++) {
      const slot = other.#slots[bucket];
      if (slot === 0) continue;
      const base = this.#base(bucket & (this.buckets - 1));
      const from = (slot - 1) * width;
      for (let column = 0; column < width; column++) this.#sums[base + column] += other.#sums[from + column];
    }
    return true;
  }

  /** A copy that can be added to, with fewer buckets if asked. */
  copy(buckets = this.buckets): Vector {
    const copy = new Vector(buckets, this.width);
    copy.merge(this);
    return copy;
  }

  /** Bytes in memory, about. */
  get bytes(): number {
    return VECTOR_BYTES + this.#slots.byteLength + this.#sums.byteLength;
  }

  /** The buckets that hold lists, ascending. */
  filled(): readonly number[] {
    const filled: number[] = [];
    for (let bucket = 0; bucket < this.buckets; bucket++) if (this.#slots[bucket] > 0) filled.push(bucket);
    return filled;
  }

  sum(bucket: number, column: number): Exact {
    const slot = this.#slots[bucket];
    if (slot === 0) return 0;
    const at = (slot - 1) * this.width + column;
    const beyond = this.#beyond?.get(at);
    return beyond === undefined ? this.#sums[at] : addExact(beyond, this.#sums[at]);
  }

  /** The sums of one column in these buckets, put into `into`. Returns whether any is not 0. */
  column(column: number, buckets: readonly number[], into: Exact[]): boolean {
    let differs = false;
    for (let i = 0; i < buckets.length; i++) {
      const slot = this.#slots[buckets[i]];
      const at = (slot - 1) * this.width + column;
      const sum = slot === 0 || this.#beyond !== undefined ? this.sum(buckets[i], column) : this.#sums[at];
      into[i] = sum;
      if (sum !== 0) differs = true;
    }
    return differs;
  }

  #base(bucket: number): number {
    const slot = this.#slots[bucket];
    return slot > 0 ? (slot - 1) * this.width : this.#open(bucket);
  }

  #open(bucket: number): number {
    const base = this.#used++ * this.width;
    this.#slots[bucket] = this.#used;
    if (base + this.width > this.#sums.length) {
      const grown = new Float64Array(Math.min(2 * this.#sums.length, this.buckets * this.width));
      grown.set(this.#sums);
      this.#sums = grown;
    }
    return base;
  }

  /** `sum`: the exact value of `sums[at]`. */
  #putBeyond(at: number, sum: Exact): void {
    this.#beyond ??= new Map();
    this.#beyond.set(at, (this.#beyond.get(at) ?? 0n) + BigInt(sum));
    this.#sums[at] = 0;
  }
}

/** Adds `vector` to `into` and returns the sum; undefined is neutral. Throws when the numbers of buckets or columns differ. */
export function addVector(into: Vector | undefined, vector: Vector | undefined): Vector | undefined {
  if (into === undefined || vector === undefined) return into ?? vector?.copy();
  if (into.buckets !== vector.buckets) {
    throw new Error(
      `vectors of ${into.buckets} and ${vector.buckets} buckets cannot be merged: fold the larger one first`,
    );
  }
  into.merge(vector);
  return into;
}
