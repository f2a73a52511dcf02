import { Buffer } from 'node:buffer';
import { type Engine, engineIfAny } from './engine.ts';

/** In all buffers that are taken at once, blocks whole. */
const MOST_BYTES = 2 ** 26;
/** Of a smaller engine this part. */
const MOST_SHARE = 1 / 16;

/** What was not given back by who took it. Not as in engine-blocks.ts: each buffer is held for itself. */
const abandoned = new FinalizationRegistry<() => void>((give) => give());

/**
 * Buffers in the engine's memory: records that lie there are read where they are (record-rows.ts). Each is to be given back once nobody
 * reads it any more, views of it included; when nobody holds the buffer itself any more, that is done for it.
 */
export class EngineBuffers {
  readonly #engine: Engine;
  readonly #most: number;
  /** By place: bytes of the block. */
  readonly #taken = new Map<number, number>();
  #bytes = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#most = Math.min(MOST_BYTES, MOST_SHARE * engine.buffer.byteLength);
  }

  /** A buffer with any content, behind which `spare` bytes more may be written; undefined: there is no room for it. */
  take(bytes: number, spare: number): Buffer | undefined {
    // A block is a power of two (wasm/engine/memory.ts).
    const size = 2 ** Math.ceil(Math.log2(bytes + spare));
    if (this.#bytes + size > this.#most) return undefined;
    let place: number;
    try {
      place = this.#engine.takeShared(bytes + spare);
    } catch (error) {
      // Open lists have taken all of it.
      if (error instanceof WebAssembly.RuntimeError) throw error;
      return undefined;
    }
    this.#taken.set(place, size);
    this.#bytes += size;
    return this.#own(place, bytes);
  }

  /** The first `bytes` of a buffer, in place of it, with `spare` behind: the rest is given back. */
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

  /** Ignored if it was given already, or is not from here. */
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

/** Those of this process; undefined: WebAssembly gets no memory. */
export function engineBuffers(): EngineBuffers | undefined {
  const engine = engineIfAny();
  if (engine !== undefined) shared ??= new EngineBuffers(engine);
  return shared;
}
