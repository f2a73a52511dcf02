import { Ending, WallClock } from '../../../../vocabulary/clock.ts';
import type { DurationMs } from '../../../../vocabulary/events.ts';

/** Bounds the duration of a stop: waits are given up when the timeout since the stop is over. */
export class Deadline {
  readonly #timeout: DurationMs;
  readonly #clock = new WallClock();
  readonly #stop = new Ending();
  #until = Number.POSITIVE_INFINITY;

  /** @param timeout counted from the stop on */
  constructor(timeout: DurationMs) {
    this.#timeout = timeout;
  }

  get isStopped(): boolean {
    return this.#stop.isReached;
  }

  stop(): void {
    if (this.isStopped) return;
    this.#until = performance.now() + this.#timeout;
    this.#stop.reach();
  }

  /** Sleeps, but ends early at the stop. */
  sleep(duration: DurationMs): Promise<void> {
    return this.#clock.sleep(duration, this.#stop);
  }

  /** The result of the work, or undefined after the stop, however long the work still takes. Rejects as the work does. */
  unlessStopped<T>(work: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const give = (): void => resolve(undefined);
      if (this.isStopped) give();
      const forget = this.#stop.whenReached(give);
      work.then(resolve, reject).finally(forget);
    });
  }

  /** Waits for work to settle, for at most the timeout, or after a stop for what is left of it. */
  settled(work: Promise<unknown>): Promise<void> {
    const left = this.isStopped ? this.#until - performance.now() : this.#timeout;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, left));
      const done = (): void => {
        clearTimeout(timer);
        resolve();
      };
      work.then(done, done);
    });
  }
}
