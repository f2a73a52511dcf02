import { setTimeout as sleep } from 'node:timers/promises';
import type { UnitCheckpoint } from '../accumulators/store/checkpoint-codec.ts';
import { generationName } from '../accumulators/store/generation.ts';
import { joinedFindings } from '../accumulators/store/redis-findings.ts';
import { RedisStore, type RedisStoreOptions } from '../accumulators/store/redis-store.ts';
import { StoreUnavailable } from '../accumulators/store/store-port.ts';
import type { Settings } from '../config/settings.ts';
import { KafkaAdmin } from '../consumers/source/kafka/access/admin.ts';
import { isCoordinatorMissing, isUnreachable, KafkaFailure } from '../consumers/source/kafka/access/faults.ts';
import type { KafkaConnection } from '../consumers/source/kafka/access/kafka-settings.ts';
import { explained, mustBeBrokers, troubleOf } from '../consumers/source/kafka/access/trouble.ts';
import type { Unreadable } from '../consumers/source/kafka/flow/brokers.ts';
import type { KafkaSource } from '../consumers/source/kafka/kafka.ts';
import { LogUnavailable } from '../consumers/source/source-port.ts';
import { fingerprint } from '../unit/fingerprint.ts';
import type { Permissions } from '../unit/resume.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import type { DurationMs, Offset } from '../vocabulary/events.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';
import {
  checkPartitions,
  checkReadable,
  checkRetention,
  checkStored,
  readCheckpoints,
  StartRefused,
  wasRead,
} from './checks.ts';
import { keptFor } from './doctor-topics.ts';
import { readEndingRuns } from './ending-runs.ts';
import { readLost } from './lost-state.ts';
import { type Begun, rowTtl, WHOLE } from './service-settings.ts';

/** How long to wait for servers that are starting. After that the start fails, and the supervisor tries again. */
const TIMEOUT_MS = 60_000;
/** Time of one attempt to connect to Redis, and thus between two log lines that report a failure. */
const REDIS_TRY_MS = 5_000;

/** Waits until Redis responds. Rejects at once if Redis refuses us, or if a file or the URL is wrong. */
export function connectRedis(options: RedisStoreOptions, log: WorkerLog): Promise<RedisStore> {
  return withRetries(
    () => RedisStore.connect({ ...options, connectTimeout: REDIS_TRY_MS }),
    TIMEOUT_MS,
    (error, retryInMs) => log.warn({ error: messageOf(error), retryInMs }, 'Redis did not answer yet'),
    (error) => !(error instanceof StoreUnavailable && error.isUnanswered),
  );
}

interface StartOptions {
  readonly settings: Settings;
  /** false: the process only reads what others have stored. */
  readonly isWorker: boolean;
  readonly permissions: Permissions & { readonly rebuild: boolean };
  readonly connection: KafkaConnection;
  readonly log: WorkerLog;
}

/** What the checks before the start found. */
export interface Started extends Begun {
  readonly partitions: number;
  /** Only a worker uses this. */
  readonly beginning: Beginning;
  /** Only a worker has this. */
  readonly retention: Retention | undefined;
}

/**
 * The checks before the start (specification: commit 7). Rejects with a StartRefused or StateMismatch that says what to do, or
 * with an error of Kafka or Redis.
 */
