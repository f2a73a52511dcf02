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
