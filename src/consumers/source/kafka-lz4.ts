import { copyLiterals, copyMatch } from './byte-copies.ts';

const MAGIC = 0x184d2204;
/** Largest block by its code in the frame's descriptor. */
const BLOCK_BYTES: ReadonlyMap<number, number> = new Map([
  [4, 1 << 16],
  [5, 1 << 18],
  [6, 1 << 20],
  [7, 1 << 22],
]);
const RAW = 0x80000000;
/** One byte of a length adds at most this much output, so a block cannot grow by more. */
const MOST_GROWTH = 255;
const MIN_MATCH = 4;

interface Block {
  readonly from: number;
  readonly to: number;
  readonly raw: boolean;
}

/**
 * Decodes one lz4 frame, as Kafka producers write it. Checksums are not verified: the broker has checked the batch's own.
 * Format: github.com/lz4/lz4 lz4_Frame_format.md and lz4_Block_format.md.
 * @throws RangeError if it is damaged or holds more than `limit` bytes. Takes time in proportion to the bytes in and out.
 */
export function decodeLz4(input: Uint8Array, limit: number): Buffer {
  const { blocks, largest } = frame(input);
  let most = 0;
  for (const { from, to, raw } of blocks) most += raw ? to - from : Math.min(largest, (to - from) * MOST_GROWTH);
  const out = Buffer.allocUnsafeSlow(Math.min(most, limit));
  let at = 0;
  for (const { from, to, raw } of blocks) {
    if (!raw) {
      at = decodeBlock(input, from, to, out, at, Math.min(out.length, at + largest));
    } else {
      if (at + to - from > out.length) throw tooLarge(limit);
      copyLiterals(input, from, to - from, out, at);
      at += to - from;
    }
  }
  return out.subarray(0, at);

  function frame(bytes: Uint8Array): { readonly blocks: readonly Block[]; readonly largest: number } {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length < 7 || view.getUint32(0, true) !== MAGIC) throw damaged('no lz4 frame');
    const flags = bytes[4];
    if (flags >>> 6 !== 1) throw damaged('unknown version');
    const largest = BLOCK_BYTES.get((bytes[5] >>> 4) & 7);
    if (largest === undefined) throw damaged('unknown block size');
    const hasBlockSum = (flags & 0x10) !== 0;
    let next = 7 + ((flags & 0x08) === 0 ? 0 : 8) + ((flags & 0x01) === 0 ? 0 : 4);
    const blocks: Block[] = [];
    for (;;) {
      if (next + 4 > bytes.length) throw damaged('it ends too early');
      const word = view.getUint32(next, true);
      next += 4;
      if (word === 0) return { blocks, largest };
      const size = word % RAW;
      const to = next + size;
      if (size > largest || to > bytes.length) throw damaged('a block is too long');
      blocks.push({ from: next, to, raw: word >= RAW });
      next = to + (hasBlockSum ? 4 : 0);
    }
  }

  function decodeBlock(src: Uint8Array, from: number, to: number, dst: Uint8Array, start: number, end: number): number {
    let i = from;
    let o = start;
    while (i < to) {
      const token = src[i++];
      let literals = token >>> 4;
      if (literals === 15) {
        let more: number;
        do {
          if (i >= to) throw damaged('a length is cut off');
          more = src[i++];
          literals += more;
        } while (more === 255);
      }
      if (i + literals > to) throw damaged('literals are cut off');
      if (o + literals > end) throw tooLarge(limit);
      copyLiterals(src, i, literals, dst, o);
      i += literals;
      o += literals;
      if (i === to) return o;
      if (i + 2 > to) throw damaged('a distance is cut off');
      const distance = src[i] | (src[i + 1] << 8);
      i += 2;
      let length = token & 15;
      if (length === 15) {
        let more: number;
        do {
          if (i >= to) throw damaged('a length is cut off');
          more = src[i++];
          length += more;
        } while (more === 255);
      }
      length += MIN_MATCH;
      if (distance === 0 || distance > o) throw damaged('a distance is too far');
      if (o + length > end) throw tooLarge(limit);
      copyMatch(dst, o, distance, length);
      o += length;
    }
    throw damaged('a block has no end');
  }
}

function damaged(what: string): RangeError {
  return new RangeError(`lz4 data is damaged: ${what}`);
}

function tooLarge(limit: number): RangeError {
  return new RangeError(`lz4 data exceeds its block size or the limit of ${limit} bytes`);
}
