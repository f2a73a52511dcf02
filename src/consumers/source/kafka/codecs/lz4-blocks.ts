import { LZ4_BLOCK_CODE } from './lz4-block-code.ts';

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
export const FAULTS = [
  'a block has no end',
  'a length is cut off',
  'literals are cut off',
  'a distance is cut off',
  'a distance is too far',
  'too large',
] as const;
export type Fault = (typeof FAULTS)[number];

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

  /** The output of the blocks, owned by the caller. */
  take(): Buffer {
    const taken = Buffer.allocUnsafeSlow(this.#out - this.#begin);
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
