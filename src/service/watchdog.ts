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
    /** Whether it responds, but accepts no commits. */
    readonly refuses: boolean;
  };
  readonly source: { answers(): Promise<boolean> };
  readonly status: () => WorkerStatus;
  readonly log: Pick<WorkerLog, 'warn'>;
}

const UNREADY_AFTER_MS = 60_000;
const GIVE_UP_AFTER_MS = 120_000;
/** How long Kafka and Redis must have responded: after an outage the worker needs a moment to continue. */
const ANSWERING_MS = 30_000;
/** `look` is called every second. After a longer pause than this, the process did not run. */
const LONGEST_PAUSE_MS = 10_000;

/**
 * Detects a worker that has work to do and makes no progress (specification: faults 8). It gives up only if Kafka and Redis both
 * respond and Redis accepts commits: a fault that a restart does not fix must not cause a storm of restarts. A worker is not
 * stuck if it reads nothing because its clock is in doubt, or because everything left waits for the end of a transaction. Time in
 * which the process did not run, for example because it was paused, does not count.
 */
export class Watchdog {
  readonly #deps: WatchdogDeps;
  /** How long there has been work without a commit. */
  #stuck: DurationMs = 0;
  /** The value of `#stuck` since when both servers have responded; undefined: one did not, or none was asked. */
  #answering: DurationMs | undefined;
  #looked: EpochMs | undefined;
  #commits = -1;

  constructor(deps: WatchdogDeps) {
    this.#deps = deps;
  }

  async look(now: EpochMs): Promise<Health> {
    const { units, commits, clockSkew = 0 } = this.#deps.status();
    const passed = this.#passed(now);
    const working = units.filter((unit) => unit.stopped === undefined && !unit.replaying);
    const waiting = working.reduce((sum, unit) => sum + unit.waiting, 0);
    const applied = commits.ok + commits.already;
    const goesOn = waiting === 0 || applied !== this.#commits || Math.abs(clockSkew) > LARGEST_SKEW;
    this.#commits = applied;
    this.#stuck = goesOn ? 0 : this.#stuck + passed;
    const answers = this.#stuck >= GIVE_UP_AFTER_MS - ANSWERING_MS && (await this.#serversAnswer());
    this.#answering = answers ? (this.#answering ?? this.#stuck) : undefined;
    if (this.#stuck < UNREADY_AFTER_MS) return { healthy: true, reasons: [] };
    const reason = `no commit for ${Math.round(this.#stuck / 1000)} s, though ${waiting} records wait`;
    const isOver =
      this.#stuck >= GIVE_UP_AFTER_MS && this.#answering !== undefined && this.#stuck - this.#answering >= ANSWERING_MS;
    return { healthy: !isOver, reasons: [isOver ? `${reason}, and Kafka and Redis both answer` : reason] };
  }

  async #serversAnswer(): Promise<boolean> {
    const { store, source } = this.#deps;
    return store.connected && !store.refuses && (await source.answers());
  }

  /** Time since the last look in which the process ran. */
  #passed(now: EpochMs): DurationMs {
    const passed = now - (this.#looked ?? now);
    // A look that queries servers may take this long itself.
    if (passed > LONGEST_PAUSE_MS && this.#stuck < GIVE_UP_AFTER_MS - ANSWERING_MS) {
      this.#deps.log.warn({ seconds: Math.round(passed / 1000) }, STOOD_STILL);
    }
    this.#looked = now;
    return Math.min(passed, LONGEST_PAUSE_MS);
  }
}

const STOOD_STILL =
  'this process did not run for a while: it was stopped, or its machine was too busy. Others may have taken over its partitions';

interface ClockCheckDeps {
  /** The worker's clock. */
  readonly clock: Pick<WallClock, 'now' | 'set'>;
  readonly store: { time(): Promise<EpochMs> };
  /** The machine's clock. */
  readonly machine: () => EpochMs;
  /** Called with the worker's clock minus the store's. */
  readonly onSkew: (skew: DurationMs) => void;
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

  /** Compares the clocks. Returns whether the store reported its time. Never rejects. */
  async look(): Promise<boolean> {
    const { clock, store, machine, onSkew, log } = this.#deps;
    const before = clock.now();
    let time: EpochMs;
    try {
      time = await store.time();
    } catch (error) {
      this.#silent.failed('clock', '', { error: messageOf(error) }, before);
      return false;
    }
    this.#silent.worked('clock');
    const after = clock.now();
    const skew = (before + after) / 2 - time;
    onSkew(skew);
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
    return true;
  }
}
