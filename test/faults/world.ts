/**
 * Servers, workers and traffic for rows of the fault matrix. Faults strike one after the other while the same traffic
 * flows; at the end, or whenever it is asked, everything that is stored is compared with what the reference makes of the logs.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, Redis } from 'ioredis';
import { loadSettings } from '../../src/config/load.ts';
import { Broker } from '../proof/broker.ts';
import { Feed } from '../proof/feed.ts';
import { configuration, type ProofParameters, SESSION_MS } from '../proof/parameters.ts';
import { ServiceProcess, TAKEN_OVER } from '../proof/process.ts';
import { RecordedInputs } from '../proof/recorded-inputs.ts';
import { connect } from '../proof/stored.ts';
import { debianLibrary } from '../services/debian.ts';
import { type RunningKafka, startKafka } from '../services/kafka.ts';
import type { KafkaVersion } from '../services/kafka-jars.ts';
import { LOOPBACK, type Place } from '../services/place.ts';
import { type RunningRedis, startRedis } from '../services/redis.ts';
import { type RunningCluster, startCluster } from '../services/redis-cluster.ts';
import type { RedisRelease } from '../services/redis-releases.ts';
import { startWatchedRedis, type WatchedRedis } from '../services/redis-sentinel.ts';
import { type AuditResult, audit } from './audit.ts';
import { Flow } from './flow.ts';
import { type Machine, Network, withHosts } from './network.ts';
import { Tmpfs } from './tmpfs.ts';

/** What the log says, as rows wait for it. */
export const CLOCKS_DIFFER = 'the clock here and that of Redis differ';

export interface WorldOptions {
  readonly brokers: 1 | 3;
  readonly kafka?: KafkaVersion;
  readonly redis: 'server' | 'sentinel' | 'cluster';
  /** Of the single Redis; that of this system unless said. */
  readonly redisRelease?: RedisRelease;
  /** Workers know the single Redis by a name, and it has two addresses. */
  readonly byName?: boolean;
  /** Of each Redis. */
  readonly redisConfig?: Readonly<Record<string, string>>;
  /** The data of the one Redis, or of broker 1, lie on a disk of so many megabytes. */
  readonly smallDisk?: { readonly of: 'redis' | 'broker 1'; readonly megabytes: number };
  /** Every server and worker is a machine of its own. */
  readonly network: boolean;
  /** Worker 1 takes its time from a file. */
  readonly ownClock?: boolean;
  /** The event loop of workers can be blocked. */
  readonly blockable?: boolean;
}

export interface Pace {
  /** Records a second. */
  readonly pace: number;
  /** For how long there is traffic, at the most. */
  readonly seconds: number;
  readonly seed: number;
  readonly workers: number;
  readonly partitions: number;
}

export type Say = (line: string) => void;

/** For how long the event loop of a worker is blocked: two sessions. */
export const BLOCK_MS = 2 * SESSION_MS;
/** What Node.js loads before a worker whose loop can be blocked, by a signal. */
const BLOCKER = `process.on('SIGUSR2', () => { for (const end = Date.now() + ${BLOCK_MS}; Date.now() < end; ); })`;
/** Where Debian has it. */
const LIBFAKETIME = `usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`;
const TICK_MS = 100;
const PATIENCE_MS = 300_000;
/** What the last records may be behind each other. */
const SLACK_MS = 60_000;
/**
 * No silence lets time pass: where sending is held up for long, all that comes after would be late, and what the clock did
 * would be in no checkpoint.
 */
const IDLE_AFTER = '2h';
/** A broker that is silent does not keep the traffic for all others from being sent for long. */
const SEND_MS = 5000;
/** Kafka's own patience is three times as long; until then nothing can be written that all copies must have. */
const REPLICA_LAG_MS = 10_000;

