import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { itWith } from '../../../../services/it-with.ts';
import type { RunningKafka } from '../../../../services/kafka.ts';
import { sharedKafka } from '../../../../services/kafka-shared.ts';
import { Collector, range, until } from '../collector.ts';
import { client, makeTopics, produce, sourceOver } from '../fixture.ts';
import { Told } from '../told.ts';

const KAFKA = sharedKafka();
const OLDER = sharedKafka({ version: '3.9.2' });

const numbered = (count: number, from = 0) =>
  range(from, from + count).map((i) => ({ value: String(i), timestamp: 1000 + i }));

async function readsAll(kafka: RunningKafka): Promise<void> {
  const topics = await makeTopics(kafka, 2, 1);
  for (const topic of topics) await produce(kafka, topic, [...numbered(700), { value: null, timestamp: 5 }]);
  const read = new Collector(sourceOver(kafka, topics));
  await until('both topics are read', () => read.offsets(0).length === 701 && read.offsets(1).length === 701);
  await read.stop();
  expect(read.offsets(1)).toEqual(range(0, 701));
  expect(read.values(0)).toEqual([...numbered(700).map(({ value }) => value), null]);
  const [first] = read.batches[0].records;
  expect([first.timestamp, first.value instanceof Uint8Array]).toEqual([1000, true]);
}

async function deleteBelow(kafka: RunningKafka, topic: string, offset: number): Promise<void> {
  const admin = client(kafka).admin();
  await admin.connect();
  await admin.fetchTopicOffsets(topic); // loads the topic
  await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: String(offset) }] });
  await admin.disconnect();
}

/** One is committed, one aborted: what stands behind them waits for their ends, and control records are nothing that is left. */
async function readsBehindTransactions(kafka: RunningKafka): Promise<void> {
  const topics = await makeTopics(kafka, 1, 1);
  const [topic] = topics;
  const producer = client(kafka).producer({
    transactionalId: topic,
    idempotent: true,
    maxInFlightRequests: 1,
    transactionTimeout: 900_000,
  });
  await producer.connect();
  const begin = async (value: string) => {
    const transaction = await producer.transaction();
    await transaction.send({ topic, messages: [{ value }, { value }] });
    return transaction;
  };
  await produce(kafka, topic, [{ value: 'a' }]);
  const told = new Told();
  const source = sourceOver(kafka, topics, told);
  const read = new Collector(source);
  await until('the first is read', () => source.state(0, 0)?.position === 1);
  expect(await source.bounds(0, 0)).toEqual({ start: 0, end: 1 });

  const first = await begin('b');
  expect(await source.bounds(0, 0)).toEqual({ start: 0, end: 3, openFrom: 1 });
  await produce(kafka, topic, [{ value: 'c' }]);
  expect(await source.bounds(0, 0)).toEqual({ start: 0, end: 4, openFrom: 1 });
  expect(source.state(0, 0)?.position).toBe(1);
  await first.commit();
  await until('all is read', () => source.state(0, 0)?.position === 5);
  expect(await source.bounds(0, 0)).toEqual({ start: 0, end: 5 });

  const second = await begin('d');
  expect(await source.bounds(0, 0)).toEqual({ start: 0, end: 7, openFrom: 5 });
  source.pause(0, 0);
  await second.abort();
  await until('the abort is written', async () => (await source.bounds(0, 0)).openFrom === undefined);
  // Of a topic that is paused nothing is fetched, and its end is known all the same.
  expect(await source.bounds(0, 0)).toEqual({ start: 0, end: 8 });
  source.resume(0, 0);
  await until('the position is the end', () => source.state(0, 0)?.position === 8);

  // As the runbook ends one whose producer is gone.
  await begin('e');
  await until('it is seen', async () => (await source.bounds(0, 0)).openFrom === 8);
  // Who is sent past what it holds waits there; the log has not lost anything.
  source.seek(0, 0, 10);
  await until('it stands there', () => source.state(0, 0)?.flows === true);
  const transactions = (...args: string[]) =>
    kafka.tool('org.apache.kafka.tools.TransactionsCommand', [
      ...['--bootstrap-server', kafka.brokers.join(',')],
      ...[...args, '--topic', topic, '--partition', '0'],
    ]);
  expect(await transactions('describe-producers')).toMatch(
    /ProducerId.*CurrentTransactionStartOffset\s+\d+\s.*\s8\s*$/,
  );
  await transactions('abort', '--start-offset', '8');
  await until('the position is the end again', () => source.state(0, 0)?.position === 11);
  expect(await source.bounds(0, 0)).toEqual({ start: 0, end: 11 });
  await producer.disconnect();
  await read.stop();
  expect(read.values()).toEqual(['a', 'b', 'b', 'c']);
  expect([told.lost, told.gaps]).toEqual([[], []]);
}

