/** Unlikely texts stand in every secret; whatever is printed, logged or served is searched for them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect } from 'vitest';
import { compareCommand } from '../../src/cli/compare.ts';
import { configCommand } from '../../src/cli/config.ts';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { offsetsCommand } from '../../src/cli/offsets.ts';
import { skipCommand } from '../../src/cli/skip.ts';
import { kafkajs } from '../../src/consumers/source/kafka/access/client.ts';
import { until } from '../consumers/source/kafka/collector.ts';
import { itWith, type Service } from '../services/it-with.ts';
import { freePort } from '../services/ports.ts';
import { type RunningRedis, startRedis } from '../services/redis.ts';
import { PASSWORDS, type SecureKafka, startSecureKafka, unsignedToken } from '../services/secure-kafka.ts';
import { type Ended, type RunningService, Stand } from './stand.ts';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, Kafka, ResourcePatternTypes, logLevel } = kafkajs;

const CANARY = /c4n4ry/i;
const REDIS_PASSWORD = 'c4n4ry-redis';
const PASSPHRASE = 'c4n4ry-phrase';
const TOKEN = 'c4n4ry-token-of-http';
const RIGHTS =
  '-@all +evalsha +eval +type +hgetall +hmget +hset +hdel +hlen +pexpire +unlink +time +info +ping +client|setname';

interface Secured {
  readonly secure: SecureKafka;
  readonly redis: RunningRedis;
  readonly tlsPort: number;
  readonly cert: string;
  readonly key: string;
}

const folder = mkdtempSync(join(tmpdir(), 'receval-canary-'));
let started: Promise<Secured> | undefined;

async function start(): Promise<Secured> {
  const secure = await startSecureKafka();
  const server = await secure.authority.sign({ name: 'redis', hosts: 'IP:127.0.0.1' });
  const { cert, key } = await secure.authority.sign({ name: 'receval-worker', passphrase: PASSPHRASE });
  const tlsPort = await freePort();
  const redis = await startRedis({
    config: {
      appendonly: 'yes',
      'tls-port': String(tlsPort),
      'tls-cert-file': server.cert,
      'tls-key-file': server.key,
      'tls-ca-cert-file': secure.authority.ca,
      'user app': `on >${REDIS_PASSWORD} ~receval:* resetchannels ${RIGHTS}`,
    },
  });
  return { secure, redis, tlsPort, cert, key };
}

const SERVERS: Service<Secured> = {
  name: 'Kafka, Redis and openssl',
  get: () => {
    started ??= start();
    return started;
  },
};
afterAll(async () => {
  const servers = await started?.catch(() => undefined);
  await Promise.all([servers?.secure.stop(), servers?.redis.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** The configuration with what gets in, unless it is changed. */
function access({ secure, tlsPort, cert, key }: Secured, changes: { kafka?: object; redis?: object } = {}) {
  const passphraseFile = join(folder, 'passphrase');
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`);
  const passwordFile = join(folder, 'kafka');
  writeFileSync(passwordFile, PASSWORDS.app);
  return {
    kafka: {
      brokers: [secure.kafka.listener('SECURE')],
      tls: { ca: secure.authority.ca },
      sasl: { mechanism: 'scram-sha-512', username: 'app', passwordFile },
      ...changes.kafka,
    },
    redis: {
      url: `rediss://127.0.0.1:${tlsPort}`,
      username: 'app',
      password: REDIS_PASSWORD,
      tls: { ca: secure.authority.ca, cert, key, passphraseFile },
      ...changes.redis,
    },
  };
}

async function withStand(servers: Secured, work: (stand: Stand) => Promise<void>): Promise<void> {
  const stand = new Stand({ kafka: servers.secure.kafka, redis: servers.redis });
  try {
    await stand.makeTopics(1);
    await work(stand);
  } finally {
    await stand.close();
  }
}

function configure(stand: Stand, { kafka, redis }: ReturnType<typeof access>, more: object = {}): void {
  const topics = { impressions: { name: stand.topics.impressions }, feedback: { name: stand.topics.feedback } };
  stand.configure({ kafka: { ...kafka, groupId: stand.namespace, topics }, redis, ...more });
}

