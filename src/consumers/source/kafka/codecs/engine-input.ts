import type { Buffer } from 'node:buffer';
import { type Engine, engine } from '../../../engine/engine.ts';

const LEAST_BYTES = 2 ** 16;

/** Input of the modules that work in the engine's memory, put there in place of the input before. */
export class EngineInput {
  /** Decoders proceed in steps and may read so many bytes too far. */
  static readonly #spare = 64;
  readonly #engine: Engine;
  #place = 0;
  #room = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** These bytes where the modules can read them, valid until the next call: themselves, if they lie there already. */
  put(bytes: Uint8Array): Buffer {
    const { buffer } = this.#engine;
    const { length } = bytes;
    if (bytes.buffer === buffer) return this.#engine.bytes.subarray(bytes.byteOffset, bytes.byteOffset + length);
    if (length > this.#room) {
      if (this.#room > 0) this.#engine.giveShared(this.#place);
      this.#room = 0;
      const room = Math.max(LEAST_BYTES, length);
      this.#place = this.#engine.takeShared(room + EngineInput.#spare);
      this.#room = room;
    }
    this.#engine.bytes.set(bytes, this.#place);
    return this.#engine.bytes.subarray(this.#place, this.#place + length);
  }
}

let shared: EngineInput | undefined;

/** That of this process. Throws when WebAssembly gets no memory. */
export function engineInput(): EngineInput {
  shared ??= new EngineInput(engine());
  return shared;
}
