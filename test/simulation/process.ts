import type { Store } from '../../src/accumulators/store/store-port.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import type { DurationMs, Offset } from '../../src/vocabulary/events.ts';
import type { FaultLabel } from '../../src/vocabulary/fault-point.ts';
import type { StopCause } from '../../src/worker/status.ts';
import type { Worker } from '../../src/worker/worker.ts';
import type { WorkerSettings } from '../../src/worker/worker-contract.ts';
import type { Group, Member } from './group.ts';
import { ProcessClock } from './process-clock.ts';
import type { Product } from './product.ts';
import type { Client, RedisNode, SimulatedRedis } from './redis.ts';
import type { Scheduler } from './scheduler.ts';
import { configurationOf, SCORER } from './scoring.ts';
import { SimulatedSource, type SourceDeps } from './source.ts';

export interface ProcessDeps {
  readonly product: Product;
  readonly scheduler: Scheduler;
  readonly redis: SimulatedRedis;
  readonly group: Group;
  readonly source: Omit<SourceDeps, 'member' | 'scheduler' | 'group' | 'refused'>;
  readonly partitions: number;
  readonly newId: () => string;
  /** Where a unit begins of which nothing is stored, or that it must not begin. */
  readonly startOffset: (process: SimulatedProcess, partition: number, topic: number) => Offset | 'state_lost';
  readonly passes: (process: SimulatedProcess, label: FaultLabel) => void;
  readonly told: (process: SimulatedProcess, message: string, details: object) => void;
  /** It has ended by itself; undefined: because it was asked to. */
  readonly ended: (process: SimulatedProcess, error: unknown) => void;
}

/** What a start may be told beside. */
export interface Remedy {
  readonly rebuild: boolean;
  /** As `start.onUndecodable`. */
  readonly onUndecodable: 'stop' | 'skip';
}

/** One process of the service: its start-up check and the product's worker, until it dies. */
export class SimulatedProcess implements Member, Client {
  readonly name: string;
  readonly slot: number;
  readonly rebuild: boolean;
  readonly clock: ProcessClock;
  readonly source: SimulatedSource;
  readonly worker: Worker;
  readonly store: Store;
  alive = true;
  frozenUntil = Number.NEGATIVE_INFINITY;
  endpoint: RedisNode;
  /** After it was stopped, another one starts in its slot after so long. */
  backAfterStop: DurationMs = 0;
  readonly #deps: ProcessDeps;
  readonly #settings: WorkerSettings;

  constructor(
    name: string,
    slot: number,
    { rebuild, onUndecodable }: Remedy,
    settings: WorkerSettings,
    deps: ProcessDeps,
  ) {
    const { product, scheduler, redis, group } = deps;
    this.name = name;
    this.slot = slot;
    this.rebuild = rebuild;
    this.endpoint = redis.primary;
    this.#deps = deps;
    this.#settings = settings;
    this.clock = new ProcessClock(scheduler, this);
    this.source = new SimulatedSource({
      ...deps.source,
      scheduler,
      group,
      member: this,
      refused: (partition, topic, batch) => {
        if (this.worker.wasJudged(partition, topic, batch)) return 'skip';
        if (onUndecodable === 'stop') this.worker.stopUnit(partition, 'codec');
        return onUndecodable;
      },
    });
    this.store = redis.storeOf(this);
    this.worker = new product.Worker(settings, {
      source: this.source,
      store: this.store,
      scorer: SCORER,
      clock: this.clock,
      newId: deps.newId,
      decoders: () => settings.topics.map(() => NO_DECODER),
      onClaim: () => deps.told(this, 'claimed', {}),
      startOffset: async (partition, topic) => {
        const offset = deps.startOffset(this, partition, topic);
        return offset;
      },
      faultPoint: (label) => deps.passes(this, label),
      log: {
        info: (details, message) => deps.told(this, message, details),
        warn: (details, message) => deps.told(this, message, details),
      },
    });
  }

  /** Starts as the service does: looks whether the stored state fits, then works until it is stopped. */
  async run(): Promise<void> {
    const { product, group, partitions, ended } = this.#deps;
    try {
      const { namespace, join, sources } = this.#settings.unit(0);
      const { stored } = await product.readCheckpoints(this.store, namespace, partitions);
      product.checkStored(configurationOf(join, sources), stored, group.committed, {
        ...NO_PERMISSIONS,
        restartExperiments: true,
        rebuild: this.rebuild,
      });
      this.lookAtClock();
      await this.worker.run();
      ended(this, undefined);
    } catch (error) {
      ended(this, error);
    }
  }

  get stateLimit(): number {
    return this.#settings.stateLimit;
  }

  /** Redis is the clock of all. */
  lookAtClock(): void {
    this.worker.clockIs(this.clock.error);
  }

  assigned(partitions: readonly number[]): void {
    this.#deps.told(this, 'assigned', { partitions });
    this.source.assigned(partitions);
  }
}

/** The logs hold events that were decoded before. */
const NO_DECODER = {
  decode: nothingToDecode,
  scan: nothingToDecode,
  reader: undefined,
  ignoredCohortKeys: 0,
};

function nothingToDecode(): never {
  throw new Error('the logs hold decoded events');
}

/** Why a worker's warning says that a unit has stopped; undefined: it says something else. */
export function stopCauseOf(message: string, details: object): StopCause | undefined {
  const cause: { readonly cause?: StopCause } = details;
  return message === 'unit stopped' ? cause.cause : undefined;
}
