import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, vi } from 'vitest';
import { paneKey, unitKey } from '../../../src/accumulators/store/layout.ts';
import { RedisStore, type RedisStoreOptions } from '../../../src/accumulators/store/redis-store.ts';
import type { TlsSettings } from '../../../src/connections/security-settings.ts';
import { until } from '../../consumers/source/kafka/collector.ts';
import { Authority } from '../../services/certificates.ts';
import { itWith, type Service } from '../../services/it-with.ts';
import { freePort } from '../../services/ports.ts';
import { type RunningRedis, startRedis } from '../../services/redis.ts';
import { Committer } from './committer.ts';

const PASSWORD = 'c4n4ry-redis';
const SENTINEL_PASSWORD = 'c4n4ry-sentinel';
/** Those that the manual names. */
const SENTINEL_RIGHTS = '+sentinel|get-master-addr-by-name +sentinel|sentinels +subscribe +info +ping';

/** A primary and a replica, and a sentinel that watches them; all with TLS and passwords. */
interface Watched {
  readonly authority: Authority;
  readonly sentinelPort: number;
  /**
   * Once the replica has all that the primary has. On a busy machine they may have changed places, as the sentinel heard
   * nothing of the primary for a while.
   */
  settled(): Promise<{ readonly primary: RunningRedis; readonly replica: RunningRedis }>;
  stop(): Promise<void>;
}

async function start(): Promise<Watched> {
  const authority = await Authority.make();
  const certificate = await authority.sign({ name: 'redis', hosts: 'IP:127.0.0.1' });
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const tls = (port: number): Readonly<Record<string, string>> => ({
    'tls-port': String(port),
    'tls-cert-file': certificate.cert,
    'tls-key-file': certificate.key,
    'tls-ca-cert-file': authority.ca,
    'tls-auth-clients': 'no',
    'tls-replication': 'yes',
  });
  const passwords = { requirepass: PASSWORD, masterauth: PASSWORD };
  const primary = await startRedis({ config: { ...tls(ports[0]), ...passwords } });
  const replica = await startRedis({
    config: { ...tls(ports[1]), ...passwords, replicaof: `127.0.0.1 ${ports[0]}` },
  });
  const sentinel = await startRedis({
    sentinel: true,
    config: {
      ...tls(ports[2]),
      requirepass: SENTINEL_PASSWORD,
      'user watcher': `on >${SENTINEL_PASSWORD} resetchannels &+switch-master -@all ${SENTINEL_RIGHTS}`,
      'sentinel monitor': `main 127.0.0.1 ${ports[0]} 1`,
      'sentinel auth-pass': `main ${PASSWORD}`,
      'sentinel down-after-milliseconds': 'main 1000',
      'sentinel failover-timeout': 'main 3000',
    },
  });
  const settled: Watched['settled'] = async () => {
    const admin = new Redis({ port: sentinel.port, password: SENTINEL_PASSWORD });
    let port = 0;
    await until('the sentinel knows the replica', async () => {
      const [[, primaryPort], found] = await Promise.all([
        admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main').then((address) => [address].flat().map(Number)),
        admin.call('SENTINEL', 'REPLICAS', 'main'),
      ]);
      port = primaryPort;
      return JSON.stringify(found).includes('"master-link-status","ok"');
    });
    admin.disconnect();
    return port === ports[0] ? { primary, replica } : { primary: replica, replica: primary };
  };
  await settled();
  const all = [sentinel, replica, primary];
  return {
    authority,
    sentinelPort: ports[2],
    settled,
    async stop() {
      await Promise.all(all.map((server) => server.stop()));
      authority.remove();
    },
  };
}

let started: Promise<Watched> | undefined;
const WATCHED: Service<Watched> = {
  name: 'Redis and openssl',
  get: () => {
    started ??= start();
    return started;
  },
};
afterAll(async () => {
  await (await started?.catch(() => undefined))?.stop();
});

function options({ authority, sentinelPort }: Watched): RedisStoreOptions {
  const tls: TlsSettings = {
    setting: 'redis.tls',
    ca: authority.ca,
    cert: undefined,
    key: undefined,
    passphrase: undefined,
    serverName: undefined,
    rejectUnauthorized: true,
  };
  return {
    url: `redis+sentinel://127.0.0.1:${sentinelPort}/main`,
    password: { kind: 'text', text: PASSWORD },
    tls,
    sentinel: { username: 'watcher', password: { kind: 'text', text: SENTINEL_PASSWORD }, tls },
    connectTimeout: 3000,
  };
}

