import type { EpochMs, Offset } from '../../../../vocabulary/events.ts';
import { shellWord } from '../../../../vocabulary/shell-word.ts';
import type { Bounds } from '../../source-port.ts';
import type { PartitionOffset } from '../access/client.ts';
import { isTopicMissing } from '../access/faults.ts';
import type { KafkaConnection } from '../access/kafka-settings.ts';
import { offsetOf } from './chunks.ts';

/** The used parts of kafkajs' admin client. */
export interface AdminClient {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  /** `high`: the end of the log, including open transactions. */
  fetchTopicOffsets(topic: string): Promise<readonly (PartitionOffset & { high: string; low: string })[]>;
  /** The last stable offsets, where reading ends while transactions are open. Offsets of the topic must have been fetched before. */
  fetchStableOffsets(topic: string, partitions: readonly number[]): Promise<readonly PartitionOffset[]>;
  fetchTopicOffsetsByTimestamp(topic: string, timestamp?: number): Promise<readonly PartitionOffset[]>;
  fetchTopicMetadata(options: { topics: string[] }): Promise<{ topics: readonly { partitions: readonly unknown[] }[] }>;
  fetchOffsets(options: {
    groupId: string;
    topics: string[];
  }): Promise<readonly { topic: string; partitions: readonly PartitionOffset[] }[]>;
  mayRead(topic: string): Promise<boolean>;
  mayJoin(groupId: string): Promise<boolean>;
}

/** A topic or group that this user may not read, although a consumer has to. */
export interface Unreadable {
  readonly kind: 'topic' | 'group';
  readonly name: string;
}

/**
 * Queries to the brokers other than fetches, one at a time, because kafkajs 2.2.4 mixes up the responses for two topics. After
 * a failed query the client is discarded, as it would keep its old view of the cluster; so callers may simply ask again. Each
 * call rejects with kafkajs' error.
 */
export class Brokers {
  readonly #create: () => AdminClient;
  readonly #topics: readonly string[];
  #admin: Promise<AdminClient> | undefined;
  #isClosed = false;
  /** Settles when the last query has ended. */
  #last: Promise<unknown> = Promise.resolve();
  /** For each topic, the request for bounds that has not been sent yet. */
  readonly #next: (Promise<ReadonlyMap<number, Bounds>> | undefined)[] = [];

  constructor(create: () => AdminClient, topics: readonly string[]) {
    this.#create = create;
    this.#topics = topics;
  }

