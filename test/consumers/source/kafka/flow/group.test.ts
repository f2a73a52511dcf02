import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { KafkaSource } from '../../../../../src/consumers/source/kafka/kafka.ts';
import { itWith } from '../../../../services/it-with.ts';
import type { RunningKafka } from '../../../../services/kafka.ts';
import { sharedKafka } from '../../../../services/kafka-shared.ts';
import { Collector, range, until } from '../collector.ts';
import { makeTopics, PATIENT, produce, QUICK, sourceOver } from '../fixture.ts';
import { Told } from '../told.ts';

const KAFKA = sharedKafka();
const PARTITIONS = 5;
const TOPICS = 2;

/** Positions of all units behind a token, as a real store keeps them: who claimed last may commit. */
class Ledger {
  readonly owner = new Map<number, string>();
  readonly next = range(0, PARTITIONS).map(() => new Array<number>(TOPICS).fill(0));
  /** Offsets that were committed, by partition and topic. */
  readonly taken = range(0, PARTITIONS).map(() => range(0, TOPICS).map((): number[] => []));
  fenced = 0;

  get count(): number {
    return this.taken.flat(2).length;
  }
}

/** Claims, seeks and commits every chunk, like a worker. */
class Worker {
  readonly told = new Told();
  readonly source: KafkaSource;
  readonly read: Collector;
  held: readonly number[] = [];

  constructor(kafka: RunningKafka, topics: readonly string[], groupId: string, ledger: Ledger) {
    this.source = sourceOver(kafka, topics, this.told, { groupId });
    const tokens = new Map<number, string>();
    this.read = new Collector(
      this.source,
      async (partitions) => {
        this.held = partitions;
        for (const partition of partitions) {
          await sleep(1);
          const token = randomUUID();
          tokens.set(partition, token);
          ledger.owner.set(partition, token);
          for (const topic of range(0, TOPICS)) this.source.seek(partition, topic, ledger.next[partition][topic]);
        }
      },
      async ({ partition, topic, records, next }) => {
        const token = tokens.get(partition);
        await sleep(3);
        if (ledger.owner.get(partition) !== token) {
          ledger.fenced++;
          return;
        }
        ledger.taken[partition][topic].push(...records.map(({ offset }) => offset));
        ledger.next[partition][topic] = next;
      },
    );
  }
}

describe('a group of workers', () => {
  itWith(
    KAFKA,
    'keeps the topics of a partition together through joins and leaves, and counts every record once',
    async (kafka) => {
      const topics = await makeTopics(kafka, TOPICS, PARTITIONS);
      const groupId = randomUUID();
      const ledger = new Ledger();
      let made = 0;
      const more = async (count: number): Promise<void> => {
        for (const topic of topics) {
          await produce(
            kafka,
            topic,
            range(0, PARTITIONS).flatMap((partition) => range(0, count).map((i) => ({ value: String(i), partition }))),
          );
        }
        made += count;
      };
      const isShared = (...workers: Worker[]): boolean =>
        workers
          .flatMap(({ held }) => held)
          .sort()
          .join() === range(0, PARTITIONS).join();

      await more(2000);
      const a = new Worker(kafka, topics, groupId, ledger);
      await until('the first has all', () => isShared(a));
      const b = new Worker(kafka, topics, groupId, ledger);
      await more(2000);
      await until('two share', () => b.held.length > 0 && isShared(a, b));
      const heldByA = a.held;
      expect(heldByA).toHaveLength(3);

      const c = new Worker(kafka, topics, groupId, ledger);
      await more(1000);
      await until('three share', () => c.held.length > 0 && isShared(a, b, c));
      for (const partition of a.held) expect(heldByA).toContain(partition);
      const heldByB = b.held;
      await c.read.stop();
      await more(1000);
      await until('two share again', () => isShared(a, b));
      expect(a.held).toEqual(expect.arrayContaining(heldByA.filter((p) => a.held.includes(p))));
      for (const partition of heldByB) expect(b.held).toContain(partition);

      await a.read.stop();
      await until('the second has all', () => isShared(b));
      await until('all is read', () => ledger.count === made * TOPICS * PARTITIONS);
      await b.read.stop();
      for (const partition of range(0, PARTITIONS)) {
        for (const topic of range(0, TOPICS)) expect(ledger.taken[partition][topic]).toEqual(range(0, made));
      }
      for (const worker of [a, b, c]) {
        expect(worker.told.unpaired).toEqual([]);
        expect(worker.told.gaps).toEqual([]);
      }
    },
  );

  itWith(KAFKA, 'refuses a worker that reads other topics, and is not disturbed', async (kafka) => {
    const topics = await makeTopics(kafka, 3, 1);
    const groupId = randomUUID();
    const first = new Collector(sourceOver(kafka, topics.slice(0, 2), new Told(), { groupId, times: PATIENT }));
    for (const topic of topics.slice(0, 2)) await produce(kafka, topic, [{ value: 'x' }]);
    // Where a broker does not lead a new topic yet, the first joins once more by itself.
    await until('the first reads both', () => first.offsets(0).length === 1 && first.offsets(1).length === 1);
    const joins = first.assignments.length;
    const other = new Collector(sourceOver(kafka, topics.slice(1), new Told(), { groupId }));
    expect(String(await other.ended)).toMatch(/KafkaFailure: kafka \(127.*other topics.*kafka\.groupId/);
    await produce(kafka, topics[0], [{ value: 'x' }]);
    await until('the first goes on', () => first.offsets().length === 2);
    expect(first.assignments).toHaveLength(joins);
    await first.stop();
  });

  itWith(KAFKA, 'is heard from while a handler takes longer than a session', async (kafka) => {
    const topics = await makeTopics(kafka, 1, 1);
    await produce(kafka, topics[0], [{ value: 'slow' }, { value: 'next' }]);
    let handled = 0;
    const times = { ...QUICK, sessionTimeout: 15_000 };
    const read = new Collector(
      sourceOver(kafka, topics, new Told(), { times }),
      () => {},
      async () => {
        await sleep(times.sessionTimeout + 3000);
        handled++;
      },
    );
    await until('the slow one is done', () => handled === 1);
    expect(read.assignments).toHaveLength(1);
    expect(read.offsets()).toEqual([0, 1]);
    await read.stop();
  });

  itWith(KAFKA, 'rejects with an advice when a topic does not exist', async (kafka) => {
    const [topic] = await makeTopics(kafka, 1, 1);
    const read = new Collector(sourceOver(kafka, [topic, `${topic}-none`]));
    expect(String(await read.ended)).toMatch(/create it/);
  });

  itWith(KAFKA, 'is left within the timeout, even if a handler hangs', async (kafka) => {
    const topics = await makeTopics(kafka, 1, 1);
    await produce(kafka, topics[0], [{ value: 'x' }]);
    for (const hangs of [false, true]) {
      // Without a handler that hangs it is left long before its timeout.
      const source = sourceOver(kafka, topics, new Told(), hangs ? {} : { stopTimeout: 3_600_000 });
      const read = new Collector(
        source,
        () => {},
        () => (hangs ? new Promise<void>(() => {}) : undefined),
      );
      await until('it reads', () => read.batches.length === 1);
      await source.stop();
      expect(await read.ended).toBeUndefined();
    }
  });
});
