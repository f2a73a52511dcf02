import { type Fault, Lz4Blocks } from './lz4-blocks.ts';

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

interface Block {
  readonly from: number;
  readonly to: number;
  readonly raw: boolean;
}

interface Frame {
  readonly blocks: readonly Block[];
  /** Bytes that one block may hold. */
  readonly largest: number;
}

/** Made when the first frame comes: not every command reads lz4. */
let decoder: Lz4Blocks | undefined;

/**
 * Decodes one lz4 frame, as Kafka producers write it. Its checksums are not verified: that of the whole batch was.
 * Format: github.com/lz4/lz4 lz4_Frame_format.md and lz4_Block_format.md. The bytes are the caller's own.
 * @throws RangeError if it is damaged or holds more than `limit` bytes, Error if the process has no memory for it. Takes time in
 * proportion to the bytes in and out.
 */
export function decodeLz4(input: Uint8Array, limit: number): Buffer {
  const { blocks, largest } = frame(input);
  let most = 0;
  for (const { from, to, raw } of blocks) most += raw ? to - from : Math.min(largest, (to - from) * MOST_GROWTH);
  decoder ??= new Lz4Blocks();
  decoder.begin(input, Math.min(most, limit));
  for (const { from, to, raw } of blocks) {
    const fault = raw ? decoder.addRaw(from, to) : decoder.add(from, to, largest);
    if (fault !== undefined) throw refused(fault, limit);
  }
  return decoder.take();
}

function frame(bytes: Uint8Array): Frame {
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

function refused(fault: Fault, limit: number): RangeError {
  if (fault !== 'too large') return damaged(fault);
  return new RangeError(`lz4 data exceeds its block size or the limit of ${limit} bytes`);
}

function damaged(what: string): RangeError {
  return new RangeError(`lz4 data is damaged: ${what}`);
}