export async function checkStart(store: RedisStore, source: KafkaSource, options: StartOptions): Promise<Started> {
  const { settings, isWorker, permissions, connection, log } = options;
  const ask = <T>(question: () => Promise<T>): Promise<T> =>
    withRetries(
      () => explained(connection, question),
      TIMEOUT_MS,
      (error, retryInMs) => log.warn({ error: messageOf(error), retryInMs }, 'Kafka did not answer yet'),
      (error) => error instanceof KafkaFailure && !error.passing,
    );
  await mustBeBrokers(connection);
  if (isWorker) checkReadable(await ask(() => unreadableTopics(settings, connection)), connection);
  const partitions = checkPartitions(settings, await ask(() => source.partitionCounts()));
  await mustBeFit(store, isWorker ? settings.namespace : undefined);
  // A process that only reads checks this, too: it could not show an unknown format.
  const { stored, unreadable } = await readCheckpoints(store, settings.namespace, partitions);
  const beginning = {
    from: settings.start.from,
    rebuild: permissions.rebuild || permissions.newGeneration === 'earliest',
    isFirst: unreadable.size === 0 && stored.every((checkpoint) => checkpoint === undefined),
  };
  if (!isWorker) return { partitions, beginning, retention: undefined, ...WHOLE };
  const retention = retentionOf(settings, connection, log);
  checkRetention(settings, await retention.look());
  const ending = await readEndingRuns(settings, stored, store);
  const begun: Begun = {
    damaged: permissions.rebuild ? await damagedUnits(settings, store, partitions) : WHOLE.damaged,
    generation: beginning.isFirst ? WHOLE.generation : generationName(Math.floor((await store.time()) / 1000), true),
  };
  const { damaged } = begun;
  checkStored(settings, stored, await ask(() => source.committedByGroup()), permissions, {
    ending,
    damaged,
    unreadable,
  });
  tellUnused(settings, stored, { ...permissions, damaged }, log);
  const absent = [...stored.keys()].filter(
    (partition) => stored[partition] === undefined && !unreadable.has(partition),
  );
  if (!beginning.isFirst && !beginning.rebuild) tellBeginning(absent, log);
  return { partitions, beginning, retention, ...begun };
}

/** What is to be counted again. */
async function damagedUnits(settings: Settings, store: RedisStore, partitions: number): Promise<Begun['damaged']> {
  const lost = await readLost(settings, store, partitions, { rowTtl: rowTtl(settings), now: await store.time() });
  return new Map(lost.map(({ partition, damage }) => [partition, damage]));
}

/** Uses a client that logs nothing, since a broker confirms a right by refusing the request for another reason. */
async function unreadableTopics({ kafka }: Settings, connection: KafkaConnection): Promise<readonly Unreadable[]> {
  const admin = new KafkaAdmin({ ...connection, topics: kafka.topics.map(({ name }) => name) });
  try {
    return await admin.questions.unreadable(kafka.groupId);
  } finally {
    await admin.close();
  }
}

/** Warns of partitions that begin although others were counted before: nobody can see whether their state was lost. */
function tellBeginning(partitions: readonly number[], log: WorkerLog): void {
  if (partitions.length === 0) return;
  log.warn(
    { partitions },
    'nothing is stored of these, nor has the group read them: they begin at their earliest record, and windows before it are incomplete',
  );
}

/** Warns of flags that have no effect on some partitions, so that nobody believes that they had one. */
function tellUnused(
  settings: Settings,
  stored: readonly (UnitCheckpoint | undefined)[],
  {
    rebuild,
    newGeneration,
    damaged,
  }: Pick<StartOptions['permissions'], 'rebuild' | 'newGeneration'> & Pick<Started, 'damaged'>,
  log: WorkerLog,
): void {
  const { shape } = fingerprint(settings);
  const partitions = (of: (one: UnitCheckpoint) => boolean): readonly number[] =>
    stored.flatMap((one, partition) => (one !== undefined && of(one) && !damaged.has(partition) ? [partition] : []));
  const kept = partitions(() => rebuild);
  if (kept.length > 0) log.warn({ partitions: kept }, '--rebuild leaves these as they are: their state is not lost');
  const same = partitions((one) => newGeneration !== false && one.fingerprint.shape === shape);
  if (same.length > 0)
    log.warn(
      { partitions: same },
      '--new-generation leaves these as they are: their rows have the meaning of these settings',
    );
}

async function mustBeFit(store: RedisStore, namespace: string | undefined): Promise<void> {
  const findings = joinedFindings(await store.checks(namespace));
  const errors = findings.filter((finding) => finding.level === 'error');
  if (errors.length > 0) throw new StartRefused(errors.map((finding) => finding.message).join('\n'));
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

/**
 * Retries until an attempt succeeds, for at most `timeout` ms: brokers that have just started know no coordinator yet. Rejects
 * with the last error, or at once with one that `isFinal`. `onFailure` is called for each failed attempt.
 */
export async function withRetries<T>(
  ask: () => Promise<T>,
  timeout: number,
  onFailure: (error: unknown, wait: number) => void,
  isFinal: (error: unknown) => boolean = () => false,
): Promise<T> {
  const until = performance.now() + timeout;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (isFinal(error) || performance.now() + wait > until) throw error;
      onFailure(error, wait);
      await sleep(wait);
    }
  }
}

