import { RedisStore } from '../accumulators/store/redis-store.ts';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { readTextFile } from '../connections/text-file.ts';
import { KafkaAdmin } from '../consumers/source/kafka/access/admin.ts';
import { explained, mustBeBrokers } from '../consumers/source/kafka/access/trouble.ts';
import { kafkaConnection } from '../service/service-settings.ts';
import { UsageError } from './failure.ts';

export interface Cluster {
  readonly settings: Settings;
  readonly admin: KafkaAdmin;
  readonly store: RedisStore;
}

/** Runs `work` with the Kafka and the Redis of a configuration, then closes both. */
export async function withCluster<T>(config: string | undefined, work: (cluster: Cluster) => Promise<T>): Promise<T> {
  const settings = readConfiguration(config);
  const connection = kafkaConnection(settings, 'receval-offsets');
  const admin = new KafkaAdmin({ ...connection, topics: settings.kafka.topics.map(({ name }) => name) });
  try {
    await mustBeBrokers(connection);
    const store = await RedisStore.connect(settings.redis);
    try {
      return await explained(connection, () => work({ settings, admin, store }));
    } finally {
      await store.close();
    }
  } finally {
    await admin.close().catch(() => {});
  }
}

export function readConfiguration(config: string | undefined): Settings {
  return loadSettings({ file: config, readFile: readTextFile, env: process.env });
}

/** A whole number from 0. @throws UsageError that names the option */
export function wholeNumber(option: string, text: string): number {
  const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new UsageError(`${option}: "${text}" is not a whole number from 0`);
}
