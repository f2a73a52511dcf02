import { ReusedBuffers } from './reused-buffers.ts';

const LARGEST = 2 ** 24;
/** Smaller responses are memory of their own: most of them hold no batches, and nobody would free them. */
const SMALLEST = 2 ** 14;

/**
 * Memory for the responses of brokers. That of a response to a fetch is used again when all record batches in it are freed. It is left to
 * the garbage collector if one of them never is, because it was skipped, refused or abandoned.
 */
export class Responses {
  readonly #buffers = new ReusedBuffers(LARGEST);
  /** By response: its batches that are not freed. */
  readonly #held = new WeakMap<ArrayBufferLike, number>();

  /** For a response of so many bytes. */
  take(bytes: number): Buffer {
    return bytes < SMALLEST ? Buffer.allocUnsafeSlow(bytes) : this.#buffers.take(bytes);
  }

  /** A batch was found in a response, and is to be freed once. All batches of a response are found before one is freed. */
  ref({ buffer }: Buffer): void {
    this.#held.set(buffer, (this.#held.get(buffer) ?? 0) + 1);
  }

  /** Something else was found in a response, of which nobody says when it is not read any more. */
  keep({ buffer }: Buffer): void {
    this.#held.set(buffer, Number.POSITIVE_INFINITY);
  }

  /** Nobody reads the batch any more. Ignored if `ref` was never called for it. */
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

/** Of this process. */
export const responses = new Responses();
