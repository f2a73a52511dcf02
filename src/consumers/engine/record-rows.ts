import { type Engine, engine } from './engine.ts';
import { ROW, ZEROS } from './engine-layout.ts';

/** In place of a size: the host must read it. */
const NO_VALUE = 0xffffffff;
const LEAST_ROWS = 256;
const LEAST_BYTES = 2 ** 18;
/** In one part, and their bytes, unless one alone has more. */
const MOST_RECORDS = 200;
const MOST_BYTES = 2 ** 17;

/** Records whose values lie one behind the other. `at` and `size` are of values: `size` -1: a tombstone. `timestamps`: NaN: none. */
export interface RecordBytes {
  readonly count: number;
  readonly bytes: Uint8Array;
  readonly offsets: Float64Array;
  readonly timestamps: Float64Array;
  readonly at: Int32Array;
  readonly size: Int32Array;
}

/** Records of one topic where the engine reads them. All units of a process use the same. */
export class RecordRows {
  readonly #engine: Engine;
  #rows = 0;
  #room = 0;
  #values = 0;
  #valuesRoom = 0;
  count = 0;
  /** How many of them were judged. */
  judged = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Where the rows are. */
  get at(): number {
    return this.#rows;
  }

  /**
   * Puts records of a run here, in place of those before, from this one on: as many as are scanned while their bytes are still in the
   * processor's cache. Values that lie in the engine's memory stay where they are. Those above `limit` bytes are left to the host. Returns the index behind the last.
   */
  fill(run: RecordBytes, from: number, limit: number): number {
    const { words, doubles } = this.#engine;
    let end = from;
    let first = -1;
    let last = 0;
    // Values lie in their order, so one copy takes all of them.
    for (; end < run.count && end - from < MOST_RECORDS; end++) {
      const size = run.size[end];
      if (size < 0 || size > limit) continue;
      if (first < 0) first = run.at[end];
      else if (run.at[end] + size - first > MOST_BYTES) break;
      last = run.at[end] + size;
    }
    this.count = end - from;
    this.judged = 0;
    const isHere = run.bytes.buffer === this.#engine.buffer;
    this.#reserve(this.count, first < 0 || isHere ? 0 : last - first);
    if (first >= 0 && !isHere) this.#engine.bytes.set(run.bytes.subarray(first, last), this.#values);
    const values = isHere ? run.bytes.byteOffset : this.#values - first;
    for (let i = from, row = this.#rows; i < end; i++, row += ROW.BYTES) {
      const size = run.size[i];
      const isLeft = size < 0 || size > limit;
      doubles[(row >>> 3) + ROW.offset] = run.offsets[i];
      doubles[(row >>> 3) + ROW.timestamp] = run.timestamps[i];
      words[(row >>> 2) + ROW.at] = isLeft ? 0 : values + run.at[i];
      words[(row >>> 2) + ROW.size] = isLeft ? NO_VALUE : size;
    }
    return end;
  }

  #reserve(records: number, bytes: number): void {
    const { take, give } = this.#engine;
    if (records > this.#room) {
      if (this.#rows !== 0) give(this.#rows);
      this.#room = Math.max(LEAST_ROWS, records);
      this.#rows = take(ROW.BYTES * this.#room);
    }
    if (bytes + ZEROS > this.#valuesRoom) {
      if (this.#values !== 0) give(this.#values);
      this.#valuesRoom = Math.max(LEAST_BYTES, bytes + ZEROS);
      this.#values = take(this.#valuesRoom);
    }
  }
}

let shared: RecordRows | undefined;

/** Those of this process. */
export function recordRows(): RecordRows {
  shared ??= new RecordRows(engine());
  return shared;
}
