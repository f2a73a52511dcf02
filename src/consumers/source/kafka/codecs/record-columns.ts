/**
 * Columns have room for a power of two of records. Those of up to USUAL_ROOM records are reused; at most MOST_KEPT of each size are kept.
 */
const LEAST_ROOM = 16;
const USUAL_ROOM = 4096;
const MOST_KEPT = 16;

/** What is known of the records of a batch, by index. */
export class RecordColumns {
  /** Unused columns, by their room. */
  static readonly #free = new Map<number, RecordColumns[]>();
  readonly offsets: Float64Array;
  /** NaN if the record has none; Kafka writes -1. */
  readonly timestamps: Float64Array;
  /** Where the values begin, and their sizes; -1: null. */
  readonly at: Int32Array;
  readonly size: Int32Array;
  /** Where the time of the record stands. */
  readonly timeAt: Int32Array;

  private constructor(records: number) {
    // The columns share one buffer, because each buffer has memory of its own outside the heap.
    const memory = new ArrayBuffer(28 * records);
    this.offsets = new Float64Array(memory, 0, records);
    this.timestamps = new Float64Array(memory, 8 * records, records);
    this.at = new Int32Array(memory, 16 * records, records);
    this.size = new Int32Array(memory, 20 * records, records);
    this.timeAt = new Int32Array(memory, 24 * records, records);
  }

  /** Columns for at least `records` records, with undefined content. */
  static of(records: number): RecordColumns {
    if (records > USUAL_ROOM) return new RecordColumns(records);
    const room = Math.max(LEAST_ROOM, 2 ** Math.ceil(Math.log2(records)));
    return RecordColumns.#free.get(room)?.pop() ?? new RecordColumns(room);
  }

  /** Must be called once, when nobody reads the columns any more: the next batch may reuse them. */
  free(): void {
    const room = this.offsets.length;
    if (room > USUAL_ROOM) return;
    const free = RecordColumns.#free.get(room);
    if (free === undefined) RecordColumns.#free.set(room, [this]);
    else if (free.length < MOST_KEPT) free.push(this);
  }
}
