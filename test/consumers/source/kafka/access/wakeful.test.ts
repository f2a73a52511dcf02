import { describe, expect, it } from 'vitest';
import { type ConsumerGroup, wakeful } from '../../../../../src/consumers/source/kafka/access/wakeful.ts';

/** Longer than any test may take. */
const AN_HOUR = 3_600_000;

/** Looks for what it may fetch and, as kafkajs, sleeps for `maxWaitTime` if that is nothing. */
class Group implements ConsumerGroup {
  readonly maxWaitTime: number;
  active = new Set<number>();
  looks = 0;

  constructor({ maxWaitTime }: { readonly maxWaitTime: number }) {
    this.maxWaitTime = maxWaitTime;
  }

  getActiveTopicPartitions(): Record<string, ReadonlySet<number>> {
    return { impressions: this.active, feedback: new Set() };
  }

  resume(topicPartitions: Parameters<ConsumerGroup['resume']>[0]): void {
    this.active = new Set(topicPartitions.flatMap(({ partitions }) => [...partitions]));
  }

  async fetch(nodeId: string): Promise<readonly object[]> {
    this.looks++;
    if (this.active.size > 0) return [{ nodeId }];
    await new Promise((resolve) => setTimeout(resolve, this.maxWaitTime));
    return [];
  }
}

function group(maxWaitTime: number): Group {
  const Wakeful = wakeful(Group);
  const made = new Wakeful({ maxWaitTime });
  if (!(made instanceof Group)) throw new Error('no group');
  return made;
}

describe('a member that has paused all of its partitions', () => {
  it('fetches as soon as one is resumed, from every broker', async () => {
    const member = group(AN_HOUR);
    const fetches = ['1', '2'].map((nodeId) => member.fetch(nodeId));
    await new Promise((resolve) => setTimeout(resolve, 20));
    member.resume([{ topic: 'impressions', partitions: [3] }]);
    expect(await Promise.all(fetches)).toEqual([[], []]);
    expect(await member.fetch('1')).toEqual([{ nodeId: '1' }]);
  });

  it('does what a fetch does else, and looks again after the usual time', async () => {
    const member = group(5);
    expect(await member.fetch('1')).toEqual([]);
    expect(member.looks).toBe(1);
  });

  it('fetches at once what was resumed while it looked', async () => {
    const member = group(AN_HOUR);
    const fetch = member.fetch('1');
    member.resume([{ topic: 'impressions', partitions: [3] }]);
    expect(await fetch).toEqual([]);
    expect(await member.fetch('1')).toEqual([{ nodeId: '1' }]);
  });
});

it('a member that reads many partitions lets a fetch wait twice as long, until they are fewer', async () => {
  const member = group(5);
  const resumed = (partitions: number): void =>
    member.resume([{ topic: 'impressions', partitions: Array.from({ length: partitions }, (_, p) => p) }]);
  const waits: number[] = [];
  for (const partitions of [64, 65, 256, 64]) {
    resumed(partitions);
    await member.fetch('1');
    waits.push(member.maxWaitTime);
  }
  expect(waits).toEqual([5, 10, 10, 5]);
});
