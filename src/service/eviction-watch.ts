import { HOUR } from '../vocabulary/durations.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';

const EVERY: DurationMs = HOUR;

/**
 * A start is refused where Redis may evict keys, but the policy can change later, and nothing happens before memory is short. That is
 * logged when it begins, once an hour while it lasts, and when it is over.
 */
export class EvictionWatch {
  readonly #log: WorkerLog;
  /** When it was logged last; undefined: no policy evicts. */
  #logged: EpochMs | undefined;

  constructor(log: WorkerLog) {
    this.#log = log;
  }

  /** @param policy maxmemory-policy of a primary that evicts; undefined: none does */
  look(policy: string | undefined, now: EpochMs): void {
    if (policy === undefined) {
      if (this.#logged !== undefined) this.#log.info({}, 'maxmemory-policy of Redis is noeviction again');
      this.#logged = undefined;
      return;
    }
    if (this.#logged !== undefined && now - this.#logged < EVERY) return;
    this.#logged = now;
    this.#log.warn(
      { policy, advice: 'rows may vanish silently when memory is short: set it to noeviction, also in its file' },
      'maxmemory-policy of Redis is not noeviction any more',
    );
  }
}
