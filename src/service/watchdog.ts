import type { EpochMs } from '../events.ts';
import type { WorkerStatus } from '../worker/status.ts';

export interface Health {
  /** false: this process must end, and be started anew. */
  readonly healthy: boolean;
  /** Why it is not ready, or not healthy. */
  readonly reasons: readonly string[];
}

export interface WatchdogDeps {
  readonly store: { readonly connected: boolean };
  readonly source: { answers(): Promise<boolean> };
  readonly status: () => WorkerStatus;
}

const UNREADY_AFTER_MS = 60_000;
const GIVE_UP_AFTER_MS = 120_000;

/**
 * Looks for a worker that has something to do and does not get on (faults.md section 1). It gives up only when Kafka and
 * Redis both answer: an outage must not become a storm of restarts.
 */
export class Watchdog {
  readonly #deps: WatchdogDeps;
  /** When there was last nothing to do, or a commit. */
  #progress: EpochMs | undefined;
  #commits = -1;

  constructor(deps: WatchdogDeps) {
    this.#deps = deps;
  }

  async look(now: EpochMs): Promise<Health> {
    const { units, commits } = this.#deps.status();
    const working = units.filter((unit) => unit.stopped === undefined && !unit.replaying);
    const lag = working.reduce((sum, unit) => sum + unit.lag.reduce<number>((s, records) => s + (records ?? 0), 0), 0);
    const applied = commits.ok + commits.already;
    if (lag === 0 || applied !== this.#commits) {
      this.#commits = applied;
      this.#progress = now;
    }
    const stuck = now - (this.#progress ?? now);
    if (stuck < UNREADY_AFTER_MS) return { healthy: true, reasons: [] };
    const reason = `no commit for ${Math.round(stuck / 1000)} s, though ${lag} records wait`;
    if (stuck < GIVE_UP_AFTER_MS) return { healthy: true, reasons: [reason] };
    const answers = this.#deps.store.connected && (await this.#deps.source.answers());
    return { healthy: !answers, reasons: [answers ? `${reason}, and Kafka and Redis both answer` : reason] };
  }
}