/** How long topics keep records, queried from time to time. */
export class Retention {
  readonly #admin: Pick<KafkaAdmin, 'topicSettings'>;
  readonly #topics: readonly string[];
  readonly #log: Pick<WorkerLog, 'warn'>;
  readonly #connection: KafkaConnection;
  #refused = '';

  constructor(
    admin: Pick<KafkaAdmin, 'topicSettings'>,
    topics: readonly string[],
    log: Pick<WorkerLog, 'warn'>,
    connection: KafkaConnection,
  ) {
    this.#admin = admin;
    this.#topics = topics;
    this.#log = log;
    this.#connection = connection;
  }

  /** The retention of each topic; undefined: without limit, or unknown, and then the reason is logged once. Never rejects. */
  async look(): Promise<readonly (DurationMs | undefined)[]> {
    try {
      const settings = await this.#admin.topicSettings(this.#topics);
      const hidden = this.#topics.filter((_, t) => settings[t] === undefined);
      this.#report(hidden.length === 0 ? '' : `this user lacks the right DESCRIBE_CONFIGS on ${hidden.join(', ')}`);
      return settings.map(keptFor);
    } catch (error) {
      this.#report((await troubleOf(error, this.#connection, { probe: false })).message);
      return this.#topics.map(() => undefined);
    }
  }

  /** Logs why the retention of a topic is unknown, once for each reason; '': all are known. */
  #report(reason: string): void {
    if (reason !== '' && reason !== this.#refused) {
      this.#log.warn({ error: reason }, 'Kafka does not report how long the topics keep records');
    }
    this.#refused = reason;
  }
}

/** Retention of the topics that are read. */
function retentionOf({ kafka }: Settings, connection: KafkaConnection, log: WorkerLog): Retention {
  const topics = kafka.topics.map(({ name }) => name);
  return new Retention(new KafkaAdmin({ ...connection, topics }), topics, log, connection);
}

/** What decides where a unit without stored state begins. */
interface Beginning {
  readonly from: Settings['start']['from'];
  /** Whether everything that Kafka holds is counted again. */
  readonly rebuild: boolean;
  /** Whether nothing at all was stored when this process started. */
  readonly isFirst: boolean;
}

/**
 * The offset where a unit without stored state begins (specification: commit 7.2, 7.3). state_lost: it was read before. Rejects
 * with LogUnavailable while no broker responds.
 */
export async function startOffset(
  source: Pick<KafkaSource, 'committedByGroup' | 'bounds' | 'offsetAt'>,
  { from, rebuild, isFirst }: Beginning,
  partition: number,
  topic: number,
): Promise<Offset | 'state_lost'> {
  try {
    if (!rebuild && wasRead(await source.committedByGroup(), partition)) return 'state_lost';
    const { start, end, openFrom = end } = await source.bounds(partition, topic);
    // `from` applies to a group without any state. A partition that was added later is read from its start.
    if (from === 'earliest' || rebuild || !isFirst) return start;
    // Records that are committed from now on count, even those of an open transaction: Kafka's own consumer does the same.
    return from === 'latest' ? openFrom : await source.offsetAt(partition, topic, from.at);
  } catch (error) {
    if (!isPassing(error)) throw error;
    throw new LogUnavailable(messageOf(error), { cause: error });
  }
}

/** Whether a later attempt may succeed. The client marks an error as not retriable once it has given up retrying it. */
function isPassing(error: unknown): boolean {
  if (isUnreachable(error) || isCoordinatorMissing(error)) return true;
  if (!(error instanceof Error)) return false;
  return error.name === 'KafkaJSNumberOfRetriesExceeded' || ('retriable' in error && error.retriable === true);
}
