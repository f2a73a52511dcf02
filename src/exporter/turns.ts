import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long one computes before it lets requests and timers run, milliseconds. */
const TURN_MS = 5;

/** Divides one long computation into turns of the event loop. */
export class Turns {
  readonly #longest: number;
  #began = performance.now();

  /** @param longest of a turn, in milliseconds: after so many `step` ends it */
  constructor(longest = TURN_MS) {
    this.#longest = longest;
  }

  /** To be awaited between two steps: resolves at once, or in the next turn if this one has lasted long enough. */
  async step(): Promise<void> {
    if (performance.now() - this.#began < this.#longest) return;
    await nextTurn();
    this.#began = performance.now();
  }
}
