import { createRequire } from 'node:module';
import { codecTable } from '../codecs/codecs.ts';
import { openBatch, Records } from '../codecs/records.ts';
import { controlMessage, type Message, messagesOf, withoutAborted } from '../flow/batches.ts';
import { offsetOf } from '../flow/chunks.ts';
import { isMembershipLost, isOutOfRange, isTopicMissing } from './faults.ts';
import { waitingForEnough } from './fetch-waits.ts';
import { MAX_BYTES, MAX_BYTES_PER_PARTITION } from './kafka-settings.ts';
import {
  beatingAtAnyTime,
  findLeadersLinearly,
  type LeaderCluster,
  readingFromLeaders,
  small,
  timerless,
} from './kafkajs-parts.ts';
import { reconnecting } from './reconnecting.ts';

// Only this file loads kafkajs: it is CommonJS, and eight of its modules are replaced before any other module sees them.
type AdminConfig = import('kafkajs').AdminConfig;
export type Admin = import('kafkajs').Admin & StableOffsets & Fetching & ReadRights;
export type AuthenticationProvider = import('kafkajs').Mechanism['authenticationProvider'];
export type Consumer = import('kafkajs').Consumer;
export type EachBatchPayload = import('kafkajs').EachBatchPayload;
export type KafkaConfig = import('kafkajs').KafkaConfig;
export type LogEntry = import('kafkajs').LogEntry;
export type Producer = import('kafkajs').Producer;

/** A query that kafkajs' own admin client lacks. */
interface StableOffsets {
  /**
   * The last stable offsets, where reading ends while transactions are open; without open transactions the ends of the logs.
   * The client must know the topic.
   */
  fetchStableOffsets(topic: string, partitions: readonly number[]): Promise<readonly PartitionOffset[]>;
}

/** Reads without a consumer group. */
interface Fetching {
  /**
   * One fetch from the leader, from an offset on, with the records that a consumer of committed records would get. If `next` is `from`,
   * there is nothing to read. Rejects with kafkajs' error.
   */
  fetchBatch(topic: string, partition: number, from: number): Promise<FetchedPart>;
}

/** Finds out whether a consumer of this user would be refused, without starting one. Each call rejects with kafkajs' error. */
interface ReadRights {
  /** true also for a topic that does not exist. */
  mayRead(topic: string): Promise<boolean>;
  mayJoin(groupId: string): Promise<boolean>;
}

interface FetchedPart {
  readonly messages: readonly Message[];
  /** The next offset to fetch; equal to `from` if nothing was returned. */
  readonly next: number;
}

export interface PartitionOffset {
  readonly partition: number;
  readonly offset: string;
}

/** The used parts of kafkajs' cluster, which requests offsets at this isolation level. */
interface Cluster extends LeaderCluster {
  isolationLevel: number;
  fetchTopicsOffset(
    topics: readonly {
      readonly topic: string;
      readonly fromBeginning: false;
      readonly partitions: readonly { readonly partition: number }[];
    }[],
  ): Promise<readonly { readonly partitions: readonly PartitionOffset[] }[]>;
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>;
  refreshMetadata(): Promise<void>;
  findBroker(options: { readonly nodeId: string }): Promise<Broker>;
  findGroupCoordinator(options: { readonly groupId: string }): Promise<Coordinator>;
  findGroupCoordinatorMetadata(options: CoordinatorOf): Promise<unknown>;
  readonly brokerPool: {
    /** Tries one broker after the other, and does not report their errors. */
    withBroker(
      callback: (one: { readonly broker: Pick<Broker, 'findGroupCoordinator'> }) => Promise<unknown>,
    ): Promise<unknown>;
  };
}

interface CoordinatorOf {
  readonly groupId: string;
  readonly coordinatorType?: number;
}

interface Coordinator {
  leaveGroup(options: { readonly groupId: string; readonly memberId: string }): Promise<unknown>;
  heartbeat(options: {
    readonly groupId: string;
    readonly groupGenerationId: number;
    readonly memberId: string;
  }): Promise<unknown>;
}

