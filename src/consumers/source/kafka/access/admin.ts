import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../../../vocabulary/error-text.ts';
import type { DurationMs, EpochMs, Offset } from '../../../../vocabulary/events.ts';
import { Brokers, unlessNoGroups } from '../flow/brokers.ts';
import { offsetOf } from '../flow/chunks.ts';
import { adminOf, kafkajs } from './client.ts';
import { accessOptions } from './connection.ts';
import { isCoordinatorMissing, isTopicForbidden, KafkaFailure } from './faults.ts';
import { CONNECTION_TIMEOUT, type KafkaConnection, REQUEST_TIMEOUT, RETRY } from './kafka-settings.ts';

const { Kafka, logLevel } = kafkajs;

/** The value in kafkajs' `ConfigResourceTypes`, which cannot be imported at run time. */
const TOPIC_RESOURCE = 2;
const QUIET_RETRY = { ...RETRY, retries: 2 };

interface KafkaAdminOptions extends KafkaConnection {
  /** Names, in the configuration's order. */
  readonly topics: readonly string[];
  /** How long a group may be without a coordinator; default 30 s. */
  readonly coordinatorTimeout?: DurationMs;
}

export interface GroupState {
  /** Kafka's name of the state: Stable, Empty, PreparingRebalance, Dead (there is no such group), ... */
  readonly state: string;
  /** The assigner that its members agreed on; '' without members. */
  readonly protocol: string;
  readonly members: number;
}

export type KafkaClient = InstanceType<typeof Kafka>;

/**
 * A client without a log: errors are thrown.
 * @throws AccessFileError
 */
export function quietClient(connection: KafkaConnection): KafkaClient {
  return new Kafka({
    ...accessOptions(connection),
    connectionTimeout: CONNECTION_TIMEOUT,
    requestTimeout: REQUEST_TIMEOUT,
    retry: QUIET_RETRY,
    logLevel: logLevel.NOTHING,
  });
}

const LEADERS_MS: DurationMs = 30_000;
const LOOK_EVERY_MS: DurationMs = 100;
const COORDINATOR_MS: DurationMs = 30_000;
const ASK_COORDINATOR_EVERY_MS: DurationMs = 250;

type TopicsAdmin = Pick<ReturnType<KafkaClient['admin']>, 'createTopics' | 'fetchTopicOffsets'>;
type NewTopics = Parameters<TopicsAdmin['createTopics']>[0]['topics'];

/**
 * Creates topics, and waits until every partition has a leader that responds. kafkajs' own wait gives up at once if the broker
 * that it asks does not know the topic yet.
 */
export async function createTopics(admin: TopicsAdmin, topics: NewTopics): Promise<void> {
  await admin.createTopics({ topics, waitForLeaders: false });
  const until = Date.now() + LEADERS_MS;
  for (const { topic } of topics) {
    while (!(await hasLeaders(admin, topic, until))) await sleep(LOOK_EVERY_MS);
  }
}

/** @throws the last error of the broker when the time is over */
function hasLeaders(admin: TopicsAdmin, topic: string, until: EpochMs): Promise<boolean> {
  return admin.fetchTopicOffsets(topic).then(
    () => true,
    (error: unknown) => {
      if (Date.now() > until) throw error;
      return false;
    },
  );
}

/** Settings of a topic by name, as Kafka writes them; undefined: this user lacks the right DescribeConfigs on it. */
export type TopicConfig = ReadonlyMap<string, string> | undefined;

/** Queries topics and groups, and creates topics. Each call rejects with kafkajs' error. */
export class KafkaAdmin {
  /** Queries partitions, the offsets of logs, and rights. */
  readonly questions: Pick<Brokers, 'bounds' | 'offsetAt' | 'partitionCounts' | 'unreadable'>;
  readonly client: KafkaClient;
  readonly #brokers: Brokers;
  readonly #topics: readonly string[];
  readonly #coordinatorTimeout: DurationMs;

  constructor(options: KafkaAdminOptions) {
    this.client = quietClient(options);
    this.#topics = options.topics;
    this.#coordinatorTimeout = options.coordinatorTimeout ?? COORDINATOR_MS;
    this.#brokers = new Brokers(() => adminOf(this.client, { retry: QUIET_RETRY }), options.topics);
    this.questions = this.#brokers;
  }

