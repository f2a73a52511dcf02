import { afterAll, beforeAll, describe, expect } from 'vitest';
import { RedisStore } from '../../src/accumulators/store/redis-store.ts';
import { lookAtAddresses } from '../../src/service/doctor-access.ts';
import { load } from '../config/fixture.ts';
import { Authority, OPENSSL } from '../services/certificates.ts';
import { itWith, tryToGet } from '../services/it-with.ts';
import { freePort } from '../services/ports.ts';
import { REDIS, type RunningRedis, startRedis } from '../services/redis.ts';

/** On Linux it leads to this machine, as an address that others reach would. */
const ANY = '0.0.0.0';

async function found(redis: string, primaries: readonly RunningRedis[] = []): Promise<readonly string[]> {
  const addresses = primaries.map(({ port }) => ({ host: ANY, port }));
  const findings = await lookAtAddresses(load(`redis: ${redis}\n`).redis, addresses);
  return findings.map(({ check, level, message }) => `${level} ${check}: ${message}`);
}

describe('addresses of redis.url', () => {
  let open: RunningRedis;
  let more: RunningRedis;
  let closed: RunningRedis;
  beforeAll(async () => {
    if (typeof (await tryToGet(REDIS)) !== 'string') return;
    open = await startRedis();
    more = await startRedis();
    closed = await startRedis({ config: { requirepass: 'c4n4ry' } });
  });
  afterAll(() => Promise.all([open?.stop(), more?.stop(), closed?.stop()]));

  itWith(REDIS, 'sentinels that do not answer are named, and what is missed without them', async () => {
    const dead = `127.0.0.1:${await freePort()}`;
    const alive = `127.0.0.1:${open.port},127.0.0.1:${closed.port}`;
    expect(await found(`{url: "redis+sentinel://${alive}/main"}`)).toEqual([
      `ok redis: the sentinels ${alive.replace(',', ', ')} answer`,
    ]);
    expect(await found(`{url: "redis+sentinel://${alive},${dead}/main"}`)).toEqual([
      `ok redis: the sentinels ${alive.replace(',', ', ')} answer`,
      `warning redis: the sentinel ${dead} does not answer: most of the sentinels must agree, or there is no fail-over. Start it, or correct redis.url`,
    ]);
  });

  itWith(REDIS, 'nodes of a cluster that do not answer are named', async () => {
    const [dead, alive] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${open.port}`];
    expect(await found(`{url: "redis+cluster://${dead},${alive}"}`)).toEqual([
      `ok redis: the node ${alive} answers`,
      `warning redis: the node ${dead} does not answer: through it the others cannot be found. Start it, or correct redis.url`,
    ]);
  });

  itWith(REDIS, 'a server that asks for no password is told where others may reach it', async () => {
    const told = (where: string): string =>
      `warning security: ${where} asks for no password: whoever can connect to it may read, change and delete all that is stored. ` +
      'Set one, and redis.username and redis.passwordFile';
    expect(await found(`{url: "redis://${ANY}:${open.port}"}`)).toEqual([told(`Redis at ${ANY}:${open.port}`)]);
    expect(await found(`{url: "redis://:any@${ANY}:${open.port}"}`)).toEqual([told(`Redis at ${ANY}:${open.port}`)]);
    // The nodes that were found, of which redis.url names some.
    expect(await found(`{url: "redis+cluster://127.0.0.1:${closed.port}"}`, [open, closed, more])).toEqual([
      `ok redis: the node 127.0.0.1:${closed.port} answers`,
      told(`Redis at ${ANY}:${open.port}, ${ANY}:${more.port}`),
    ]);
    expect(await found(`{url: "redis://:c4n4ry@${ANY}:${closed.port}"}`)).toEqual([]);
    expect(await found(`{url: "redis://127.0.0.1:${open.port}"}`)).toEqual([]);
  });

  itWith(REDIS, 'the primary behind sentinels, too, also where we log in', async () => {
    const url = `redis+sentinel://127.0.0.1:${closed.port}/main`;
    for (const login of ['', ', password: p']) {
      expect((await found(`{url: "${url}"${login}}`, [open])).slice(1)).toEqual([
        expect.stringMatching(new RegExp(`^warning security: Redis at ${ANY}:${open.port} asks for no password: `)),
      ]);
      expect((await found(`{url: "${url}"${login}}`, [closed])).slice(1)).toEqual([]);
    }
  });

  itWith(REDIS, 'the primary that sentinels name is the one that is asked', async () => {
    const sentinel = await startRedis({
      sentinel: true,
      config: { 'sentinel monitor': `main 127.0.0.1 ${open.port} 1` },
    });
    const store = await RedisStore.connect({ url: `redis+sentinel://127.0.0.1:${sentinel.port}/main` });
    expect(store.primaries).toEqual([{ host: '127.0.0.1', port: open.port }]);
    await store.close();
    await sentinel.stop();
  });

  itWith(OPENSSL, 'a server that takes nobody without a certificate needs no password', async () => {
    if (open === undefined) return;
    const authority = await Authority.make();
    const server = await authority.sign({ name: 'redis', hosts: `IP:${ANY}` });
    const client = await authority.sign({ name: 'worker' });
    const port = await freePort();
    const config = {
      'tls-port': String(port),
      'tls-cert-file': server.cert,
      'tls-key-file': server.key,
      'tls-ca-cert-file': authority.ca,
    };
    const url = `rediss://${ANY}:${port}`;
    const redis = `{url: "${url}", tls: {ca: ${authority.ca}, cert: ${client.cert}, key: ${client.key}}}`;
    for (const [asks, told] of [
      ['yes', 0],
      ['optional', 1],
    ] as const) {
      const running = await startRedis({ config: { ...config, 'tls-auth-clients': asks } });
      try {
        expect(await found(redis)).toHaveLength(told);
      } finally {
        await running.stop();
      }
    }
    authority.remove();
  });
});
