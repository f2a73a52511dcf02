import type { DurationMs } from '../../../../vocabulary/events.ts';
import { bytesOf, type Message } from '../flow/batches.ts';
import { longestWait } from './kafka-settings.ts';

export interface TopicPartitions {
  readonly topic: string;
  readonly partitions: readonly number[];
}

/** kafkajs' view of what was fetched of one partition. */
export interface FetchedPartition {
  readonly rawMessages: readonly Message[];
}

/** The parts of kafkajs' consumer group that are used. */
export interface FetchingGroup {
  readonly sessionTimeout: DurationMs;
  /** For how long a fetch waits for records, and a member that has paused all that a broker leads before it looks again. */
  readonly maxWaitTime: DurationMs;
  /** Bytes for which a fetch waits, at most `maxWaitTime`. */
  readonly minBytes: number;
  resume(topicPartitions: readonly TopicPartitions[]): void;
  /** By topic: the partitions that are assigned and not paused. */
  getActiveTopicPartitions(): Readonly<Record<string, ReadonlySet<number>>>;
  /** Those of these partitions that are read from this broker. A fetch asks once. */
  filterPartitionsByNode(nodeId: string, assigned: readonly TopicPartitions[]): readonly TopicPartitions[];
  recoverFromFetch(error: unknown): Promise<void>;
  /** What was fetched from this broker: of each partition, also if that is nothing. The fetches of several brokers run side by side. */
  fetch(nodeId: string): Promise<readonly FetchedPartition[]>;
}

/** As soon as so many bytes are there, a fetch waits no longer. Half of what it may return of one partition. */
export const ENOUGH_BYTES = 2 ** 19;

/** A fetch of more partitions of topics than this waits longer: what a request costs grows with them. */
const MANY_PARTITIONS = 64;

/**
 * kafkajs' consumer group, except for how long it waits for records.
 *
 * A fetch waits until there is enough to fetch, or `maxWaitTime` has passed, twice that with many partitions. Every request names all
 * partitions, so a fetch for each arrival costs more than what it brings: of 256 that got 2,000 events a second in all, it took four fifths
 * of a worker's CPU. It waits for the first byte only, as in kafkajs, after one that has brought enough, or did not know of all that was
 * resumed since. What is resumed while a fetch waits is fetched by the next.
 *
 * Where all partitions that a broker leads are paused, the next fetch begins as soon as one is resumed. kafkajs itself sleeps for
 * `maxWaitTime`, and everything is paused when a member joins, until its partitions are claimed.
 *
 * Partitions of which nothing was fetched are left out: kafkajs would only send a heartbeat for each.
 */
export function waitingForEnough<Options>(
  Group: new (options: Options) => FetchingGroup,
): new (
  options: Options,
) => FetchingGroup {
  return class extends Group {
    #resumes = 0;
    /** By broker: the resumes before its last fetch, if that has brought little. There is no more to fetch from it at once. */
    readonly #drained = new Map<string, number>();
    readonly #sleepers = new Set<() => void>();

    override resume(topicPartitions: readonly TopicPartitions[]): void {
      super.resume(topicPartitions);
      this.#resumes++;
      for (const wake of this.#sleepers) wake();
    }

    override async fetch(nodeId: string): Promise<readonly FetchedPartition[]> {
      const resumes = this.#resumes;
      const request = new Fetch(this, this.#drained.get(nodeId) !== resumes);
      const fetched = await super.fetch.call(request.group, nodeId);
      if (request.active === 0 && this.#resumes === resumes) await this.#sleep();
      const some = fetched.filter(({ rawMessages }) => rawMessages.length > 0);
      const messages = some.flatMap(({ rawMessages }) => rawMessages);
      const bytes = messages.reduce((sum, message) => sum + bytesOf(message), 0);
      if (bytes < ENOUGH_BYTES) this.#drained.set(nodeId, resumes);
      else this.#drained.delete(nodeId);
      return some;
    }

    #sleep(): Promise<void> {
      return new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          this.#sleepers.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, this.maxWaitTime);
        this.#sleepers.add(wake);
      });
    }
  };
}

/** One fetch, and the group as kafkajs sees it in this fetch: it has no parameters for how long and for what one fetch waits. */
class Fetch {
  readonly #group: FetchingGroup;
  readonly #isBehind: boolean;
  /** Partitions of topics that are fetched; undefined: it has not come so far. */
  active: number | undefined;
  readonly group: FetchingGroup;

  constructor(group: FetchingGroup, isBehind: boolean) {
    this.#group = group;
    this.#isBehind = isBehind;
    const seen: FetchingGroup = Object.create(group, {
      minBytes: { value: isBehind ? group.minBytes : ENOUGH_BYTES },
      maxWaitTime: { get: () => this.#wait },
      filterPartitionsByNode: {
        value: (nodeId: string, assigned: readonly TopicPartitions[]) => this.#filter(nodeId, assigned),
      },
      // It joins the group again, which changes it.
      recoverFromFetch: { value: (error: unknown) => group.recoverFromFetch(error) },
    });
    // Any other change that a fetch of kafkajs makes throws: it would be lost.
    this.group = Object.freeze(seen);
  }

  /** Without anything to fetch kafkajs would sleep for so long, and could not be woken. */
  get #wait(): DurationMs {
    const { maxWaitTime, sessionTimeout } = this.#group;
    if (this.active === 0) return 0;
    if (this.#isBehind || this.active === undefined || this.active <= MANY_PARTITIONS) return maxWaitTime;
    return longestWait(maxWaitTime, sessionTimeout);
  }

  #filter(nodeId: string, assigned: readonly TopicPartitions[]): readonly TopicPartitions[] {
    const led = this.#group.filterPartitionsByNode(nodeId, assigned);
    const active = this.#group.getActiveTopicPartitions();
    const isActive = (topic: string, partition: number): boolean => active[topic]?.has(partition) ?? false;
    this.active = led.flatMap(({ topic, partitions }) => partitions.filter((one) => isActive(topic, one))).length;
    return led;
  }
}
