import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { LOOPBACK, type Place } from './place.ts';
import { type RunningRedis, startRedis } from './redis.ts';

export interface WatchedOptions {
  /** Settings of the primary and of its replica. */
  readonly config?: Readonly<Record<string, string>>;
  /** Of the two servers, then of the three sentinels; all on this machine unless said. */
  readonly places?: readonly Place[];
}

const MASTER = 'main';
const DOWN_AFTER_MS = 5000;
const PATIENCE_MS = 90_000;

/** A primary and a replica, and three sentinels that watch them, of which two must agree. */
export class WatchedRedis {
  readonly servers: readonly RunningRedis[];
  readonly sentinels: readonly RunningRedis[];
  readonly places: readonly Place[];
  readonly #addresses: readonly string[];
  #isStopped = false;

  constructor(servers: readonly RunningRedis[], sentinels: readonly RunningRedis[], places: readonly Place[]) {
    this.servers = servers;
    this.sentinels = sentinels;
    this.places = places;
    this.#addresses = [...servers, ...sentinels].map(({ port }, i) => `${(places[i] ?? LOOPBACK).address}:${port}`);
  }

  get url(): string {
    return `redis+sentinel://${this.#addresses.slice(2).join(',')}/${MASTER}`;
  }

  /** A client that asks the sentinels for the primary, and learns of a new one. A command fails soon when there is none. */
  client(): Redis {
    const client = new Redis({
      sentinels: this.#addresses.slice(2).map((address) => {
        const [host, port] = address.split(':');
        return { host, port: Number(port) };
      }),
      name: MASTER,
      failoverDetector: true,
      maxRetriesPerRequest: 0,
      commandTimeout: 2000,
      retryStrategy: () => 200,
      sentinelRetryStrategy: () => 200,
    });
    client.on('error', () => {});
    // ioredis 6.0.0 ends for good when it learns of a fail-over while it connects.
    client.on('end', () => {
      setTimeout(() => {
        if (!this.#isStopped) client.connect().catch(() => {});
      }, 200);
    });
    return client;
  }

  /** Which of the two is the primary, as the first sentinel that answers says. */
  async primary(): Promise<0 | 1> {
    for (const until = Date.now() + PATIENCE_MS; ; await sleep(100)) {
      for (const address of this.#addresses.slice(2)) {
        const said = await ask(address, (sentinel) => sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER));
        if (Array.isArray(said)) return said.join(':') === this.#addresses[0] ? 0 : 1;
      }
      if (Date.now() > until) throw new Error('no sentinel knows the primary');
    }
  }

  /** Waits until the sentinels say that this one is the primary. */
  async promoted(server: 0 | 1): Promise<void> {
    await eventually(`server ${server} is the primary`, async () => (await this.primary()) === server);
  }

  /** Waits until all sentinels know each other and the replica, and that has all that the primary has. */
  async settled(): Promise<void> {
    await eventually('sentinels and replica are settled', async () => {
      for (const address of this.#addresses.slice(2)) {
        const [replicas, others] = await Promise.all([
          ask(address, (sentinel) => sentinel.call('SENTINEL', 'REPLICAS', MASTER)),
          ask(address, (sentinel) => sentinel.call('SENTINEL', 'SENTINELS', MASTER)),
        ]);
        if (!JSON.stringify(replicas ?? '').includes('"flags","slave","')) return false;
        if (!JSON.stringify(replicas).includes('"master-link-status","ok"')) return false;
        if (!Array.isArray(others) || others.length !== this.sentinels.length - 1) return false;
      }
      return true;
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.sentinels, ...this.servers].map((server) => server.stop()));
  }
}

/** @throws ServiceMissing */
export async function startWatchedRedis({ config = {}, places = [] }: WatchedOptions = {}): Promise<WatchedRedis> {
  const placeOf = (i: number): Place => places[i] ?? LOOPBACK;
  const started: RunningRedis[] = [];
  try {
    const start = async (...given: Parameters<typeof startRedis>): Promise<RunningRedis> => {
      const server = await startRedis(...given);
      started.push(server);
      return server;
    };
    const primary = await start({ config, place: placeOf(0) });
    const replicaof = `${placeOf(0).address} ${primary.port}`;
    await start({ config: { ...config, replicaof }, place: placeOf(1) });
    for (let i = 2; i < 5; i++) {
      await start({
        sentinel: true,
        place: placeOf(i),
        config: {
          'sentinel monitor': `${MASTER} ${placeOf(0).address} ${primary.port} 2`,
          'sentinel down-after-milliseconds': `${MASTER} ${DOWN_AFTER_MS}`,
          'sentinel failover-timeout': `${MASTER} 10000`,
        },
      });
    }
    const watched = new WatchedRedis(started.slice(0, 2), started.slice(2), places);
    await watched.settled();
    return watched;
  } catch (error) {
    await Promise.all(started.map((server) => server.stop()));
    throw error;
  }
}

/** One question to a sentinel; undefined: it does not answer, or knows nothing. */
async function ask(address: string, question: (sentinel: Redis) => Promise<unknown>): Promise<unknown> {
  const [host, port] = address.split(':');
  const sentinel = new Redis({
    host,
    port: Number(port),
    retryStrategy: null,
    commandTimeout: 5000,
    connectTimeout: 5000,
  });
  sentinel.on('error', () => {});
  try {
    return await question(sentinel);
  } catch {
    return undefined;
  } finally {
    sentinel.disconnect();
  }
}

async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; !(await isSo()); await sleep(100)) {
    if (Date.now() > until) throw new Error(`gave up waiting: ${what}`);
  }
}
