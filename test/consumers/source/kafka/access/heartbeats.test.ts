import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterEach, expect, it, vi } from 'vitest';
import { kafkajs } from '../../../../../src/consumers/source/kafka/access/client.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

interface Group {
  memberId: string;
  coordinator: { heartbeat(request: object): Promise<void> };
  heartbeat(options: { readonly interval: number }): Promise<void>;
}

it.each([-3_600_000, 3_600_000])(
  'a member sends heartbeats on time after its clock has stepped by %i ms',
  async (step) => {
    expect(kafkajs.Kafka).toBeDefined();
    const Made: new (options: object) => Group = createRequire(import.meta.url)(
      'kafkajs/src/consumer/consumerGroup.js',
    );
    let now = 1_790_000_000_000;
    vi.spyOn(Date, 'now').mockImplementation(() => now);
    const group = new Made({
      logger: { namespace: () => ({}) },
      instrumentationEmitter: { emit: () => {} },
      cluster: {},
      retry: {},
      topics: [],
      topicConfigurations: {},
      groupId: randomUUID(),
    });
    let sent = 0;
    group.memberId = 'member';
    group.coordinator = {
      heartbeat: async () => {
        sent++;
      },
    };
    const after = async (ms: number): Promise<number> => {
      now += ms;
      await group.heartbeat({ interval: 1000 });
      return sent;
    };
    await after(2000);
    const before = sent;
    expect(await after(500)).toBe(before);
    expect(await after(500)).toBe(before + 1);
    expect(await after(step)).toBe(before + 2);
    expect(await after(500)).toBe(before + 2);
    expect(await after(500)).toBe(before + 3);
  },
);