/** What the manual says that a worker and `doctor` need, no more; or takes it away again. */
async function rights({ secure }: Secured, stand: Stand, allow: boolean): Promise<void> {
  const admin = new Kafka({
    brokers: [...secure.kafka.brokers],
    clientId: 'test',
    logLevel: logLevel.NOTHING,
  }).admin();
  await admin.connect();
  const of = (resourceType: number, resourceName: string, operation: number, resourcePatternType: number) => ({
    principal: 'User:app',
    host: '*',
    operation,
    permissionType: AclPermissionTypes.ALLOW,
    resourceType,
    resourceName,
    resourcePatternType,
  });
  const { LITERAL } = ResourcePatternTypes;
  const { TOPIC, GROUP } = AclResourceTypes;
  const acl = [
    ...Object.values(stand.topics).flatMap((topic) => [
      of(TOPIC, topic, AclOperationTypes.READ, LITERAL),
      of(TOPIC, topic, AclOperationTypes.DESCRIBE_CONFIGS, LITERAL),
    ]),
    of(GROUP, stand.namespace, AclOperationTypes.READ, LITERAL),
  ];
  if (allow) await admin.createAcls({ acl });
  else await admin.deleteAcls({ filters: acl });
  // The broker learns of it from the controller, a moment later.
  const names = new Set(acl.map(({ resourceName }) => resourceName));
  await until('the broker knows the rights', async () => {
    const { resources } = await admin.describeAcls({
      resourceType: AclResourceTypes.ANY,
      resourcePatternType: ResourcePatternTypes.ANY,
      operation: AclOperationTypes.ANY,
      permissionType: AclPermissionTypes.ANY,
    });
    const known = resources.filter(({ resourceName }) => names.has(resourceName)).flatMap(({ acls }) => acls);
    return known.length === (allow ? acl.length : 0);
  });
  await until('the group has its coordinator', () =>
    admin.describeGroups([stand.namespace]).then(
      () => true,
      () => false,
    ),
  );
  await admin.disconnect();
}

function messages({ stdout }: Ended): string {
  const { findings }: { readonly findings: readonly { check: string; level: string; message: string }[] } =
    JSON.parse(stdout);
  return findings.map(({ check, level, message }) => `${level} ${check}: ${message}`).join('\n');
}

/** Everything that the running service serves. */
async function pages(service: RunningService): Promise<string> {
  const port = /"port":(\d+)/.exec(service.printed)?.[1];
  const texts = ['/metrics', '/readyz', '/healthz', '/', '/api/v1/pipeline', '/nothing'].map(async (path) => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, path === '/nothing' ? {} : { headers });
    return `${path} ${response.status} ${await response.text()}`;
  });
  return (await Promise.all(texts)).join('\n');
}

async function pagesUntil(service: RunningService, what: RegExp): Promise<string> {
  let seen = '';
  for (const until = Date.now() + 300_000; ; await sleep(100)) {
    const text = await pages(service);
    seen += text;
    if (what.test(text)) return seen;
    if (Date.now() > until || !service.isRunning) {
      throw new Error(`no ${what} in\n${text}\n${service.printed.slice(-3000)}`);
    }
  }
}

