import type { Clock, Ending } from '../src/vocabulary/clock.ts';
import type { DurationMs, EpochMs } from '../src/vocabulary/events.ts';

interface Timer {
  at: EpochMs;
  readonly interval: DurationMs | undefined;
  readonly call: () => void | Promise<void>;
}

/** Stands until it is moved; calls what is due in the order of time and lets everything that this starts run first. */
export class ManualClock implements Clock {
  #now: EpochMs;
  readonly #timers = new Set<Timer>();

  constructor(now: EpochMs = 1_800_000_000_000) {
    this.#now = now;
  }

  now(): EpochMs {
    return this.#now;
  }

  every(interval: DurationMs, call: () => void | Promise<void>): () => void {
    const timer = { at: this.#now + interval, interval, call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  sleep(duration: DurationMs, ending?: Ending): Promise<void> {
    // A turn: no time passes in it, so nobody needs to move the clock.
    if (duration === 0) return new Promise((resolve) => setImmediate(resolve));
    return new Promise((resolve) => {
      const done = (): void => {
        this.#timers.delete(timer);
        forget?.();
        resolve();
      };
      const timer = { at: this.#now + duration, interval: undefined, call: done };
      this.#timers.add(timer);
      const forget = ending?.whenReached(done);
    });
  }

  async advance(duration: DurationMs): Promise<void> {
    const end = this.#now + duration;
    await settle();
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#now = Math.max(this.#now, due.at);
      if (due.interval === undefined) this.#timers.delete(due);
      else due.at += due.interval;
      await due.call();
      await settle();
    }
    this.#now = end;
  }
}

const MOST_TURNS = 50;

/**
 * Lets every promise that is ready continue, and whoever takes a turn between two pieces of work, or reads a file, until none does:
 * some do for ever.
 */
export async function settle(): Promise<void> {
  for (let i = 0; i < MOST_TURNS; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!process.getActiveResourcesInfo().some((what) => what === 'Immediate' || what.startsWith('FSReq'))) return;
  }
}
