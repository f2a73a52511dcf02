/**
 * What kafkajs alone needs for two topics, with the settings and the lz4 decoder of a worker:
 * `node --import tsx/esm bench/fetch-only.ts BROKERS GROUP RECORDS` reads them to their ends, does nothing with the values but
 * add up their bytes, and prints its figures as one line of JSON.
 */
import kafkajs from 'kafkajs';
import {
  CONNECTION_TIMEOUT,
  KAFKA_TIMES,
  MAX_BYTES,
  MAX_BYTES_PER_PARTITION,
  MAX_CONCURRENCY,
  REQUEST_TIMEOUT,
  RETRY,
} from '../src/consumers/source/kafka/access/kafka-settings.ts';
import { decodeLz4 } from '../src/consumers/source/kafka/codecs/lz4.ts';
import { between, FROM, type Mark, TO } from './figures.ts';
import { TOPICS } from './kafka-workload.ts';

const { CompressionCodecs, CompressionTypes, Kafka, logLevel } = kafkajs;

/** Of one batch. */
const MOST_BYTES = 32 * 2 ** 20;

const [, , brokers, groupId, wanted] = process.argv;
const total = Number(wanted);
CompressionCodecs[CompressionTypes.LZ4] = () => ({
  compress: () => Promise.reject(new Error('only read here')),
  decompress: async (compressed: Buffer) => decodeLz4(compressed, MOST_BYTES),
});
const kafka = new Kafka({
  brokers: brokers.split(','),
  clientId: 'receval-bench',
  connectionTimeout: CONNECTION_TIMEOUT,
  requestTimeout: REQUEST_TIMEOUT,
  retry: RETRY,
  logLevel: logLevel.WARN,
});
const consumer = kafka.consumer({
  groupId,
  ...KAFKA_TIMES,
  maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
  maxBytes: MAX_BYTES,
  readUncommitted: false,
  allowAutoTopicCreation: false,
  retry: RETRY,
});

let events = 0;
let bytes = 0;
let from: Mark | undefined;
let to: Mark | undefined;

function mark(): Mark {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), events, cpuUs: user + system };
}

await consumer.connect();
await consumer.subscribe({ topics: [...TOPICS], fromBeginning: true });
await new Promise<void>((resolve, reject) => {
  consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
  void consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: MAX_CONCURRENCY,
    eachBatch: async ({ batch, resolveOffset }) => {
      for (const { value } of batch.messages) bytes += value?.length ?? 0;
      events += batch.messages.length;
      resolveOffset(batch.lastOffset());
      if (from === undefined && events >= FROM * total) from = mark();
      if (events <= TO * total) to = mark();
      if (events >= total) resolve();
    },
  });
});
await consumer.disconnect();
if (events !== total) throw new Error(`there are ${events} records instead of ${total}`);
process.stdout.write(`${JSON.stringify({ ...between('fetch only', from, to, total), bytes })}\n`);