export class World {
  readonly kafka: RunningKafka;
  readonly workers: readonly ServiceProcess[];
  readonly inputs: RecordedInputs;
  readonly say: Say;
  /** Those that were killed and have not come back. */
  readonly deadBrokers = new Set<number>();
  readonly #flow: Flow;
  readonly #broker: Broker;
  readonly #parts: Parts;
  #isWatching = true;
  readonly #watching: Promise<void>;

  private constructor(parts: Parts, say: Say) {
    this.#parts = parts;
    this.kafka = parts.kafka;
    this.workers = parts.workers;
    this.#broker = parts.broker;
    this.#flow = parts.flow;
    this.inputs = new RecordedInputs(parts.client, parts.pace.partitions);
    this.say = say;
    this.#watching = this.#watch();
  }

  /** @throws ServiceMissing */
  static async open(options: WorldOptions, pace: Pace, say: Say): Promise<World> {
    const ends: (() => unknown)[] = [];
    try {
      const parts = await makeParts(options, pace, ends, say);
      const world = new World(parts, say);
      ends.unshift(() => world.#close());
      await world.allReady();
      parts.flow.start();
      const mark = parts.flow.mark();
      await until('the first records are stored', async () => world.hasPassed(mark.first));
      say('everything runs');
      return world;
    } catch (error) {
      for (const end of ends) await end();
      throw error;
    }
  }

  get network(): Network {
    return this.#parts.network ?? missing('network');
  }

  get redis(): RunningRedis {
    return this.#parts.server ?? missing('single Redis');
  }

  get watched(): WatchedRedis {
    return this.#parts.watched ?? missing('Redis with sentinels');
  }

  get cluster(): RunningCluster {
    return this.#parts.cluster ?? missing('Redis Cluster');
  }

  get disk(): Tmpfs {
    return this.#parts.disk ?? missing('small disk');
  }

  /** Sets the clock of worker 1: so many seconds beside the right time. */
  setClock(seconds: number): void {
    if (this.#parts.options.ownClock !== true) missing('worker with a clock of its own');
    writeFileSync(clockFile(this.#parts.folder), `${seconds < 0 ? '' : '+'}${seconds}`);
  }

  /** The name of Redis shows another address, and workers reach it by the first no more until the network is healed. */
  async moveRedis(): Promise<void> {
    if (this.#parts.options.byName !== true) missing('Redis that is known by its name');
    const redis = this.machine('redis');
    const second = await this.network.addAddress(redis, SECOND_HOST);
    await this.network.cut(
      this.workers.map(({ name }) => this.machine(name)),
      [redis],
    );
    writeFileSync(hostsFile(this.#parts.folder), namesOf(second));
  }

  get records(): number {
    return this.#flow.sent;
  }

  /** A connection to the single Redis, with all rights. */
  async admin<T>(act: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.redis.url, { maxRetriesPerRequest: 20, enableReadyCheck: false });
    redis.on('error', () => {});
    try {
      return await act(redis);
    } finally {
      redis.disconnect();
    }
  }

  machine(name: string): Machine {
    return this.network.machine(name);
  }

  /** As a server says: `7.0.15`, `Valkey 8.1.1`. */
  async redisVersion(): Promise<string> {
    const { server, watched, cluster } = this.#parts;
    const url = (server ?? watched?.servers[0] ?? cluster?.nodes[0].server)?.url ?? missing('Redis');
    const redis = new Redis(url);
    const said = await redis.info('server');
    redis.disconnect();
    const valkey = /^valkey_version:(\S+)/m.exec(said)?.[1];
    return valkey === undefined ? (/^redis_version:(\S+)/m.exec(said)?.[1] ?? 'unknown') : `Valkey ${valkey}`;
  }

  /** Workers that own units. */
  get owners(): readonly ServiceProcess[] {
    return this.workers.filter((worker) => worker.claims > 0);
  }

  get committed(): number {
    return this.inputs.committed;
  }

  /** Seconds until every unit has committed a record that was sent after now; undefined: some never did. */
  async recovery(): Promise<number | undefined> {
    const mark = this.#flow.mark();
    for (;;) {
      if (this.hasPassed(mark.first)) return (performance.now() - mark.at) / 1000;
      if (this.#flow.isOver) throw new Error('the traffic has ended: what is fresh cannot come any more');
      if (performance.now() - mark.at > PATIENCE_MS) {
        const waits = mark.first.flatMap((offsets, unit) => (this.#isPast(unit, offsets) ? [] : [unit]));
        this.say(`units ${waits} do not go on; ${this.#flow.waiting} records wait to be sent`);
        for (const worker of this.workers) this.say(worker.tail);
        return undefined;
      }
      await sleep(TICK_MS);
    }
  }

  /** Waits until every unit has committed something fresh, while the fault lasts. @throws Error if some did not */
  async goesOn(): Promise<void> {
    const after = await this.recovery();
    if (after === undefined) throw new Error('not every unit goes on meanwhile');
    this.say(`meanwhile every unit goes on: ${after.toFixed(1)} s`);
  }

  /** Returns whether the consumer group of the workers is deleted, which brokers do only if it has no members. */
  deleteGroup(): Promise<boolean> {
    return this.#broker.deleteGroup();
  }

  hasPassed(first: readonly (ReadonlyMap<number, number> | undefined)[]): boolean {
    return first.every((offsets, unit) => this.#isPast(unit, offsets));
  }

  #isPast(unit: number, offsets: ReadonlyMap<number, number> | undefined): boolean {
    if (offsets === undefined) return false;
    const committed = this.inputs.committedOf(unit);
    return [...offsets].some(([topic, offset]) => committed[topic] > offset);
  }

  async killBroker(broker: number): Promise<void> {
    await this.kafka.kill9(broker);
    this.deadBrokers.add(broker);
    this.say(`broker ${broker} is killed`);
  }

  async restoreBrokers(): Promise<void> {
    for (const broker of this.deadBrokers) await this.kafka.restart(broker);
    this.deadBrokers.clear();
  }

  /** Does something to the network, which is whole again afterwards. */
  async cutting(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } finally {
      await this.network.heal();
    }
  }

  async allReady(): Promise<void> {
    await this.until('workers are ready', async () =>
      (await Promise.all(this.workers.map((worker) => worker.isReady()))).every((isReady) => isReady),
    );
  }

  until(what: string, holds: () => Promise<boolean>): Promise<void> {
    return until(what, holds);
  }

  seconds(count: number): Promise<void> {
    return sleep(1000 * count);
  }

  /** How often workers learned that a unit was taken over from them. */
  get fenced(): number {
    return this.#said(`"${TAKEN_OVER}"`);
  }

  /** How often workers found that the clock here and that of Redis differ. */
  get clockDoubts(): number {
    return this.#said(CLOCKS_DIFFER);
  }

  /** How often the workers that live have found that Redis went back. */
  async rewinds(): Promise<number> {
    let pages: readonly string[] = [];
    await until('all workers answer', async () => {
      pages = await Promise.all(this.workers.map((worker) => worker.metrics()));
      return pages.every((page) => page !== '');
    });
    return pages
      .flatMap((page) => [...page.matchAll(/^receval_rewinds_total(?:\{.*\})? (\d+)$/gm)])
      .reduce((sum, [, count]) => sum + Number(count), 0);
  }

  #said(message: string): number {
    return this.workers.reduce((sum, worker) => sum + worker.said(message), 0);
  }

  /** Ends the traffic with records that close what is open, and waits until all is read. */
  async drain(): Promise<void> {
    await this.#flow.stop();
    const { feed, pace } = this.#parts;
    let closed = Number.POSITIVE_INFINITY;
    for (let partition = 0; partition < pace.partitions; partition++) {
      const { records, at } = feed.closing(partition);
      await this.#broker.sendTo(partition, records);
      closed = Math.min(closed, at - SLACK_MS);
    }
    const ends = await this.#broker.ends();
    await until('all is read and closed', async () => this.inputs.reached(ends, closed));
  }

  /** Compares all that is stored with what the reference finds in the logs up to there. */
  audit(): Promise<AuditResult> {
    const { client, settings, pace } = this.#parts;
    return audit({ broker: this.#broker, client, settings, inputs: this.inputs, partitions: pace.partitions });
  }

  /** Ends of workers that nobody asked for. */
  get crashes(): readonly string[] {
    return this.workers.flatMap((worker) => worker.crashes);
  }

  async close(): Promise<readonly (number | null)[]> {
    const codes = await Promise.all(this.workers.map((worker) => worker.stop()));
    for (const end of this.#parts.ends) await end();
    return codes;
  }

  async #watch(): Promise<void> {
    while (this.#isWatching) {
      await this.inputs.look();
      await sleep(TICK_MS);
    }
  }

  async #close(): Promise<void> {
    this.#isWatching = false;
    await this.#watching;
  }
}

/** All that a world consists of, and how it ends, in that order. */
interface Parts {
  readonly folder: string;
  readonly options: WorldOptions;
  readonly pace: Pace;
  readonly ends: readonly (() => unknown)[];
  readonly network: Network | undefined;
  readonly disk: Tmpfs | undefined;
  readonly kafka: RunningKafka;
  readonly server: RunningRedis | undefined;
  readonly watched: WatchedRedis | undefined;
  readonly cluster: RunningCluster | undefined;
  readonly client: Redis | Cluster;
  readonly broker: Broker;
  readonly feed: Feed;
  readonly flow: Flow;
  readonly workers: readonly ServiceProcess[];
  readonly settings: ReturnType<typeof loadSettings>;
}

async function makeParts(options: WorldOptions, pace: Pace, ends: (() => unknown)[], say: Say): Promise<Parts> {
  const folder = mkdtempSync(join(tmpdir(), 'receval-faults-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  ends.unshift(() => {
    process.off('exit', remove);
    remove();
  });
  const network = options.network ? await Network.open(machinesOf(options, pace)) : undefined;
  if (network !== undefined) ends.unshift(() => network.close());
  const place = (name: string): Place => network?.machine(name) ?? LOOPBACK;
  const disk =
    options.smallDisk === undefined ? undefined : await Tmpfs.mount(join(folder, 'disk'), options.smallDisk.megabytes);
  if (disk !== undefined) ends.unshift(() => disk.unmount());

  const brokers = Array.from({ length: options.brokers }, (_, i) => i + 1);
  const kafka = await startKafka({
    ...(options.kafka === undefined ? {} : { version: options.kafka }),
    brokers: options.brokers,
    places: brokers.map((n) => place(`broker-${n}`)),
    properties: { 'replica.lag.time.max.ms': REPLICA_LAG_MS },
    logFolder: (n) => (options.smallDisk?.of === `broker ${n}` ? join(disk?.folder ?? folder, 'log') : undefined),
  });
  ends.unshift(() => kafka.stop());
  say(`${options.brokers} brokers of Kafka ${kafka.version} are up`);

  const config = {
    appendonly: 'yes',
    appendfsync: 'always',
    ...(options.smallDisk?.of === 'redis' ? { dir: disk?.folder ?? folder } : {}),
    ...options.redisConfig,
  };
  let server: RunningRedis | undefined;
  let watched: WatchedRedis | undefined;
  let cluster: RunningCluster | undefined;
  let client: Redis | Cluster;
  let url: string;
  if (options.redis === 'server') {
    const release = options.redisRelease === undefined ? {} : { release: options.redisRelease };
    server = await startRedis({ config, place: place('redis'), ...release });
    client = connect(server.port, place('redis').address);
    url = options.byName === true ? `redis://${REDIS_NAME}:${server.port}` : server.url;
  } else if (options.redis === 'sentinel') {
    watched = await startWatchedRedis({ config, places: WATCHED.map(place) });
    client = watched.client();
    url = watched.url;
  } else {
    // Replicas are promoted within the time that the row promises.
    cluster = await startCluster({
      primaries: 3,
      replicas: 3,
      config: { ...config, 'cluster-node-timeout': '2000' },
    });
    client = cluster.client();
    url = cluster.url;
  }
  const stores = [server, watched, cluster];
  ends.unshift(() => client.disconnect());
  ends.unshift(() => Promise.all(stores.map((store) => store?.stop())));
  say(`Redis is up (${options.redis})`);

  const hosts = options.byName === true ? hostsFile(folder) : undefined;
  if (hosts !== undefined) writeFileSync(hosts, namesOf(place('redis')));
  const file = join(folder, 'receval.yaml');
  writeFileSync(file, configuration(kafka.brokers, url, IDLE_AFTER));
  const settings = loadSettings({ file, readFile: (path) => readFileSync(path, 'utf8'), env: {} });
  const broker = new Broker(kafka, pace.partitions, SEND_MS);
  ends.unshift(() => broker.close());
  await broker.open();
  const library = options.ownClock === true ? await debianLibrary('libfaketime', LIBFAKETIME) : undefined;
  const workers = await Promise.all(
    Array.from({ length: pace.workers }, (_, i) =>
      ServiceProcess.start(folder, file, 'worker', i + 1, {
        place: hosts === undefined ? place(`worker-${i + 1}`) : withHosts(place(`worker-${i + 1}`), hosts),
        env: {
          ...(i === 0 && library !== undefined ? clockEnv(library, folder) : {}),
          ...(options.blockable === true
            ? { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(BLOCKER)}` }
            : {}),
        },
      }),
    ),
  );
  ends.unshift(() => Promise.all(workers.map((worker) => worker.stop())));
  const feed = new Feed(parametersOf(pace), Date.now());
  const flow = new Flow(broker, feed, pace);
  ends.unshift(() => flow.abandon());
  return {
    folder,
    options,
    pace,
    ends,
    network,
    disk,
    kafka,
    server,
    watched,
    cluster,
    client,
    broker,
    feed,
    flow,
    workers,
    settings,
  };
}

/** A process that takes the time from a library: real time, and as many seconds more as the file says. */
function clockEnv(library: string, folder: string): Readonly<Record<string, string>> {
  writeFileSync(clockFile(folder), '+0');
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clockFile(folder),
    // Seconds after which it looks into the file again.
    FAKETIME_CACHE_DURATION: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
}

/** As /etc/hosts says it. */
function namesOf({ address }: Place): string {
  return `127.0.0.1 localhost\n${address} ${REDIS_NAME}\n`;
}

function hostsFile(folder: string): string {
  return join(folder, 'hosts');
}

function clockFile(folder: string): string {
  return join(folder, 'clock');
}

const REDIS_NAME = 'redis.faults.test';
/** The last number of the second address of Redis. */
const SECOND_HOST = 200;
const WATCHED = ['redis-1', 'redis-2', 'sentinel-1', 'sentinel-2', 'sentinel-3'];

function machinesOf({ brokers, redis }: WorldOptions, { workers }: Pace): readonly string[] {
  const numbered = (name: string, count: number): string[] =>
    Array.from({ length: count }, (_, i) => `${name}-${i + 1}`);
  if (redis === 'cluster') throw new Error('the nodes of a Redis Cluster run on this machine alone');
  return [
    ...numbered('broker', brokers),
    ...(redis === 'server' ? ['redis'] : WATCHED),
    ...numbered('worker', workers),
  ];
}

function parametersOf({ pace, seconds, seed, partitions, workers }: Pace): ProofParameters {
  const none = { exporters: 0, kills: 0, freezes: 0, redisRestarts: 0, brokers: 1 } as const;
  return { ...none, events: pace * seconds, partitions, workers, seed, pace };
}

export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`gave up waiting for this: ${what}`);
    await sleep(TICK_MS);
  }
}

function missing(what: string): never {
  throw new Error(`this row needs a ${what}, which its group does not have`);
}
