import type { Store } from '../accumulators/store/store-port.ts';
import type { Decoder } from '../consumers/decode/record.ts';
import type { LogSource } from '../consumers/source/source-port.ts';
import type { Measure } from '../measures/definition.ts';
import type { Scorer } from '../measures/scorer-contract.ts';
import type { ListSamples } from '../unit/samples.ts';
import type { InvalidRecord, PassedBatch, UnitSettings } from '../unit/unit-contract.ts';
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
  /** Bytes of that part of it that lies in the heap of V8. */
  readonly rowLimit: number;
}

export interface WorkerSettings extends LoadLimits {
  /** Names of the topics, in the order of the configuration. */
  readonly topics: readonly string[];
  /** All but which partition. */
  readonly unit: (partition: number) => UnitSettings;
  readonly commitInterval: DurationMs;
  readonly idleAfter: DurationMs;
  readonly outOfOrderness: DurationMs;
  /** Hold back a topic that leads the unit's slowest by more, while one of the limits of `LoadLimits` is exceeded. */
  readonly maxSkew: DurationMs;
  /** A unit that another took is claimed again when that one was silent for so long, if it is still ours. */
  readonly sessionTimeout: DurationMs;
  /** For looks at experiments. */
  readonly looks: {
    /** At most one look in so long. */
    readonly every: DurationMs;
    /** The number of units. */
    readonly partitions: number;
    /** Those of the rows, in their order. */
    readonly measures: readonly Measure[];
    /** A unit that is further behind the newest one does not hold looks back. */
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
  /** Of one partition: one per topic. */
  readonly decoders: (partition: number) => readonly Decoder[];
  readonly scorer: Scorer;
  readonly clock: Clock;
  readonly newId: () => string;
  /** [0, 1), for waits of different lengths; default: always 0. */
  readonly random?: (() => number) | undefined;
  readonly log: WorkerLog;
  /** Where a unit without any stored state begins. state_lost: nowhere, since it was read before and what was stored is gone. */
  readonly startOffset: (partition: number, topic: number) => Promise<Offset | 'state_lost'>;
  /** As that of a unit; default: nobody is told. */
  readonly onInvalid?: ((partition: number, invalid: InvalidRecord) => void) | undefined;
  readonly onUndecodable?: ((partition: number, passed: PassedBatch) => void) | undefined;
  /** Of all units; default: nothing is kept. */
  readonly samples?: ListSamples | undefined;
  /** Told when a unit was claimed, with the totals that its checkpoint holds already. */
  readonly onClaim: (partition: number, counts: readonly TopicCounts[]) => void;
  /** For tests; default: none. */
  readonly faultPoint?: FaultPoint | undefined;
}
