import { plainText } from '../../../connections/tls.ts';
import type { DurationMs, EpochMs, Offset } from '../../../vocabulary/events.ts';
import type { Bounds, LogSource, SourceHandler } from '../source-port.ts';
import {
  adminOf,
  type Consumer,
  type EachBatchPayload,
  kafkajs,
  type LogEntry,
  removeMember,
} from './access/client.ts';
import { accessOptions } from './access/connection.ts';
import { isCoordinatorMissing, isTopicMissing, isUnreachable, KafkaFailure, Restarts } from './access/faults.ts';
import {
  CONNECTION_TIMEOUT,
  checkTimes,
  KAFKA_TIMES,
  type KafkaSourceOptions,
  type KafkaTimes,
  MAX_BYTES,
  MAX_BYTES_PER_PARTITION,
  MAX_CONCURRENCY,
  REQUEST_TIMEOUT,
  RETRY,
} from './access/kafka-settings.ts';
import { hinted, troubleOf } from './access/trouble.ts';
import { assignerName, coPartitionedAssigner } from './flow/assigner.ts';
import { Brokers } from './flow/brokers.ts';
import { type FetchedBatch, offsetOf } from './flow/chunks.ts';
import { Deadline } from './flow/deadline.ts';
import { Flow } from './flow/flow.ts';

// Long because everything that touches kafkajs' consumer is here.
const { AssignerProtocol, Kafka, logLevel } = kafkajs;

/** The state of reading one topic of one partition. */
interface ReadState {
  /** The next offset to deliver; undefined: not known yet. */
  readonly position: Offset | undefined;
  /** Whether records flow: it is neither paused, nor stopped, nor waiting for a response of the brokers. */
  readonly flows: boolean;
}

const STOP_TIMEOUT: DurationMs = 4_000;
const COUNTS_INTERVAL: DurationMs = 60_000;
/** A broker that gets no requests for this long no longer leads anything. */
const FAILED_FOR_MS: DurationMs = 3 * REQUEST_TIMEOUT;

/**
 * Topics of Kafka as a log, shared with the other members of a consumer group: partition p of all topics is assigned together. The
 * handler decides where reading starts (`seek` while `assigned` runs); a new partition without a seek starts at the earliest offset, one
 * that stays continues where it was. Offsets in Kafka are written only by `sendOffsets`, and reading never starts from them.
 *
 * A consumer that crashed is replaced by a new one, with growing delays; kafkajs never restarts one by itself, as such a restart cannot
 * be stopped. `run` rejects with a KafkaFailure when that would not help.
 */
export class KafkaSource implements LogSource {
  readonly #options: KafkaSourceOptions;
  readonly #times: KafkaTimes;
  readonly #kafka: InstanceType<typeof Kafka>;
  readonly #brokers: Brokers;
  readonly #deadline: Deadline;
  #flow: Flow | undefined;
  #failure: { readonly error: unknown } | undefined;
  #commit: EachBatchPayload['commitOffsetsIfNecessary'] | undefined;
  #generation = -1;
  /** Id in the group of the consumer that joined last; undefined: none has, or it is known to be removed. */
  #member: string | undefined;
  #hasJoined = false;
  #ended: Promise<void> = Promise.resolve();
  /** Ends the consumer that runs. */
  #leave: () => void = () => {};
  #trouble: string | undefined;
  /** The last failed fetch that no successful one has followed; undefined: there is none. */
  #failedFetch: { readonly broker: number; readonly at: number } | undefined;
  /** The count of partitions in progress. */
  #counting: Promise<void> | undefined;

