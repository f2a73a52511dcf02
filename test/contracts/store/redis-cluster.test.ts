import { Cluster } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';
import { paneKey, unitKey } from '../../../src/accumulators/store/layout.ts';
import { joinedFindings } from '../../../src/accumulators/store/redis-findings.ts';
import { RedisStore } from '../../../src/accumulators/store/redis-store.ts';
import type { TlsSettings } from '../../../src/connections/security-settings.ts';
import { Authority, OPENSSL } from '../../services/certificates.ts';
import { ServiceMissing } from '../../services/debian.ts';
import { tryToGet } from '../../services/it-with.ts';
import { CLUSTER_PASSWORD, type ClusterNode, type RunningCluster, startCluster } from '../../services/redis-cluster.ts';
import { Committer } from './committer.ts';
import { redisIsThere } from './redis-harness.ts';
import { type StoreHarness, storeContract } from './suite.ts';

const KNOWN_TO_NODE: TlsSettings = {
  setting: 'redis.tls',
  ca: undefined,
  cert: undefined,
  key: undefined,
  passphrase: undefined,
  serverName: undefined,
  rejectUnauthorized: true,
};

/** A store over all nodes of a cluster. */
async function openCluster({ url }: RunningCluster, store: () => Promise<RedisStore>): Promise<StoreHarness> {
  const admin = new Cluster([Number(url.split(':').at(-1))]);
  const keys = async (): Promise<string[]> =>
    (await Promise.all(admin.nodes('master').map((node) => node.keys('receval:{contract*')))).flat();
  const wipe = async (): Promise<void> => {
    await Promise.all((await keys()).map((key) => admin.del(key)));
  };
  await admin.ping();
  await wipe();
  const opened = await store();
  return {
    store: opened,
    wipe,
    async backup() {
      const dumps = await Promise.all((await keys()).map(async (key) => [key, await admin.dumpBuffer(key)] as const));
      return async () => {
        await wipe();
        await Promise.all(dumps.map(([key, dump]) => admin.restore(key, 0, dump)));
      };
    },
    async close() {
      await wipe();
      await opened.close();
      admin.disconnect();
    },
  };
}

/** Of a unit in a slot of this primary. */
async function namespaceAt(cluster: RunningCluster, primary: ClusterNode): Promise<string> {
  for (let n = 0; n < 1000; n++) {
    const namespace = `lost-${n}`;
    const slot = Number(await primary.admin.call('CLUSTER', 'KEYSLOT', unitKey(namespace, 0)));
    if ((await cluster.ownerOf(slot)).id === primary.id) return namespace;
  }
  throw new Error(`node ${primary.id} owns no slot`);
}

