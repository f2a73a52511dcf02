import { Buffer } from 'node:buffer';
import { type Engine, engine, engineIfAny } from './engine.ts';

/** The most bytes in all buffers that are taken, counting whole blocks. */
const MOST_BYTES = 2 ** 26;
/** The largest share of a smaller engine's memory. */
const MOST_SHARE = 1 / 16;

/** Gives back buffers that were collected without being given back. Unlike in engine-blocks.ts, each buffer is registered by itself. */
const abandoned = new FinalizationRegistry<() => void>((give) => give());

/**
 * Buffers in the engine's memory. Records in them are read in place (record-rows.ts). Each buffer must be given back once nobody reads
 * it, or views of it, any more; a buffer that becomes garbage is given back automatically.
 */
export class EngineBuffers {
  readonly #engine: Engine;
  readonly #most: number;
  /** Size of each taken block by its address. */
  readonly #taken = new Map<number, number>();
  #bytes = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#most = Math.min(MOST_BYTES, MOST_SHARE * engine.buffer.byteLength);
  }

  /** A buffer with undefined content, followed by `spare` bytes that may be written; undefined: there is no room for it. */
  take(bytes: number, spare: number): Buffer | undefined {
    // The size of a block is a power of two (wasm/engine/memory.ts).
    const size = 2 ** Math.ceil(Math.log2(bytes + spare));
    if (this.#bytes + size > this.#most) return undefined;
    let place: number;
    try {
      place = this.#engine.takeShared(bytes + spare);
    } catch (error) {
      // Open lists have taken all of the memory.
      if (error instanceof WebAssembly.RuntimeError) throw error;
      return undefined;
    }
    this.#taken.set(place, size);
    this.#bytes += size;
    return this.#own(place, bytes);
  }

  /** Shrinks a buffer to its first `bytes` bytes, followed by `spare` more, and gives the rest back. The result replaces the buffer. */
  cut(buffer: Buffer, bytes: number, spare: number): Buffer {
    if (!abandoned.unregister(buffer)) throw new Error('the buffer was given back');
    const place = buffer.byteOffset;
    const size = this.#engine.shrinkShared(place, bytes + spare);
    this.#bytes -= (this.#taken.get(place) ?? 0) - size;
    this.#taken.set(place, size);
    return this.#own(place, bytes);
  }

  #own(place: number, bytes: number): Buffer {
    const buffer = Buffer.from(this.#engine.buffer, place, bytes);
    abandoned.register(buffer, () => this.#give(place), buffer);
    return buffer;
  }

  /** Gives a buffer back. Ignored if it was given back already, or is not from here. */
  give(buffer: Buffer): void {
    if (buffer.buffer !== this.#engine.buffer || !abandoned.unregister(buffer)) return;
    this.#give(buffer.byteOffset);
  }

  #give(place: number): void {
    this.#bytes -= this.#taken.get(place) ?? 0;
    this.#taken.delete(place);
    this.#engine.giveShared(place);
  }
}

let shared: EngineBuffers | undefined;

/** The buffers of this process; undefined: WebAssembly gets no memory. */
export function engineBuffers(): EngineBuffers | undefined {
  const engine = engineIfAny();
  if (engine !== undefined) shared ??= new EngineBuffers(engine);
  return shared;
}

/** A block of the engine's memory that belongs to no unit. When it is too small, a larger one replaces it, and its content is lost. */
export class EngineRoom {
  readonly #engine: Engine;
  readonly #least: number;
  #place = 0;
  #bytes = 0;

  /** @param least initial size in bytes */
  constructor(engine: Engine, least: number) {
    this.#engine = engine;
    this.#least = least;
  }

  /**
   * Address of the block, which now has at least `bytes` bytes.
   * @throws if there is no memory for them
   */
  reserve(bytes: number): number {
    if (this.#place !== 0 && bytes <= this.#bytes) return this.#place;
    if (this.#place !== 0) this.#engine.giveShared(this.#place);
    this.#place = 0;
    this.#bytes = Math.max(this.#least, bytes);
    this.#place = this.#engine.takeShared(this.#bytes);
    return this.#place;
  }
}

const LEAST_INPUT_BYTES = 2 ** 16;
/** Decoders proceed in steps and may read this many bytes beyond the end. */
const SPARE_BYTES = 64;

let room: EngineRoom | undefined;

/**
 * The input, in the engine's memory, for the modules that work there; valid until the next call. Bytes that do not lie there already are
 * copied, in place of the previous input.
 * @throws if WebAssembly gets no memory
 */
export function engineInput(bytes: Uint8Array): Buffer {
  const own = engine();
  const { length } = bytes;
  if (bytes.buffer === own.buffer) return own.bytes.subarray(bytes.byteOffset, bytes.byteOffset + length);
  room ??= new EngineRoom(own, LEAST_INPUT_BYTES + SPARE_BYTES);
  const place = room.reserve(length + SPARE_BYTES);
  own.bytes.set(bytes, place);
  return own.bytes.subarray(place, place + length);
}