  constructor(options: KafkaSourceOptions) {
    this.#options = options;
    this.#times = options.times ?? KAFKA_TIMES;
    this.#deadline = new Deadline(options.stopTimeout ?? STOP_TIMEOUT);
    checkTimes(this.#times);
    this.#kafka = new Kafka({
      ...accessOptions(options),
      connectionTimeout: CONNECTION_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      retry: RETRY,
      logLevel: logLevel.WARN,
      logCreator: () => (entry) => this.#logged(entry),
    });
    this.#brokers = new Brokers(() => adminOf(this.#kafka, { retry: { ...RETRY, retries: 2 } }), options.topics);
  }

  async run(handler: SourceHandler): Promise<void> {
    if (this.#flow !== undefined) throw new Error('kafka: a source runs only once');
    const { topics, events, log, envelopes } = this.#options;
    const flow = new Flow({
      handler,
      envelopes,
      topics,
      events,
      log,
      bounds: (partition, topic) => this.#boundsOrCount(partition, topic),
      sleep: (duration) => this.#deadline.sleep(duration),
      fail: (error) => this.#fail(error),
    });
    this.#flow = flow;
    const running = this.#consume(flow);
    this.#ended = running.catch(() => {});
    await running;
  }

  async #consume(flow: Flow): Promise<void> {
    const restarts = new Restarts();
    const counting = setInterval(() => void this.#countPartitions(), COUNTS_INTERVAL);
    try {
      while (!this.#deadline.isStopped) {
        const crash = await this.#untilCrash(flow);
        if (this.#deadline.isStopped) break;
        // Explaining a crash takes seconds if brokers do not respond.
        const next = await this.#deadline.unlessStopped(this.#nextAfter(crash, restarts));
        if (next === undefined) break;
        this.#options.log('warn', 'the consumer has ended and is replaced', next);
        await this.#deadline.sleep(next.delay);
      }
    } finally {
      clearInterval(counting);
      await this.#deadline.settled(Promise.allSettled([flow.end(), this.#brokers.close()]));
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Runs one consumer to its end, and returns why it ended; undefined: we stopped it. */
  async #untilCrash(flow: Flow): Promise<unknown> {
    const { topics, concurrency } = this.#options;
    const consumer = this.#consumer(flow);
    const ended = new Promise<unknown>((resolve) => {
      this.#leave = (): void => resolve(undefined);
      consumer.on(consumer.events.CRASH, ({ payload }) => resolve(payload.error));
    });
    let isJoining = false;
    const start = async (): Promise<void> => {
      await consumer.connect();
      await consumer.subscribe({ topics: [...topics], fromBeginning: true });
      await this.#removePredecessor(consumer);
      if (this.#deadline.isStopped) return;
      isJoining = true;
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: concurrency ?? MAX_CONCURRENCY,
        eachBatch: (payload) => this.#fetched(flow, payload),
      });
    };
    const started = start();
    const failed = started.then(
      () => ended,
      (error: unknown) => error,
    );
    const end = await Promise.race([ended, failed]);
    this.#commit = undefined;
    // If it were stopped in the middle of a join, kafkajs would continue after it and stay in the group.
    if (isJoining) await this.#deadline.settled(started);
    const left = consumer.disconnect().catch(() => {});
    // Close a connection that is established after all.
    void failed.then(() => consumer.disconnect()).catch(() => {});
    await this.#deadline.settled(left);
    return end;
  }

  /**
   * Removes the previous member from the group. A consumer that lost its brokers could not leave. The coordinator waits for it, and lets
   * nobody join, until its session is over.
   */
  async #removePredecessor(consumer: Consumer): Promise<void> {
    const until = performance.now() + this.#times.sessionTimeout;
    while (this.#member !== undefined && !this.#deadline.isStopped) {
      try {
        await removeMember(consumer, this.#options.groupId, this.#member);
        this.#member = undefined;
      } catch (error) {
        // With brokers that do not respond this consumer ends as well, and the next one tries again.
        if (isUnreachable(error) || performance.now() > until) return;
        // Any other refusal would be repeated; most likely the group no longer knows the member.
        if (!isCoordinatorMissing(error)) this.#member = undefined;
        else await this.#deadline.sleep(RETRY.initialRetryTime);
      }
    }
  }

  #consumer(flow: Flow): Consumer {
    const { groupId, topics } = this.#options;
    const name = assignerName(topics);
    const holdings = () => ({ owned: flow.owned(), generation: this.#generation });
    const consumer = this.#kafka.consumer({
      groupId,
      ...this.#times,
      partitionAssigners: [
        ({ cluster }) =>
          coPartitionedAssigner(AssignerProtocol, name, holdings, (topic) =>
            cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId),
          ),
      ],
      maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
      maxBytes: MAX_BYTES,
      readUncommitted: false,
      allowAutoTopicCreation: false,
      retry: { ...RETRY, restartOnFailure: async () => false },
    });
    const { GROUP_JOIN, HEARTBEAT, FETCH_START, FETCH, END_BATCH_PROCESS } = consumer.events;
    consumer.on(GROUP_JOIN, ({ payload }) => {
      if (this.#deadline.isStopped) return;
      this.#hasJoined = true;
      this.#member = payload.memberId;
      this.#trouble = undefined;
      this.#failedFetch = undefined;
      this.#commit = undefined;
      flow.joined(consumer, payload.memberAssignment);
      void this.#countPartitions();
    });
    consumer.on(HEARTBEAT, ({ payload }) => {
      this.#generation = payload.groupGenerationId;
    });
    /** Brokers that have not responded to a fetch. A failed fetch shows only when the next one begins. */
    const asked = new Set<number>();
    consumer.on(FETCH_START, ({ payload: { nodeId } }) => {
      if (asked.has(nodeId)) {
        asked.clear();
        this.#failedFetch = { broker: nodeId, at: performance.now() };
        flow.doubted();
      }
      asked.add(nodeId);
    });
    consumer.on(FETCH, ({ payload: { nodeId } }) => {
      asked.delete(nodeId);
      if (this.#failedFetch?.broker === nodeId) this.#failedFetch = undefined;
    });
    consumer.on(END_BATCH_PROCESS, ({ payload }) => {
      if (payload.batchSize > 0) return;
      // If compaction has left no record, the first offset is null and the last is the requested one.
      const first: string | null = payload.firstOffset;
      const last = Number(payload.lastOffset);
      flow.filtered(topics.indexOf(payload.topic), payload.partition, first === null ? last : Number(first), last + 1);
    });
    return consumer;
  }

  /** Rejects only with errors of the heartbeat: any other would be retried, or end the consumer for all partitions. */
  async #fetched(flow: Flow, payload: EachBatchPayload): Promise<void> {
    let batch: FetchedBatch;
    try {
      const { batch: fetched, resolveOffset, heartbeat, isRunning, isStale } = payload;
      // The field is not in the types, but only it distinguishes an old batch from one after a seek.
      const from: unknown = Reflect.get(fetched, 'fetchedOffset');
      if (typeof from !== 'string') throw new KafkaFailure('kafka: kafkajs 2.2.4 is needed, exactly');
      batch = {
        partition: fetched.partition,
        topic: this.#options.topics.indexOf(fetched.topic),
        fetched: offsetOf(from),
        messages: fetched.messages,
        end: offsetOf(fetched.lastOffset()) + 1,
        logEnd: offsetOf(fetched.highWatermark),
        resolveOffset,
        heartbeat,
        isRunning,
        isStale,
      };
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#commit = payload.commitOffsetsIfNecessary;
    await flow.batch(batch);
  }

  /** Why a consumer crashed, and how long to wait before starting the next one. @throws KafkaFailure if there must be none. */
  async #nextAfter(
    crash: unknown,
    restarts: Restarts,
  ): Promise<{ readonly reason: string; readonly delay: DurationMs }> {
    const trouble = await troubleOf(crash, this.#options, { probe: !this.#hasJoined });
    const { message: reason, kind } = trouble;
    const where = this.#where;
    this.#trouble = `${where}: ${hinted(trouble)}`;
    // A topic that is deleted while it is read is reported by the partition counts. A member that was authorised before may be again,
    // once a password was changed here too, or a permission was restored.
    const isGone = this.#hasJoined && isTopicMissing(crash);
    if (isGone) void this.#countPartitions();
    const isShutOut = this.#hasJoined && kind === 'access';
    if (kind !== 'passing' && !isGone && !isShutOut) throw new KafkaFailure(this.#trouble, { cause: crash });
    const unreached = isUnreachable(crash);
    const mayBeOurs = this.#hasJoined && !isGone && !isShutOut && !unreached;
    const healthy = mayBeOurs && (await this.#brokers.answer());
    const delay = restarts.crashed(performance.now(), healthy ? 'healthy' : unreached ? 'unreached' : 'unknown');
    if (delay === undefined) {
      const often = 'the consumer crashed three times in five minutes although all brokers answer';
      throw new KafkaFailure(`${where}: ${reason}; ${often}: restart the worker, and report it if it happens again`, {
        cause: crash,
      });
    }
    return { reason, delay };
  }

  seek(partition: number, topic: number, offset: Offset, heldUpTo: Offset = offset): void {
    this.#flow?.seek(partition, topic, offset, heldUpTo);
  }

  pause(partition: number, topic: number): void {
    this.#flow?.pause(partition, topic);
  }

  resume(partition: number, topic: number): void {
    this.#flow?.resume(partition, topic);
  }

  setFetching(partition: number, topic: number, fetching: boolean): void {
    this.#flow?.setFetching(partition, topic, fetching);
  }

  bounds(partition: number, topic: number): Promise<Bounds> {
    return this.#brokers.bounds(partition, topic);
  }

  sendOffsets(partition: number, offsets: readonly Offset[]): void {
    const commit = this.#commit;
    if (commit === undefined || this.state(partition, 0) === undefined) return;
    const topics = offsets.map((offset, i) => ({
      topic: this.#options.topics[i],
      partitions: [{ partition, offset: String(offset) }],
    }));
    // The group's offsets are only shown to people; nothing is read from them, and the next commit sends them again.
    commit({ topics }).catch(() => {});
  }

  get fetchedBytes(): number {
    return this.#flow?.fetchedBytes ?? 0;
  }

  /** Why the last consumer ended or does not read, and what to do; undefined: it is reading, or has not started yet. */
  get trouble(): string | undefined {
    if (this.#trouble !== undefined) return this.#trouble;
    if (this.#failedFetch === undefined || performance.now() - this.#failedFetch.at > FAILED_FOR_MS) return undefined;
    return `${this.#where}: broker ${this.#failedFetch.broker} does not answer what it is asked to read; it is asked again. If it lasts, look at that broker and the network`;
  }

  get #where(): string {
    const { brokers, groupId } = this.#options;
    return `kafka (${brokers.join(', ')}, group ${groupId})`;
  }

  /** undefined: the partition is not ours. The lag is `bounds().end - position`; records below `openFrom` can be read. */
  state(partition: number, topic: number): ReadState | undefined {
    const position = this.#flow?.position(partition, topic);
    return position === undefined ? undefined : { position: position.expected, flows: position.flows };
  }

  /** What the group has committed, by topic, then partition. -1: nothing; lower: something that is not a position. */
  committedByGroup(): Promise<readonly (readonly number[])[]> {
    return this.#brokers.committedBy(this.#options.groupId);
  }

  /** Number of partitions of each topic; 0: there is no such topic. */
  partitionCounts(): Promise<readonly number[]> {
    return this.#brokers.partitionCounts();
  }

  /** The first offset whose record is not older than `at`; the end if there is none. */
  offsetAt(partition: number, topic: number, at: EpochMs): Promise<Offset> {
    return this.#brokers.offsetAt(partition, topic, at);
  }

  /** Whether the leaders of all partitions respond now; a watchdog calls it if it sees no progress. Never rejects. */
  answers(): Promise<boolean> {
    return this.#brokers.answer();
  }

  /** Resolves once no handler runs, the group was left and all connections are closed, or after the timeout. */
  async stop(): Promise<void> {
    this.#end();
    await this.#ended;
    await this.#deadline.settled(this.#brokers.close());
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#end();
  }

  #end(): void {
    this.#deadline.stop();
    void this.#flow?.end();
    this.#leave();
  }

  /**
   * The bounds of a log. If they are missing, counts the partitions at once, so that nobody waits a minute for the report of a deleted
   * topic.
   */
  async #boundsOrCount(partition: number, topic: number): Promise<Bounds> {
    try {
      return await this.#brokers.bounds(partition, topic);
    } catch (error) {
      if (isTopicMissing(error)) void this.#countPartitions();
      throw error;
    }
  }

  /** Counts the partitions, or joins the count in progress. */
  #countPartitions(): Promise<void> {
    this.#counting ??= this.#countNow().finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #countNow(): Promise<void> {
    const { events, log } = this.#options;
    let counts: readonly number[];
    try {
      counts = await this.#brokers.partitionCounts();
    } catch (error) {
      log('warn', 'the partitions could not be counted', { reason: error instanceof Error ? error.message : '' });
      return;
    }
    if (!this.#deadline.isStopped) events.onPartitionCounts(counts);
  }

  /** Logs a message of the client without stack traces and OpenSSL's own texts, which help nobody. */
  #logged({ level, namespace, log: { message, timestamp: _, stack: __, ...fields } }: LogEntry): void {
    const name = level === logLevel.ERROR ? 'error' : level === logLevel.WARN ? 'warn' : 'info';
    const error: unknown = fields['error'];
    const said = typeof error === 'string' ? { error: plainText(error) } : {};
    this.#options.log(name, plainText(message), { namespace, ...fields, ...said });
  }
}
