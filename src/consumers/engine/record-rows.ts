import { type Engine, engine } from './engine.ts';
import { EngineRoom } from './engine-buffers.ts';
import { ROW, ZEROS } from './engine-layout.ts';

/** Stands for a size if the host must read the record. */
const NO_VALUE = 0xffffffff;
const LEAST_ROWS = 256;
const LEAST_BYTES = 2 ** 18;
/** The most records of one part, and of their bytes, unless a single record has more. */
const MOST_RECORDS = 200;
const MOST_BYTES = 2 ** 17;

/**
 * Records whose values lie one after the other. `at` and `size` are those of the values; `size` -1 is a tombstone. A timestamp of NaN
 * means none.
 */
export interface RecordBytes {
  readonly count: number;
  readonly bytes: Uint8Array;
  readonly offsets: Float64Array;
  readonly timestamps: Float64Array;
  readonly at: Int32Array;
  readonly size: Int32Array;
}

/** Records of one topic where the engine reads them. All units of a process share one instance. */
export class RecordRows {
  readonly #engine: Engine;
  readonly #rowsRoom: EngineRoom;
  readonly #valuesRoom: EngineRoom;
  #rows = 0;
  count = 0;
  /** Number of these records that were judged. */
  judged = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#rowsRoom = new EngineRoom(engine, ROW.BYTES * LEAST_ROWS);
    this.#valuesRoom = new EngineRoom(engine, LEAST_BYTES);
  }

  /** Address of the rows. */
  get at(): number {
    return this.#rows;
  }

  /**
   * Replaces the rows by records of a run, from index `from` on: as many as are scanned while their bytes are still in the processor's
   * cache. Values that lie in the engine's memory stay there. Those above `limit` bytes are left to the host. Returns the index after the
   * last.
   */
  fill(run: RecordBytes, from: number, limit: number): number {
    const { words, doubles } = this.#engine;
    let end = from;
    let first = -1;
    let last = 0;
    // Values are in order, so one copy takes all of them.
    for (; end < run.count && end - from < MOST_RECORDS; end++) {
      const size = run.size[end];
      if (size < 0 || size > limit) continue;
      if (first < 0) first = run.at[end];
      else if (run.at[end] + size - first > MOST_BYTES) break;
      last = run.at[end] + size;
    }
    this.count = end - from;
    this.judged = 0;
    this.#rows = this.#rowsRoom.reserve(ROW.BYTES * this.count);
    const values = first < 0 ? 0 : this.#place(run.bytes, first, last);
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

  /** Address of the beginning of `bytes`, or where it would be, once [first, last) is in the engine's memory. */
  #place(bytes: Uint8Array, first: number, last: number): number {
    if (bytes.buffer === this.#engine.buffer) return bytes.byteOffset;
    const values = this.#valuesRoom.reserve(last - first + ZEROS);
    this.#engine.bytes.set(bytes.subarray(first, last), values);
    return values - first;
  }
}

let shared: RecordRows | undefined;

/** The rows of this process. */
export function recordRows(): RecordRows {
  shared ??= new RecordRows(engine());
  return shared;
}
