import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, describe, expect } from 'vitest';
import { unitKey } from '../../../src/accumulators/store/layout.ts';
import { RedisStore, type RedisStoreOptions } from '../../../src/accumulators/store/redis-store.ts';
import { StoreUnavailable } from '../../../src/accumulators/store/store-port.ts';
import type { TlsSettings } from '../../../src/connections/security-settings.ts';
import { until } from '../../consumers/source/kafka/collector.ts';
import { Authority, type Certificate } from '../../services/certificates.ts';
import { itWith, type Service } from '../../services/it-with.ts';
import { freePort } from '../../services/ports.ts';
import { type RunningRedis, startRedis } from '../../services/redis.ts';

const RIGHTS =
  '-@all +evalsha +eval +type +hgetall +hmget +hset +hdel +hlen +pexpire +unlink +time +info +ping +client|setname';
const UNIT = unitKey('secure', 0);
const folder = mkdtempSync(join(tmpdir(), 'receval-secure-'));

/** A server with TLS and users; each certificate on a port of its own server. */
interface Secured {
  readonly authority: Authority;
  readonly stranger: Authority;
  readonly server: RunningRedis;
  readonly tlsPort: number;
  readonly mutual: RunningRedis;
  readonly mutualPort: number;
  readonly client: Certificate;
  readonly bad: ReadonlyMap<'expired' | 'early' | 'self-signed' | 'elsewhere', number>;
}

const running: RunningRedis[] = [];
const authorities: Authority[] = [];
let started: Promise<Secured> | undefined;

async function tlsRedis(
  authority: Authority,
  certificate: Certificate,
  more: Readonly<Record<string, string>> = {},
): Promise<readonly [RunningRedis, number]> {
  const tlsPort = await freePort();
  const server = await startRedis({
    config: {
      'tls-port': String(tlsPort),
      'tls-cert-file': certificate.cert,
      'tls-key-file': certificate.key,
      'tls-ca-cert-file': authority.ca,
      'tls-auth-clients': 'no',
      'user app': `on >c4n4ry-app ~receval:* resetchannels ${RIGHTS}`,
      'user narrow': `on >c4n4ry-narrow ~other:* resetchannels ${RIGHTS}`,
      ...more,
    },
  });
  running.push(server);
  return [server, tlsPort];
}

/** Number of the client of this name at the server. */
async function idOf(admin: Redis, name: string): Promise<string> {
  const clients = String(await admin.call('CLIENT', 'LIST')).split('\n');
  const id = clients.find((client) => client.includes(` name=${name} `))?.match(/^id=(\d+)/)?.[1];
  if (id === undefined) throw new Error(`there is no client ${name}`);
  return id;
}

async function start(): Promise<Secured> {
  const authority = await Authority.make();
  const stranger = await Authority.make('somebody else');
  authorities.push(authority, stranger);
  const hosts = 'DNS:localhost,IP:127.0.0.1';
  const [server, tlsPort] = await tlsRedis(authority, await authority.sign({ name: 'redis', hosts }));
  const [mutual, mutualPort] = await tlsRedis(authority, await authority.sign({ name: 'redis', hosts }), {
    'tls-auth-clients': 'yes',
  });
  const [, expired] = await tlsRedis(authority, await authority.sign({ name: 'redis', hosts, expired: true }));
  const [, early] = await tlsRedis(authority, await authority.sign({ name: 'redis', hosts, early: true }));
  const [, selfSigned] = await tlsRedis(authority, await authority.sign({ name: 'redis', hosts, selfSigned: true }));
  const [, elsewhere] = await tlsRedis(authority, await authority.sign({ name: 'redis', hosts: 'DNS:redis.example' }));
  return {
    authority,
    stranger,
    server,
    tlsPort,
    mutual,
    mutualPort,
    client: await authority.sign({ name: 'receval-worker', passphrase: 'c4n4ry-phrase' }),
    bad: new Map([
      ['expired', expired],
      ['early', early],
      ['self-signed', selfSigned],
      ['elsewhere', elsewhere],
    ] as const),
  };
}