describe('no secret is shown', () => {
  itWith(SERVERS, 'by a service that works, is shut out, and is let in again', async (servers) => {
    await withStand(servers, async (stand) => {
      configure(stand, access(servers), {
        http: { port: 0, token: TOKEN },
        deadLetter: { to: 'file', file: '/dev/full' },
      });
      await rights(servers, stand, true);
      const checked = await stand.command(configCommand, 'check');
      expect(checked.stdout).toMatch(/passwordFile: .*kafka[\s\S]*password: "\*\*\*"/);
      const doctor = await stand.command(doctorCommand, '--output', 'json');
      expect(messages(doctor)).not.toMatch(/^error/m);
      expect(messages(doctor)).toMatch(/ok security: redis\.tls\.cert: the certificate ends on .* in 47 hours|warning/);
      expect(doctor.code).toBe(0);
      const service = stand.run('--verbose');
      let served = '';
      try {
        await service.printedOnce(/receval is running/);
        await stand.produce([{ topic: 'impressions', value: 'broken' }]);
        await service.printedOnce(/a dead letter could not be written/);
        served += await pagesUntil(service, /\/readyz 200/);
        await rights(servers, stand, false);
        served += await pagesUntil(service, /\/readyz 503[\s\S]*allow this user to read/);
        await rights(servers, stand, true);
        await stand.redis.call('ACL', 'SETUSER', 'app', 'resetpass', '>c4n4ry-other');
        await stand.redis.call('CLIENT', 'KILL', 'USER', 'app');
        served += await pagesUntil(service, /\/readyz 503[\s\S]*WRONGPASS/);
        await stand.redis.call('ACL', 'SETUSER', 'app', `>${REDIS_PASSWORD}`);
        served += await pagesUntil(service, /\/readyz 200/);
        expect(await service.stop()).toBe(0);
      } finally {
        if (service.isRunning) await service.stop();
      }
      const offsets = await stand.command(offsetsCommand);
      const compared = await stand.command(compareCommand, '--experiment', 'default');
      const skipped = await stand.command(skipCommand, '--partition', '0', '--topic', 'nothing', '--to', '1');
      expect([compared.code, skipped.code]).toEqual([expect.any(Number), 2]);
      const all = [checked, doctor, offsets, compared, skipped].map(({ stdout, stderr }) => stdout + stderr).join('\n');
      expect(`${all}\n${served}\n${service.printed}`).not.toMatch(CANARY);
      expect(served).toMatch(/\/metrics 200[\s\S]*receval_build_info[\s\S]*\/nothing 401/);
    });
  });

  const wrong: Readonly<Record<string, readonly [(servers: Secured) => ReturnType<typeof access>, RegExp]>> = {
    'a wrong password of Kafka': [
      (servers) =>
        access(servers, { kafka: { sasl: { mechanism: 'plain', username: 'plain', password: 'c4n4ry-wrong' } } }),
      /the broker refused the login: check the user, the password/,
    ],
    'a token that is refused': [
      (servers) =>
        access(servers, { kafka: { sasl: { mechanism: 'oauthbearer', token: `c4n4ry.${unsignedToken('x')}` } } }),
      /refused the token/,
    ],
    'an endpoint that gives no token': [
      (servers) =>
        access(servers, {
          kafka: {
            sasl: {
              mechanism: 'oauthbearer',
              tokenEndpoint: `http://127.0.0.1:${servers.redis.port}/`,
              clientId: 'receval',
              clientSecret: 'c4n4ry-client',
            },
          },
        }),
      /tokenEndpoint \(127\.0\.0\.1:\d+\) does not answer/,
    ],
    'a wrong password of Redis in its address': [
      (servers) => ({
        ...access(servers),
        redis: {
          ...access(servers, { redis: { username: undefined, password: undefined } }).redis,
          url: `rediss://app:c4n4ry%2Fwrong@127.0.0.1:${servers.tlsPort}`,
        },
      }),
      /WRONGPASS.*Check redis\.username/,
    ],
    'a wrong passphrase': [
      (servers) =>
        access(servers, {
          redis: {
            tls: { ca: servers.secure.authority.ca, cert: servers.cert, key: servers.key, passphrase: 'c4n4ry-wrong' },
          },
        }),
      /redis\.tls\.key: .* the passphrase is wrong/,
    ],
    'a file that is not there': [
      (servers) => access(servers, { redis: { password: undefined, passwordFile: join(folder, 'missing') } }),
      /redis\.passwordFile: cannot read .*missing: there is no such file/,
    ],
  };
  for (const [name, [given, message]] of Object.entries(wrong)) {
    itWith(SERVERS, `and what to do is reported: ${name}`, async (servers) => {
      await withStand(servers, async (stand) => {
        await rights(servers, stand, true);
        configure(stand, given(servers));
        const doctor = await stand.command(doctorCommand, '--output', 'json');
        expect(messages(doctor)).toMatch(new RegExp(`^error .*${message.source}`, 'm'));
        expect(doctor.code).toBe(1);
        const service = stand.run();
        // What may pass is tried again for a minute.
        if (name === 'an endpoint that gives no token') {
          await service.printedOnce(message);
          await service.stop();
        } else {
          expect([1, 2]).toContain(await service.ended());
          expect(service.printed).toMatch(message);
        }
        const checked = await stand.command(configCommand, 'check');
        const all = [doctor, checked].map(({ stdout, stderr }) => stdout + stderr).join('\n');
        expect(`${all}\n${service.printed}`).not.toMatch(CANARY);
      });
    });
  }
});
