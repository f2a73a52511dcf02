import { MINUTE } from '../vocabulary/durations.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { WorkerLog } from './worker-contract.ts';

/**
 * Logs a failure that repeats, such as that of every partition's commits during an outage of the store: when it begins, for each new
 * cause, at intervals while it lasts, and when it is over.
 */
export class RepeatedWarning<Who> {
  readonly #log: WorkerLog;
  readonly #message: string;
  readonly #over: string;
  readonly #interval: DurationMs;
  readonly #failing = new Set<Who>();
  /** When each cause was logged last. */
  readonly #logged = new Map<string, EpochMs>();

  /** `message` says that it fails, `over` that nothing fails any more. */
  constructor(log: WorkerLog, message: string, over: string, interval: DurationMs = MINUTE) {
    this.#log = log;
    this.#message = message;
    this.#over = over;
    this.#interval = interval;
  }

  failed(who: Who, cause: string, fields: object, now: EpochMs): void {
    this.#failing.add(who);
    const logged = this.#logged.get(cause);
    if (logged !== undefined && now - logged < this.#interval) return;
    this.#logged.set(cause, now);
    this.#log.warn(fields, this.#message);
  }

  worked(who: Who): void {
    if (this.forget(who)) this.#log.info({}, this.#over);
  }

  /** Stops counting one as failing, and logs nothing. Returns whether it was the last that failed. */
  forget(who: Who): boolean {
    if (!this.#failing.delete(who) || this.#failing.size > 0) return false;
    this.#logged.clear();
    return true;
  }
}
