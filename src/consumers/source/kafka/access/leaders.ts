/** Which broker leads a partition, as kafkajs knows it. */
export interface PartitionLeader {
  readonly partitionId: number;
  /** null, undefined: kafkajs says what is wrong. */
  readonly leader: number | null | undefined;
}

/** The parts of kafkajs' cluster that are used. */
export interface LeaderCluster {
  findTopicPartitionMetadata(topic: string): readonly PartitionLeader[];
  /** By node: its partitions. Throws if the leader of one is missing. */
  findLeaderForPartitions(
    topic: string,
    partitions: readonly (number | string)[],
  ): Readonly<Record<string, readonly number[]>>;
}

/**
 * Lets a cluster of kafkajs find the leaders of partitions in time that grows with their number. kafkajs itself searches for each among
 * all, and copies what it has found for each.
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

/** The parts of kafkajs' consumer group that are used. */
export interface ReadingGroup {
  readonly cluster: LeaderCluster;
  /** By topic, then partition: the replica that its leader prefers us to read, if it has named one. */
  readonly preferredReadReplicasPerTopicPartition: Readonly<Record<string, object | undefined>>;
  /** By node: the partitions that are read from it. */
  findReadReplicaForPartitions(
    topic: string,
    partitions: readonly (number | string)[],
  ): Readonly<Record<string, readonly number[]>>;
}

/** kafkajs' consumer group, except that partitions are read from their leaders as these are found, where no other replica is preferred. */
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
