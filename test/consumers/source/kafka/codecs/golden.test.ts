import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { kafkajs } from '../../../../../src/consumers/source/kafka/access/client.ts';
import { ChunkReader } from '../../../../../src/consumers/source/kafka/flow/chunks.ts';
import { recordsOf } from '../../../../../src/consumers/source/source-port.ts';
import { itWith } from '../../../../services/it-with.ts';
import type { RunningKafka } from '../../../../services/kafka.ts';
import { sharedKafka } from '../../../../services/kafka-shared.ts';
import { range } from '../collector.ts';
import { client, makeTopics, produce } from '../fixture.ts';
import { fetchRequest, type Modules, ourKafkajs, plainKafkajs, VERSIONS } from '../plain-kafkajs.ts';

const KAFKA = sharedKafka();
const plain = plainKafkajs();
const ours = ourKafkajs();
const { Partitioners } = kafkajs;
const NEWEST = 11;

type Seen = readonly [offset: number, timestamp: number, value: string | null];

/** The bytes of an answer to one fetch of partition 0, without the length and the number of the request. */
async function answer(kafka: RunningKafka, version: number, topic: string, from: number, most: number) {
  const request = await fetchRequest(version, topic, from, most);
  const [host, port] = kafka.brokers[0].split(':');
  return new Promise<Buffer>((resolve, reject) => {
    const socket = connect(Number(port), host, () => socket.write(request));
    let bytes: Buffer = Buffer.alloc(0);
    socket.once('error', reject);
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length < 4 || bytes.length < 4 + bytes.readInt32BE(0)) return;
      socket.destroy();
      resolve(bytes.subarray(8));
    });
  });
}

async function batchOf({ decode, Batch }: Modules, version: number, raw: Buffer, topic: string, from: number) {
  const [{ partitions }] = (await decode(version, Buffer.from(raw))).responses;
  return new Batch(topic, String(from), partitions[0]);
}

async function readPlainly(version: number, raw: Buffer, topic: string, from: number): Promise<readonly Seen[]> {
  const { messages } = await batchOf(plain, version, raw, topic, from);
  return messages.map(({ offset, timestamp, value }) => [
    Number(offset),
    Number(timestamp),
    value === null ? null : value.toString('latin1'),
  ]);
}

async function read(version: number, raw: Buffer, topic: string, from: number): Promise<readonly Seen[]> {
  const batch = await batchOf(ours, version, raw, topic, from);
  const reader = new ChunkReader({
    ...{ partition: 0, topic: 0, fetched: from, messages: batch.messages, end: Number(batch.lastOffset()) + 1 },
    ...{ logEnd: Number(batch.lastOffset()) + 1, resolveOffset: () => {}, heartbeat: async () => {} },
    ...{ isRunning: () => true, isStale: () => false },
  });
  const seen: Seen[] = [];
  for (let expected = from; !reader.isDone; ) {
    const { runs, refusal, next } = await reader.chunk(expected, 7);
    const records = recordsOf(runs);
    expect(refusal).toBeUndefined();
    for (const { offset, timestamp, value } of records) {
      seen.push([offset, timestamp ?? -1, value === null ? null : Buffer.from(value).toString('latin1')]);
    }
    expected = next;
  }
  return seen;
}

/** Fetches from several offsets, whole and cut off, and compares. Answers all records. */
async function compare(kafka: RunningKafka, topic: string, versions = [NEWEST]): Promise<readonly Seen[]> {
  for (const version of versions) {
    for (const [from, most] of [
      [0, 1 << 20],
      [0, 3000],
      [7, 1 << 20],
      [31, 2000],
    ]) {
      const raw = await answer(kafka, version, topic, from, most);
      const expected = await readPlainly(version, raw, topic, from);
      expect(await read(version, raw, topic, from)).toEqual(expected);
    }
  }
  return read(NEWEST, await answer(kafka, NEWEST, topic, 0, 1 << 20), topic, 0);
}

/** Writes lines of "headers, key, value", between tabs, with Kafka's own producer. */
async function write(kafka: RunningKafka, topic: string, codec: string, lines: readonly string[]): Promise<void> {
  const properties = ['parse.key=true', 'parse.headers=true', 'null.marker=NULL'];
  await kafka.tool(
    'org.apache.kafka.tools.ConsoleProducer',
    [
      ...['--bootstrap-server', kafka.brokers.join(','), '--topic', topic, `--compression-codec=${codec}`],
      ...properties.flatMap((property) => ['--reader-property', property]),
    ],
    lines.map((line) => `${line}\n`).join(''),
  );
}

