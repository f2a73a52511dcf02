import { compareSpans, hashOf, isSame, mixed, textOf } from './line-fields.ts';

const FIRST_ROWS = 1024;
const FIRST_BYTES = 1 << 16;

/**
 * Items of a list as columns, without an object per row. Row i is the i-th line of the list in its file; its id is in `bytes`
 * from starts[i] to starts[i + 1]. Reused for the next list.
 */
export class ItemRows implements Items {
  count = 0;
  bytes: Uint8Array = new Uint8Array(FIRST_BYTES);
  starts: Int32Array = new Int32Array(FIRST_ROWS + 1);
  hashes: Int32Array = new Int32Array(FIRST_ROWS);
  /** Scores, never NaN; 0 if the file has none. */
  scores: Float64Array = new Float64Array(FIRST_ROWS);
  /** Ranks as in the file; 0 if it has none. */
  ranks: Float64Array = new Float64Array(FIRST_ROWS);
  /** Line numbers in the file, from 1. */
  lines: Int32Array = new Int32Array(FIRST_ROWS);
  readonly #table = new ItemTable();

  clear(): void {
    this.count = 0;
  }

  /** @param bytes [from, to) is the id of the item */
  add(bytes: Uint8Array, from: number, to: number, score: number, rank: number, line: number): void {
    const i = this.count;
    if (i === this.hashes.length) this.#growRows();
    const start = this.starts[i];
    const end = start + to - from;
    if (end > this.bytes.length) this.bytes = grownBytes(this.bytes, end);
    const own = this.bytes;
    for (let at = from, out = start; at < to; at++) own[out++] = bytes[at];
    this.starts[i + 1] = end;
    this.hashes[i] = mixed(hashOf(bytes, from, to));
    this.scores[i] = score;
    this.ranks[i] = rank;
    this.lines[i] = line;
    this.count = i + 1;
  }

  /** The first row of [from, to) that repeats an earlier item; -1: no item repeats. Afterwards `find` knows these items. */
  index(from = 0, to = this.count): number {
    return this.#table.fill(this, from, to);
  }

  /**
   * The first row with this item; -1: none. Call `index` first.
   * @param hash mixed
   */
  find(hash: number, bytes: Uint8Array, from: number, to: number): number {
    return this.#table.find(this, hash, bytes, from, to);
  }

  isSameItem(i: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.starts[i];
    return this.starts[i + 1] - start === to - from && isSame(this.bytes, start, bytes, from, to - from);
  }

  /** Negative if the id of row a precedes that of row b. */
  compareIds(a: number, b: number): number {
    return compareSpans(this.bytes, this.starts[a], this.starts[a + 1], this.starts[b], this.starts[b + 1]);
  }

  idOf(i: number): string {
    return textOf(this.bytes, this.starts[i], this.starts[i + 1]);
  }

  #growRows(): void {
    const room = 2 * this.hashes.length;
    this.starts = grownInts(this.starts, room + 1);
    this.hashes = grownInts(this.hashes, room);
    this.lines = grownInts(this.lines, room);
    this.scores = grownDoubles(this.scores, room);
    this.ranks = grownDoubles(this.ranks, room);
  }
}

/** Copies a column to a longer one, filled with 0. */
export function grownInts(from: Int32Array, length: number): Int32Array {
  const grown = new Int32Array(length);
  grown.set(from);
  return grown;
}

function grownDoubles(from: Float64Array, length: number): Float64Array {
  const grown = new Float64Array(length);
  grown.set(from);
  return grown;
}

function grownBytes(from: Uint8Array, least: number): Uint8Array {
  const grown = new Uint8Array(Math.max(least, 2 * from.length));
  grown.set(from);
  return grown;
}

/** Items as columns; row i has its id in bytes from starts[i] to starts[i + 1]. */
interface Items {
  readonly hashes: Int32Array;
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
  isSameItem(row: number, bytes: Uint8Array, from: number, to: number): boolean;
}

const EMPTY = -1;

/** Finds the rows of one list by item: open addressing over row numbers, at most half full, reused. */
class ItemTable {
  #places = new Int32Array(2048).fill(EMPTY);
  #mask = 2047;

  /** Adds the rows [from, to). Returns the first that repeats an earlier item; -1: no item repeats. */
  fill(rows: Items, from: number, to: number): number {
    const { hashes, bytes, starts } = rows;
    let size = 64;
    while (size < 2 * (to - from)) size *= 2;
    if (size > this.#places.length) this.#places = new Int32Array(size);
    const places = this.#places;
    places.fill(EMPTY, 0, size);
    const mask = size - 1;
    this.#mask = mask;
    let repeated = -1;
    for (let i = from; i < to; i++) {
      const hash = hashes[i];
      let place = hash & mask;
      for (;;) {
        const other = places[place];
        if (other === EMPTY) {
          places[place] = i;
          break;
        }
        if (hashes[other] === hash && rows.isSameItem(other, bytes, starts[i], starts[i + 1])) {
          if (repeated < 0) repeated = i;
          break;
        }
        place = (place + 1) & mask;
      }
    }
    return repeated;
  }

  find(rows: Items, hash: number, bytes: Uint8Array, from: number, to: number): number {
    const places = this.#places;
    const mask = this.#mask;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const row = places[place];
      if (row === EMPTY) return -1;
      if (rows.hashes[row] === hash && rows.isSameItem(row, bytes, from, to)) return row;
    }
  }
}

/** Numbers names in the order in which they appear. Lines of one query are usually together, which costs one comparison each. */
export class QueryNames {
  readonly names: string[] = [];
  readonly #numbers = new Map<string, number>();
  #last: Uint8Array = new Uint8Array(0);
  #lastNumber = -1;

  /** The number of a name; a new name gets a new number. */
  numberAt(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    if (length === this.#last.length && this.#lastNumber >= 0 && isSame(bytes, from, this.#last, 0, length)) {
      return this.#lastNumber;
    }
    this.#last = bytes.slice(from, to);
    this.#lastNumber = this.add(textOf(bytes, from, to));
    return this.#lastNumber;
  }

  add(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.names.length;
    this.#numbers.set(name, number);
    this.names.push(name);
    return number;
  }

  /** -1 if there is no such name. */
  find(name: string): number {
    return this.#numbers.get(name) ?? -1;
  }
}
