import type { WallClock } from '../vocabulary/clock.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { LARGEST_SKEW } from '../worker/status.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';

export interface ClockCheckDeps {
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
  #trouble: string | undefined;

  constructor(deps: ClockCheckDeps) {
    this.#deps = deps;
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
      log.warn({ error: error instanceof Error ? error.message : String(error) }, 'Redis did not tell its time');
      return;
    }
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