const SECURED: Service<Secured> = {
  name: 'Redis and openssl',
  get: () => {
    started ??= start();
    return started;
  },
};
afterAll(async () => {
  await Promise.all(running.map((server) => server.stop()));
  for (const authority of authorities) authority.remove();
  rmSync(folder, { recursive: true, force: true });
});

function tls(files: Partial<TlsSettings> = {}): TlsSettings {
  return {
    setting: 'redis.tls',
    ca: undefined,
    cert: undefined,
    key: undefined,
    passphrase: undefined,
    serverName: undefined,
    rejectUnauthorized: true,
    ...files,
  };
}

const APP = { username: 'app', password: { kind: 'text', text: 'c4n4ry-app' } } as const;
const PATIENCE = 1500;

/** Connects, claims a unit, and closes. */
async function enter(options: RedisStoreOptions): Promise<void> {
  const store = await RedisStore.connect({ connectTimeout: PATIENCE, ...options });
  try {
    await store.claim(UNIT, 't');
    expect((await store.checks('contract')).filter(({ level }) => level === 'error')).toEqual([]);
  } finally {
    await store.close();
  }
}

describe('a server with TLS and users is reached', () => {
  itWith(SECURED, 'with the certificate of its authority, a user and a password', async ({ tlsPort, authority }) => {
    await enter({ url: `rediss://127.0.0.1:${tlsPort}`, ...APP, tls: tls({ ca: authority.ca }) });
    await enter({ url: `rediss://app:c4n4ry-app@localhost:${tlsPort}`, tls: tls({ ca: authority.ca }) });
    await enter({ url: `redis://127.0.0.1:${tlsPort}`, ...APP, tls: tls({ ca: authority.ca }) });
  });

  itWith(SECURED, 'with a client certificate whose key is encrypted', async ({ mutualPort, authority, client }) => {
    const { cert, key } = client;
    const passphrase = { kind: 'text', text: 'c4n4ry-phrase' } as const;
    await enter({
      url: `rediss://127.0.0.1:${mutualPort}`,
      ...APP,
      tls: tls({ ca: authority.ca, cert, key, passphrase }),
    });
  });

  itWith(SECURED, 'under another name than its own', async ({ bad, authority }) => {
    const url = `rediss://127.0.0.1:${bad.get('elsewhere')}`;
    await enter({ url, ...APP, tls: tls({ ca: authority.ca, serverName: 'redis.example' }) });
  });
});