  /**
   * The bounds of a log. The end is the high watermark: a reader of committed records that has reached it has nothing left to read, and
   * no transaction is open below it. Calls for partitions of one topic share a request, but never one that was sent before the call.
   */
  async bounds(partition: number, topic: number): Promise<Bounds> {
    const bounds = (await this.#boundsOf(topic)).get(partition);
    if (bounds === undefined) throw new Error(`kafka: topic ${this.#topics[topic]} has no partition ${partition}`);
    return bounds;
  }

  #boundsOf(topic: number): Promise<ReadonlyMap<number, Bounds>> {
    const waiting = this.#next[topic];
    if (waiting !== undefined) return waiting;
    const request = this.#fetchBounds(topic, () => {
      this.#next[topic] = undefined;
    });
    this.#next[topic] = request;
    return request;
  }

  #fetchBounds(topic: number, onSent = (): void => {}): Promise<ReadonlyMap<number, Bounds>> {
    return this.#ask(async (admin) => {
      const name = this.#topics[topic];
      const offsets = await admin.fetchTopicOffsets(name);
      // These are fetched after the ends, so that records between the two are in a transaction, not newly written.
      const stable = await admin.fetchStableOffsets(
        name,
        offsets.map(({ partition }) => partition),
      );
      const readable = new Map(stable.map(({ partition, offset }) => [partition, offsetOf(offset)]));
      return new Map(
        offsets.map(({ partition, low, high }) => {
          const [start, end] = [offsetOf(low), offsetOf(high)];
          const openFrom = readable.get(partition) ?? end;
          return [partition, openFrom < end ? { start, end, openFrom } : { start, end }];
        }),
      );
    }, onSent);
  }

  /** The first offset with a record timestamp at or after `at`, even in an open transaction; the end if there is none. */
  offsetAt(partition: number, topic: number, at: EpochMs): Promise<Offset> {
    return this.#ask(async (admin) => {
      const offsets = await admin.fetchTopicOffsetsByTimestamp(this.#topics[topic], at);
      const found = offsets.find((offset) => offset.partition === partition);
      if (found === undefined) throw new Error(`kafka: topic ${this.#topics[topic]} has no partition ${partition}`);
      return offsetOf(found.offset);
    });
  }

  /** Number of partitions of each topic; 0: there is no such topic. */
  async partitionCounts(): Promise<readonly number[]> {
    const counts: number[] = [];
    for (const topic of this.#topics) {
      const count = await this.#ask(async (admin) => {
        try {
          const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
          return topics[0]?.partitions.length ?? 0;
        } catch (error) {
          if (isTopicMissing(error)) return 0;
          throw error;
        }
      });
      counts.push(count);
    }
    return counts;
  }

  /** The topics, and the group, on which this user lacks the right to read. The check needs no records, and joins no group. */
  async unreadable(groupId: string): Promise<readonly Unreadable[]> {
    const found: Unreadable[] = [];
    for (const name of this.#topics) {
      if (!(await this.#ask((admin) => admin.mayRead(name)))) found.push({ kind: 'topic', name });
    }
    const mayJoin = await this.#ask((admin) => unlessNoGroups(admin, true, () => admin.mayJoin(groupId)));
    return mayJoin ? found : [...found, { kind: 'group', name: groupId }];
  }

  /** What a group has committed, by topic, then partition. -1: nothing; lower: something that is not a position (a reset). */
  committedBy(groupId: string): Promise<readonly (readonly number[])[]> {
    return this.#ask(async (admin) => {
      const topics = await unlessNoGroups(admin, [], () => admin.fetchOffsets({ groupId, topics: [...this.#topics] }));
      return this.#topics.map((name) => {
        const offsets: number[] = [];
        for (const { partition, offset } of topics.find(({ topic }) => topic === name)?.partitions ?? []) {
          offsets[partition] = offsetOf(offset);
        }
        return Array.from(offsets, (offset) => offset ?? -1);
      });
    });
  }

  /** Whether the leaders of all partitions respond now. Never rejects. */
  async answer(): Promise<boolean> {
    try {
      for (const topic of this.#topics.keys()) await this.#fetchBounds(topic);
      return true;
    } catch {
      return false;
    }
  }

  /** Rejects the queries that still wait for their turn. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const admin = this.#admin;
    this.#admin = undefined;
    await (await admin)?.disconnect();
  }

  #ask<T>(question: (admin: AdminClient) => Promise<T>, onSent = (): void => {}): Promise<T> {
    const answer = this.#last.then(() => {
      onSent();
      return this.#askNow(question);
    });
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #askNow<T>(question: (admin: AdminClient) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error('kafka: the connections are closed');
    this.#admin ??= this.#connect();
    const asked = this.#admin;
    try {
      return await question(await asked);
    } catch (error) {
      if (this.#admin === asked) this.#admin = undefined;
      void asked.then((admin) => admin.disconnect()).catch(() => {});
      throw error;
    }
  }

  async #connect(): Promise<AdminClient> {
    const admin = this.#create();
    try {
      await admin.connect();
      return admin;
    } catch (error) {
      // A connection may be open nevertheless, and keep the process alive.
      void admin.disconnect().catch(() => {});
      throw error;
    }
  }
}

const GROUPS_TOPIC = '__consumer_offsets';

/**
 * The result of a query about a group, or `none` on a cluster that has never had one: the topic for committed offsets is
 * created when the first consumer joins, and before that there is no group coordinator.
 */
export async function unlessNoGroups<T>(
  admin: Pick<AdminClient, 'fetchTopicMetadata'>,
  none: T,
  question: () => Promise<T>,
): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (await isMissing(admin, GROUPS_TOPIC)) return none;
    throw error;
  }
}

/** Whether the topic is missing; false also if that cannot be determined. */
async function isMissing(admin: Pick<AdminClient, 'fetchTopicMetadata'>, topic: string): Promise<boolean> {
  try {
    await admin.fetchTopicMetadata({ topics: [topic] });
    return false;
  } catch (error) {
    return isTopicMissing(error);
  }
}

/** The brokers that a client asks, and its user. */
export type Asking = Pick<KafkaConnection, 'brokers' | 'sasl'>;

/** The message that a worker may not read a topic, or join its group, and how to allow it. */
export function unreadableText({ kind, name }: Unreadable, connection: Asking): string {
  const what = kind === 'topic' ? 'a worker cannot read it' : 'no worker can join it';
  return `this user lacks the right READ on the ${kind} ${name}, and ${what}. Allow it: ${allowReading({ kind, name }, connection)}`;
}

function allowReading({ kind, name }: Unreadable, connection: Asking): string {
  return isOfAws(connection)
    ? `${kind === 'topic' ? 'kafka-cluster:ReadData' : 'kafka-cluster:AlterGroup'}, ${FOR_ITS_ROLE}`
    : acls('Read', kind, name, connection);
}

/** How to grant this user the right to see the settings of a topic. */
export function allowSettings(topic: string, connection: Asking): string {
  return isOfAws(connection)
    ? `kafka-cluster:DescribeTopicDynamicConfiguration, ${FOR_ITS_ROLE}`
    : acls('DescribeConfigs', 'topic', topic, connection);
}

const FOR_ITS_ROLE = 'for its role in AWS';

function isOfAws({ sasl }: Asking): boolean {
  return sasl?.mechanism === 'msk-iam';
}

function acls(operation: string, kind: Unreadable['kind'], name: string, { brokers, sasl }: Asking): string {
  const user = sasl !== undefined && 'username' in sasl ? sasl.username : '<name>';
  return (
    `kafka-acls --bootstrap-server ${brokers[0]} --add --allow-principal User:${user} --operation ${operation} ` +
    `--${kind} ${shellWord(name)}`
  );
}
