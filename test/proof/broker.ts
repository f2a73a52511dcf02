import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { reconnecting } from '../../src/consumers/source/kafka/access/reconnecting.ts';
import type { LogRecord } from '../reference/logs.ts';
import type { RunningKafka } from '../services/kafka.ts';
import type { Sent } from './feed.ts';
import { GROUP, TOPICS } from './parameters.ts';
import { PlainDecoder } from './plain-decoder.ts';

const require = createRequire(import.meta.url);
const CONNECTION = require.resolve('kafkajs/src/network/connection.js');
const Connection = require(CONNECTION);
const loaded = require.cache[CONNECTION];
// With kafkajs' own connections the proof would wait for its own records after a broker was cut off. Everything else is kafkajs,
// so that records are decoded by other code than in the workers.
if (loaded !== undefined) loaded.exports = reconnecting(Connection);
const { Kafka, Partitioners, logLevel }: typeof import('kafkajs') = require('kafkajs');
type Client = InstanceType<typeof Kafka>;

const PATIENCE_MS = 120_000;

/** The proof's own way to the brokers. */
export class Broker {
  readonly #kafka: Client;
  readonly #partitions: number;
  readonly #admin: ReturnType<Client['admin']>;
  readonly #producer: ReturnType<Client['producer']>;

  constructor({ brokers }: RunningKafka, partitions: number, requestTimeout = 30_000) {
    this.#kafka = new Kafka({
      brokers: [...brokers],
      clientId: 'proof',
      logLevel: logLevel.NOTHING,
      requestTimeout,
      retry: { retries: 20, maxRetryTime: 2000 },
    });
    this.#partitions = partitions;
    this.#admin = this.#kafka.admin();
    this.#producer = this.#kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  }

  /** Makes the topics. */
  async open(): Promise<void> {
    await this.#admin.connect();
    // Its own way to wait for leaders gives up when one of several brokers has not heard of the topics yet.
    await this.#admin.createTopics({
      waitForLeaders: false,
      topics: TOPICS.map((topic) => ({ topic, numPartitions: this.#partitions })),
    });
    for (const until = Date.now() + PATIENCE_MS; ; await sleep(200)) {
      const error = await this.ends().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error === undefined) break;
      if (Date.now() > until) throw error;
    }
    await this.#producer.connect();
  }

  /** Returns whether the consumer group of the workers is deleted; it has members otherwise. */
  async deleteGroup(): Promise<boolean> {
    return this.#admin.deleteGroups([GROUP]).then(
      () => true,
      () => false,
    );
  }

  /** One batch; every record goes to the partition of its key. */
  async send(records: readonly Sent[]): Promise<void> {
    await this.#producer.sendBatch({
      acks: -1,
      topicMessages: TOPICS.map((topic, t) => ({
        topic,
        messages: records
          .filter((record) => record.topic === t)
          .map(({ key, value, timestamp }) => ({ key, value, timestamp: String(timestamp) })),
      })),
    });
  }

  /** One batch to one partition. Answers by topic the offset of the first record there. */
  async sendTo(partition: number, records: readonly Sent[]): Promise<ReadonlyMap<number, number>> {
    const sent = await this.#producer.sendBatch({
      acks: -1,
      topicMessages: TOPICS.map((topic, t) => ({
        topic,
        messages: records
          .filter((record) => record.topic === t)
          .map(({ key, value, timestamp }) => ({ partition, key, value, timestamp: String(timestamp) })),
      })).filter(({ messages }) => messages.length > 0),
    });
    return new Map(sent.map(({ topicName, baseOffset }) => [TOPICS.indexOf(topicName), Number(baseOffset)]));
  }

  /** By partition and topic: the offset after the last record. */
  async ends(): Promise<readonly (readonly number[])[]> {
    const ends = Array.from({ length: this.#partitions }, () => TOPICS.map(() => 0));
    for (const [t, topic] of TOPICS.entries()) {
      for (const { partition, high } of await this.#admin.fetchTopicOffsets(topic)) ends[partition][t] = Number(high);
    }
    return ends;
  }

  /** By partition and topic: all records that the brokers hold, in the order of their offsets, decoded. */
  async readAll(): Promise<readonly (readonly LogRecord[])[][]> {
    const ends = await this.ends();
    const logs = await this.readUpTo(new Map(ends.entries()));
    return ends.map((_, partition) => logs.get(partition) ?? []);
  }

  /** The same of some partitions, each up to offsets by topic. */
  async readUpTo(ends: ReadonlyMap<number, readonly number[]>): Promise<ReadonlyMap<number, (readonly LogRecord[])[]>> {
    const logs = new Map([...ends].map(([partition, topics]) => [partition, topics.map((): LogRecord[] => [])]));
    let missing = [...ends.values()].flat().reduce((sum, end) => sum + end, 0);
    if (missing === 0) return logs;
    const decoder = new PlainDecoder();
    const consumer = this.#kafka.consumer({ groupId: `proof-reader-${randomUUID()}` });
    await consumer.connect();
    await consumer.subscribe({ topics: [...TOPICS], fromBeginning: true });
    const others = Array.from({ length: this.#partitions }, (_, p) => p).filter((p) => !ends.has(p));
    consumer.on(consumer.events.GROUP_JOIN, () => {
      if (others.length > 0) consumer.pause(TOPICS.map((topic) => ({ topic, partitions: others })));
    });
    await new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
      consumer
        .run({
          autoCommit: false,
          eachBatch: async ({ batch }) => {
            const t = TOPICS.indexOf(batch.topic);
            const log = logs.get(batch.partition)?.[t];
            const end = ends.get(batch.partition)?.[t] ?? 0;
            if (log === undefined) return;
            for (const { offset, timestamp, value } of batch.messages) {
              if (log.length === end) break;
              if (Number(offset) !== log.length)
                throw new Error(`${batch.topic}: offset ${offset} after ${log.length}`);
              log.push(decoder.decode(t === 0 ? 'impressions' : 'feedback', log.length, Number(timestamp), value));
              missing--;
            }
            if (missing === 0) resolve();
          },
        })
        .catch(reject);
    });
    await consumer.disconnect();
    return logs;
  }

  async close(): Promise<void> {
    await this.#producer.disconnect();
    await this.#admin.disconnect();
  }
}
