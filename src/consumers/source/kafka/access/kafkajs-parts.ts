/** Parts of kafkajs with which client.ts replaces its own: they find leaders, queue requests, send heartbeats and encode. */
import type { DurationMs, EpochMs } from '../../../../vocabulary/events.ts';

/** The broker that leads a partition, as kafkajs knows it. */
export interface PartitionLeader {
  readonly partitionId: number;
  /** null or undefined if it is not known; kafkajs reports why. */
  readonly leader: number | null | undefined;
}

/** The used parts of kafkajs' cluster. */
export interface LeaderCluster {
  findTopicPartitionMetadata(topic: string): readonly PartitionLeader[];
  /**
   * Partitions by node.
   * @throws if the leader of one is missing
   */
  findLeaderForPartitions(
    topic: string,
    partitions: readonly (number | string)[],
  ): Readonly<Record<string, readonly number[]>>;
}

/**
 * Lets a cluster of kafkajs find the leaders of partitions in linear time. kafkajs itself searches all partitions for each one, and
 * copies what it has found each time.
 */
export function findLeadersLinearly(cluster: LeaderCluster): void {
  const find = cluster.findLeaderForPartitions.bind(cluster);
  cluster.findLeaderForPartitions = (topic, partitions) => {
    const leaders = new Map(cluster.findTopicPartitionMetadata(topic).map((one) => [one.partitionId, one.leader]));
    const found: Record<string, number[]> = {};
    for (const partition of partitions) {
      const id = Number(partition);
      if (!leaders.has(id)) continue;
      const leader = leaders.get(id);
      if (leader === null || leader === undefined) return find(topic, partitions);
      found[leader] ??= [];
      found[leader].push(id);
    }
    return found;
  };
}

/** The used parts of kafkajs' consumer group. */
export interface ReadingGroup {
  readonly cluster: LeaderCluster;
  /** The replica from which the leader of each partition prefers us to read, if it has named one; by topic, then partition. */
  readonly preferredReadReplicasPerTopicPartition: Readonly<Record<string, object | undefined>>;
  /** The partitions that are read from each node. */
  findReadReplicaForPartitions(
    topic: string,
    partitions: readonly (number | string)[],
  ): Readonly<Record<string, readonly number[]>>;
}

/** kafkajs' consumer group, except that it reads from the leaders that `findLeadersLinearly` finds if no other replica is preferred. */
export function readingFromLeaders<Options>(
  Group: new (options: Options) => ReadingGroup,
): new (
  options: Options,
) => ReadingGroup {
  return class extends Group {
    override findReadReplicaForPartitions(
      topic: string,
      partitions: readonly (number | string)[],
    ): Readonly<Record<string, readonly number[]>> {
      const preferred = this.preferredReadReplicasPerTopicPartition[topic] ?? {};
      if (Object.keys(preferred).length > 0) return super.findReadReplicaForPartitions(topic, partitions);
      return this.cluster.findLeaderForPartitions(topic, partitions);
    }
  };
}

/** The used parts of kafkajs' queue of the requests to one broker. */
export interface RequestQueue {
  /** Requests not sent yet, because the broker asked for a pause or too many are in flight. */
  readonly pending: readonly unknown[];
  /** Sets a timer after which they are examined again, unless there is one. */
  scheduleCheckPendingRequests(): void;
}

/**
 * kafkajs' queue, except that it sets no timer while nothing waits. kafkajs itself sets one after each response, for a time in the past,
 * and again whenever it has passed: each connection wakes the process once a millisecond, forever.
 */
export function timerless<Options>(
  Queue: new (options: Options) => RequestQueue,
): new (
  options: Options,
) => RequestQueue {
  return class extends Queue {
    override scheduleCheckPendingRequests(): void {
      if (this.pending.length > 0) super.scheduleCheckPendingRequests();
    }
  };
}

/** The used parts of kafkajs' consumer group. */
interface BeatingGroup {
  /** When the coordinator last heard from it, by the machine's clock. */
  lastRequest: EpochMs;
  /** Sends a heartbeat if the last request is older than the interval. */
  heartbeat(options: { readonly interval: DurationMs }): Promise<void>;
}

/**
 * kafkajs' consumer group, which also sends heartbeats when the machine's clock was set back. kafkajs itself waits until the clock shows
 * the time of the last request again, for an hour if it was set back by one. Meanwhile its member is expelled, and does not learn that.
 */
export function beatingAtAnyTime<Options>(
  Group: new (options: Options) => BeatingGroup,
): new (
  options: Options,
) => BeatingGroup {
  return class extends Group {
    override heartbeat(options: { readonly interval: DurationMs }): Promise<void> {
      if (this.lastRequest > Date.now()) this.lastRequest = Number.NEGATIVE_INFINITY;
      return super.heartbeat(options);
    }
  };
}

/** The buffer into which kafkajs writes a request, or a part of one. */
type Encoder = object;

/** This takes 32 bytes, as many as a request has for a partition. V8 keeps buffers this small in its heap, without an object outside. */
const INITIAL_BYTES = 31;

/**
 * kafkajs' encoder, except that it starts small. kafkajs starts with 512 bytes, and makes an encoder for each partition that a request
 * names.
 */
export function small(Plain: new (initialBytes?: number) => Encoder): new (initialBytes?: number) => Encoder {
  return class extends Plain {
    constructor(initialBytes = INITIAL_BYTES) {
      super(initialBytes);
    }
  };
}
