import type { Settings } from '../config/settings.ts';
import { KafkaAdmin } from '../consumers/source/kafka/access/admin.ts';
import type { KafkaConnection } from '../consumers/source/kafka/access/kafka-settings.ts';
import type { DurationMs } from '../vocabulary/events.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';
import { keptFor } from './doctor-topics.ts';

/** How long topics keep records, queried from time to time. */
export class Retention {
  readonly #admin: Pick<KafkaAdmin, 'topicSettings'>;
  readonly #topics: readonly string[];
  readonly #log: WorkerLog;
  #refused = '';

  constructor(admin: Pick<KafkaAdmin, 'topicSettings'>, topics: readonly string[], log: WorkerLog) {
    this.#admin = admin;
    this.#topics = topics;
    this.#log = log;
  }

  /** By topic; undefined: for ever, or the brokers do not tell, and the reason for that is logged once. Never rejects. */
  async look(): Promise<readonly (DurationMs | undefined)[]> {
    try {
      const settings = await this.#admin.topicSettings(this.#topics);
      this.#refused = '';
      return settings.map(keptFor);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== this.#refused) {
        this.#log.warn(
          { error: reason },
          'Kafka does not tell how long the topics keep records (it wants the right DESCRIBE_CONFIGS on them)',
        );
      }
      this.#refused = reason;
      return this.#topics.map(() => undefined);
    }
  }
}

/** Of the topics that are read. */
export function retentionOf({ kafka }: Settings, connection: KafkaConnection, log: WorkerLog): Retention {
  const topics = kafka.topics.map(({ name }) => name);
  return new Retention(new KafkaAdmin({ ...connection, topics }), topics, log);
}
