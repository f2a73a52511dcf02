import type { Settings } from '../config/settings.ts';
import { KafkaAdmin } from '../consumers/source/kafka/access/admin.ts';
import { KafkaProducer, type NewRecord } from '../consumers/source/kafka/access/producer.ts';
import { explained } from '../consumers/source/kafka/access/trouble.ts';
import { kafkaConnection } from '../service/service-settings.ts';
import type { TrafficRecord } from '../simulate/delivery.ts';
import type { Traffic } from '../simulate/traffic.ts';
import type { EpochMs, Side } from '../vocabulary/events.ts';
import { UsageError } from './failure.ts';

const CLIENT = 'receval-simulate';

/** Names of the topics that the traffic goes to. @throws UsageError where they do not take canonical events */
export function simulatedTopics({ kafka }: Settings): Readonly<Record<Side, string>> {
  const of = (side: Side): string => {
    const topic = kafka.topics.find(({ role }) => role[side]);
    if (topic === undefined) throw new UsageError(`kafka.topics has none for ${side}`);
    const problem =
      topic.adapter !== 'canonical'
        ? 'adapter must be canonical'
        : topic.tsUnit !== 'auto' && topic.tsUnit !== 'ms'
          ? 'tsUnit must be auto or ms'
          : undefined;
    if (problem !== undefined)
      throw new UsageError(`the simulated events do not fit the topic ${topic.name}: its ${problem}`);
    return topic.name;
  };
  return { impressions: of('impressions'), feedback: of('feedback') };
}

/**
 * Makes the topics of the configuration that are missing, with this many partitions; undefined: none may be missing. Answers
 * those that were made. @throws UsageError that names those that are missing
 */
export async function prepareTopics(settings: Settings, partitions: number | undefined): Promise<readonly string[]> {
  const { brokers } = settings.kafka;
  const topics = settings.kafka.topics.map(({ name }) => name);
  const connection = kafkaConnection(settings, CLIENT);
  const admin = new KafkaAdmin({ ...connection, topics });
  try {
    if (partitions !== undefined) return await explained(connection, () => admin.createMissing(partitions));
    const counts = await explained(connection, () => admin.questions.partitionCounts());
    const missing = topics.filter((_, i) => counts[i] === 0);
    if (missing.length === 0) return [];
    throw new UsageError(
      `there is no topic ${missing.join(', ')} on ${brokers.join(', ')}: add --create-topics 4 to make it with 4 partitions`,
    );
  } finally {
    await admin.close().catch(() => {});
  }
}

/** Below the usual largest batch of a broker (1 MiB) even when all records go to one partition. */
const BATCH_BYTES = 400_000;
const BATCH_RECORDS = 2000;
const POLL_MS = 100;

/** Writes traffic to Kafka in its order of arrival; arrival is the record's timestamp, the request id its key. */
export class KafkaTarget {
  readonly #producer: KafkaProducer;
  readonly #topics: Readonly<Record<Side, string>>;
  readonly #progress: (records: number) => void;
  #batch: NewRecord[] = [];
  #bytes = 0;
  #written = 0;

  /** `progress`: told how many records have been written. */
  static async open(settings: Settings, progress: (records: number) => void): Promise<KafkaTarget> {
    const target = new KafkaTarget(settings, progress);
    await explained(kafkaConnection(settings, CLIENT), () => target.#producer.connect());
    return target;
  }

  private constructor(settings: Settings, progress: (records: number) => void) {
    this.#producer = new KafkaProducer(kafkaConnection(settings, CLIENT));
    this.#topics = simulatedTopics(settings);
    this.#progress = progress;
  }

  /** Writes all of it, as fast as the brokers take it, until the signal is raised. */
  async writeAll(traffic: Traffic, stop: AbortSignal): Promise<void> {
    for (const record of traffic) {
      await this.#add(record);
      if (stop.aborted) break;
    }
    await this.#flush();
  }

  /** Writes each record when its time has come on this clock, until the traffic ends or the signal is raised. */
  async writeOnTime(traffic: Traffic, now: () => EpochMs, stop: AbortSignal, ends: () => boolean): Promise<void> {
    while (!stop.aborted && !ends()) {
      const until = now();
      for (let record = traffic.poll(until); record !== undefined && !stop.aborted; record = traffic.poll(until)) {
        await this.#add(record);
      }
      await this.#flush();
      await pause(POLL_MS, stop);
    }
  }

  async #add({ topic, at, key, value }: TrafficRecord): Promise<void> {
    this.#batch.push({ topic: this.#topics[topic], at, key, value });
    this.#bytes += value.length + key.length;
    if (this.#bytes >= BATCH_BYTES || this.#batch.length >= BATCH_RECORDS) await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#bytes = 0;
    await this.#producer.write(batch);
    this.#written += batch.length;
    this.#progress(this.#written);
  }

  close(): Promise<void> {
    return this.#producer.close();
  }
}

function pause(duration: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      stop.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, duration);
    stop.addEventListener('abort', done);
    if (stop.aborted) done();
  });
}
