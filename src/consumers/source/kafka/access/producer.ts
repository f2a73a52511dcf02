import type { EpochMs } from '../../../../vocabulary/events.ts';
import type { RecordHeader } from '../../source-port.ts';
import { quietClient } from './admin.ts';
import { kafkajs, type Producer } from './client.ts';
import { type KafkaConnection, RETRY } from './kafka-settings.ts';

const { CompressionTypes, Partitioners } = kafkajs;

/** A record to write. */
export interface NewRecord {
  readonly topic: string;
  /** Decides the partition, as in Java's default partitioner; null: any. */
  readonly key: string | Uint8Array | null;
  readonly value: string | Uint8Array;
  /**
   * Headers with equal names keep their order. kafkajs writes names in the order of their first occurrence, numeric names first, and
   * writes an empty value for a header without one.
   */
  readonly headers?: readonly RecordHeader[];
  /** The record's timestamp. */
  readonly at: EpochMs;
}

interface ProducerOptions {
  /**
   * Whether a record that is sent again after a lost response is written only once. Default true; false needs fewer permissions
   * and no state.
   */
  readonly idempotent?: boolean;
}

/**
 * Writes records, each acknowledged by all replicas in sync. Await each call before the next, so that the records of a partition stay in
 * the order of the calls.
 */
export class KafkaProducer {
  readonly #producer: Producer;

  constructor(connection: KafkaConnection, { idempotent = true }: ProducerOptions = {}) {
    this.#producer = quietClient(connection).producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
      idempotent,
      maxInFlightRequests: 1,
      retry: RETRY,
    });
  }

  connect(): Promise<void> {
    return this.#producer.connect();
  }

  /** Writes records. Rejects with kafkajs' error; then it is not known which records were written. */
  async write(records: readonly NewRecord[]): Promise<void> {
    const byTopic = new Map<string, ReturnType<typeof messageOf>[]>();
    for (const record of records) {
      const messages = byTopic.get(record.topic) ?? [];
      byTopic.set(record.topic, messages);
      messages.push(messageOf(record));
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

function messageOf({ key, value, at, headers = [] }: NewRecord) {
  const byName = new Map<string, (Buffer | string)[]>();
  for (const { name, value: content } of headers) {
    const values = byName.get(name) ?? [];
    byName.set(name, values);
    values.push(inBuffer(content ?? ''));
  }
  return {
    key: key === null ? null : inBuffer(key),
    value: inBuffer(value),
    timestamp: String(at),
    headers: Object.fromEntries(byName),
  };
}

/** kafkajs accepts bytes only as a Buffer. */
function inBuffer(content: string | Uint8Array): string | Buffer {
  return typeof content === 'string' ? content : Buffer.from(content.buffer, content.byteOffset, content.length);
}
