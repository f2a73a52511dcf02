import type { RedisStore } from '../accumulators/store/redis-store.ts';
import type { StoreUsage } from '../accumulators/store/store-port.ts';
import type { Settings } from '../config/settings.ts';
import type { AccessState } from '../connections/access-files.ts';
import { type KafkaEvents, timesFor } from '../consumers/source/kafka/access/kafka-settings.ts';
import { KafkaSource } from '../consumers/source/kafka/kafka.ts';
import { Exporter } from '../exporter/exporter.ts';
import { LivePage } from '../live/live.ts';
import { pagesOf } from '../live/live-pages.ts';
import { needsFeedback } from '../measures/needs.ts';
import { compile } from '../measures/scorer.ts';
import { Metrics, MetricsPage, type MetricsUpdate } from '../metrics/registry.ts';
import type { Fact } from '../page/model.ts';
import type { Readiness } from '../server/routes.ts';
import { type RunningServer, startServer } from '../server/server.ts';
import { fingerprint } from '../unit/fingerprint.ts';
import type { Permissions } from '../unit/resume.ts';
import { samplesOf } from '../unit/samples.ts';
import { WallClock } from '../vocabulary/clock.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import type { FaultPoint } from '../vocabulary/fault-point.ts';
import { RepeatedWarning } from '../worker/repeated-warning.ts';
import { STOP_ADVICE } from '../worker/status.ts';
import { Worker } from '../worker/worker.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';
import { changedPartitions, emptiness } from './checks.ts';
import { type DeadLetters, deadLettersOf, LettersFirst } from './dead-letters.ts';
import { LogWatch } from './log-watch.ts';
import { FoldedCohorts, SnapshotChanges } from './logged-changes.ts';
import { MisfitChanges, unknownPartitions, unshown } from './misfits.ts';
import {
  kafkaConnection,
  memoryLimit,
  openLimit,
  rowTtl,
  serviceDecoders,
  stateLimit,
  workerSettings,
} from './service-settings.ts';
import { checkStart, connectRedis, type Retention, type Started, startOffset } from './start.ts';
import { AccessWatch, accessOf, EvictionWatch } from './start-watch.ts';
import { lookAtRecords } from './topic-sample.ts';
import { ClockCheck, type Health, Watchdog } from './watchdog.ts';

export type Role = 'worker' | 'exporter' | 'all';

interface ServiceOptions {
  readonly settings: Settings;
  readonly role: Role;
  readonly permissions: Permissions & { readonly rebuild: boolean };
  /** Version of receval. */
  readonly version: string;
  readonly newId: () => string;
  /** Seed of the join's hashes: random for each process, so that nobody can choose ids that collide. No result depends on it. */
  readonly hashSeed: number;
  readonly log: WorkerLog;
  /** Facts about this process at the end of a report; default: none. */
  readonly about?: readonly Fact[];
  /** For tests; default: none. */
  readonly faultPoint?: FaultPoint | undefined;
}

const REFRESH_MS = 1000;
const CLOCK_CHECK_MS = 10_000;
const RETENTION_CHECK_MS = 60_000;
const ACCESS_CHECK_MS = 60_000;
const REDIS_CHECK_MS = 10_000;
/** Time to wait for dead letters when the service ends. */
const LETTERS_MS = 1000;

/** What the handlers of Kafka's events need from the service. */
interface HandlerState {
  readonly worker: Worker | undefined;
  /** Number of partitions of each topic. */
  readonly partitions: number;
}

/** `receval run`: worker, exporter, or both, on Kafka and Redis. */
export class Service {
  readonly #options: ServiceOptions;
  readonly #store: RedisStore;
  readonly #source: KafkaSource;
  readonly #metrics: Metrics;
  readonly #page: LivePage;
  readonly partitions: number;
  readonly #retention: Retention | undefined;
  readonly #accessWatch: AccessWatch;
  #access: readonly AccessState[] = [];
  #redis: StoreUsage | undefined;
  readonly #evictionWatch: EvictionWatch;
  readonly #worker: Worker | undefined;
  readonly #exporter: Exporter | undefined;
  readonly #clock = new WallClock();
  readonly #clockCheck: ClockCheck;
  readonly #deadLetters: DeadLetters | undefined;
  #server: RunningServer | undefined;
  #exported = false;
  readonly #unread: RepeatedWarning<'windows'>;
  #isStopping = false;
  #working: Promise<void> | undefined;
  readonly #changes = new SnapshotChanges();
  readonly #misfits = new MisfitChanges();
  readonly #folded: FoldedCohorts;
  readonly #logWatch: LogWatch;
  #health: Health = { healthy: true, reasons: [] };
  /** Functions that end periodic work. */
  readonly #timers: (() => void)[] = [];

