import type { DurationMs } from '../../../../vocabulary/events.ts';

interface TopicPartitions {
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
      Object.defineProperty(this, 'maxWaitTime', { get: () => (this.#hurried > 0 ? 0 : this.#usualWait) });
    }

    override resume(topicPartitions: readonly TopicPartitions[]): void {
      super.resume(topicPartitions);
      for (const wake of this.#sleepers) wake();
    }

    override async fetch(nodeId: string): Promise<readonly object[]> {
      if (!this.#isPaused) return super.fetch(nodeId);
      const batches = await this.#look(nodeId);
      if (batches.length === 0 && this.#isPaused) await this.#sleep();
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

    get #isPaused(): boolean {
      return Object.values(this.getActiveTopicPartitions()).every(({ size }) => size === 0);
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
