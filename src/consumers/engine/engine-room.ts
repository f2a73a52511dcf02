import type { Engine } from './engine.ts';

/** A block of the engine's memory that belongs to no unit. It is replaced by a larger one when it is too small; what is in it is lost then. */
export class EngineRoom {
  readonly #engine: Engine;
  readonly #least: number;
  #place = 0;
  #bytes = 0;

  /** @param least bytes that it begins with */
  constructor(engine: Engine, least: number) {
    this.#engine = engine;
    this.#least = least;
  }

  /** Its place: from now on it has at least so many bytes. Throws if there is no memory for them. */
  reserve(bytes: number): number {
    if (this.#place !== 0 && bytes <= this.#bytes) return this.#place;
    if (this.#place !== 0) this.#engine.giveShared(this.#place);
    this.#place = 0;
    this.#bytes = Math.max(this.#least, bytes);
    this.#place = this.#engine.takeShared(this.#bytes);
    return this.#place;
  }
}
