import { HOUR } from '../vocabulary/durations.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { RepeatedWarning } from '../worker/repeated-warning.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';

const ADVICE = 'rows may vanish silently when memory is short: set it to noeviction, also in its file';

/**
 * Reports that Redis may evict keys. A start is refused then, but the policy can change later, and shows no effect until memory
 * is short.
 */
export class EvictionWatch {
  readonly #evicting: RepeatedWarning<'redis'>;

  constructor(log: WorkerLog) {
    const message = 'maxmemory-policy of Redis is not noeviction any more';
    this.#evicting = new RepeatedWarning(log, message, 'maxmemory-policy of Redis is noeviction again', HOUR);
  }

  /** @param policy maxmemory-policy of a primary that evicts; undefined: none does */
  look(policy: string | undefined, now: EpochMs): void {
    if (policy === undefined) this.#evicting.worked('redis');
    else this.#evicting.failed('redis', '', { policy, advice: ADVICE }, now);
  }
}
