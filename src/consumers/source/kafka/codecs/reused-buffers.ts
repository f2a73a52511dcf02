/** The smallest buffer. */
const LEAST_BYTES = 2 ** 14;
/** The most bytes kept in unused buffers. */
const MOST_KEPT = 2 ** 25;

/**
 * Memory that is reused. V8 counts new memory outside its heap as pressure on it, and marks the whole heap for every 64 MB: in a worker
 * that read as fast as it could, that took a quarter of its CPU. Memory that is not given back is left to the garbage collector.
 */
export class ReusedBuffers {
  readonly #largest: number;
  /** Unused buffers by size, a power of two. */
  readonly #free = new Map<number, ArrayBuffer[]>();
  readonly #taken = new WeakSet<ArrayBufferLike>();
  #kept = 0;

  /** @param largest larger buffers, in bytes, are not kept */
  constructor(largest: number) {
    this.#largest = largest;
  }

  /** A buffer of `bytes` bytes with undefined content. */
  take(bytes: number): Buffer {
    if (bytes > this.#largest) return Buffer.allocUnsafeSlow(bytes);
    const size = Math.max(LEAST_BYTES, 2 ** Math.ceil(Math.log2(bytes)));
    let memory = this.#free.get(size)?.pop();
    if (memory === undefined) memory = new ArrayBuffer(size);
    else this.#kept -= size;
    this.#taken.add(memory);
    return Buffer.from(memory, 0, bytes);
  }

  /**
   * Gives a buffer back: nobody may read it any more, and the next caller of `take` may write to it. Ignored if it was given back
   * already, or is not from here.
   */
  give({ buffer }: Buffer): void {
    const size = buffer.byteLength;
    if (!(buffer instanceof ArrayBuffer) || !this.#taken.delete(buffer)) return;
    if (this.#kept + size > MOST_KEPT) return;
    const free = this.#free.get(size);
    if (free === undefined) this.#free.set(size, [buffer]);
    else free.push(buffer);
    this.#kept += size;
  }
}

/** The buffers of this process for decompressed batches. */
export const outputs = new ReusedBuffers(2 ** 22);

const LARGEST_RESPONSE = 2 ** 24;
/** Smaller responses get memory of their own: most of them hold no batches, so nobody would free them. */
const SMALLEST_RESPONSE = 2 ** 14;

/**
 * Memory for the responses of brokers. The memory of a response to a fetch is reused when all record batches in it are freed. It is left
 * to the garbage collector if one of them never is, because it was skipped, refused or abandoned.
 */
export class Responses {
  readonly #buffers = new ReusedBuffers(LARGEST_RESPONSE);
  /** Number of batches in each response that are not freed. */
  readonly #held = new WeakMap<ArrayBufferLike, number>();

  /** Memory for a response of `bytes` bytes. */
  take(bytes: number): Buffer {
    return bytes < SMALLEST_RESPONSE ? Buffer.allocUnsafeSlow(bytes) : this.#buffers.take(bytes);
  }

  /** Counts a batch found in a response, which must be freed once. All batches of a response must be counted before one is freed. */
  ref({ buffer }: Buffer): void {
    this.#held.set(buffer, (this.#held.get(buffer) ?? 0) + 1);
  }

  /** Marks a response that contains something that is never freed explicitly. */
  keep({ buffer }: Buffer): void {
    this.#held.set(buffer, Number.POSITIVE_INFINITY);
  }

  /** Frees the batch, which nobody may read any more. Ignored if `ref` was never called for it. */
  unref(batch: Buffer): void {
    const { buffer } = batch;
    const held = this.#held.get(buffer);
    if (held === undefined) return;
    if (held > 1) {
      this.#held.set(buffer, held - 1);
      return;
    }
    this.#held.delete(buffer);
    this.#buffers.give(batch);
  }
}

/** The responses of this process. */
export const responses = new Responses();

/**
 * Columns have room for a power of two of records. Those of up to USUAL_ROOM records are reused; at most MOST_COLUMNS of each size are kept.
 */
const LEAST_ROOM = 16;
const USUAL_ROOM = 4096;
const MOST_COLUMNS = 16;

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
    else if (free.length < MOST_COLUMNS) free.push(this);
  }
}
