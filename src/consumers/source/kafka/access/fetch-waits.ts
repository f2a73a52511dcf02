import type { DurationMs } from '../../../../vocabulary/events.ts';
import { bytesOf, type Message } from '../flow/batches.ts';
import { longestWait } from './kafka-settings.ts';

export interface TopicPartitions {
  readonly topic: string;
  readonly partitions: readonly number[];
}

/** kafkajs' representation of what was fetched from one partition. */
export interface FetchedPartition {
  readonly rawMessages: readonly Message[];
}

/** The used parts of kafkajs' consumer group. */
export interface FetchingGroup {
  readonly sessionTimeout: DurationMs;
  /** How long a fetch waits for records. Also how long a member that has paused everything a broker leads waits until it checks again. */
  readonly maxWaitTime: DurationMs;
  /** Bytes that end the wait of a fetch before `maxWaitTime` is over. */
  readonly minBytes: number;
  resume(topicPartitions: readonly TopicPartitions[]): void;
  /**
   * The partitions by topic that are assigned and not paused. A fetch calls this once, after everything it waits for before it sends its
   * request.
   */
  getActiveTopicPartitions(): Readonly<Record<string, ReadonlySet<number>>>;
  /**
   * Those of these partitions that are read from this broker. A fetch calls this once, before `getActiveTopicPartitions`.
   * @throws if leaders are unknown
   */
  filterPartitionsByNode(nodeId: string, assigned: readonly TopicPartitions[]): readonly TopicPartitions[];
  recoverFromFetch(error: unknown): Promise<void>;
  /**
   * Fetches from this broker; the result has an entry for each partition, even an empty one. The fetches of several brokers run in
   * parallel.
   */
  fetch(nodeId: string): Promise<readonly FetchedPartition[]>;
}

/** A fetch ends its wait as soon as this many bytes are there: half of what it may return for one partition. */
export const ENOUGH_BYTES = 2 ** 19;

/** A fetch of more topic partitions than this waits longer, because the cost of a request grows with them. */
const MANY_PARTITIONS = 64;

/**
 * kafkajs' consumer group, except for how long it waits for records.
 *
 * A fetch waits until there is enough to fetch, or until `maxWaitTime` has passed, or `longestWait` with many partitions. Every request
 * names all partitions, so a fetch for each arrival costs more than it brings: with 256 partitions that got 2,000 events a second in all,
 * fetching took four fifths of a worker's CPU. A fetch waits for the first byte only, as kafkajs always does, if the last fetch from that
 * broker brought enough, or something was resumed since that one began.
 *
 * If all partitions that a broker leads are paused, the next fetch begins as soon as one of them is resumed. kafkajs itself sleeps for
 * `maxWaitTime`, and everything is paused when a member joins, until its partitions are claimed.
 *
 * Partitions from which nothing was fetched are left out: kafkajs would only send a heartbeat for each.
 */
export function waitingForEnough<Options>(
  Group: new (options: Options) => FetchingGroup,
): new (
  options: Options,
) => FetchingGroup {
  return class extends Group {
    #resumes = 0;
    /** `#resumes` at the begin of the last successful fetch from each broker, if that fetch brought little. */
    readonly #drained = new Map<string, number>();
    /** Functions that end the sleep of a broker's fetch. */
    readonly #sleepers = new Map<string, () => void>();

    override resume(topicPartitions: readonly TopicPartitions[]): void {
      super.resume(topicPartitions);
      this.#resumes++;
      for (const [nodeId, wake] of this.#sleepers) if (this.#leadsSome(nodeId, topicPartitions)) wake();
    }

    override async fetch(nodeId: string): Promise<readonly FetchedPartition[]> {
      const resumes = this.#resumes;
      const fetch = new Fetch(this, this.#drained.get(nodeId) !== resumes);
      const fetched = await super.fetch.call(fetch.seen, nodeId);
      if (fetch.hasFailed) return fetched;
      if (fetch.active === 0 && this.#resumes === resumes) await this.#sleep(nodeId);
      const some = fetched.filter(({ rawMessages }) => rawMessages.length > 0);
      const bytes = some.reduce((sum, { rawMessages }) => sum + bytesOf(rawMessages), 0);
      if (bytes < ENOUGH_BYTES) this.#drained.set(nodeId, resumes);
      else this.#drained.delete(nodeId);
      return some;
    }

    /** Whether the broker leads some of these partitions. Also true if leaders are unknown, because a fetch learns them. */
    #leadsSome(nodeId: string, topicPartitions: readonly TopicPartitions[]): boolean {
      try {
        return this.filterPartitionsByNode(nodeId, topicPartitions).some(({ partitions }) => partitions.length > 0);
      } catch {
        return true;
      }
    }

    #sleep(nodeId: string): Promise<void> {
      return new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          this.#sleepers.delete(nodeId);
          resolve();
        };
        const timer = setTimeout(wake, this.maxWaitTime);
        this.#sleepers.set(nodeId, wake);
      });
    }
  };
}

/** One fetch. kafkajs has no parameters for how long and for what a fetch waits: it reads both from the group when it sends the request. */
class Fetch {
  readonly #group: FetchingGroup;
  readonly #isBehind: boolean;
  #led: readonly TopicPartitions[] = [];
  #active = 0;
  #hasFailed = false;
  /** The group as this fetch sees it. */
  readonly seen: FetchingGroup;

  constructor(group: FetchingGroup, isBehind: boolean) {
    this.#group = group;
    this.#isBehind = isBehind;
    const seen: FetchingGroup = Object.create(group, {
      minBytes: { value: isBehind ? group.minBytes : ENOUGH_BYTES },
      maxWaitTime: { get: () => this.#wait },
      filterPartitionsByNode: { value: this.#filter.bind(this) },
      getActiveTopicPartitions: { value: this.#count.bind(this) },
      recoverFromFetch: { value: this.#recover.bind(this) },
    });
    // Direct changes of the group, past its methods, would be lost; freezing makes them throw.
    this.seen = Object.freeze(seen);
  }

  /** Number of topic partitions that are led by the broker and not paused. */
  get active(): number {
    return this.#active;
  }

  /** Whether the group has recovered from an error, so that nothing was fetched. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** How long to wait. With nothing to fetch, kafkajs would sleep for this time and could not be woken. */
  get #wait(): DurationMs {
    const { maxWaitTime, sessionTimeout } = this.#group;
    if (this.#active === 0) return 0;
    return this.#isBehind || this.#active <= MANY_PARTITIONS ? maxWaitTime : longestWait(maxWaitTime, sessionTimeout);
  }

  #filter(nodeId: string, assigned: readonly TopicPartitions[]): readonly TopicPartitions[] {
    this.#led = this.#group.filterPartitionsByNode(nodeId, assigned);
    return this.#led;
  }

  #count(): Readonly<Record<string, ReadonlySet<number>>> {
    const active = this.#group.getActiveTopicPartitions();
    this.#active = this.#led.reduce((sum, { topic, partitions }) => {
      return sum + partitions.filter((partition) => active[topic]?.has(partition)).length;
    }, 0);
    return active;
  }

  /** Recovers from an error. The group may be joined again, which changes it. */
  async #recover(error: unknown): Promise<void> {
    await this.#group.recoverFromFetch(error);
    this.#hasFailed = true;
  }
}
