import { type Engine, engine } from './engine.ts';

/** Gives back blocks whose owner was collected without giving them back. */
const abandoned = new FinalizationRegistry<ReadonlySet<number>>((taken) => {
  for (const at of taken) engine().giveShared(at);
});

/**
 * Blocks of the engine's memory that belong to an object of the host and to no unit. They are given back when the object says so, or when
 * it is garbage.
 */
export class EngineBlocks {
  readonly engine: Engine = engine();
  readonly #taken = new Set<number>();

  constructor() {
    abandoned.register(this, this.#taken);
  }

  /** Address of a block of at least `bytes` bytes, filled with 0. */
  take(bytes: number): number {
    const at = this.engine.takeShared(bytes);
    this.#taken.add(at);
    this.engine.bytes.fill(0, at, at + bytes);
    return at;
  }

  give(at: number): void {
    if (this.#taken.delete(at)) this.engine.giveShared(at);
  }

  giveAll(): void {
    for (const at of this.#taken) this.engine.giveShared(at);
    this.#taken.clear();
  }
}

const LEAST_WORDS = 16;

/** 32-bit words in the engine's memory, as many as are in use; 0 until they are set. */
export class EngineWords {
  readonly #blocks: EngineBlocks;
  readonly #moved: (at: number, length: number) => void;
  #at = 0;
  #view = new Uint32Array(0);

  /** @param moved called with the address and the room for words, whenever these change */
  constructor(blocks: EngineBlocks, moved: (at: number, length: number) => void) {
    this.#blocks = blocks;
    this.#moved = moved;
    this.#widen(LEAST_WORDS);
  }

  get(index: number): number {
    return index < this.#view.length ? this.#view[index] : 0;
  }

  set(index: number, value: number): void {
    if (index >= this.#view.length) this.#widen(Math.max(index + 1, 2 * this.#view.length));
    this.#view[index] = value;
  }

  get bytes(): number {
    return this.#view.byteLength;
  }

  #widen(length: number): void {
    const at = this.#blocks.take(4 * length);
    const view = new Uint32Array(this.#blocks.engine.buffer, at, length);
    view.set(this.#view);
    if (this.#at !== 0) this.#blocks.give(this.#at);
    this.#at = at;
    this.#view = view;
    this.#moved(at, length);
  }
}
