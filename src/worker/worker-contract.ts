import type { Store } from '../accumulators/store/store-port.ts';
import type { Decoder } from '../consumers/decode/decoder.ts';
import type { LogSource } from '../consumers/source/source-port.ts';
import type { Measure } from '../measures/definition.ts';
import type { Scorer } from '../measures/scorer-contract.ts';
import type { ListSamples } from '../unit/samples.ts';
import type { InvalidRecord, SkippedBatch, UnitSettings } from '../unit/unit-contract.ts';
import type { TopicCounts } from '../vocabulary/checkpoint.ts';
import type { Clock } from '../vocabulary/clock.ts';
import type { DurationMs, Offset } from '../vocabulary/events.ts';
import type { FaultPoint } from '../vocabulary/fault-point.ts';

/** What a worker may hold in memory, over all its units. */
export interface LoadLimits {
  /** Open impressions plus waiting feedback. Infinity: bytes alone count. */
  readonly openLimit: number;
  /** Bytes of state. */
  readonly stateLimit: number;
  /** Bytes of the part of the state that is in the heap of V8. */
  readonly rowLimit: number;
}

export interface WorkerSettings extends LoadLimits {
  /** Names of the topics, in the order of the configuration. */
  readonly topics: readonly string[];
  /** Settings of the unit of a partition. */
  readonly unit: (partition: number) => UnitSettings;
  readonly commitInterval: DurationMs;
  /** Units with little to store commit in turns once there would be more commits a second than this; default: no bound. */
  readonly commitsPerSecond?: number | undefined;
  /** Once so many bytes of rows have changed, a unit commits before its time; default: `COMMIT_BYTES`. */
  readonly commitBytes?: number | undefined;
  readonly idleAfter: DurationMs;
  readonly outOfOrderness: DurationMs;
  /** A topic that leads the unit's slowest by more than this is paused while one of the limits of `LoadLimits` is exceeded. */
  readonly maxSkew: DurationMs;
  /** A unit that another worker took is claimed again when that worker has not committed for this long, if the unit is still assigned to us. */
  readonly sessionTimeout: DurationMs;
  /** For looks at experiments. */
  readonly looks: {
    /** Shortest time between two looks. */
    readonly every: DurationMs;
    /** The number of units. */
    readonly partitions: number;
    /** The measures of the rows, in their order. */
    readonly measures: readonly Measure[];
    /** A unit that is further behind the newest one does not delay looks. */
    readonly unitTimeout: DurationMs;
  };
}

export interface WorkerLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface WorkerDeps {
  readonly source: LogSource;
  readonly store: Store;
  /** Decoders for one partition: one per topic. */
  readonly decoders: (partition: number) => readonly Decoder[];
  readonly scorer: Scorer;
  readonly clock: Clock;
  /**
   * Compares our clock with the store's, and tells `Worker.clockIs`. Resolves with whether the store told its time. Never rejects.
   * Default: nobody compares them at once.
   */
  readonly compareClock?: (() => Promise<boolean>) | undefined;
  readonly newId: () => string;
  /** Random numbers in [0, 1), to vary the length of waits; default: always 0. */
  readonly random?: (() => number) | undefined;
  readonly log: WorkerLog;
  /**
   * Where a unit without stored state starts. state_lost: it was read before, and what was stored is gone. Rejects with LogUnavailable
   * if it must be asked again.
   */
  readonly startOffset: (partition: number, topic: number) => Promise<Offset | 'state_lost'>;
  /** As in `UnitDeps`; default: none. */
  readonly onInvalid?: ((partition: number, invalid: InvalidRecord) => void) | undefined;
  readonly onUndecodable?: ((partition: number, skipped: SkippedBatch) => void) | undefined;
  /** Of all units; default: nothing is kept. */
  readonly samples?: ListSamples | undefined;
  /** Called when a unit was claimed, with the totals in its checkpoint. */
  readonly onClaim: (partition: number, counts: readonly TopicCounts[]) => void;
  /** For tests; default: none. */
  readonly faultPoint?: FaultPoint | undefined;
}
