import type { DurationMs, EpochMs } from './events.ts';

/** Time as the program sees it. The demo's runs faster than the wall's; the simulator's stands until it is moved. */
export interface Clock {
  now(): EpochMs;
  /** Calls back every `interval` of this clock's time until the returned function is called. Never overlaps a call that is still running. */
  every(interval: DurationMs, call: () => void | Promise<void>): () => void;
  /** Resolves after `duration` of this clock's time, or when the signal is raised. */
  sleep(duration: DurationMs, signal?: AbortSignal): Promise<void>;
}

/** The wall clock as of its making, or one that starts at `start` now and runs `speed` times as fast. It never jumps by itself. */
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

  /** Takes over a time: the machine's clock was set, or the machine slept, which this one does not notice. */
  set(now: EpochMs): void {
    this.#start = now;
    this.#began = performance.now();
  }

  every(interval: DurationMs, call: () => void | Promise<void>): () => void {
    let running = false;
    const timer = setInterval(() => {
      if (running) return;
      running = true;
      // A rejection is a defect of the caller: it must surface as one.
      void Promise.resolve(call()).finally(() => {
        running = false;
      });
    }, interval / this.#speed);
    return () => clearInterval(timer);
  }

  sleep(duration: DurationMs, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, duration / this.#speed);
      signal?.addEventListener('abort', done);
    });
  }
}
