import type { WallClock } from '../vocabulary/clock.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { RepeatedWarning } from '../worker/repeated-warning.ts';
import { LARGEST_SKEW, type WorkerStatus } from '../worker/status.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';

export interface Health {
  /** false: this process must be restarted. */
  readonly healthy: boolean;
  /** Why it is not ready, or not healthy. */
  readonly reasons: readonly string[];
}

interface WatchdogDeps {
  readonly store: {
    readonly connected: boolean;
    /** It responds, but accepts no commits. */
    readonly refuses: boolean;
  };
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

interface ClockCheckDeps {
  /** The worker's. */
  readonly clock: Pick<WallClock, 'now' | 'set'>;
  readonly store: { time(): Promise<EpochMs> };
  /** The machine's clock. */
  readonly machine: () => EpochMs;
  /** Own clock minus the store's. */
  readonly tell: (skew: DurationMs) => void;
  readonly log: WorkerLog;
}

/**
 * Compares the worker's clock with that of the store, which all workers share. The worker's clock does not jump, so that
 * nothing is judged by a time that was not compared; if it is wrong, it is set to the machine's clock as soon as that agrees
 * with the store's.
 */
export class ClockCheck {
  readonly #deps: ClockCheckDeps;
  readonly #silent: RepeatedWarning<'clock'>;
  #trouble: string | undefined;

  constructor(deps: ClockCheckDeps) {
    this.#deps = deps;
    this.#silent = new RepeatedWarning(deps.log, 'Redis did not report its time', 'Redis reports its time again');
  }

  /** Why nothing is read, and what to do; undefined: the clocks agree, or were never compared. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Never rejects. */
  async look(): Promise<void> {
    const { clock, store, machine, tell, log } = this.#deps;
    const before = clock.now();
    let time: EpochMs;
    try {
      time = await store.time();
    } catch (error) {
      this.#silent.failed('clock', '', { error: messageOf(error) }, before);
      return;
    }
    this.#silent.worked('clock');
    const after = clock.now();
    const skew = (before + after) / 2 - time;
    tell(skew);
    const isWrong = Math.abs(skew) > LARGEST_SKEW;
    if (isWrong && this.#trouble === undefined) {
      log.warn(
        { skewInMs: Math.round(skew) },
        'the clock here and that of Redis differ: nothing is read until they agree',
      );
    }
    if (!isWrong && this.#trouble !== undefined) log.info({}, 'the clock here and that of Redis agree again');
    const seconds = Math.round(Math.abs(skew) / 1000);
    this.#trouble = isWrong
      ? `the clock here is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} that of Redis: nothing is read until they agree; synchronise the one that is wrong`
      : undefined;
    // It is used from the next look on, when it has been compared.
    if (isWrong && Math.abs(machine() - time - (after - before) / 2) <= LARGEST_SKEW) clock.set(machine());
  }
}