interface Broker {
  findGroupCoordinator(options: CoordinatorOf): Promise<unknown>;
  fetch(options: {
    readonly isolationLevel: number;
    readonly maxWaitTime: number;
    readonly minBytes: number;
    readonly maxBytes: number;
    readonly topics: readonly {
      readonly topic: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly fetchOffset: string;
        readonly maxBytes: number;
      }[];
    }[];
  }): Promise<{ readonly responses: readonly { readonly partitions: readonly PartitionData[] }[] }>;
}

interface PartitionData {
  readonly messages: readonly Message[];
}

/** kafkajs' representation of one partition in a fetch response, without aborted and control records. */
interface Batch {
  readonly rawMessages: readonly Message[];
  readonly messages: readonly Message[];
  lastOffset(): string;
}

/** The used parts of kafkajs' reader of bytes. */
interface ByteReader {
  readInt32(): number;
  canReadBytes(count: number): boolean;
  readBytes(count: number): Buffer;
}

const VERSION = '2.2.4';
const DECODE_MESSAGES = 'kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js';
const FILTER_ABORTED = 'kafkajs/src/consumer/filterAbortedMessages.js';
const BATCH = 'kafkajs/src/consumer/batch.js';
const ENCODER = 'kafkajs/src/protocol/encoder.js';
const REQUEST_QUEUE = 'kafkajs/src/network/requestQueue/index.js';
const CONNECTION = 'kafkajs/src/network/connection.js';
const CONSUMER_GROUP = 'kafkajs/src/consumer/consumerGroup.js';
const CREATE_ADMIN = 'kafkajs/src/admin/index.js';
const CREATE_CONSUMER = 'kafkajs/src/consumer/index.js';

/** Numbers of Kafka's protocol: kafka.apache.org/protocol#The_Messages_ListOffsets. */
const READ_UNCOMMITTED = 0;
const READ_COMMITTED = 1;

/** The cluster of each admin client and consumer. */
const clusters = new WeakMap<object, Cluster>();

const require = createRequire(import.meta.url);

/**
 * kafkajs 2.2.4, except that a consumer gets undecoded record batches: its messages come from `messagesOf` and `withoutAborted`. All
 * versions of Fetch since 4 (Kafka 0.11) decode their records with the module that is replaced here. Connections are replaced by
 * `reconnecting` and `timerless`, consumer groups by `waitingForEnough`, `readingFromLeaders` and `beatingAtAnyTime`.
 */
export const kafkajs: typeof import('kafkajs') = load();

function load(): typeof import('kafkajs') {
  const { version }: { readonly version: string } = require('kafkajs/package.json');
  if (version !== VERSION) {
    throw new Error(`kafka: kafkajs ${version} is installed, but ${VERSION} is needed, exactly: run npm ci`);
  }
  if (require.cache[require.resolve('kafkajs')] !== undefined) {
    throw new Error(
      'kafka: kafkajs was loaded before access/client.ts, so it decodes records by itself: import it from there',
    );
  }
  // These are replaced first, because everything that encodes loads them.
  replace(ENCODER, small(require(ENCODER)));
  replace(DECODE_MESSAGES, decodeMessages());
  replace(FILTER_ABORTED, withoutAborted);
  // These are replaced only now, because they load the modules that decode fetch responses.
  replace(REQUEST_QUEUE, timerless(require(REQUEST_QUEUE)));
  replace(CONNECTION, reconnecting(require(CONNECTION)));
  replace(CONSUMER_GROUP, readingFromLeaders(require(CONSUMER_GROUP)));
  replace(CONSUMER_GROUP, waitingForEnough(require(CONSUMER_GROUP)));
  replace(CONSUMER_GROUP, beatingAtAnyTime(require(CONSUMER_GROUP)));
  const createAdmin: Create<import('kafkajs').Admin> = require(CREATE_ADMIN);
  const createConsumer: Create<Consumer> = require(CREATE_CONSUMER);
  replace(CREATE_ADMIN, noteCluster(createAdmin));
  replace(CREATE_CONSUMER, noteCluster(createConsumer));
  const loaded: typeof import('kafkajs') = require('kafkajs');
  Object.assign(loaded.CompressionCodecs, codecTable());
  return loaded;
}