describe('reading from Kafka', () => {
  itWith(KAFKA, 'gives values, times and tombstones in order', readsAll);
  itWith(OLDER, 'works with Kafka 3.9 as well', readsAll);

  itWith(KAFKA, 'goes back when it is sought while more is queued, and forward again', async (kafka) => {
    const topics = await makeTopics(kafka, 2, 1);
    for (const topic of topics) await produce(kafka, topic, numbered(10_000));
    const source = sourceOver(kafka, topics);
    // Chunks have 2,048 records at most, and fewer where a machine is slow.
    const jumps = [
      { after: 4000, to: 1000 },
      { after: 6500, to: 9000 },
    ];
    const left: number[] = [];
    const read = new Collector(
      source,
      () => {},
      ({ topic, next }) => {
        const [jump] = jumps;
        if (topic !== 0 || jump === undefined || next < jump.after) return;
        jumps.shift();
        left.push(next);
        source.seek(0, 0, jump.to);
      },
    );
    await until('the end is reached', () => read.offsets(0).at(-1) === 9999 && read.offsets(1).length === 10_000);
    await read.stop();
    expect(left).toHaveLength(2);
    expect(left[1]).toBeLessThan(9000);
    expect(read.offsets(0)).toEqual([...range(0, left[0]), ...range(1000, left[1]), ...range(9000, 10_000)]);
    expect(read.offsets(1)).toEqual(range(0, 10_000));
  });

  itWith(KAFKA, 'pauses one topic of a partition and loses nothing by it', async (kafka) => {
    const topics = await makeTopics(kafka, 2, 1);
    for (const topic of topics) await produce(kafka, topic, numbered(1000));
    const source = sourceOver(kafka, topics);
    let paused = 0;
    const read = new Collector(
      source,
      () => {},
      ({ topic, next }) => {
        if (topic === 1 || paused > 0) return;
        paused = next;
        source.pause(0, 0);
      },
    );
    await until('the other topic is read', () => read.offsets(1).length === 1000);
    await sleep(300);
    expect(paused).toBeLessThan(1000);
    expect(read.offsets(0)).toEqual(range(0, paused));
    expect(source.state(0, 0)).toEqual({ position: paused, flows: false });
    source.resume(0, 0);
    await until('the paused topic is read', () => read.offsets(0).length === 1000);
    expect(source.state(0, 0)).toEqual({ position: 1000, flows: true });
    await read.stop();
    expect(read.offsets(0)).toEqual(range(0, 1000));
  });

  itWith(KAFKA, 'steps over control records and aborted transactions, up to the end of the log', async (kafka) => {
    const topics = await makeTopics(kafka, 2, 1);
    const [topic] = topics;
    const producer = client(kafka).producer({ transactionalId: topic, idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    for (const [value, isCommitted] of [
      ['a', true],
      ['b', false],
      ['c', false],
      ['d', true],
      ['e', false],
    ] as const) {
      const transaction = await producer.transaction();
      await transaction.send({ topic, messages: [{ value }, { value }] });
      if (isCommitted) await transaction.commit();
      else await transaction.abort();
    }
    await producer.disconnect();
    const source = sourceOver(kafka, topics);
    const read = new Collector(source);
    // The marker of an abort is written after the producer has been answered.
    await until('the last transaction has ended', async () => (await source.bounds(0, 0)).end === 15);
    await until('the position is the end', () => source.state(0, 0)?.position === 15);
    await read.stop();
    expect(read.values()).toEqual(['a', 'a', 'd', 'd']);
    expect(read.offsets()).toEqual([0, 1, 9, 10]);
    expect(read.batches.at(-1)?.next).toBe(15);
  });

  itWith(KAFKA, 'reports the end behind an open transaction, and where it begins', readsBehindTransactions);
  itWith(OLDER, 'reports them with Kafka 3.9 as well', readsBehindTransactions);

  itWith(KAFKA, 'takes what compaction leaves for holes, not for gaps', async (kafka) => {
    const topics = await makeTopics(kafka, 1, 1, {
      'cleanup.policy': 'compact',
      'segment.ms': '100',
      'min.cleanable.dirty.ratio': '0.01',
      'max.compaction.lag.ms': '100',
    });
    for (let round = 0; round < 4; round++) {
      await produce(
        kafka,
        topics[0],
        range(0, 50).map((i) => ({ key: `k${i % 5}`, value: `${round}.${i}` })),
      );
      await sleep(150);
    }
    const told = new Told();
    const source = sourceOver(kafka, topics, told);
    await until('the log is compacted', async () => {
      const early = new Collector(sourceOver(kafka, topics));
      await until('it is read', () => early.offsets().at(-1) === 199);
      await early.stop();
      return early.offsets().length < 100;
    });
    const read = new Collector(source, () => source.seek(0, 0, 7));
    await until('the end is reached', () => source.state(0, 0)?.position === 200);
    await read.stop();
    expect(told.gaps).toEqual([]);
    expect(read.offsets()).toEqual([...read.offsets()].sort((a, b) => a - b));
    expect(read.offsets()[0]).toBeGreaterThan(7);
    expect(read.values().slice(-5)).toEqual(range(45, 50).map((i) => `3.${i}`));
  });

  itWith(
    KAFKA,
    'tells of records that are gone before they were read, and goes on behind them if told so',
    async (kafka) => {
      const topics = await makeTopics(kafka, 2, 1);
      for (const topic of topics) await produce(kafka, topic, numbered(300));
      await deleteBelow(kafka, topics[0], 120);
      const told = new Told();
      told.verdict = 'skip';
      const source = sourceOver(kafka, topics, told);
      const read = new Collector(source, () => source.seek(0, 0, 50));
      await until('both are read', () => read.offsets(0).length === 180 && read.offsets(1).length === 300);
      await read.stop();
      expect(told.gaps).toEqual([{ partition: 0, topic: 0, asked: 50, start: 120 }]);
      expect(read.offsets(0)).toEqual(range(120, 300));
    },
  );

  itWith(KAFKA, 'does not jump with its client when records vanish while it reads', async (kafka) => {
    const topics = await makeTopics(kafka, 1, 1);
    await produce(kafka, topics[0], numbered(1000));
    const told = new Told();
    const source = sourceOver(kafka, topics, told);
    let paused = 0;
    const read = new Collector(
      source,
      () => {},
      ({ next }) => {
        if (paused > 0) return;
        paused = next;
        source.pause(0, 0);
      },
    );
    // Until then, what was fetched would be delivered on, though the broker has deleted it.
    await until('what was fetched is dropped', () => paused > 0 && source.fetchedBytes === 0);
    await deleteBelow(kafka, topics[0], 500);
    source.resume(0, 0);
    await until('the gap is told', () => told.gaps.length > 0);
    expect(told.gaps).toEqual([{ partition: 0, topic: 0, asked: paused, start: 500 }]);
    await sleep(300);
    expect(read.offsets()).toEqual(range(0, paused));
    source.seek(0, 0, 500);
    await until('the rest is read', () => read.offsets().length === paused + 500);
    await read.stop();
    expect(read.offsets()).toEqual([...range(0, paused), ...range(500, 1000)]);
  });

  itWith(KAFKA, 'reports a log that ends before the offset to be read', async (kafka) => {
    const topics = await makeTopics(kafka, 1, 1);
    await produce(kafka, topics[0], numbered(10));
    const told = new Told();
    const source = sourceOver(kafka, topics, told);
    const read = new Collector(source, () => source.seek(0, 0, 11));
    await until('the loss is told', () => told.lost.length > 0);
    await sleep(300);
    await read.stop();
    expect(told.lost).toEqual([{ partition: 0, topic: 0, held: 11, end: 10 }]);
    expect(read.batches).toEqual([]);
  });

  itWith(KAFKA, 'writes the committed offsets into the group', async (kafka) => {
    const topics = await makeTopics(kafka, 2, 2);
    await produce(kafka, topics[0], numbered(10));
    const source = sourceOver(kafka, topics);
    expect(await source.committedByGroup()).toEqual([
      [-1, -1],
      [-1, -1],
    ]);
    const read = new Collector(source);
    await until('it is read', () => read.offsets().length === 10);
    source.sendOffsets(0, [7, 0]);
    await until('the group knows', async () => (await source.committedByGroup())[0][0] === 7);
    expect(await source.committedByGroup()).toEqual([
      [7, -1],
      [0, -1],
    ]);
    await read.stop();
  });

  itWith(KAFKA, 'finds the offset of a time', async (kafka) => {
    const topics = await makeTopics(kafka, 1, 1);
    await produce(kafka, topics[0], numbered(10));
    const source = sourceOver(kafka, topics);
    expect(await Promise.all([1004, 1009, 1010].map((at) => source.offsetAt(0, 0, at)))).toEqual([4, 9, 10]);
    expect(await source.answers()).toBe(true);
    await source.stop();
  });

  itWith(KAFKA, 'counts partitions after a join, and sees what was added', async (kafka) => {
    const topics = await makeTopics(kafka, 2, 1);
    const told = new Told();
    const source = sourceOver(kafka, topics, told);
    const read = new Collector(source);
    await until('they are counted', () => told.counts.length > 0);
    expect(told.counts[0]).toEqual([1, 1]);
    const admin = client(kafka).admin();
    await admin.connect();
    await admin.createPartitions({ topicPartitions: [{ topic: topics[0], count: 3 }] });
    await admin.disconnect();
    await until('the new count is seen', async () => (await source.partitionCounts())[0] === 3);
    await read.stop();
    const next = new Collector(sourceOver(kafka, topics, told));
    await until('it has joined', () => next.assignments.length > 0);
    expect(next.assignments[0]).toEqual([0]);
    await next.stop();
  });
});
