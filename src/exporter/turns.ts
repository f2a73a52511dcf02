import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long the exporter computes before it lets requests and timers run, milliseconds. */
const TURN_MS = 5;

/** Divides one long computation into turns of the event loop. */
export class Turns {
  #began = performance.now();

  /** To be awaited between two steps: resolves at once, or in the next turn if this one has lasted long enough. */
  async step(): Promise<void> {
    if (performance.now() - this.#began < TURN_MS) return;
    await nextTurn();
    this.#began = performance.now();
  }
}
