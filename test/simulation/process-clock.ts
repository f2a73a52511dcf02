import type { Clock, Ending } from '../../src/vocabulary/clock.ts';
import type { DurationMs, EpochMs } from '../../src/vocabulary/events.ts';
import type { Actor, Scheduled, Scheduler } from './scheduler.ts';

interface Timer {
  readonly interval: DurationMs;
  readonly call: () => void | Promise<void>;
  running: boolean;
  next: Scheduled;
}

/** The clock of one process. What it shows may be wrong; how long things take is not. */
export class ProcessClock implements Clock {
  /** What it shows minus the true time. */
  error: DurationMs = 0;
  readonly #scheduler: Scheduler;
  readonly #actor: Actor;

  constructor(scheduler: Scheduler, actor: Actor) {
    this.#scheduler = scheduler;
    this.#actor = actor;
  }

  now(): EpochMs {
    return this.#scheduler.now + this.error;
  }

  every(interval: DurationMs, call: () => void | Promise<void>): () => void {
    const timer: Timer = {
      interval,
      call,
      running: false,
      next: this.#scheduler.in(interval, () => this.#tick(timer), this.#actor),
    };
    return () => {
      timer.next.cancelled = true;
    };
  }

  #tick(timer: Timer): void {
    timer.next = this.#scheduler.in(timer.interval, () => this.#tick(timer), this.#actor);
    if (timer.running) return;
    timer.running = true;
    void Promise.resolve(timer.call()).finally(() => {
      timer.running = false;
    });
  }

  sleep(duration: DurationMs, ending?: Ending): Promise<void> {
    return new Promise((resolve) => {
      if (ending?.isReached === true) {
        resolve();
        return;
      }
      const due = this.#scheduler.in(duration, () => done(), this.#actor);
      const done = (): void => {
        due.cancelled = true;
        forget?.();
        resolve();
      };
      const forget = ending?.whenReached(done);
    });
  }
}
