import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DurationMs } from '../../../../vocabulary/events.ts';

/** How long batches are delivered before connections, timers and requests are served. */
const TURN_TIME: DurationMs = 10;

/** Batches that are delivered: those of one position one after another, and of all positions at most `limit` at the same time. */
export class Deliveries {
  readonly #limit: number;
  #running = 0;
  /** What waits for another delivery to end. */
  readonly #waiting: (() => void)[] = [];
  /** By position: settles when what came last is done. */
  readonly #last = new WeakMap<object, Promise<void>>();
  #servedAt = 0;
  /** The turn of connections, timers and requests that deliveries wait for. */
  #turn: Promise<void> | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Runs the work after all that came before for this position. Settles as the work does. */
  inTurn(position: object, work: () => Promise<void>): Promise<void> {
    const done = this.#after(this.#last.get(position), work);
    this.#last.set(
      position,
      done.catch(() => {}),
    );
    return done;
  }

  async #after(previous: Promise<void> | undefined, work: () => Promise<void>): Promise<void> {
    await previous;
    if (this.#running === this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      await work();
    } finally {
      // Whoever waits takes over the place.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  /**
   * To be awaited between two chunks: a batch may take long, and nothing in it has to wait for anything else. All deliveries
   * continue together; one after another, each would take its time before anything else is served.
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
