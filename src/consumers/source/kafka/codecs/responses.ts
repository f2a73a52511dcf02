import { ReusedBuffers } from './reused-buffers.ts';

const LARGEST = 2 ** 24;
/** Smaller responses get memory of their own: most of them hold no batches, so nobody would free them. */
const SMALLEST = 2 ** 14;

/**
 * Memory for the responses of brokers. The memory of a response to a fetch is reused when all record batches in it are freed. It is left
 * to the garbage collector if one of them never is, because it was skipped, refused or abandoned.
 */
export class Responses {
  readonly #buffers = new ReusedBuffers(LARGEST);
  /** Number of batches in each response that are not freed. */
  readonly #held = new WeakMap<ArrayBufferLike, number>();

  /** Memory for a response of `bytes` bytes. */
  take(bytes: number): Buffer {
    return bytes < SMALLEST ? Buffer.allocUnsafeSlow(bytes) : this.#buffers.take(bytes);
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