function replace(path: string, exported: object): void {
  require(path);
  const module = require.cache[require.resolve(path)];
  if (module === undefined) throw new Error(`kafka: ${path} cannot be replaced`);
  module.exports = exported;
}

type Create<Client> = (options: { readonly cluster: Cluster }) => Client;

/**
 * kafkajs' factory of clients. It also records the cluster of each client, and makes the cluster report which right on a group is
 * missing.
 */
function noteCluster<Client extends object>(create: Create<Client>): Create<Client> {
  return (options) => {
    const client = create(options);
    sayRefusals(options.cluster);
    findLeadersLinearly(options.cluster);
    clusters.set(client, options.cluster);
    return client;
  };
}

/**
 * Reports why no broker names the coordinator of a group, which kafkajs does not. Otherwise a missing right would look like a broker that
 * is away.
 */
function sayRefusals(cluster: Cluster): void {
  const find = cluster.findGroupCoordinatorMetadata.bind(cluster);
  cluster.findGroupCoordinatorMetadata = async (wanted) => {
    try {
      return await find(wanted);
    } catch (error) {
      throw (await refusalOf(cluster, wanted)) ?? error;
    }
  };
}

async function refusalOf({ brokerPool }: Cluster, wanted: CoordinatorOf): Promise<Error | undefined> {
  let refusal: Error | undefined;
  const ask = async ({ broker }: { readonly broker: Pick<Broker, 'findGroupCoordinator'> }): Promise<void> => {
    await broker.findGroupCoordinator(wanted).catch((error: unknown) => {
      if (isRefusal(error)) refusal = error;
    });
  };
  await brokerPool.withBroker(ask).catch(() => {});
  return refusal;
}

function isRefusal(error: unknown): error is Error {
  return error instanceof Error && 'type' in error && String(error.type).endsWith('_AUTHORIZATION_FAILED');
}

/**
 * Removes a member from its group, as if it had left by itself. `consumer` sends the request; it must be connected but need not be a
 * member. Rejects with kafkajs' error.
 */
export async function removeMember(consumer: Consumer, groupId: string, memberId: string): Promise<void> {
  const cluster = clusters.get(consumer);
  if (cluster === undefined) throw new Error('kafka: the consumer is of another kafkajs');
  const coordinator = await cluster.findGroupCoordinator({ groupId });
  await coordinator.leaveGroup({ groupId, memberId });
}

/**
 * kafkajs' admin client, except that it returns the ends of the logs. kafkajs itself asks at the level `read committed` and gets the last
 * stable offsets, for which there is a separate query here.
 */
export function adminOf(kafka: InstanceType<typeof kafkajs.Kafka>, config?: AdminConfig): Admin {
  const admin = kafka.admin(config);
  const cluster = clusters.get(admin);
  if (cluster === undefined) throw new Error('kafka: the admin client is of another kafkajs');
  cluster.isolationLevel = READ_UNCOMMITTED;
  const committed: Cluster = Object.create(cluster, { isolationLevel: { value: READ_COMMITTED } });
  return {
    ...admin,
    fetchStableOffsets: async (topic, partitions) => {
      const [answer] = await committed.fetchTopicsOffset([
        { topic, fromBeginning: false, partitions: partitions.map((partition) => ({ partition })) },
      ]);
      return answer?.partitions ?? [];
    },
    fetchBatch: (topic, partition, from) => fetchBatch(cluster, topic, partition, from),
    mayRead: (topic) =>
      isAllowed(
        (error) => isTopicMissing(error) || isOutOfRange(error),
        () => fetchBatch(cluster, topic, 0, BEYOND_ANY_END),
      ),
    mayJoin: (groupId) =>
      isAllowed(isMembershipLost, async () => {
        const coordinator = await cluster.findGroupCoordinator({ groupId });
        await coordinator.heartbeat({ groupId, groupGenerationId: 0, memberId: NOBODY });
      }),
  };
}

