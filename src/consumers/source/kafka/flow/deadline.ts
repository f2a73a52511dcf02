import type { DurationMs } from '../../../../vocabulary/events.ts';

/** Bounds the duration of a stop: waits are given up when the timeout since the stop is over. */
export class Deadline {
  readonly #timeout: DurationMs;
  readonly #over = new AbortController();
  #until = Number.POSITIVE_INFINITY;

  /** `timeout`: counted from the stop on. */
  constructor(timeout: DurationMs) {
    this.#timeout = timeout;
  }

  get isStopped(): boolean {
    return this.#over.signal.aborted;
  }

  stop(): void {
    if (this.isStopped) return;
    this.#until = performance.now() + this.#timeout;
    this.#over.abort();
  }

  /** Ends early at the stop. */
  sleep(duration: DurationMs): Promise<void> {
    return new Promise((resolve) => {
      const { signal } = this.#over;
      if (signal.aborted) {
        resolve();
        return;
      }
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, duration);
      signal.addEventListener('abort', done);
    });
  }

  /** The result of work that may be given up: undefined after the stop, however long the work still takes. Rejects as the work does. */
  unlessStopped<T>(work: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const { signal } = this.#over;
      const give = (): void => resolve(undefined);
      if (signal.aborted) give();
      signal.addEventListener('abort', give, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
    });
  }

  /** Waits for work, however it ends: for the timeout, or after a stop for what is left of it. */
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
