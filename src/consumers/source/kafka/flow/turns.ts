import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DurationMs } from '../../../../vocabulary/events.ts';

/** How long chunks are delivered before connections, timers and requests are served. Each turn costs: far more of them are felt. */
const TURN_TIME: DurationMs = 40;

/** Turns of everything else between the chunks of batches, in which nothing has to wait for anything. */
export class Turns {
  #servedAt = 0;
  #turn: Promise<void> | undefined;

  /**
   * To be awaited between two chunks. All deliveries continue together: one after another, each would take its time before
   * anything else is served.
   */
  async serveOthers(): Promise<void> {
    if (performance.now() - this.#servedAt < TURN_TIME) return;
    this.#turn ??= nextTurn().then(() => {
      this.#servedAt = performance.now();
      this.#turn = undefined;
    });
    await this.#turn;
  }
}
