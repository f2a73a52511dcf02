import type { EpochMs } from '../vocabulary/events.ts';
import { LARGEST_SKEW, type WorkerStatus } from '../worker/status.ts';

export interface Health {
  /** false: this process must be restarted. */
  readonly healthy: boolean;
  /** Why it is not ready, or not healthy. */
  readonly reasons: readonly string[];
}

export interface WatchdogDeps {
  readonly store: { readonly connected: boolean /** It answers, but takes no commits. */; readonly refuses: boolean };
  readonly source: { answers(): Promise<boolean> };
  readonly status: () => WorkerStatus;
}

const UNREADY_AFTER_MS = 60_000;
const GIVE_UP_AFTER_MS = 120_000;

/**
 * Detects a worker that has work to do and makes no progress (specification: faults 8). It gives up only if Kafka and Redis
 * both respond and Redis accepts commits: a fault that a restart does not fix must not cause a storm of restarts. A worker is
 * not stuck if it reads nothing because its clock is in doubt, or because all that is left waits for the end of a transaction.
 */
export class Watchdog {
  readonly #deps: WatchdogDeps;
  /** When there last was a commit, or nothing to do. */
  #progress: EpochMs | undefined;
  #commits = -1;

  constructor(deps: WatchdogDeps) {
    this.#deps = deps;
  }

  async look(now: EpochMs): Promise<Health> {
    const { units, commits, clockSkew = 0 } = this.#deps.status();
    const working = units.filter((unit) => unit.stopped === undefined && !unit.replaying);
    const waiting = working.reduce((sum, unit) => sum + unit.waiting, 0);
    const applied = commits.ok + commits.already;
    if (waiting === 0 || applied !== this.#commits || Math.abs(clockSkew) > LARGEST_SKEW) {
      this.#commits = applied;
      this.#progress = now;
    }
    const stuck = now - (this.#progress ?? now);
    if (stuck < UNREADY_AFTER_MS) return { healthy: true, reasons: [] };
    const reason = `no commit for ${Math.round(stuck / 1000)} s, though ${waiting} records wait`;
    if (stuck < GIVE_UP_AFTER_MS) return { healthy: true, reasons: [reason] };
    const { store, source } = this.#deps;
    const answers = store.connected && !store.refuses && (await source.answers());
    return { healthy: !answers, reasons: [answers ? `${reason}, and Kafka and Redis both answer` : reason] };
  }
}
