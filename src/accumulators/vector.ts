/**
 * Sums by user bucket (specification: statistics 1.2), from which standard errors are computed. A bucket takes memory from its
 * first list on, so a cohort of few users is small. Measured (Node 20, 7 measures, none of them 0): 0.05 us per list and
 * vector, the text of the vectors included.
 */
import { type Exact, SUMS, type SumsKind } from '../measures/sums.ts';
import { ExactSums } from './exact.ts';

/** Number of lists of a bucket, of those with a positive by `relevantFrom`, and of those without slots. */
export const LISTS = 0;
export const POSITIVES = 1;
export const EMPTY = 2;
const HEADS = 3;

/**
 * Columns of a measure, relative to its first one. A measure that counts lists has the number of lists that it left out, the
 * number of lists with positives by its own rule minus that by `relevantFrom`, and its sums from SUM on: the first two are mostly
 * 0, so that most lists change only the sums. The other kinds have their sums from the first column on. Squares and tails have no
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
export function vectorStarts(kinds: readonly SumsKind[]): readonly number[] {
  const starts = [HEADS];
  for (const kind of kinds) starts.push(starts[starts.length - 1] + widthOf(kind));
  return starts;
}

/** Bytes of a vector's objects: itself, its sums, and two arrays with a buffer each. */
const VECTOR_BYTES = 500;

export class Vector {
  /** Number of buckets, a power of two. */
  readonly buckets: number;
  /** Number of columns. */
  readonly width: number;
  /** For each bucket the index of its slot plus 1; 0: nothing was added to it. */
  readonly #slots: Uint16Array;
  #used = 0;
  /** Sums by slot, then column. */
  readonly #sums: ExactSums;

  constructor(buckets: number, width: number) {
    this.buckets = buckets;
    this.width = width;
    this.#slots = new Uint16Array(buckets);
    this.#sums = new ExactSums(2 * width);
  }

  /** Adds one list: `count` amounts, whole numbers of at most 2^40, each to its column. `bucket`: one of 256, which is folded. */
  add(bucket: number, positive: boolean, columns: Int32Array, amounts: Float64Array, count: number): void {
    const base = this.#base(bucket & (this.buckets - 1));
    this.#sums.add(base + LISTS, 1);
    if (positive) this.#sums.add(base + POSITIVES, 1);
    this.#sums.addEach(base, columns, amounts, count);
  }

  /** Adds to each column of a bucket one of the numbers from `amounts[from]` on, whole ones of at most 2^52. */
  addAll(bucket: number, amounts: Float64Array, from: number): void {
    this.#sums.addAll(this.#base(bucket), amounts, from, this.width);
  }

  /** Adds to one sum. `bucket`: as in `add`. */
  addTo(bucket: number, column: number, value: Exact): void {
    if (value !== 0) this.#sums.addExact(this.#base(bucket & (this.buckets - 1)) + column, value);
  }

  /** Adds every sum of `other`, whose buckets are folded if it has more. */
  merge(other: Vector): void {
    if (other.width !== this.width) {
      throw new Error(`vectors of ${this.width} and ${other.width} columns cannot be merged: decode both by one shape`);
    }
    if (other.buckets % this.buckets !== 0) {
      throw new Error(
        `a vector of ${other.buckets} buckets cannot be added to one of ${this.buckets}: fold the larger`,
      );
    }
    const { width } = this;
    for (let bucket = 0; bucket < other.buckets; bucket++) {
      const slot = other.#slots[bucket];
      if (slot === 0) continue;
      this.#sums.addFrom(other.#sums, (slot - 1) * width, this.#base(bucket & (this.buckets - 1)), width);
    }
  }

  /** A copy that can be added to; `buckets` may be fewer. */
  copy(buckets = this.buckets): Vector {
    const copy = new Vector(buckets, this.width);
    copy.merge(this);
    return copy;
  }

  /** Approximate bytes in memory. */
  get bytes(): number {
    return VECTOR_BYTES + this.#slots.byteLength + this.#sums.bytes;
  }

  /** The buckets that hold lists, ascending. */
  filled(): readonly number[] {
    const filled: number[] = [];
    for (let bucket = 0; bucket < this.buckets; bucket++) if (this.#slots[bucket] > 0) filled.push(bucket);
    return filled;
  }

  sum(bucket: number, column: number): Exact {
    const slot = this.#slots[bucket];
    return slot === 0 ? 0 : this.#sums.get((slot - 1) * this.width + column);
  }

  /** Puts the sums of one column in these buckets into `into`. Returns whether any is not 0. */
  column(column: number, buckets: readonly number[], into: Exact[]): boolean {
    let differs = false;
    for (let i = 0; i < buckets.length; i++) {
      const sum = this.sum(buckets[i], column);
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
      this.#sums.grow(Math.min(2 * this.#sums.length, this.buckets * this.width));
    }
    return base;
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
