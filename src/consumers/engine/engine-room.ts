import type { Engine } from './engine.ts';

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
