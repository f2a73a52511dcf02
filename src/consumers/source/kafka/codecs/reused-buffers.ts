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
