import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTopics } from '../../../../src/consumers/source/kafka/access/admin.ts';
import { kafkajs } from '../../../../src/consumers/source/kafka/access/client.ts';
import type { KafkaSourceOptions, KafkaTimes } from '../../../../src/consumers/source/kafka/access/kafka-settings.ts';
import { KafkaSource } from '../../../../src/consumers/source/kafka/kafka.ts';
import type { RunningKafka } from '../../../services/kafka.ts';
import { Told } from './told.ts';

const { Kafka, Partitioners, logLevel } = kafkajs;
const PATIENCE_MS = 300_000;

/** A short session, so that members that vanish are noticed soon. */
export const QUICK: KafkaTimes = {
  sessionTimeout: 6000,
  heartbeatInterval: 500,
  rebalanceTimeout: 15_000,
  maxWaitTimeInMs: 100,
};

/** A session that ends on no machine, however slow: who is assigned again was disturbed. */
export const PATIENT: KafkaTimes = { ...QUICK, sessionTimeout: 60_000, rebalanceTimeout: 60_000 };

export function client({ brokers }: RunningKafka): InstanceType<typeof Kafka> {
  return new Kafka({ brokers: [...brokers], clientId: 'test', logLevel: logLevel.NOTHING });
}

/** Makes topics with names of their own, whose leaders answer. A broker that was away for a moment takes part again only after a while. */
export async function makeTopics(
  kafka: RunningKafka,
  count: number,
  partitions: number,
  config: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const names = Array.from({ length: count }, (_, i) => `t${i}-${randomUUID().slice(0, 8)}`);
  const admin = client(kafka).admin();
  await admin.connect();
  const topics = names.map((topic) => ({
    topic,
    numPartitions: partitions,
    configEntries: Object.entries(config).map(([name, value]) => ({ name, value })),
  }));
  for (const until = Date.now() + PATIENCE_MS; ; await sleep(100)) {
    try {
      await createTopics(admin, topics);
      break;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
  await admin.disconnect();
  return names;
}

export interface TestRecord {
  readonly value: string | Buffer | null;
  readonly key?: string;
  readonly partition?: number;
  readonly timestamp?: number;
}

export async function produce(kafka: RunningKafka, topic: string, records: readonly TestRecord[]): Promise<void> {
  const producer = client(kafka).producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  // One after the other: where one partition of a request fails, kafkajs sends all of them again.
  for (const partition of new Set(records.map(({ partition = 0 }) => partition))) {
    const own = records.filter((record) => (record.partition ?? 0) === partition);
    for (let at = 0; at < own.length; at += 5000) {
      await producer.send({
        topic,
        messages: own.slice(at, at + 5000).map(({ value, key, timestamp }) => ({
          value,
          partition,
          ...(key === undefined ? {} : { key }),
          ...(timestamp === undefined ? {} : { timestamp: String(timestamp) }),
        })),
      });
    }
  }
  await producer.disconnect();
}

export function sourceOver(
  kafka: Pick<RunningKafka, 'brokers'>,
  topics: readonly string[],
  told = new Told(),
  more: Partial<KafkaSourceOptions> = {},
): KafkaSource {
  return new KafkaSource({
    brokers: kafka.brokers,
    clientId: 'receval-test',
    groupId: `g-${randomUUID()}`,
    topics,
    times: QUICK,
    events: told,
    log: (level, message, fields) => told.warnings.push(`${level}: ${message} ${JSON.stringify(fields)}`),
    ...more,
  });
}
