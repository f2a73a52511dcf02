import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';
import type { Certificate } from './certificates.ts';
import { freePort } from './ports.ts';
import { type RunningRedis, startRedis } from './redis.ts';

const SLOTS = 16_384;

/** Of the user app, who has the rights that the manual names. */
export const CLUSTER_PASSWORD = 'c4n4ry-cluster';
const RIGHTS =
  '-@all +evalsha +eval +type +hgetall +hmget +hset +hdel +hlen +pexpire +unlink +time +info +ping +client|setname +cluster|slots +cluster|info';

export interface ClusterOptions {
  readonly primaries: number;
  /** Of the first primaries, one each. */
  readonly replicas?: number;
  /** Further settings of each node. */
  readonly config?: Readonly<Record<string, string>>;
  /** Adds a port with TLS to each node. */
  readonly tls?: { readonly ca: string; readonly certificate: Certificate };
}

/** Nodes of a Redis Cluster that share the slots evenly. */
export class RunningCluster {
  readonly primaries: readonly ClusterNode[];
  readonly replicas: readonly ClusterNode[];

  constructor(primaries: readonly ClusterNode[], replicas: readonly ClusterNode[]) {
    this.primaries = primaries;
    this.replicas = replicas;
  }

  get nodes(): readonly ClusterNode[] {
    return [...this.primaries, ...this.replicas];
  }

  get url(): string {
    return `redis+cluster://${this.primaries.map(({ server }) => `127.0.0.1:${server.port}`).join(',')}`;
  }

  get tlsUrl(): string {
    return `redis+cluster://${this.primaries.map(({ tlsPort }) => `127.0.0.1:${tlsPort}`).join(',')}`;
  }

  /** Who knows all nodes. A command fails soon when its node does not answer. */
  client(): Cluster {
    const client = new Cluster(
      this.nodes.map(({ server }) => ({ host: '127.0.0.1', port: server.port })),
      {
        redisOptions: { maxRetriesPerRequest: 0, commandTimeout: 2000 },
        clusterRetryStrategy: () => 200,
        slotsRefreshInterval: 1000,
      },
    );
    client.on('error', () => {});
    return client;
  }

  /** From now on nodes that are silent for two seconds are given up, and their replicas promoted. */
  async loseSoon(): Promise<void> {
    await Promise.all(this.nodes.map(({ admin }) => admin.config('SET', 'cluster-node-timeout', '2000')));
  }

  /** Moves one slot with its keys from its owner to another primary. */
  async move(slot: number, to: ClusterNode): Promise<void> {
    const from = await this.ownerOf(slot);
    await to.admin.cluster('SETSLOT', slot, 'IMPORTING', from.id);
    await from.admin.cluster('SETSLOT', slot, 'MIGRATING', to.id);
    for (;;) {
      const keys = await from.admin.cluster('GETKEYSINSLOT', slot, 3);
      if (keys.length === 0) break;
      await from.admin.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5000, 'KEYS', ...keys);
      // Clients shall meet the slot while its keys lie on both.
      await sleep(50);
    }
    for (const node of [to, from, ...this.primaries.filter((one) => one !== to && one !== from)]) {
      await node.admin.cluster('SETSLOT', slot, 'NODE', to.id);
    }
  }

  async ownerOf(slot: number): Promise<ClusterNode> {
    const lines = (await this.primaries[0].admin.call('CLUSTER', 'NODES')) as string;
    const owner = lines.split('\n').find((line) => {
      const [, , flags, , , , , , ...ranges] = line.split(' ');
      return (
        flags?.includes('master') === true &&
        ranges.some((range) => {
          const [first, last = first] = range.split('-').map(Number);
          return slot >= first && slot <= last;
        })
      );
    });
    const found = this.nodes.find(({ id }) => owner?.startsWith(id) === true);
    if (found === undefined) throw new Error(`nobody owns the slot ${slot}:\n${lines}`);
    return found;
  }

  async stop(): Promise<void> {
    for (const { admin } of this.nodes) admin.disconnect();
    await Promise.all(this.nodes.map(({ server }) => server.stop()));
  }
}

export interface ClusterNode {
  readonly server: RunningRedis;
  readonly admin: Redis;
  readonly id: string;
  readonly busPort: number;
  /** By which nodes know each other. */
  readonly port: number;
  readonly tlsPort: number;
}

/** @throws ServiceMissing */
export async function startCluster({
  primaries,
  replicas = 0,
  config = {},
  tls,
}: ClusterOptions): Promise<RunningCluster> {
  const nodes = await Promise.all(Array.from({ length: primaries + replicas }, () => startNode(config, tls)));
  const cluster = new RunningCluster(nodes.slice(0, primaries), nodes.slice(primaries));
  for (const [i, { admin, busPort, port }] of nodes.entries()) {
    const [from, to] = [Math.floor((i * SLOTS) / primaries), Math.floor(((i + 1) * SLOTS) / primaries) - 1];
    if (i < primaries) await admin.cluster('ADDSLOTSRANGE', from, to);
    if (i > 0) await nodes[0].admin.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
  }
  const all = (what: string, test: (node: ClusterNode) => Promise<boolean>): Promise<void> =>
    eventually(what, async () => (await Promise.all(nodes.map(test))).every((isSo) => isSo));
  await all('all nodes know each other', async ({ admin }) =>
    String(await admin.cluster('INFO')).includes(`cluster_known_nodes:${nodes.length}`),
  );
  for (const [i, { admin }] of cluster.replicas.entries()) {
    await eventually('the primary is known', () =>
      admin.call('CLUSTER', 'REPLICATE', nodes[i].id).then(
        () => true,
        () => false,
      ),
    );
    await eventually('it copies', async () => (await admin.info('replication')).includes('master_link_status:up'));
  }
  await all('the cluster is whole', async ({ admin }) =>
    String(await admin.cluster('INFO')).includes('cluster_state:ok'),
  );
  return cluster;
}

async function startNode(more: Readonly<Record<string, string>>, tls: ClusterOptions['tls']): Promise<ClusterNode> {
  const [busPort, tlsPort] = [await freePort(), await freePort()];
  const server = await startRedis({
    config: {
      'cluster-enabled': 'yes',
      'cluster-announce-ip': '127.0.0.1',
      'cluster-port': String(busPort),
      // A busy machine stops a node for seconds: only a test that kills one is quick to promote its replica (`loseSoon`).
      'cluster-node-timeout': '60000',
      ...more,
      'user app': `on >${CLUSTER_PASSWORD} ~receval:* resetchannels ${RIGHTS}`,
      ...(tls === undefined
        ? {}
        : {
            'tls-port': String(tlsPort),
            'tls-cert-file': tls.certificate.cert,
            'tls-key-file': tls.certificate.key,
            'tls-ca-cert-file': tls.ca,
            'tls-auth-clients': 'no',
            // Only then do clients with TLS learn of the ports with TLS.
            'tls-cluster': 'yes',
            'tls-replication': 'yes',
          }),
    },
  });
  const admin = new Redis(server.url);
  admin.on('error', () => {});
  const port = tls === undefined ? server.port : tlsPort;
  return { server, admin, id: String(await admin.call('CLUSTER', 'MYID')), busPort, tlsPort, port };
}

async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + 300_000; !(await isSo()); await sleep(50)) {
    if (Date.now() > until) throw new Error(`gave up waiting: ${what}`);
  }
}
