import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
// Changes kafkajs.
import '../../../../../src/consumers/source/kafka/access/client.ts';
import {
  findLeadersLinearly,
  type LeaderCluster,
  type PartitionLeader,
  type ReadingGroup,
  readingFromLeaders,
} from '../../../../../src/consumers/source/kafka/access/kafkajs-parts.ts';

const require = createRequire(import.meta.url);
/** As kafkajs has it: only what replaces it below is ours. */
const { prototype: plain }: { readonly prototype: LeaderCluster } = require('kafkajs/src/cluster/index.js');

function clusterOf(metadata: readonly PartitionLeader[]): LeaderCluster {
  return Object.assign(Object.create(plain), { findTopicPartitionMetadata: () => metadata });
}

const leaders = fc.uniqueArray(
  fc.record({ partitionId: fc.nat({ max: 30 }), leader: fc.oneof(fc.integer({ min: -1, max: 3 })) }),
  { selector: ({ partitionId }) => partitionId },
);
const asked = fc.array(
  fc.nat({ max: 40 }).chain((id) => fc.constantFrom(id, String(id))),
  { maxLength: 40 },
);

describe('leaders of partitions', () => {
  it('are those that kafkajs finds, in the same order', () => {
    fc.assert(
      fc.property(leaders, asked, (metadata, partitions) => {
        const cluster = clusterOf(metadata);
        const expected = cluster.findLeaderForPartitions('topic', partitions);
        findLeadersLinearly(cluster);
        expect(cluster.findLeaderForPartitions('topic', partitions)).toEqual(expected);
      }),
    );
  });

  it.each([null, undefined])('that are %s are an error of kafkajs', (leader) => {
    const cluster = clusterOf([
      { partitionId: 0, leader: 1 },
      { partitionId: 1, leader },
    ]);
    findLeadersLinearly(cluster);
    expect(cluster.findLeaderForPartitions('topic', [0])).toEqual({ 1: [0] });
    expect(() => cluster.findLeaderForPartitions('topic', [0, 1])).toThrow('Invalid partition metadata');
  });
});

describe('a member reads a partition', () => {
  /** Another replica is preferred: kafkajs decides. */
  class Group implements ReadingGroup {
    readonly cluster = clusterOf([{ partitionId: 0, leader: 1 }]);
    readonly preferredReadReplicasPerTopicPartition: Record<string, object> = {};

    findReadReplicaForPartitions(_topic: string, _partitions: readonly number[]): Record<string, readonly number[]> {
      return { 7: [0] };
    }
  }

  it('from its leader, unless another replica of its topic is preferred', () => {
    const group = new (readingFromLeaders(Group))({});
    if (!(group instanceof Group)) throw new Error('no group');
    expect(group.findReadReplicaForPartitions('topic', [0])).toEqual({ 1: [0] });
    group.preferredReadReplicasPerTopicPartition['topic'] = {};
    expect(group.findReadReplicaForPartitions('topic', [0])).toEqual({ 1: [0] });
    group.preferredReadReplicasPerTopicPartition['topic'] = { 0: { nodeId: 7 } };
    expect(group.findReadReplicaForPartitions('topic', [0])).toEqual({ 7: [0] });
    expect(group.findReadReplicaForPartitions('other', [0])).toEqual({ 1: [0] });
  });
});
