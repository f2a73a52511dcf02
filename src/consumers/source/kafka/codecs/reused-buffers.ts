/** The smallest buffer. */
const LEAST_BYTES = 2 ** 14;
/** What is kept of all of them together. */
const MOST_KEPT = 2 ** 25;

/**
 * Memory that is used again. V8 counts new memory outside its heap as pressure on it, and marks all of the heap for every 64 MB: where
 * a worker reads as fast as it can, that was a quarter of its CPU. What is not given back is left to the garbage collector.
 */
export class ReusedBuffers {
  readonly #largest: number;
  /** By size, a power of two. */
  readonly #free = new Map<number, ArrayBuffer[]>();
  readonly #taken = new WeakSet<ArrayBufferLike>();
  #kept = 0;

  /** `largest`: larger buffers, in bytes, are not kept. */
  constructor(largest: number) {
    this.#largest = largest;
  }

  /** A buffer of so many bytes with any content. */
  take(bytes: number): Buffer {
    if (bytes > this.#largest) return Buffer.allocUnsafeSlow(bytes);
    const size = Math.max(LEAST_BYTES, 2 ** Math.ceil(Math.log2(bytes)));
    let memory = this.#free.get(size)?.pop();
    if (memory === undefined) memory = new ArrayBuffer(size);
    else this.#kept -= size;
    this.#taken.add(memory);
    return Buffer.from(memory, 0, bytes);
  }

  /** Nobody reads it any more: the next one to take may write to it. Ignored if it was given already, or is not from here. */
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

/** Of this process: for decompressed batches. */
export const outputs = new ReusedBuffers(2 ** 22);
