import type { EpochMs } from '../../events.ts';
import { quietClient } from './kafka-admin.ts';
import { kafkajs, type Producer } from './kafka-client.ts';
import { RETRY } from './kafka-settings.ts';

const { CompressionTypes, Partitioners } = kafkajs;

/** A record to be written. */
export interface NewRecord {
  readonly topic: string;
  /** Decides the partition, as Java's default partitioner does. */
  readonly key: string;
  readonly value: string;
  /** Record timestamp. */
  readonly at: EpochMs;
}

/**
 * Writes records, each acknowledged by all replicas in sync. One call at a time, so that the records of a partition lie in the
 * order of the calls.
 */
export class KafkaProducer {
  readonly #producer: Producer;

  constructor(options: { readonly brokers: readonly string[]; readonly clientId: string }) {
    this.#producer = quietClient(options).producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
      idempotent: true,
      maxInFlightRequests: 1,
      retry: RETRY,
    });
  }

  connect(): Promise<void> {
    return this.#producer.connect();
  }

  /** Rejects with kafkajs' error; then it is not known which records were written. */
  async write(records: readonly NewRecord[]): Promise<void> {
    const byTopic = new Map<string, { key: string; value: string; timestamp: string }[]>();
    for (const { topic, key, value, at } of records) {
      const messages = byTopic.get(topic) ?? [];
      byTopic.set(topic, messages);
      messages.push({ key, value, timestamp: String(at) });
    }
    await this.#producer.sendBatch({
      acks: -1,
      compression: CompressionTypes.None,
      topicMessages: [...byTopic].map(([topic, messages]) => ({ topic, messages })),
    });
  }

  close(): Promise<void> {
    return this.#producer.disconnect();
  }
}