  /**
   * Connects, checks, and listens; nothing has been read or claimed yet.
   * Rejects with a StartRefused or StateMismatch that says what to do, or with an error of Kafka, Redis or the port.
   */
  static async start(options: ServiceOptions): Promise<Service> {
    const { settings } = options;
    const scorer = compile(settings.measures, settings.grading, settings.itemFile);
    const store = await connectRedis({ ...settings.redis, rowTtl: rowTtl(settings) }, options.log);
    try {
      return await Service.#connected(options, store, scorer);
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  static async #connected(
    options: ServiceOptions,
    store: RedisStore,
    scorer: ReturnType<typeof compile>,
  ): Promise<Service> {
    const { settings, permissions } = options;
    let service: Service | undefined;
    const connection = kafkaConnection(settings, 'receval');
    const source = new KafkaSource({
      ...connection,
      groupId: settings.kafka.groupId,
      topics: settings.kafka.topics.map((topic) => topic.name),
      times: timesFor(settings.kafka.sessionTimeout),
      envelopes: settings.deadLetter.to !== 'off',
      events: eventsFor(() => service, settings),
      log: (level, message, fields) =>
        (level === 'info' ? options.log.info : options.log.warn).call(options.log, fields, message),
    });
    try {
      const isWorker = options.role !== 'exporter';
      const { log } = options;
      const started = await checkStart(store, source, { settings, isWorker, permissions, connection, log });
      service = new Service(options, store, source, scorer, started);
      await service.#listen();
      return service;
    } catch (error) {
      await source.stop();
      throw error;
    }
  }

  private constructor(
    options: ServiceOptions,
    store: RedisStore,
    source: KafkaSource,
    scorer: ReturnType<typeof compile>,
    { partitions, beginning, retention, ...begun }: Started,
  ) {
    const { settings, role, permissions, newId, hashSeed, log, version, about, faultPoint } = options;
    this.#options = options;
    this.#unread = new RepeatedWarning(
      options.log,
      'the windows could not be read from Redis',
      'the windows are read from Redis again',
    );
    this.#retention = retention;
    this.#accessWatch = new AccessWatch(accessOf(settings), log);
    this.#evictionWatch = new EvictionWatch(log);
    this.#folded = new FoldedCohorts(settings);
    this.#logWatch = new LogWatch({
      look: () => lookAtRecords(settings, this.#owned, this.#clock.now()),
      log,
      needsFeedback: needsFeedback(settings.measures),
    });
    this.#store = store;
    this.#source = source;
    this.partitions = partitions;
    this.#clockCheck = new ClockCheck({
      clock: this.#clock,
      store,
      machine: Date.now,
      onSkew: (skew) => this.#worker?.clockIs(skew),
      log,
    });
    const most = openLimit(settings.limits);
    const limits = {
      memoryLimit: memoryLimit(),
      openLimit: Number.isFinite(most) ? most : undefined,
      stateLimit: stateLimit(settings.limits),
    };
    this.#metrics = new Metrics(settings, { role, version, node: process.version, ...limits });
    const samples = role === 'exporter' ? undefined : samplesOf(settings, scorer, newId());
    this.#page = new LivePage(settings, {
      ready: () => this.#readiness(),
      history: (question) => this.#exporter?.history(question),
      samples,
      about,
    });
    if (role !== 'worker') {
      this.#exporter = new Exporter(settings, {
        store,
        namespace: settings.namespace,
        partitions,
        fingerprint: fingerprint(settings),
        hashSeed,
      });
    }
    if (role === 'exporter') return;
    this.#deadLetters = deadLettersOf(settings, this.#clock, log);
    this.#worker = new Worker(workerSettings(settings, scorer, partitions, permissions, hashSeed, begun), {
      source,
      store: this.#deadLetters === undefined ? store : new LettersFirst(store, this.#deadLetters.queue),
      scorer,
      newId,
      random: Math.random,
      log,
      clock: this.#clock,
      compareClock: () => this.#clockCheck.look(),
      decoders: () => serviceDecoders(settings),
      onInvalid: this.#deadLetters?.onInvalid,
      onUndecodable: this.#deadLetters?.onUndecodable,
      samples,
      onClaim: (partition, counts) => this.#metrics.claimed(partition, counts),
      startOffset: (partition, topic) => startOffset(source, beginning, partition, topic),
      faultPoint,
    });
  }

  /** The worker; undefined: this process has none. */
  get worker(): Worker | undefined {
    return this.#worker;
  }

  /** The partitions that are owned. */
  get #owned(): readonly number[] {
    return this.#worker?.status().units.map(({ partition }) => partition) ?? [];
  }

  get port(): number {
    return this.#server?.port ?? 0;
  }

  async #listen(): Promise<void> {
    const metrics = this.#metrics;
    const metricsPage = new MetricsPage({ metrics, status: () => this.#status(), clock: this.#clock });
    this.#server = await startServer(this.#options.settings.http, {
      metrics: () => metricsPage.text(),
      contentType: metrics.contentType,
      ready: () => this.#readiness(),
      healthy: () => this.#health.healthy,
      page: this.#options.settings.http.page ? pagesOf(this.#page) : undefined,
      failed: (path, { message, stack }) =>
        this.#options.log.warn({ path, error: message, stack }, 'a page could not be made'),
    });
  }

  #readiness(): Readiness {
    const reasons = this.#unready();
    const stopped = this.#worker?.stopped.map((unit) => ({ ...unit, advice: STOP_ADVICE[unit.cause] })) ?? [];
    return { ready: reasons.length === 0, reasons, stopped };
  }

  #unready(): readonly string[] {
    return [
      ...(this.#store.connected ? [] : ['Redis is not connected']),
      ...[this.#store.trouble, this.#source.trouble].filter((trouble) => trouble !== undefined),
      ...(this.#exporter === undefined || this.#exported ? [] : ['nothing has been exported yet']),
      ...(this.#exported ? emptiness(this.#options.settings.namespace, this.#exporter?.nothingStored) : []),
      // A worker claims its own units or refuses to; those of others do not make it unready.
      ...(this.#worker === undefined ? unshown(this.#exporter?.misfits ?? []) : []),
      ...unknownPartitions(this.partitions, this.#exporter?.partitionsStored ?? 0),
      ...(this.#clockCheck.trouble === undefined ? [] : [this.#clockCheck.trouble]),
      ...(this.#worker?.unready ?? []),
      ...this.#health.reasons,
    ];
  }

  /** Runs until `stop`. Rejects with errors that waiting does not fix. */
  async run(): Promise<void> {
    const { log } = this.#options;
    this.#lookAtAccess();
    this.#timers.push(this.#clock.every(ACCESS_CHECK_MS, () => this.#lookAtAccess()));
    await this.#lookAtRedis();
    this.#timers.push(this.#clock.every(REDIS_CHECK_MS, () => this.#lookAtRedis()));
    this.#timers.push(this.#clock.every(REFRESH_MS, () => this.#refresh()));
    if (this.#worker === undefined) {
      await new Promise<void>((resolve) => this.#timers.push(resolve));
      return;
    }
    const worker = this.#worker;
    const watchdog = new Watchdog({ store: this.#store, source: this.#source, status: () => worker.status(), log });
    await this.#clockCheck.look();
    this.#timers.push(this.#clock.every(CLOCK_CHECK_MS, async () => void (await this.#clockCheck.look())));
    this.#watchRetention(worker);
    const givenUp = new Promise<never>((_, reject) => {
      this.#timers.push(
        this.#clock.every(REFRESH_MS, async () => {
          this.#health = await watchdog.look(this.#clock.now());
          if (!this.#health.healthy) reject(new Error(this.#health.reasons.join('; ')));
        }),
      );
    });
    try {
      this.#working = worker.run();
      await Promise.race([this.#working, givenUp]);
    } finally {
      log.info({}, 'the worker has ended');
    }
  }

  #lookAtAccess(): void {
    this.#access = this.#accessWatch.look(this.#clock.now());
  }

  /** Ignores a Redis that does not respond: that is reported elsewhere. */
  async #lookAtRedis(): Promise<void> {
    this.#redis = await this.#store.usage().catch(() => undefined);
    if (this.#redis !== undefined) this.#evictionWatch.look(this.#redis.evictionPolicy, this.#clock.now());
  }

  #watchRetention(worker: Worker): void {
    const look = async (): Promise<void> => worker.retentionIs((await this.#retention?.look()) ?? []);
    void look();
    this.#timers.push(this.#clock.every(RETENTION_CHECK_MS, look));
  }

  /** The present state of this process. */
  #status(): MetricsUpdate {
    const deadLetters = this.#deadLetters?.queue.counts;
    return { status: this.#worker?.status(), deadLetters, access: this.#access, redis: this.#redis };
  }

  /** Updates what is shown. A failed read of the store is retried in a second; until then the pages keep the last numbers. */
  async #refresh(): Promise<void> {
    let snapshot: Awaited<ReturnType<Exporter['refresh']>> | undefined;
    try {
      snapshot = await this.#exporter?.refresh();
      this.#exported = true;
      this.#unread.worked('windows');
      if (snapshot !== undefined) {
        this.#changes.report(snapshot, this.#options.log);
        this.#misfits.report(this.#exporter?.misfits ?? [], this.#options.log, this.#clock.now());
      }
    } catch (error) {
      // While the service stops, its connection is closed on purpose.
      if (!this.#isStopping) this.#unread.failed('windows', '', { error: messageOf(error) }, this.#clock.now());
    }
    const own = this.#status();
    const { status } = own;
    if (status !== undefined) this.#folded.report(status.units, this.#options.log, this.#clock.now());
    await this.#metrics.take({ ...own, snapshot });
    const now = this.#clock.now();
    if (status !== undefined) this.#logWatch.update(status.units.length > 0 ? this.#metrics.topics : [], now);
    this.#page.update({ snapshot, status, now, findings: this.#logWatch.findings });
  }

  /** Leaves the group, commits the last whole chunk, writes queued dead letters, closes the port and Redis. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#worker !== undefined) await this.#worker.stop();
    else await this.#source.stop();
    // Redis is needed until the worker has ended. `run` rejects with the error that ended it.
    await Promise.all([this.#working?.catch(() => {}), this.#deadLetters?.queue.close(LETTERS_MS)]);
    for (const end of this.#timers.splice(0)) end();
    await this.#server?.close();
    await this.#store.close();
  }
}

/** Passes Kafka's events other than records to the worker. `service`: undefined while it is starting. */
function eventsFor(service: () => HandlerState | undefined, settings: Settings): KafkaEvents {
  const worker = (): Worker | undefined => service()?.worker;
  return {
    onGap: ({ partition, topic, start }) =>
      worker()?.gap(partition, topic, start, settings.start.onGap) ?? 'not needed',
    onLostLog: (lost) => worker()?.logLost(lost.partition, lost.topic, lost),
    onRefused: ({ partition, topic, from, to }) => {
      if (worker()?.wasJudged(partition, topic, { from, to }) === true) return 'skip';
      if (settings.start.onUndecodable === 'stop') worker()?.stopUnit(partition, 'codec');
      return settings.start.onUndecodable;
    },
    onUnpaired: (partitions) => {
      for (const partition of partitions) worker()?.stopUnit(partition, 'pairing');
    },
    onPartitionCounts: (counts) => {
      const expected = service()?.partitions;
      const advice = expected === undefined ? undefined : changedPartitions(settings.kafka, counts, expected);
      if (advice !== undefined) worker()?.stopAllUnits('partitions', { advice });
    },
  };
}
