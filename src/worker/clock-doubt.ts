import type { Batch } from '../consumers/source/source-port.ts';
import type { Clock } from '../vocabulary/clock.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { LARGEST_SKEW } from './status.ts';

interface ClockDoubtDeps {
  readonly clock: Clock;
  /** Compares our clock with the store's, as in `WorkerDeps`. */
  readonly compareClock?: (() => Promise<boolean>) | undefined;
}

/** How long a comparison stays good, so that producers whose clocks are ahead do not make a worker ask for the time more often. */
const COMPARED_FOR_MS = 1000;

/**
 * Whether our clock may judge records (specification: faults 5.3). It stands still while the machine sleeps or is moved, and then shows
 * the past, so it is compared with the store's before it calls a record `future`.
 */
export class ClockDoubt {
  readonly #deps: ClockDoubtDeps;
  readonly #futureSkew: DurationMs;
  #isInDoubt = false;
  #compared: EpochMs = Number.NEGATIVE_INFINITY;
  #comparing: Promise<boolean> | undefined;

  /** `futureSkew`: the setting, which is the same for every unit. */
  constructor(futureSkew: DurationMs, deps: ClockDoubtDeps) {
    this.#futureSkew = futureSkew;
    this.#deps = deps;
  }

  /** Whether our clock and the store's differ by too much. */
  get isInDoubt(): boolean {
    return this.#isInDoubt;
  }

  /** Takes the difference of our clock from the store's. */
  is(skew: DurationMs): void {
    this.#isInDoubt = Math.abs(skew) > LARGEST_SKEW;
    this.#compared = this.#deps.clock.now();
  }

  /** Resolves with whether our clock may call records of this batch `future`; undefined: it calls none so. Never rejects. */
  mayCallFuture(batch: Batch): Promise<boolean> | undefined {
    if (latestTimestamp(batch) <= this.#deps.clock.now() + this.#futureSkew) return undefined;
    this.#comparing ??= this.#isRight().finally(() => {
      this.#comparing = undefined;
    });
    return this.#comparing;
  }

  async #isRight(): Promise<boolean> {
    const { clock, compareClock } = this.#deps;
    const isRecent = Math.abs(clock.now() - this.#compared) < COMPARED_FOR_MS;
    const isCompared = isRecent || compareClock === undefined || (await compareClock());
    return isCompared && !this.#isInDoubt;
  }
}

/** The latest timestamp of a batch; -Infinity: no record has one. It reads runs as they are, without making records of them. */
function latestTimestamp(batch: Batch): EpochMs {
  let latest = Number.NEGATIVE_INFINITY;
  const take = (timestamp: EpochMs): void => {
    if (timestamp > latest) latest = timestamp;
  };
  if (batch.runs === undefined) for (const { timestamp } of batch.records) take(timestamp ?? Number.NaN);
  else for (const { timestamps, count } of batch.runs) for (let i = 0; i < count; i++) take(timestamps[i]);
  return latest;
}