  /** host:port of every broker that the cluster knows. */
  cluster(): Promise<readonly string[]> {
    return this.#ask(async (admin) => {
      const { brokers } = await admin.describeCluster();
      return brokers.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
    });
  }

  /** Settings of each topic. There is one request per topic, because kafkajs drops the whole response if one of its topics is refused. */
  topicSettings(topics: readonly string[]): Promise<readonly TopicConfig[]> {
    return this.#ask(async (admin) => {
      const settings: TopicConfig[] = [];
      for (const name of topics) {
        try {
          const resources = [{ type: TOPIC_RESOURCE, name }];
          const answer = await admin.describeConfigs({ includeSynonyms: false, resources });
          const entries = answer.resources.flatMap(({ configEntries }) => configEntries);
          settings.push(new Map(entries.map(({ configName, configValue }) => [configName, configValue] as const)));
        } catch (error) {
          if (!isTopicForbidden(error)) throw error;
          settings.push(undefined);
        }
      }
      return settings;
    });
  }

  /** The first offset in each partition of a topic with a record timestamp at or after `at`; the end if there is none. */
  offsetsAt(topic: string, at: EpochMs): Promise<ReadonlyMap<number, Offset>> {
    return this.#ask(async (admin) => {
      const offsets = await admin.fetchTopicOffsetsByTimestamp(topic, at);
      return new Map(offsets.map(({ partition, offset }) => [partition, offsetOf(offset)] as const));
    });
  }

  /** Rejects with a KafkaFailure if the group has no coordinator for 30 s. */
  group(groupId: string): Promise<GroupState> {
    return this.#ofGroup(groupId, () =>
      this.#ask(async (admin) => {
        const { groups } = await unlessNoGroups(admin, { groups: [] }, () => admin.describeGroups([groupId]));
        const [group] = groups;
        if (group === undefined) return { state: 'Dead', protocol: '', members: 0 };
        return { state: group.state, protocol: group.protocol, members: group.members.length };
      }),
    );
  }

  /** Committed offsets, as in `Brokers.committedBy`. Rejects with a KafkaFailure if the group has no coordinator for 30 s. */
  committedBy(groupId: string): Promise<readonly (readonly number[])[]> {
    return this.#ofGroup(groupId, () => this.#brokers.committedBy(groupId));
  }

  /** Creates the missing topics with the broker's default settings, and returns their names. */
  createMissing(partitions: number): Promise<readonly string[]> {
    return this.#ask(async (admin) => {
      const there = new Set(await admin.listTopics());
      const missing = this.#topics.filter((topic) => !there.has(topic));
      if (missing.length > 0) {
        const topics = missing.map((topic) => ({ topic, numPartitions: partitions }));
        await createTopics(admin, topics);
      }
      return missing;
    });
  }

  close(): Promise<void> {
    return this.#brokers.close();
  }

  /** Repeats a query while the group has no coordinator, as after a start of the brokers. */
  async #ofGroup<T>(groupId: string, question: () => Promise<T>): Promise<T> {
    for (const until = performance.now() + this.#coordinatorTimeout; ; await sleep(ASK_COORDINATOR_EVERY_MS)) {
      try {
        return await question();
      } catch (error) {
        if (!isCoordinatorMissing(error)) throw error;
        if (performance.now() < until) continue;
        const reason = messageOf(error);
        throw new KafkaFailure(
          `the group ${groupId} has had no coordinator for ${this.#coordinatorTimeout / 1000} s (${reason}): ` +
            'see whether all brokers run, and whether every partition of __consumer_offsets has a leader',
          { cause: error, passing: true },
        );
      }
    }
  }

  async #ask<T>(question: (admin: ReturnType<KafkaClient['admin']>) => Promise<T>): Promise<T> {
    const admin = adminOf(this.client, { retry: QUIET_RETRY });
    try {
      await admin.connect();
      return await question(admin);
    } finally {
      await admin.disconnect();
    }
  }
}
