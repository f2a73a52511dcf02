import { Buffer } from 'node:buffer';
import { type Engine, engineIfAny } from './engine.ts';

/** In all buffers that are taken at once. */
const MOST_BYTES = 2 ** 26;

/** What was not given back by who took it. */
const abandoned = new FinalizationRegistry<() => void>((give) => give());

/**
 * Buffers in the engine's memory: records that lie there are read where they are (record-rows.ts). Each is to be given back once nobody
 * reads it any more, views of it included; when nobody holds the buffer itself any more, that is done for it.
 */
export class EngineBuffers {
  readonly #engine: Engine;
  /** By place: bytes. */
  readonly #taken = new Map<number, number>();
  #bytes = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** A buffer with any content, behind which `spare` bytes more may be written; undefined: there is no room for it. */
  take(bytes: number, spare: number): Buffer | undefined {
    const size = bytes + spare;
    if (this.#bytes + size > MOST_BYTES) return undefined;
    let place: number;
    try {
      place = this.#engine.takeShared(size);
    } catch {
      // Open lists have taken all of it.
      return undefined;
    }
    this.#taken.set(place, size);
    this.#bytes += size;
    return this.#own(place, bytes);
  }

  /** The first `bytes` of a buffer, in place of it. */
  cut(buffer: Buffer, bytes: number): Buffer {
    if (!abandoned.unregister(buffer)) throw new Error('the buffer was given back');
    return this.#own(buffer.byteOffset, bytes);
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