if (await redisIsThere()) {
  const openssl = await tryToGet(OPENSSL);
  const authority = openssl instanceof ServiceMissing ? undefined : await Authority.make();
  const certificate = await authority?.sign({ name: 'node', hosts: 'IP:127.0.0.1' });
  const tls = authority === undefined || certificate === undefined ? {} : { tls: { ca: authority.ca, certificate } };
  const cluster = await startCluster({ primaries: 3, replicas: 1, ...tls });
  afterAll(async () => {
    await cluster.stop();
    authority?.remove();
  });

  storeContract('RedisStore on three nodes', () =>
    openCluster(cluster, () => RedisStore.connect({ url: cluster.url })),
  );

  if (authority === undefined) {
    it('needs openssl', (context) => context.skip('there is no openssl on the PATH'));
  } else {
    storeContract('RedisStore on three nodes with TLS and a user', () =>
      openCluster(cluster, () =>
        RedisStore.connect({
          url: cluster.tlsUrl,
          username: 'app',
          password: { kind: 'text', text: CLUSTER_PASSWORD },
          tls: { ...KNOWN_TO_NODE, ca: authority.ca },
        }),
      ),
    );
  }

  it('says why the nodes do not let it in', async () => {
    const password = { kind: 'text', text: 'c4n4ry-wrong' } as const;
    const wrong = { url: cluster.url, username: 'app', password, connectTimeout: 3000 };
    const error = await RedisStore.connect(wrong).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'WRONGPASS', message: expect.stringMatching(/Check redis\.username/) });
    expect(String(error)).not.toContain('c4n4ry');
    if (authority === undefined) return;
    await expect(
      RedisStore.connect({ url: cluster.tlsUrl, tls: KNOWN_TO_NODE, connectTimeout: 3000 }),
    ).rejects.toMatchObject({
      code: 'TLS',
      message: expect.stringMatching(/certificate.*redis\.tls\.ca/),
    });
  });

  it('asks every primary how full it is, and does not listen to it once more each time', async () => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', onWarning);
    const store = await RedisStore.connect({ url: cluster.url });
    for (let n = 0; n < 15; n++) {
      expect(await store.usage()).toEqual({ usedBytes: expect.any(Number), limitBytes: undefined, evicted: 0 });
    }
    const checks = (await store.checks('contract')).map(({ check }) => check);
    expect(checks.filter((check) => check === 'memory' || check === 'reload').length).toBe(6);
    await store.close();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('names the primaries that something is found on, and says once what it is', async () => {
    const store = await RedisStore.connect({ url: cluster.url });
    const ports = store.primaries.map(({ host, port }) => `${host}:${port}`);
    const [first, second, third] = cluster.primaries.map(({ server }) => `127.0.0.1:${server.port}`);
    expect(ports.sort()).toEqual([first, second, third].sort());
    const { admin } = cluster.primaries[1];
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    try {
      const told = joinedFindings(await store.checks('contract'));
      const of = (check: string): readonly string[] =>
        told.filter((one) => one.check === check).map(({ level, message }) => `${level}: ${message}`);
      expect(of('eviction').find((text) => text.startsWith('error'))).toContain(
        `1 of 3 primaries (${second}): maxmemory-policy`,
      );
      expect(of('memory')).toHaveLength(1);
      for (const address of [first, second, third]) {
        expect(of('memory')[0]).toMatch(
          new RegExp(`^warning: all 3 primaries \\(.*${address} with \\d+\\.\\d MiB in use`),
        );
      }
    } finally {
      await admin.config('SET', 'maxmemory-policy', 'noeviction');
      await store.close();
    }
  });

  describe('a store on a cluster that changes', () => {
    const unit = unitKey('moving', 0);
    const rows = [0, 1, 2, 3, 4, 5, 6, 7].map((n) =>
      paneKey({ namespace: 'moving', unit: 0, generation: '1c' }, 'm', n * 60_000),
    );

    it('goes on while the slot of its unit moves to another node, and loses nothing', async () => {
      const store = await RedisStore.connect({ url: cluster.url });
      const committer = await Committer.claim(store, unit, rows);
      const slot = Number(await cluster.primaries[0].admin.call('CLUSTER', 'KEYSLOT', unit));
      const before = await cluster.ownerOf(slot);
      const committing = committer.goOn();
      await committer.until((count) => count > 10);
      const to = cluster.primaries.find((node) => node !== before) ?? before;
      await cluster.move(slot, to);
      const moved = committer.acknowledged;
      await committer.until((count) => count > moved + 10);
      committer.stop();
      await committing;
      expect((await cluster.ownerOf(slot)).id).toBe(to.id);
      expect(committer.conflicts).toBe(0);
      expect(await committer.stored()).toEqual(committer.expected());
      await store.close();
    });

    it('goes on with the replica when a primary is killed, and knows if that had not got a commit', async () => {
      const [first] = cluster.primaries;
      const store = await RedisStore.connect({ url: cluster.url });
      const namespace = await namespaceAt(cluster, first);
      const row = paneKey({ namespace, unit: 0, generation: '1c' }, 'm', 0);
      const committer = await Committer.claim(store, unitKey(namespace, 0), [row]);
      const committing = committer.goOn();
      await committer.until((count) => count > 10);
      await cluster.loseSoon();
      await first.server.kill9();
      const before = committer.acknowledged;
      await committer.until((count) => count > before + 20);
      committer.stop();
      await committing;
      expect(await committer.stored()).toEqual(committer.expected());
      await store.close();
    });
  });
}
