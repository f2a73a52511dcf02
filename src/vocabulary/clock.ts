import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DurationMs, EpochMs } from './events.ts';

/** Time for the program. The demo's clock runs faster than the wall clock; the simulator's moves only when it is set. */
export interface Clock {
  now(): EpochMs;
  /**
   * Calls back every `interval` of this clock's time until the returned function is called. Skips a call while the previous one
   * is still running.
   */
  every(interval: DurationMs, call: () => void | Promise<void>): () => void;
  /** Resolves after `duration` of this clock's time, or when the ending is reached. */
  sleep(duration: DurationMs, ending?: Ending): Promise<void>;
}

/**
 * A clock that starts now at `start` and runs `speed` times as fast as the wall clock; by default the wall clock as of its
 * creation. It never jumps by itself.
 */
export class WallClock implements Clock {
  readonly #speed: number;
  #start: EpochMs;
  #began: number;

  constructor(speed = 1, start: EpochMs = Date.now()) {
    this.#speed = speed;
    this.#start = start;
    this.#began = performance.now();
  }

  now(): EpochMs {
    return Math.floor(this.#start + (performance.now() - this.#began) * this.#speed);
  }

  /** Sets the time, because this clock does not notice when the machine's clock was set, or when the machine slept. */
  set(now: EpochMs): void {
    this.#start = now;
    this.#began = performance.now();
  }

  every(interval: DurationMs, call: () => void | Promise<void>): () => void {
    let running = false;
    const timer = setInterval(() => {
      if (running) return;
      running = true;
      // A rejection is a bug of the caller and must surface.
      void Promise.resolve(call()).finally(() => {
        running = false;
      });
    }, interval / this.#speed);
    return () => clearInterval(timer);
  }

  sleep(duration: DurationMs, ending?: Ending): Promise<void> {
    return new Promise((resolve) => {
      if (ending?.isReached === true) {
        resolve();
        return;
      }
      const done = (): void => {
        clearTimeout(timer);
        forget?.();
        resolve();
      };
      const timer = setTimeout(done, duration / this.#speed);
      const forget = ending?.whenReached(done);
    });
  }
}

/** How long a computation runs before requests and timers get their turn. */
const TURN_TIME: DurationMs = 5;

/** Divides long computations into turns of the event loop. */
export class Turns {
  readonly #longest: DurationMs;
  #began = performance.now();
  #next: Promise<void> | undefined;

  /** @param longest duration of a turn, after which `step` ends it */
  constructor(longest: DurationMs = TURN_TIME) {
    this.#longest = longest;
  }

  /**
   * Must be awaited between two steps. Resolves at once, or in the next turn if this one has lasted long enough. Computations that take
   * their steps at the same time share the turn; one after another, each would use its full time before anything else runs.
   */
  async step(): Promise<void> {
    if (performance.now() - this.#began < this.#longest) return;
    this.#next ??= nextTurn().then(() => {
      this.#began = performance.now();
      this.#next = undefined;
    });
    await this.#next;
  }
}

/**
 * An event that occurs once and ends waits. Any number of waits may register with it: Node.js reports more than ten listeners of an
 * AbortSignal as a leak, and each partition may have one.
 */
export class Ending {
  readonly #waiting = new Set<() => void>();
  #isReached = false;

  get isReached(): boolean {
    return this.#isReached;
  }

  reach(): void {
    if (this.#isReached) return;
    this.#isReached = true;
    for (const call of this.#waiting) call();
    this.#waiting.clear();
  }

  /**
   * Calls `call` once the ending is reached, but not if it has been already. Returns the function that forgets the call. Pass a new
   * `call` each time.
   */
  whenReached(call: () => void): () => void {
    this.#waiting.add(call);
    return () => this.#waiting.delete(call);
  }
}
