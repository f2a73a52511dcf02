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

/** What a worker may hold in memory, for all its units together. */
export interface LoadLimits {
  /** The number of open impressions plus waiting feedback. Infinity: only bytes are limited. */
  readonly openLimit: number;
  /** The bytes of state. */
  readonly stateLimit: number;
  /** The bytes of the part of the state that is in the heap of V8. */
  readonly rowLimit: number;
}

export interface WorkerSettings extends LoadLimits {
  /** The names of the topics, in the order of the configuration. */
  readonly topics: readonly string[];
  /** Returns the settings of the unit of a partition. */
  readonly unit: (partition: number) => UnitSettings;
  readonly commitInterval: DurationMs;
  /** The commits a second above which units with little to store commit in turns; default: no bound. */
  readonly commitsPerSecond?: number | undefined;
  /** The bytes of changed rows above which a unit commits before its time; default: `COMMIT_BYTES`. */
  readonly commitBytes?: number | undefined;
  readonly idleAfter: DurationMs;
  readonly outOfOrderness: DurationMs;
  /** How far a topic may lead the unit's slowest: one that leads by more is paused while one of the limits of `LoadLimits` is exceeded. */
  readonly maxSkew: DurationMs;
  /** After how long without a commit of the worker that took it a unit that is still assigned to us is claimed again. */
  readonly sessionTimeout: DurationMs;
  /** What looks at experiments need. */
  readonly looks: {
    /** The shortest time between two looks. */
    readonly every: DurationMs;
    /** The number of units. */
    readonly partitions: number;
    /** The measures of the rows, in their order. */
    readonly measures: readonly Measure[];
    /** How far a unit may be behind the newest one: one that is further behind does not delay looks. */
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
  /** Returns the decoders of a partition, one per topic. */
  readonly decoders: (partition: number) => readonly Decoder[];
  readonly scorer: Scorer;
  readonly clock: Clock;
  /**
   * Compares our clock with the store's, and passes the difference to `Worker.clockIs`. Resolves with whether the store answered. Never
   * rejects. Default: nobody compares them at once.
   */
  readonly compareClock?: (() => Promise<boolean>) | undefined;
  readonly newId: () => string;
  /** Returns a random number in [0, 1), to vary the length of waits; default: always 0. */
  readonly random?: (() => number) | undefined;
  readonly log: WorkerLog;
  /**
   * Resolves with the offset at which a unit without stored state starts. state_lost: it was read before, and what was stored is gone.
   * Rejects with LogUnavailable if it must be asked again.
   */
  readonly startOffset: (partition: number, topic: number) => Promise<Offset | 'state_lost'>;
  /** Called as in `UnitDeps`; default: none. */
  readonly onInvalid?: ((partition: number, invalid: InvalidRecord) => void) | undefined;
  readonly onUndecodable?: ((partition: number, skipped: SkippedBatch) => void) | undefined;
  /** Keeps lists of all units for people to look at; default: nothing is kept. */
  readonly samples?: ListSamples | undefined;
  /** Called when a unit was claimed, with the totals in its checkpoint. */
  readonly onClaim: (partition: number, counts: readonly TopicCounts[]) => void;
  /** Called at the fault points of tests; default: none. */
  readonly faultPoint?: FaultPoint | undefined;
}