describe('who is not let in is told why and what to do:', () => {
  const ways: Readonly<Record<string, readonly [(secured: Secured) => RedisStoreOptions, string, RegExp]>> = {
    'a wrong password': [
      ({ tlsPort, authority }) => ({
        url: `rediss://app:c4n4ry-wrong@127.0.0.1:${tlsPort}`,
        tls: tls({ ca: authority.ca }),
      }),
      'WRONGPASS',
      /Check redis\.username and its password, or redis\.url/,
    ],
    'a wrong password for another database': [
      ({ server }) => ({ url: `redis://app:c4n4ry-wrong@127.0.0.1:${server.port}/1` }),
      'WRONGPASS',
      /Check redis\.username and its password, or redis\.url/,
    ],
    'a database that the server does not have': [
      ({ server }) => ({ url: `${server.url}/99` }),
      'NO_DATABASE',
      /has no database of this number\. Correct it in redis\.url/,
    ],
    'a server named as a sentinel': [
      ({ server }) => ({ url: `redis+sentinel://127.0.0.1:${server.port}/main` }),
      'NO_SENTINEL',
      /is not a sentinel\. Name the sentinels in redis\.url, or write redis:\/\/\)$/,
    ],
    'a server named as a node of a cluster': [
      ({ server }) => ({ url: `redis+cluster://127.0.0.1:${server.port}` }),
      'NO_CLUSTER',
      /is not a node of a cluster\. Write redis:\/\/ in redis\.url\)$/,
    ],
    'no right to our keys': [
      ({ server }) => ({ url: `redis://narrow:c4n4ry-narrow@127.0.0.1:${server.port}` }),
      'NOPERM',
      /it needs EVAL, .* on keys receval:\*/,
    ],
    'an authority that is not known': [
      ({ tlsPort }) => ({ url: `rediss://127.0.0.1:${tlsPort}`, ...APP }),
      'TLS',
      /127\.0\.0\.1:\d+: .*signed by nobody who is known here \(CN=redis, signed by CN=receval test authority; known are the authorities of Node\.js\): name the file with the certificate of its authority in redis\.tls\.ca$/,
    ],
    'an authority that is another than ours': [
      ({ tlsPort, stranger }) => ({
        url: `rediss://127.0.0.1:${tlsPort}`,
        ...APP,
        tls: tls({ ca: stranger.ca }),
      }),
      'TLS',
      /\(CN=redis, signed by CN=receval test authority; known is CN=somebody else of .*ca\.pem\): name the file/,
    ],
    'a certificate that signs itself': [
      ({ bad, authority }) => ({
        url: `rediss://127.0.0.1:${bad.get('self-signed')}`,
        ...APP,
        tls: tls({ ca: authority.ca }),
      }),
      'TLS',
      /\(CN=redis, signed by itself; known is CN=receval test authority of .*ca\.pem\): .*redis\.tls\.ca/,
    ],
    'a certificate that has ended': [
      ({ bad, authority }) => ({
        url: `rediss://127.0.0.1:${bad.get('expired')}`,
        ...APP,
        tls: tls({ ca: authority.ca }),
      }),
      'TLS',
      /the certificate of the server has expired \(CN=redis, ended 2020-02-01T00:00:00Z; here it is 20\S+Z\): renew it at the server, redis\.tls here need not change; and check the clock here$/,
    ],
    'a certificate that is not valid yet': [
      ({ bad, authority }) => ({
        url: `rediss://127.0.0.1:${bad.get('early')}`,
        ...APP,
        tls: tls({ ca: authority.ca }),
      }),
      'TLS',
      /the certificate of the server is not valid yet \(CN=redis, begins 20\S+Z; here it is 20\S+Z\): check the clocks of both, or give the server one that is valid now$/,
    ],
    'a certificate for another host': [
      ({ bad, authority }) => ({
        url: `rediss://127.0.0.1:${bad.get('elsewhere')}`,
        ...APP,
        tls: tls({ ca: authority.ca }),
      }),
      'TLS',
      /is not in the cert's list: the certificate of the server is for another name \(CN=redis, for DNS:redis\.example, and not 127\.0\.0\.1\): connect by .*redis\.tls\.serverName/,
    ],
    'no client certificate': [
      ({ mutualPort, authority }) => ({
        url: `rediss://127.0.0.1:${mutualPort}`,
        ...APP,
        tls: tls({ ca: authority.ca }),
      }),
      'TLS',
      /requires a client certificate .*\(none is set\): .*redis\.tls\.cert/,
    ],
    'plain text to a port with TLS': [
      ({ tlsPort }) => ({ url: `redis://127.0.0.1:${tlsPort}`, ...APP }),
      'TLS',
      /:\d+ speaks TLS: write rediss:\/\/, or set redis\.tls: true$/,
    ],
    'TLS to a port without': [
      ({ server, authority }) => ({
        url: `rediss://127.0.0.1:${server.port}`,
        ...APP,
        tls: tls({ ca: authority.ca }),
      }),
      'TLS',
      /:\d+ speaks without TLS: write redis:\/\//,
    ],
  };
  for (const [name, [options, code, message]] of Object.entries(ways)) {
    itWith(SECURED, name, async (secured) => {
      const error = await enter(options(secured)).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StoreUnavailable);
      expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
      expect(`${String(error)} ${JSON.stringify(error)}`).not.toMatch(/c4n4ry|\n/);
    });
  }
});

