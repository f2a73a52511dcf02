import { Decompress } from 'fzstd';
import { messageOf } from '../../../vocabulary/error-text.ts';
import {
  blockHeader,
  damagedZstd,
  frameHeader,
  headerBytes,
  isSkippable,
  LARGEST_BLOCK,
  ZSTD_MAGIC,
} from '../zstd-frame.ts';
import { Xxh64 } from './xxh64.ts';

const LARGEST_WINDOW = 1 << 25;
const NOTHING = new Uint8Array(0);

/**
 * Unpacks a stream of zstd frames.
 * @throws Error that says what is wrong with them, when iterated
 */
export async function* unpackZstd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const frames = new Frames();
  for await (const chunk of chunks) yield* frames.push(chunk);
  frames.end();
}

/**
 * Unpacks frames with at most `bytes` bytes of content.
 * @throws Error as `unpackZstd`
 */
export function unpackZstdBlock(input: Uint8Array, bytes: number): Uint8Array {
  const frames = new Frames();
  const unpacked: Uint8Array[] = [];
  let left = bytes;
  for (const piece of frames.push(input)) {
    left -= piece.length;
    if (left < 0) throw damagedZstd('it holds more than it should');
    unpacked.push(piece);
  }
  frames.end();
  return Buffer.concat(unpacked);
}

/**
 * Splits zstd frames into blocks and verifies their lengths and checksums. fzstd unpacks them block by block but verifies neither.
 * node:zlib supports zstd only from Node 22.15 on, and a file must read the same on every version. Windows above 32 MiB (`zstd --long`)
 * and dictionaries are refused.
 */
class Frames {
  #isBetween = true;
  #held: Uint8Array = NOTHING;
  readonly #steps = this.#unpack();
  /** The number of bytes needed next, or bytes that were unpacked. */
  #step = this.#next(NOTHING);

  *push(chunk: Uint8Array): Generator<Uint8Array> {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    for (;;) {
      const step = this.#step;
      if (typeof step !== 'number') {
        yield step;
        this.#step = this.#next(NOTHING);
      } else if (this.#held.length < step) {
        return;
      } else {
        const taken = this.#held.subarray(0, step);
        this.#held = this.#held.subarray(step);
        this.#step = this.#next(taken);
      }
    }
  }

  end(): void {
    if (this.#held.length > 0 || !this.#isBetween) throw damagedZstd('it ends in the middle of a frame');
  }

  #next(taken: Uint8Array): number | Uint8Array {
    return this.#steps.next(taken).value;
  }

  *#unpack(): Generator<number | Uint8Array, never, Uint8Array> {
    for (;;) {
      this.#isBetween = true;
      const magic = yield 4;
      this.#isBetween = false;
      if (isSkippable(viewOf(magic).getUint32(0, true))) {
        for (let left = viewOf(yield 4).getUint32(0, true); left > 0; )
          left -= (yield Math.min(left, LARGEST_BLOCK)).length;
      } else if (viewOf(magic).getUint32(0, true) === ZSTD_MAGIC) {
        const flags = yield 1;
        yield* this.#frame(Buffer.concat([magic, flags, yield headerBytes(flags[0]) - 5]));
      } else {
        throw damagedZstd('no frame where one should begin');
      }
    }
  }

  *#frame(head: Buffer): Generator<number | Uint8Array, void, Uint8Array> {
    const { window, content, hasChecksum } = frameHeader(viewOf(head));
    if (window > LARGEST_WINDOW) throw new Error('zstd: its window is above 32 MiB: pack it without --long');
    const unpacked: Uint8Array[] = [];
    const blocks = new Decompress((piece) => {
      if (piece.length > 0) unpacked.push(piece);
    });
    const push = (bytes: Uint8Array, isLast = false): void => {
      try {
        blocks.push(bytes, isLast);
      } catch (error) {
        throw damagedZstd(messageOf(error));
      }
    };
    // fzstd gets the frame without its checksum.
    head[4] &= ~CHECKSUM;
    push(head);
    const hash = new Xxh64();
    let length = 0;
    for (let isLast = false; !isLast; ) {
      const start = yield 3;
      const block = blockHeader(start, 0);
      isLast = block.isLast;
      push(Buffer.concat([start, yield block.stored]), isLast);
      for (const piece of unpacked.splice(0)) {
        length += piece.length;
        if (hasChecksum) hash.update(piece);
        yield piece;
      }
    }
    if (content !== undefined && content !== length) throw damagedZstd(`it has ${length} bytes instead of ${content}`);
    if (hasChecksum && viewOf(yield 4).getUint32(0, true) !== Number(BigInt.asUintN(32, hash.digest()))) {
      throw damagedZstd('its checksum is wrong');
    }
  }
}

const CHECKSUM = 0x04;

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
