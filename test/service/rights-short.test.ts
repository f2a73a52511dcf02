/** A user who lacks one right, whichever: a start and `doctor` name it, and once it is allowed everything is counted. */
import { Redis } from 'ioredis';
import { afterAll, expect } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { kafkajs } from '../../src/consumers/source/kafka/access/client.ts';
import { client } from '../consumers/source/kafka/fixture.ts';
import { itWith, type Service } from '../services/it-with.ts';
import { type RunningRedis, startRedis } from '../services/redis.ts';
import { PASSWORDS, type SecureKafka, startSecureKafka } from '../services/secure-kafka.ts';
import { type Stand, shown, withStand } from './stand.ts';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

interface Servers {
  readonly secure: SecureKafka;
  readonly redis: RunningRedis;
}

let started: Promise<Servers> | undefined;
const SERVERS: Service<Servers> = {
  name: 'Kafka, Redis and openssl',
  get: () => {
    started ??= Promise.all([startSecureKafka(), startRedis({ config: { appendonly: 'yes' } })]).then(
      ([secure, redis]) => ({ secure, redis }),
    );
    return started;
  },
};
afterAll(async () => {
  const servers = await started?.catch(() => undefined);
  await Promise.all([servers?.secure.stop(), servers?.redis.stop()]);
});

type Right = readonly [resourceType: number, resourceName: string, operation: number];

/** Gives the user app these rights in Kafka, or takes them away. */
async function change({ kafka }: SecureKafka, to: 'allowed' | 'gone', rights: readonly Right[]): Promise<void> {
  const admin = client(kafka).admin();
  await admin.connect();
  const all = rights.map(([resourceType, resourceName, operation]) => ({
    ...{ principal: 'User:app', host: '*', operation, resourceType, resourceName },
    permissionType: AclPermissionTypes.ALLOW,
    resourcePatternType: ResourcePatternTypes.LITERAL,
  }));
  if (to === 'allowed') await admin.createAcls({ acl: all });
  else await admin.deleteAcls({ filters: all });
  await admin.disconnect();
}

/** The errors of `doctor`, in one text. */
async function doctored(stand: Stand): Promise<string> {
  const { stdout, stderr } = await stand.command(doctorCommand, '--output', 'json');
  if (stdout === '') return stderr;
  const { findings }: { findings: { level: string; message: string }[] } = JSON.parse(stdout);
  return findings.flatMap(({ level, message }) => (level === 'error' ? [message] : [])).join('\n');
}

const ATTRIBUTION = { horizons: ['1s', '2s'], outOfOrderness: '500ms', idleAfter: '500ms' };

async function countsTen(stand: Stand): Promise<void> {
  const at = Date.now();
  await stand.produce(shown('a', 10, at));
  const service = stand.run();
  const [unit] = await stand.drained(1, service, at + 3000);
  expect(unit.join.counts[1].feedback.read).toBe(10);
  expect(await service.stop()).toBe(0);
  // That it may read is asked for in a way that fails where it may.
  expect(service.printed).not.toContain('offset is not within the range');
  expect(service.printed).not.toContain('not aware of this member');
}

itWith(
  SERVERS,
  'each right in Kafka that is missing is named, with what it is missing on',
  async ({ secure, redis }) => {
    await withStand({ kafka: secure.kafka, redis }, async (stand) => {
      const { impressions, feedback } = stand.topics;
      stand.configure({
        attribution: ATTRIBUTION,
        kafka: {
          brokers: [secure.kafka.listener('LOGIN')],
          groupId: stand.namespace,
          sasl: { mechanism: 'scram-sha-256', username: 'app', password: PASSWORDS.app },
          topics: { impressions: { name: impressions }, feedback: { name: feedback } },
        },
      });
      await stand.makeTopics(1);
      const { TOPIC, GROUP } = AclResourceTypes;
      const { READ, DESCRIBE, DESCRIBE_CONFIGS } = AclOperationTypes;
      const needed = [
        [TOPIC, impressions, READ],
        [TOPIC, feedback, READ],
        [GROUP, stand.namespace, READ],
      ] as const satisfies readonly Right[];
      await change(secure, 'allowed', [
        ...needed,
        [TOPIC, impressions, DESCRIBE_CONFIGS],
        [TOPIC, feedback, DESCRIBE_CONFIGS],
      ]);
      const told = ([resource, name]: Right): readonly string[] => {
        const kind = resource === GROUP ? 'group' : 'topic';
        return [
          `this user lacks the right READ on the ${kind} ${name}`,
          `--add --allow-principal User:app --operation Read --${kind} ${name}`,
        ];
      };
      // All that is asked about an empty topic, or a group, is answered with Describe alone.
      const described = needed.map(([resource, name]): Right => [resource, name, DESCRIBE]);
      for (const [n, missing] of needed.entries()) {
        await change(secure, 'gone', [missing]);
        await change(secure, 'allowed', [described[n]]);
        const errors = await doctored(stand);
        for (const one of needed)
          for (const text of told(one)) expect(errors.includes(text), text).toBe(one === missing);
        await change(secure, 'allowed', [missing]);
      }
      await change(secure, 'gone', needed);
      for (const rest of ['described', 'unknown']) {
        if (rest === 'unknown') await change(secure, 'gone', described);
        const service = stand.run();
        const [code, errors] = await Promise.all([service.ended(), doctored(stand)]);
        for (const text of needed.flatMap(told)) {
          expect(service.printed).toContain(text);
          expect(errors).toContain(text);
        }
        expect(code).toBe(2);
        expect(service.printed).not.toContain('receval is running');
      }
      await change(secure, 'allowed', needed);
      expect(await doctored(stand)).not.toContain('lacks the right');
      await countsTen(stand);
    });
  },
);

itWith(SERVERS, 'each right in Redis that is missing is named', async ({ secure, redis }) => {
  await withStand({ kafka: secure.kafka, redis }, async (stand) => {
    const admin = new Redis(redis.url);
    const rights =
      '+evalsha +eval +type +hgetall +hmget +hset +hdel +hlen +pexpire +unlink +time +info +ping +client|setname +acl|dryrun'.split(
        ' ',
      );
    const allow = (keys: string, some: readonly string[]): Promise<unknown> =>
      admin.call('ACL', 'SETUSER', 'short', 'reset', 'on', '>pw', keys, 'resetchannels', '-@all', ...some);
    try {
      stand.configure({
        attribution: ATTRIBUTION,
        redis: { url: `redis://short:pw@127.0.0.1:${redis.port}` },
      });
      await stand.makeTopics(1);
      for (const missing of ['+time', '+info', '+hmget', '+hdel', '+hlen', '~receval:*']) {
        await allow(
          missing === '~receval:*' ? '~other:*' : '~receval:*',
          rights.filter((right) => right !== missing),
        );
        const told = `NOPERM (allow it ${missing}`;
        const service = stand.run();
        const [code, errors] = await Promise.all([service.ended(), doctored(stand)]);
        // 2: it was refused at once, where waiting would not help.
        expect(code).toBeGreaterThan(0);
        expect(service.printed).toContain(told);
        expect(errors).toContain(told);
      }
      await allow('~receval:*', rights);
      await countsTen(stand);
    } finally {
      admin.disconnect();
    }
  });
});