describe('a certificate that is refused', () => {
  itWith(SECURED, 'ends no process, however often and whenever it is met', async ({ bad, authority }) => {
    const thrown: unknown[] = [];
    const note = (error: unknown): void => void thrown.push(error);
    process.on('uncaughtException', note);
    const url = `rediss://127.0.0.1:${bad.get('elsewhere')}`;
    for (let i = 0; i < 20; i++) {
      await enter({ url, ...APP, tls: tls({ ca: authority.ca }) }).catch(() => {});
      await sleep(20);
    }
    process.off('uncaughtException', note);
    expect(thrown).toEqual([]);
  });
});

describe('a store that is connected', () => {
  itWith(SECURED, 'takes a password that was changed from its file at the next connection', async (secured) => {
    const admin = new Redis(secured.server.url);
    const file = join(folder, 'password');
    const set = (password: string) =>
      admin.call('ACL', 'SETUSER', 'moving', 'reset', 'on', `>${password}`, '~receval:*', ...RIGHTS.split(' '));
    await set('c4n4ry-one');
    writeFileSync(file, 'c4n4ry-one\n');
    const store = await RedisStore.connect({
      url: `rediss://127.0.0.1:${secured.tlsPort}`,
      username: 'moving',
      password: { kind: 'file', path: file, setting: 'redis.passwordFile' },
      tls: tls({ ca: secured.authority.ca }),
    });
    await store.claim(UNIT, 't');
    expect(store.trouble).toBeUndefined();
    await set('c4n4ry-two');
    await admin.call('CLIENT', 'KILL', 'USER', 'moving');
    await until('it is refused', () => /WRONGPASS.*Check redis\.username/.test(store.trouble ?? ''));
    expect(store.connected).toBe(false);
    expect(await store.claim(UNIT, 't').catch((error: unknown) => String(error))).not.toContain('c4n4ry');
    writeFileSync(file, 'c4n4ry-two\n');
    await until('it is back', () => store.connected);
    await store.claim(UNIT, 't');
    expect(store.trouble).toBeUndefined();
    await store.close();
    admin.disconnect();
  });

  itWith(SECURED, 'says which right was taken away, and goes on when it is back', async (secured) => {
    const admin = new Redis(secured.server.url);
    const store = await RedisStore.connect({ url: `redis://app:c4n4ry-app@127.0.0.1:${secured.server.port}` });
    await store.claim(UNIT, 't');
    await admin.call('ACL', 'SETUSER', 'app', '-evalsha');
    await expect(store.claim(UNIT, 't')).rejects.toMatchObject({ code: 'NOPERM', retriable: true, outcome: 'refused' });
    expect(store.trouble).toMatch(/NOPERM.*this user lacks rights/);
    await admin.call('ACL', 'SETUSER', 'app', '+evalsha');
    await store.claim(UNIT, 't');
    expect(store.trouble).toBeUndefined();
    await store.close();
    admin.disconnect();
  });

  itWith(SECURED, 'never uses database 0 when it may no longer select its own', async (secured) => {
    const admin = new Redis(secured.server.url);
    const rights = [...RIGHTS.split(' '), '+select'];
    await admin.call('ACL', 'SETUSER', 'chooser', 'reset', 'on', '>c4n4ry-chooser', '~receval:*', ...rights);
    const store = await RedisStore.connect({
      url: `redis://chooser:c4n4ry-chooser@127.0.0.1:${secured.server.port}/1`,
    });
    const unit = unitKey('chosen', 0);
    await store.claim(unit, 't');
    await admin.call('ACL', 'SETUSER', 'chooser', '-select');
    await admin.call('CLIENT', 'KILL', 'USER', 'chooser');
    await until('it is refused', () => /NOPERM.*SELECT for a database/.test(store.trouble ?? ''));
    await expect(store.claim(unit, 't')).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
    await admin.call('ACL', 'SETUSER', 'chooser', '+select');
    await until('it is back', () => store.connected);
    await store.claim(unit, 't');
    expect(store.trouble).toBeUndefined();
    expect(await admin.exists(unit)).toBe(0);
    await store.close();
    admin.disconnect();
  });

  itWith(
    SECURED,
    'says that the certificate of the server has expired, since when and whose it is',
    async (secured) => {
      const { authority } = secured;
      const hosts = 'DNS:localhost,IP:127.0.0.1';
      const [good, expired] = [
        await authority.sign({ name: 'redis', hosts }),
        await authority.sign({ name: 'old redis', hosts, expired: true }),
      ];
      const [server, port] = await tlsRedis(authority, good);
      const admin = new Redis(server.url);
      const show = ({ cert, key }: Certificate) => admin.config('SET', 'tls-cert-file', cert, 'tls-key-file', key);
      const store = await RedisStore.connect({
        url: `rediss://127.0.0.1:${port}`,
        ...APP,
        tls: tls({ ca: authority.ca }),
      });
      await store.claim(UNIT, 't');
      await show(expired);
      await admin.call('CLIENT', 'KILL', 'USER', 'app');
      const said =
        /the certificate of the server has expired \(CN=old redis, ended 2020-02-01T00:00:00Z; here it is \S+Z\): renew it at the server/;
      await until('it is told', () => said.test(store.trouble ?? ''));
      const refused = await store.claim(UNIT, 't').catch((error: unknown) => String(error));
      expect(refused).toMatch(said);
      expect(refused).not.toMatch(/server runs/);
      await show(good);
      await until('it is back', () => store.connected);
      await store.claim(UNIT, 't');
      expect(store.trouble).toBeUndefined();
      // The connection of reads meets the certificate first; that of claims has broken, and has not tried again.
      await show(expired);
      await admin.call('CLIENT', 'KILL', 'ID', await idOf(admin, 'receval-reads'));
      await until('it is told', () => said.test(store.trouble ?? ''));
      await admin.call('CLIENT', 'KILL', 'ID', await idOf(admin, 'receval-commits'));
      let unconnected = '';
      while (!unconnected.includes('NOT_CONNECTED')) unconnected = await store.claim(UNIT, 't').then(String, String);
      expect(unconnected).toMatch(said);
      await show(good);
      await until('it is back', () => store.connected);
      await store.claim(UNIT, 't');
      expect(store.trouble).toBeUndefined();
      await store.close();
      admin.disconnect();
    },
  );

  itWith(
    SECURED,
    'takes a renewed certificate at the next connection, and bears files that are half written',
    async (secured) => {
      const { mutual, mutualPort, authority, stranger } = secured;
      const first = await authority.sign({ name: 'receval-worker' });
      const next = await stranger.sign({ name: 'receval-worker' });
      const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
      copyFileSync(first.cert, cert);
      copyFileSync(first.key, key);
      const store = await RedisStore.connect({
        url: `rediss://127.0.0.1:${mutualPort}`,
        ...APP,
        tls: tls({ ca: authority.ca, cert, key }),
      });
      const admin = new Redis(mutual.url);
      const reconnected = async (what: string, refused: () => Promise<void> = async () => {}): Promise<void> => {
        await admin.call('CLIENT', 'KILL', 'USER', 'app');
        await until(`${what}: the connection broke`, () => !store.connected);
        await refused();
        await until(`${what}: it is back`, () => store.connected);
        await store.claim(UNIT, 't');
      };
      copyFileSync(next.cert, cert);
      await reconnected('a certificate without its key');
      await admin.config('SET', 'tls-ca-cert-file', stranger.ca);
      await reconnected('a new authority', async () => {
        const ours =
          /requires a client certificate .*\(ours is CN=receval-worker, signed by CN=receval test authority, /;
        await until('the old certificate is refused, and named', () => ours.test(store.trouble ?? ''));
        copyFileSync(next.key, key);
      });
      await store.close();
      admin.disconnect();
    },
  );
});
