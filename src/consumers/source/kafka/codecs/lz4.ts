import { type Engine, engine } from '../../../engine/engine.ts';
import { type EngineBuffers, EngineRoom, engineBuffers, engineInput } from '../../../engine/engine-buffers.ts';
import { ZEROS } from '../../../engine/engine-layout.ts';
import { openModule } from '../../../engine/module.ts';
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
/** One byte of a length adds at most this much output, so a block cannot grow by a larger factor. */
const MOST_GROWTH = 255;

interface Block {
  readonly from: number;
  readonly to: number;
  readonly raw: boolean;
}

interface Frame {
  readonly blocks: readonly Block[];
  /** The most bytes that one block may hold. */
  readonly largest: number;
}

/** Created for the first frame, since not every command reads lz4. */
let decoder: Lz4Blocks | undefined;

/**
 * Bytes after the output: copies proceed in steps and may write up to 30 bytes too far, and the engine needs ZEROS bytes after the
 * records it reads there.
 */
const SPARE = Math.max(64, ZEROS);
const LEAST_SCRATCH = 2 ** 18;
/** Far above all limits; with SPARE it is a block of the engine. */
const MOST_OUTPUT = 2 ** 30;
/** Largest compressed block. It keeps every length in it below 2^32 (wasm/lz4-block.wat). */
const MOST_INPUT = 2 ** 24;

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
 * Decodes one lz4 frame, as Kafka producers write it. Its checksums are not verified, since that of the whole batch was. Format:
 * github.com/lz4/lz4 lz4_Frame_format.md and lz4_Block_format.md. The caller owns the result. Takes time in proportion to the bytes in
 * and out.
 * @param inEngine leave the result in the engine's memory, if there is room; the caller gives it back to `engineBuffers`
 * @throws RangeError if it is damaged or holds more than `limit` bytes, Error if the process has no memory for it
 */
export function decodeLz4(input: Uint8Array, limit: number, inEngine = false): Buffer {
  const { blocks, largest } = frame(input);
  let most = 0;
  for (const { from, to, raw } of blocks) most += raw ? to - from : Math.min(largest, (to - from) * MOST_GROWTH);
  decoder ??= new Lz4Blocks();
  decoder.begin(input, Math.min(most, limit), inEngine);
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

/** Decodes frames block by block, in the engine's memory. Whatever the input holds, only the output is written, and SPARE bytes behind it. */
export class Lz4Blocks {
  readonly #engine: Engine = engine();
  readonly #buffers: EngineBuffers | undefined = engineBuffers();
  readonly #decode = openModule('the decoder of lz4', LZ4_BLOCK_CODE, this.#engine.memory, {
    memory: this.#engine.memory,
  })('decode');
  /** Room for output that is copied to the caller. */
  readonly #scratch = new EngineRoom(this.#engine, LEAST_SCRATCH + SPARE);
  /** The output that stays in the engine's memory. */
  #buffer: Buffer | undefined;
  #from = 0;
  #size = 0;
  #begin = 0;
  #out = 0;
  #end = 0;

  /**
   * Starts a frame whose blocks hold at most `most` bytes together. Discards the output of the last frame, unless it was taken.
   * @param inEngine leave the output in the engine's memory, if there is room
   * @throws RangeError if `most` is no valid size; Error if there is no memory for it
   */
  begin(input: Uint8Array, most: number, inEngine = false): void {
    if (!Number.isInteger(most) || most < 0 || most > MOST_OUTPUT) {
      throw new RangeError(`lz4 data of ${most} bytes: expected 0 to ${MOST_OUTPUT}`);
    }
    if (this.#buffer !== undefined) this.#buffers?.give(this.#buffer);
    this.#buffer = inEngine ? this.#buffers?.take(most, SPARE) : undefined;
    this.#begin = this.#buffer?.byteOffset ?? this.#scratch.reserve(most + SPARE);
    this.#out = this.#begin;
    this.#end = this.#begin + most;
    this.#from = engineInput(input).byteOffset;
    this.#size = input.length;
  }

  /** Adds a block of at most `largest` bytes, which is [from, to) of the input. */
  add(from: number, to: number, largest: number): Fault | undefined {
    this.#check(from, to);
    if (to - from > MOST_INPUT) return 'too large';
    const end = Math.min(this.#end, this.#out + largest);
    const out = this.#decode(this.#from + from, this.#from + to, this.#out, this.#begin, end);
    // An address above 2^31 is negative too, but far below these numbers.
    if (out < 0 && out >= -FAULTS.length) return FAULTS[-1 - out];
    this.#out = out >>> 0;
    return undefined;
  }

  /** Adds a block that is not compressed. */
  addRaw(from: number, to: number): Fault | undefined {
    this.#check(from, to);
    if (to - from > this.#end - this.#out) return 'too large';
    this.#engine.bytes.copyWithin(this.#out, this.#from + from, this.#from + to);
    this.#out += to - from;
    return undefined;
  }

  /**
   * The output of the blocks, owned by the caller, who may give it back: to `engineBuffers` if it lies in the engine's memory, else to
   * `outputs`.
   */
  take(): Buffer {
    const size = this.#out - this.#begin;
    const buffer = this.#buffer;
    this.#buffer = undefined;
    if (buffer !== undefined) return this.#buffers?.cut(buffer, size, SPARE) ?? buffer;
    const taken = outputs.take(size);
    taken.set(this.#engine.bytes.subarray(this.#begin, this.#out));
    return taken;
  }

  #check(from: number, to: number): void {
    if (from < 0 || from > to || to > this.#size) throw new RangeError(`no block stands at ${from} to ${to}`);
  }
}