/** A sentinel that lets nobody in. `refused`: how many connections it has refused and the client has closed. */
async function strictSentinel({ authority }: Watched) {
  const { cert, key } = await authority.sign({ name: 'redis', hosts: 'IP:127.0.0.1' });
  let refused = 0;
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write('-WRONGPASS invalid username-password pair\r\n'));
    socket.once('close', () => {
      refused += 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, refused: () => refused, stop: () => server.close() };
}

describe('a store that asks a sentinel for its primary', () => {
  itWith(WATCHED, 'prints nothing when another sentinel cannot be used', async (watched) => {
    // Leaves its process as it was: the spies are taken off again.
    const spies = [vi.spyOn(console, 'error'), vi.spyOn(console, 'warn')];
    const strict = await strictSentinel(watched);
    try {
      const url = `redis+sentinel://127.0.0.1:${strict.port},127.0.0.1:${watched.sentinelPort}/main`;
      const store = await RedisStore.connect({ ...options(watched), url });
      // Both connections ask it for the primary, and then want to learn of a new one.
      await until('it has refused all', () => strict.refused() >= 4);
      await store.close();
      for (const spy of spies) expect(spy.mock.calls).toEqual([]);
    } finally {
      strict.stop();
      for (const spy of spies) spy.mockRestore();
    }
  });

  itWith(WATCHED, 'learns when the sentinel does not let it in, and when the primary does not', async (watched) => {
    const right = options(watched);
    const wrong = { kind: 'text', text: 'c4n4ry-wrong' } as const;
    const sentinel = { username: 'watcher', password: wrong, tls: right.tls };
    for (const given of [
      { ...right, sentinel },
      { ...right, password: wrong },
    ]) {
      const error = await RedisStore.connect(given).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: 'WRONGPASS',
        message: expect.stringMatching(/of Sentinel: redis\.sentinel/),
      });
      expect(String(error)).not.toContain('c4n4ry');
    }
    const plain = { ...right, tls: undefined, sentinel: { ...sentinel, tls: undefined } };
    await expect(RedisStore.connect(plain)).rejects.toThrow(/speaks TLS: .*redis\.tls: true/);
  });

  itWith(WATCHED, 'learns that no primary has this name, and that a sentinel stores nothing', async (watched) => {
    const right = options(watched);
    const named = RedisStore.connect({ ...right, url: right.url.replace('/main', '/mian') });
    await expect(named).rejects.toThrow(/watch no primary of this name\. Correct the name at the end of redis\.url\)$/);
    await expect(named).rejects.not.toThrow(/server runs/);
    const store = await RedisStore.connect({
      url: `redis://127.0.0.1:${watched.sentinelPort}`,
      password: { kind: 'text', text: SENTINEL_PASSWORD },
      tls: right.tls,
      connectTimeout: 3000,
    });
    await expect(store.checks('watched')).rejects.toMatchObject({
      code: 'NOT_REDIS',
      retriable: false,
      message: expect.stringMatching(
        /is a sentinel, which stores nothing: write redis\+sentinel:\/\/.* in redis\.url$/,
      ),
    });
    await store.close();
  });

  itWith(
    WATCHED,
    'goes on with the replica when the primary is killed, and knows if that had not got a commit',
    async (watched) => {
      const { primary, replica: other } = await watched.settled();
      const store = await RedisStore.connect(options(watched));
      const row = paneKey({ namespace: 'watched', unit: 0, generation: '1c' }, 'm', 0);
      const committer = await Committer.claim(store, unitKey('watched', 0), [row]);
      const committing = committer.goOn();
      await committer.until((count) => count > 20);
      await primary.kill9();
      const before = committer.acknowledged;
      await until('it is noticed', () => store.trouble !== undefined);
      await committer.until((count) => count > before + 20);
      await sleep(200);
      committer.stop();
      await committing;
      // The other connection may take a little longer.
      await until('all is well', () => store.trouble === undefined);
      expect(await committer.stored()).toEqual(committer.expected());
      const replica = new Redis({ port: other.port, password: PASSWORD });
      expect(await replica.info('replication')).toContain('role:master');
      expect(await replica.hget(unitKey('watched', 0), 'seq')).toBe(committer.expected()[0]);
      replica.disconnect();
      await store.close();
    },
  );
});