describe('answers of a broker to a fetch', () => {
  itWith(
    KAFKA,
    'give the records that kafkajs itself decodes, with every codec, with headers, keys and nulls',
    async (kafka) => {
      const codecs = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];
      const topics = await makeTopics(kafka, codecs.length, 1);
      const lines = range(0, 400).map((i) =>
        i % 50 === 3 ? `a:1\tk${i}\tNULL` : `a:1,b:${'y'.repeat(i % 7)}\tk${i}\t{"n":${i},"x":"${'z'.repeat(i % 90)}"}`,
      );
      for (const [i, codec] of codecs.entries()) {
        await write(kafka, topics[i], codec, lines);
        const records = await compare(kafka, topics[i]);
        expect(records.map(([, , value]) => value)).toEqual(
          lines.map((line) => line.split('\t')[2]).map((value) => (value === 'NULL' ? null : value)),
        );
        // It was compressed with that codec, as the batch says.
        const raw = await answer(kafka, NEWEST, topics[i], 0, 1 << 20);
        const [{ stand }] = (await batchOf(ours, NEWEST, raw, topics[i], 0)).messages;
        expect(stand?.kind === 'batch' && stand.bytes[22] & 7).toBe(i);
      }
    },
  );

  itWith(KAFKA, 'are decoded alike in all versions', async (kafka) => {
    const [topic] = await makeTopics(kafka, 1, 1);
    await produce(
      kafka,
      topic,
      range(0, 100).map((i) => ({ value: `${i}`, timestamp: 1000 + ((i * 7) % 13) * 86_400_000 * 40 })),
    );
    expect(await compare(kafka, topic, VERSIONS)).toHaveLength(100);
  });

  itWith(KAFKA, 'give the time of the log where the topic wants it', async (kafka) => {
    const [topic] = await makeTopics(kafka, 1, 1, { 'message.timestamp.type': 'LogAppendTime' });
    const began = Date.now();
    await produce(
      kafka,
      topic,
      range(0, 50).map((i) => ({ value: `${i}`, timestamp: i })),
    );
    const records = await compare(kafka, topic);
    expect(records).toHaveLength(50);
    for (const [, timestamp] of records) expect(Math.abs(timestamp - began)).toBeLessThan(60_000);
  });

  itWith(KAFKA, 'give what a compacted log still holds', async (kafka) => {
    const [topic] = await makeTopics(kafka, 1, 1, {
      'cleanup.policy': 'compact',
      'segment.ms': '100',
      'min.cleanable.dirty.ratio': '0.01',
      'max.compaction.lag.ms': '100',
    });
    for (let round = 0; round < 4; round++) {
      const records = range(0, 50).map((i) => ({ key: `k${(i * i) % 11}`, value: `${round}.${i}` }));
      await produce(kafka, topic, records);
      await sleep(150);
    }
    for (let tries = 0; tries < 300 && (await compare(kafka, topic)).length > 100; tries++) await sleep(200);
    expect((await compare(kafka, topic)).length).toBeLessThan(100);
  });

  itWith(KAFKA, 'give what one transactional producer committed', async (kafka) => {
    const [topic] = await makeTopics(kafka, 1, 1);
    const producer = transactional(kafka, topic);
    await producer.connect();
    for (let i = 0; i < 12; i++) {
      const transaction = await producer.transaction();
      await transaction.send({ topic, messages: range(0, 4).map((n) => ({ value: `${i}.${n}` })) });
      if (i % 3 === 1) await transaction.abort();
      else await transaction.commit();
    }
    await producer.disconnect();
    const records = await compare(kafka, topic);
    expect(records.map(([, , value]) => value)).toEqual(
      range(0, 12)
        .filter((i) => i % 3 !== 1)
        .flatMap((i) => range(0, 4).map((n) => `${i}.${n}`)),
    );
  });

  itWith(
    KAFKA,
    'give nothing of transactions that were aborted within each other, where kafkajs does',
    async (kafka) => {
      const [topic] = await makeTopics(kafka, 1, 1);
      const producers = [1, 2].map((i) => transactional(kafka, `${topic}-${i}`));
      for (const producer of producers) await producer.connect();
      const [outer, inner] = await Promise.all(producers.map((producer) => producer.transaction()));
      const messages = [{ value: 'aborted' }, { value: 'aborted' }];
      await outer.send({ topic, messages });
      await inner.send({ topic, messages });
      await inner.abort();
      await outer.send({ topic, messages });
      await outer.abort();
      await produce(kafka, topic, [{ value: 'plain' }]);
      for (const producer of producers) await producer.disconnect();
      const raw = await answer(kafka, NEWEST, topic, 0, 1 << 20);
      expect((await read(NEWEST, raw, topic, 0)).map(([, , value]) => value)).toEqual(['plain']);
      expect((await readPlainly(NEWEST, raw, topic, 0)).map(([, , value]) => value)).toContain('aborted');
    },
  );
});

function transactional(kafka: RunningKafka, transactionalId: string) {
  return client(kafka).producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    transactionalId,
    maxInFlightRequests: 1,
    idempotent: true,
  });
}
