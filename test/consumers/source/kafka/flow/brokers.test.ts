import { describe, expect, it } from 'vitest';
import { type AdminClient, Brokers } from '../../../../../src/consumers/source/kafka/flow/brokers.ts';

interface Fake extends AdminClient {
  readonly calls: string[];
}

/** An admin client that answers when a test lets it. */
function fake(made: Fake[], open: (() => void)[], failures: Error[] = [], stable?: string): Fake {
  const calls: string[] = [];
  const client: Fake = {
    calls,
    connect: async () => void calls.push('connect'),
    disconnect: async () => void calls.push('disconnect'),
    fetchTopicOffsets: async (topic) => {
      calls.push(topic);
      await new Promise<void>((resolve) => open.push(resolve));
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      const high = String(calls.length);
      return [{ partition: 0, offset: high, low: '0', high }];
    },
    fetchStableOffsets: async (_, partitions) => partitions.map((partition) => ({ partition, offset: stable ?? '9' })),
    fetchTopicOffsetsByTimestamp: async () => [],
    fetchTopicMetadata: async () => ({ topics: [] }),
    fetchOffsets: async () => [
      {
        topic: 'a',
        partitions: [
          { partition: 2, offset: '7' },
          { partition: 0, offset: '-2' },
        ],
      },
    ],
    mayRead: async (topic) => topic !== 'b',
    mayJoin: async (groupId) => groupId !== 'h',
  };
  made.push(client);
  return client;
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('questions to the brokers', () => {
  it('share a request only if it was not sent before they were asked', async () => {
    const made: Fake[] = [];
    const open: (() => void)[] = [];
    const brokers = new Brokers(() => fake(made, open), ['a', 'b']);
    const first = [brokers.bounds(0, 0), brokers.bounds(0, 0)];
    await tick();
    const later = [brokers.bounds(0, 0), brokers.bounds(0, 0)];
    await tick();
    open.shift()?.();
    expect(await Promise.all(first)).toEqual([
      { start: 0, end: 2 },
      { start: 0, end: 2 },
    ]);
    await tick();
    open.shift()?.();
    expect(await Promise.all(later)).toEqual([
      { start: 0, end: 3 },
      { start: 0, end: 3 },
    ]);
    expect(made[0].calls).toEqual(['connect', 'a', 'a']);
  });

  it.each([
    ['1', { start: 0, end: 2, openFrom: 1 }],
    ['2', { start: 0, end: 2 }],
    // Written after the end was reported.
    ['3', { start: 0, end: 2 }],
  ] as const)('tell an open transaction by a stable offset of %s before an end of 2', async (stable, bounds) => {
    const made: Fake[] = [];
    const open: (() => void)[] = [];
    const brokers = new Brokers(() => fake(made, open, [], stable), ['a']);
    const asked = brokers.bounds(0, 0);
    await tick();
    open.shift()?.();
    expect(await asked).toEqual(bounds);
  });

  it('go out one at a time', async () => {
    const made: Fake[] = [];
    const open: (() => void)[] = [];
    const brokers = new Brokers(() => fake(made, open), ['a', 'b']);
    const both = [brokers.bounds(0, 0), brokers.bounds(0, 1)];
    await tick();
    expect(made[0].calls).toEqual(['connect', 'a']);
    open.shift()?.();
    await tick();
    open.shift()?.();
    await Promise.all(both);
    expect(made[0].calls).toEqual(['connect', 'a', 'b']);
  });

  it('get a new client after a failure', async () => {
    const made: Fake[] = [];
    const open: (() => void)[] = [];
    const failures = [new Error('no leader')];
    const brokers = new Brokers(() => fake(made, open, failures), ['a']);
    const failed = brokers.bounds(0, 0);
    await tick();
    open.shift()?.();
    await expect(failed).rejects.toThrow('no leader');
    const again = brokers.bounds(0, 0);
    await tick();
    open.shift()?.();
    expect(await again).toEqual({ start: 0, end: 2 });
    expect(made).toHaveLength(2);
    expect(made[0].calls).toContain('disconnect');
    await brokers.close();
    expect(made[1].calls).toContain('disconnect');
  });

  it('that wait for their turn are not sent after the end, and make no new connection', async () => {
    const made: Fake[] = [];
    const open: (() => void)[] = [];
    const brokers = new Brokers(() => fake(made, open), ['a', 'b']);
    const [first, second] = [brokers.bounds(0, 0), brokers.bounds(0, 1)];
    const outcome = second.catch((error: Error) => error.message);
    await tick();
    await brokers.close();
    open.shift()?.();
    await first;
    await tick();
    open.shift()?.();
    expect(await outcome).toBe('kafka: the connections are closed');
    expect(made.map(({ calls }) => calls)).toEqual([['connect', 'a', 'disconnect']]);
  });

  it('tell a partition that is not there, and offsets that are no positions', async () => {
    const made: Fake[] = [];
    const open: (() => void)[] = [];
    const brokers = new Brokers(() => fake(made, open), ['a', 'b']);
    const missing = brokers.bounds(5, 0);
    await tick();
    open.shift()?.();
    await expect(missing).rejects.toThrow('topic a has no partition 5');
    expect(await brokers.committedBy('g')).toEqual([[-2, -1, 7], []]);
  });

  it.each([
    ['has never had a group', 'UNKNOWN_TOPIC_OR_PARTITION', [[], []]],
    ['has had groups', undefined, 'no coordinator'],
    ['does not say whether it has had one', 'TOPIC_AUTHORIZATION_FAILED', 'no coordinator'],
  ] as const)('about a group, where nobody is in charge of groups and the cluster %s', async (_, type, answer) => {
    const asked: string[] = [];
    const admin: AdminClient = {
      ...fake([], []),
      fetchOffsets: () => Promise.reject(new Error('no coordinator')),
      fetchTopicMetadata: ({ topics }) => {
        asked.push(...topics);
        return type === undefined
          ? Promise.resolve({ topics: [{ partitions: [0] }] })
          : Promise.reject(Object.assign(new Error(type), { type }));
      },
    };
    const told = await new Brokers(() => admin, ['a', 'b']).committedBy('g').catch((error: Error) => error.message);
    expect(told).toEqual(answer);
    expect(asked).toEqual(['__consumer_offsets']);
  });

  it('about rights name the topics and the group that may not be read', async () => {
    const brokers = new Brokers(() => fake([], []), ['a', 'b']);
    expect(await brokers.unreadable('g')).toEqual([{ kind: 'topic', name: 'b' }]);
    expect(await brokers.unreadable('h')).toEqual([
      { kind: 'topic', name: 'b' },
      { kind: 'group', name: 'h' },
    ]);
  });
});