/**
 * Rights are checked first, so a fetch from this offset is refused as out of range, or because the user may not read, and never returns a
 * record.
 */
const BEYOND_ANY_END = Number.MAX_SAFE_INTEGER;
/** A member that belongs to no group. Its heartbeat needs the right to be a member, and changes nothing. */
const NOBODY = 'receval-asks-for-rights';

/** false if a request is refused for a missing right, true if it is refused as expected. */
async function isAllowed(isExpected: (error: unknown) => boolean, request: () => Promise<unknown>): Promise<boolean> {
  try {
    await request();
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    if (isExpected(error)) return true;
    throw error;
  }
}

/** Number of attempts. Leaders may move, so the cluster is queried again before each one. */
const ATTEMPTS = 3;
const MAX_WAIT_MS = 100;

async function fetchBatch(cluster: Cluster, topic: string, partition: number, from: number): Promise<FetchedPart> {
  await cluster.addMultipleTargetTopics([topic]);
  for (let attempt = 1; ; attempt++) {
    try {
      const [nodeId] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
      const broker = await cluster.findBroker({ nodeId });
      const { responses } = await broker.fetch({
        isolationLevel: READ_COMMITTED,
        maxWaitTime: MAX_WAIT_MS,
        minBytes: 1,
        maxBytes: MAX_BYTES,
        topics: [{ topic, partitions: [{ partition, fetchOffset: String(from), maxBytes: MAX_BYTES_PER_PARTITION }] }],
      });
      const data = responses[0]?.partitions[0];
      return data === undefined ? { messages: [], next: from } : readBatch(topic, from, data);
    } catch (error) {
      if (attempt === ATTEMPTS || isRefusal(error) || isOutOfRange(error)) throw error;
      await cluster.refreshMetadata();
    }
  }
}

function readBatch(topic: string, from: number, data: PartitionData): FetchedPart {
  const KafkajsBatch: new (topic: string, from: string, data: PartitionData) => Batch = require(BATCH);
  const batch = new KafkajsBatch(topic, String(from), data);
  return { messages: batch.messages, next: batch.rawMessages.length === 0 ? from : offsetOf(batch.lastOffset()) + 1 };
}

/** The login with a password that is built into kafkajs. */
export function builtInProvider(
  mechanism: 'plain' | 'scram256' | 'scram512',
): (login: { readonly username: string; readonly password: string }) => AuthenticationProvider {
  return require(`kafkajs/src/broker/saslAuthenticator/${mechanism}.js`);
}

/**
 * Like kafkajs' function of the same name, but robust against damaged bytes: kafkajs loops over as many records as the header of a batch
 * declares, and over as many headers as a record declares.
 */
function decodeMessages(): (reader: ByteReader) => Promise<Message[]> {
  const Reader: new (bytes: Buffer) => ByteReader = require('kafkajs/src/protocol/decoder.js');
  const decodeSet: (reader: ByteReader, size: number) => Promise<readonly Message[]> =
    require('kafkajs/src/protocol/messageSet/decoder.js');
  const decoders = {
    control: async (bytes: Buffer) => {
      const read = await openBatch(bytes);
      if (!(read instanceof Records)) throw new RangeError(read.reason);
      const messages: Message[] = [];
      while (read.next()) messages.push(controlMessage(bytes, read.offset, read.envelope.key));
      read.forget();
      return messages;
    },
    set: (bytes: Buffer) => decodeSet(new Reader(bytes), bytes.length),
  };
  return async (reader) => {
    const size = reader.readInt32();
    if (size <= 0 || !reader.canReadBytes(size)) return [];
    return messagesOf(reader.readBytes(size), decoders);
  };
}
