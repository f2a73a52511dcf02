import { setTimeout as sleep } from 'node:timers/promises';
import { KafkaAdmin, quietClient } from '../src/consumers/source/kafka/access/admin.ts';
import { kafkajs } from '../src/consumers/source/kafka/access/client.ts';
import { RETRY } from '../src/consumers/source/kafka/access/kafka-settings.ts';
import { withRetries } from '../src/service/start.ts';
import { type KafkaRecord, PARTITIONS, TOPICS } from './kafka-workload.ts';
import { encodeLz4 } from './lz4.ts';

const { CompressionCodecs, CompressionTypes } = kafkajs;

const CLIENT = 'receval-bench';
/** Batches of at most about 60 KB for each partition. */
const SEND_RECORDS = 600;
const PATIENCE_MS = 60_000;

/** Makes the topics. */
export async function createTopics(brokers: readonly string[], numPartitions: number): Promise<void> {
  const admin = quietClient({ brokers, clientId: CLIENT }).admin({ retry: RETRY });
  await admin.connect();
  try {
    await admin.createTopics({
      waitForLeaders: true,
      topics: TOPICS.map((topic) => ({
        topic,
        numPartitions,
        configEntries: [{ name: 'retention.ms', value: '-1' }], // the timestamps may lie in the past
      })),
    });
  } finally {
    await admin.disconnect();
  }
}

/** Makes the topics and fills them: lz4, the times of arrival as timestamps, in the order of arrival. */
export async function load(brokers: readonly string[], records: readonly KafkaRecord[]): Promise<void> {
  await createTopics(brokers, PARTITIONS);
  CompressionCodecs[CompressionTypes.LZ4] = () => ({
    compress: async ({ buffer }: { readonly buffer: Buffer }) => encodeLz4(buffer),
    decompress: () => Promise.reject(new Error('only written here')),
  });
  const producer = quietClient({ brokers, clientId: CLIENT }).producer({
    allowAutoTopicCreation: false,
    maxInFlightRequests: 1,
    retry: RETRY,
  });
  await producer.connect();
  try {
    for (let from = 0; from < records.length; from += SEND_RECORDS) {
      const some = records.slice(from, from + SEND_RECORDS);
      await producer.sendBatch({
        acks: -1,
        compression: CompressionTypes.LZ4,
        topicMessages: TOPICS.map((topic, t) => ({
          topic,
          messages: some
            .filter((record) => record.topic === t)
            .map(({ key, value, partition, at }) => ({ key, value, partition, timestamp: String(Math.floor(at)) })),
        })).filter(({ messages }) => messages.length > 0),
      });
      await sleep(0); // signals are heard
    }
  } finally {
    await producer.disconnect();
  }
}

/** Until the coordinator of this group answers: after the start of a broker it has to be made first. */
export async function warmCoordinator(brokers: readonly string[], groupId: string): Promise<void> {
  const admin = new KafkaAdmin({ brokers, clientId: CLIENT, topics: [] });
  await withRetries(
    () => admin.group(groupId),
    PATIENCE_MS,
    () => {},
  );
}
