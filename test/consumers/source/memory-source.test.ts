import { describe, expect, it } from 'vitest';
import { MemoryLog, MemorySource } from '../../../src/consumers/source/memory-source.ts';
import { RECORDS, sourceContract } from '../../contracts/source/suite.ts';
import { settle } from '../../manual-clock.ts';
import { until } from './kafka/collector.ts';

sourceContract('memory', async () => {
  const log = new MemoryLog(2, 1);
  for (let i = 0; i < RECORDS; i++) for (const topic of [0, 1]) log.append(topic, 0, Buffer.from(String(i)), i);
  return { source: new MemorySource(log), cleanUp: async () => {} };
});

describe('a memory log', () => {
  it('lets others continue while much of it is read', async () => {
    const log = new MemoryLog(1, 1);
    for (let i = 0; i < 20_000; i++) log.append(0, 0, null, i);
    const source = new MemorySource(log);
    let turns = 0;
    let read = 0;
    const turn = (): void => {
      turns++;
      if (read < 20_000) setImmediate(turn);
    };
    setImmediate(turn);
    await source.run({
      assigned: async () => {},
      batch: async ({ records }) => {
        read += records.length;
        if (read === 20_000) void source.stop();
      },
    });
    // A hundred chunks.
    expect(turns).toBeGreaterThan(20);
  });

  it('keeps offsets when its front is trimmed', async () => {
    const log = new MemoryLog(1, 1);
    for (let i = 0; i < 10; i++) log.append(0, 0, Buffer.from(String(i)), i);
    log.trim(0, 0, 4);
    expect(log.bounds(0, 0)).toEqual({ start: 4, end: 10 });
    expect(log.read(0, 0, 0, 2).map((r) => r.offset)).toEqual([4, 5]);
    log.trim(0, 0, 3);
    expect(log.bounds(0, 0).start).toBe(4);
  });

  it('wakes a source that has read everything', async () => {
    const log = new MemoryLog(1, 2);
    const source = new MemorySource(log);
    const seen: number[] = [];
    const running = source.run({
      assigned: async (partitions) => expect(partitions).toEqual([0, 1]),
      batch: async ({ partition, records }) => {
        seen.push(partition * 100 + records.length);
        if (seen.length === 3) void source.stop();
      },
    });
    for (const [n, partition] of [0, 1, 1].entries()) {
      await settle();
      log.append(0, partition, null, 0);
      await until('it is read', () => seen.length > n);
    }
    await running;
    expect(seen).toEqual([1, 101, 101]);
  });
});
