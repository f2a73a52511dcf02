import type { DurationMs } from '../../../../vocabulary/events.ts';

export interface TopicPartitions {
  readonly topic: string;
  readonly partitions: readonly number[];
}

/** The parts of kafkajs' consumer group that are used. */
export interface ConsumerGroup {
  /** For how long a fetch waits for records, and a member that has paused everything before it looks again. */
  readonly maxWaitTime: DurationMs;
  /** By topic: the partitions that are assigned and not paused. */
  getActiveTopicPartitions(): Readonly<Record<string, ReadonlySet<number>>>;
  resume(topicPartitions: readonly TopicPartitions[]): void;
  /** Batches of the partitions that this broker leads. */
  fetch(nodeId: string): Promise<readonly object[]>;
}

/** A member that reads more than so many waits twice as long: what a request costs grows with them. */
const MANY_PARTITIONS = 64;

/**
 * kafkajs' consumer group, except that a member that has paused all of its partitions fetches as soon as one is resumed. kafkajs
 * itself sleeps for `maxWaitTime`, and everything is paused when a member joins, until its partitions are claimed.
 */
export function wakeful<Options>(
  Group: new (options: Options) => ConsumerGroup,
): new (
  options: Options,
) => ConsumerGroup {
  return class extends Group {
    readonly #sleepers = new Set<() => void>();
    readonly #usualWait: DurationMs;
    /** Fetches under way that shall not sleep. */
    #hurried = 0;

    constructor(options: Options) {
      super(options);
      this.#usualWait = this.maxWaitTime;
      Object.defineProperty(this, 'maxWaitTime', { get: () => this.#wait });
    }

    get #wait(): DurationMs {
      if (this.#hurried > 0) return 0;
      return this.#active > MANY_PARTITIONS ? 2 * this.#usualWait : this.#usualWait;
    }

    override resume(topicPartitions: readonly TopicPartitions[]): void {
      super.resume(topicPartitions);
      for (const wake of this.#sleepers) wake();
    }

    override async fetch(nodeId: string): Promise<readonly object[]> {
      if (this.#active > 0) return super.fetch(nodeId);
      const batches = await this.#look(nodeId);
      if (batches.length === 0 && this.#active === 0) await this.#sleep();
      return batches;
    }

    /** Does all that a fetch does before it sleeps, such as noticing new partitions. */
    async #look(nodeId: string): Promise<readonly object[]> {
      this.#hurried++;
      try {
        return await super.fetch(nodeId);
      } finally {
        this.#hurried--;
      }
    }

    /** How many partitions of topics are not paused. */
    get #active(): number {
      return Object.values(this.getActiveTopicPartitions()).reduce((sum, { size }) => sum + size, 0);
    }

    #sleep(): Promise<void> {
      return new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          this.#sleepers.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, this.#usualWait);
        this.#sleepers.add(wake);
      });
    }
  };
}
