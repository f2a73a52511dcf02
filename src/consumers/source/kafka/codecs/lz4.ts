import { LZ4_BLOCK_CODE } from './lz4-block-code.ts';
import { outputs } from './reused-buffers.ts';

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

const PAGE = 1 << 16;
/**
 * 64 MiB, enough for every frame within the default limits. Pages that were never used take address space, not memory. A memory
 * that grows detaches its buffer, and from the first detached buffer of a process on V8 checks every access to every typed
 * array: decoding events costs 18 % more then (docs/decisions/0012).
 */
const FIRST_PAGES = 2 ** 10;
/** So all addresses are positive int32. */
const MOST_PAGES = 2 ** 14;
/** Bytes between input and output, and after the output: copies proceed in steps and may write up to 30 bytes too far. */
const SPARE = 64;

/** Faults of a block, by the negative number that the module returns. */
const FAULTS = [
  'a block has no end',
  'a length is cut off',
  'literals are cut off',
  'a distance is cut off',
  'a distance is too far',
  'too large',
] as const;
type Fault = (typeof FAULTS)[number];

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

/**
 * Decodes frames block by block, in a memory of its own: whatever the input holds, nothing outside of that memory can be read
 * or written. The memory in use is that of the largest frame so far (input and output).
 */
export class Lz4Blocks {
  readonly #memory = withMemory(() => new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES }));
  readonly #decode: (from: number, to: number, out: number, begin: number, end: number) => number;
  #bytes = new Uint8Array(this.#memory.buffer);
  #size = 0;
  #begin = 0;
  #out = 0;
  #end = 0;

  constructor() {
    const module = new WebAssembly.Module(Buffer.from(LZ4_BLOCK_CODE, 'base64'));
    const { decode } = new WebAssembly.Instance(module, { host: { memory: this.#memory } }).exports;
    if (typeof decode !== 'function') throw new Error('the compiled decoder of LZ4 has no function "decode"');
    this.#decode = (from, to, out, begin, end) => decode(from, to, out, begin, end);
  }

  /**
   * Starts a frame whose blocks hold at most `most` bytes together. Discards the output of the last frame.
   * @throws Error if there is no memory for it.
   */
  begin(input: Uint8Array, most: number): void {
    this.#size = input.length;
    this.#begin = input.length + SPARE;
    this.#out = this.#begin;
    this.#end = this.#begin + most;
    const missing = Math.ceil((this.#end + SPARE - this.#bytes.length) / PAGE);
    if (missing > 0) {
      withMemory(() => this.#memory.grow(missing));
      this.#bytes = new Uint8Array(this.#memory.buffer);
    }
    this.#bytes.set(input);
  }

  /** Adds a block of at most `largest` bytes, which is at [from, to) of the input. */
  add(from: number, to: number, largest: number): Fault | undefined {
    this.#check(from, to);
    const end = Math.min(this.#end, this.#out + largest);
    const out = this.#decode(from, to, this.#out, this.#begin, end);
    if (out < 0) return FAULTS[-1 - out];
    this.#out = out;
    return undefined;
  }

  /** Adds a block that is not compressed. */
  addRaw(from: number, to: number): Fault | undefined {
    this.#check(from, to);
    if (to - from > this.#end - this.#out) return 'too large';
    this.#bytes.copyWithin(this.#out, from, to);
    this.#out += to - from;
    return undefined;
  }

  /** The output of the blocks, owned by the caller, who may give it back to `outputs`. */
  take(): Buffer {
    const taken = outputs.take(this.#out - this.#begin);
    taken.set(this.#bytes.subarray(this.#begin, this.#out));
    return taken;
  }

  #check(from: number, to: number): void {
    if (from < 0 || from > to || to > this.#size) throw new RangeError(`no block stands at ${from} to ${to}`);
  }
}

/** Running out of memory is not a fault of the input, so it is another kind of error. */
function withMemory<T>(claim: () => T): T {
  try {
    return claim();
  } catch (cause) {
    const advice = 'it needs 11 GB of address space, most of which stays empty: raise the limit (ulimit -v)';
    throw new Error(`lz4 cannot be decoded: WebAssembly gets no memory; ${advice}`, { cause });
  }
}
