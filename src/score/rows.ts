import { Buffer } from 'node:buffer';
import { compareSpans, hashOf, isSame, mixed } from './bytes.ts';
import { grownBytes, grownDoubles, grownInts } from './grown.ts';
import { type Items, ItemTable } from './item-table.ts';

const FIRST_ROWS = 1024;
const FIRST_BYTES = 1 << 16;

/**
 * Items of a list as columns: no object for a row. Row i is the i-th line of the list in its file; its id stands in
 * `bytes` from starts[i] to starts[i + 1]. Used again for the next list.
 */
export class ItemRows implements Items {
  count = 0;
  bytes: Uint8Array = new Uint8Array(FIRST_BYTES);
  starts: Int32Array = new Int32Array(FIRST_ROWS + 1);
  hashes: Int32Array = new Int32Array(FIRST_ROWS);
  /** NaN in no row. 0 where the file has no scores. */
  scores: Float64Array = new Float64Array(FIRST_ROWS);
  /** As the file says; 0 where it has no ranks. */
  ranks: Float64Array = new Float64Array(FIRST_ROWS);
  /** Line of the file, from 1. */
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

  /** The first row of [from, to) whose item an earlier one has; -1: no item repeats. Afterwards `find` knows these items. */
  index(from = 0, to = this.count): number {
    return this.#table.fill(this, from, to);
  }

  /** The first row with this item; -1: none. Call `index` first. @param hash mixed */
  find(hash: number, bytes: Uint8Array, from: number, to: number): number {
    return this.#table.find(this, hash, bytes, from, to);
  }

  isSameItem(i: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.starts[i];
    return this.starts[i + 1] - start === to - from && isSame(this.bytes, start, bytes, from, to - from);
  }

  /** Below 0 if the id of row a comes before that of row b. */
  compareIds(a: number, b: number): number {
    return compareSpans(this.bytes, this.starts[a], this.starts[a + 1], this.starts[b], this.starts[b + 1]);
  }

  idOf(i: number): string {
    return Buffer.from(this.bytes.buffer, this.starts[i], this.starts[i + 1] - this.starts[i]).toString('utf8');
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
