import kafkajs from 'kafkajs';
import type { LogRecord } from '../reference/logs.ts';
import type { RunningKafka } from '../services/kafka.ts';
import type { Sent } from './feed.ts';
import { TOPICS } from './parameters.ts';
import { PlainDecoder } from './plain-decoder.ts';

const { Kafka, Partitioners, logLevel } = kafkajs;
type Client = InstanceType<typeof Kafka>;

/** The proof's own way to the brokers. */
export class Broker {
  readonly #kafka: Client;
  readonly #partitions: number;
  readonly #admin: ReturnType<Client['admin']>;
  readonly #producer: ReturnType<Client['producer']>;

  constructor({ brokers }: RunningKafka, partitions: number) {
    this.#kafka = new Kafka({
      brokers: [...brokers],
      clientId: 'proof',
      logLevel: logLevel.NOTHING,
      retry: { retries: 20, maxRetryTime: 2000 },
    });
    this.#partitions = partitions;
    this.#admin = this.#kafka.admin();
    this.#producer = this.#kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  }

  /** Makes the topics. */
  async open(): Promise<void> {
    await this.#admin.connect();
    await this.#admin.createTopics({
      waitForLeaders: true,
      topics: TOPICS.map((topic) => ({ topic, numPartitions: this.#partitions })),
    });
    await this.#producer.connect();
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
    const logs: LogRecord[][][] = ends.map((topics) => topics.map(() => []));
    let missing = ends.flat().reduce((sum, end) => sum + end, 0);
    const decoder = new PlainDecoder();
    const consumer = this.#kafka.consumer({ groupId: 'proof-reader' });
    await consumer.connect();
    await consumer.subscribe({ topics: [...TOPICS], fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
      consumer
        .run({
          autoCommit: false,
          eachBatch: async ({ batch }) => {
            const t = TOPICS.indexOf(batch.topic);
            const log = logs[batch.partition][t];
            for (const { offset, timestamp, value } of batch.messages) {
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
