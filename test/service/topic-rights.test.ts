/** A user that may read the topics, and not see their settings. */
import { afterAll, expect } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { kafkajs } from '../../src/consumers/source/kafka/access/client.ts';
import { client, makeTopics } from '../consumers/source/kafka/fixture.ts';
import { itWith, type Service } from '../services/it-with.ts';
import { type RunningRedis, startRedis } from '../services/redis.ts';
import { PASSWORDS, type SecureKafka, startSecureKafka } from '../services/secure-kafka.ts';
import { shown, withStand } from './stand.ts';

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

/** Lets the user app do this, and nothing that it implies not. */
async function allow({ kafka }: SecureKafka, rights: readonly (readonly [number, string, number])[]): Promise<void> {
  const admin = client(kafka).admin();
  await admin.connect();
  await admin.createAcls({
    acl: rights.map(([resourceType, resourceName, operation]) => ({
      ...{ principal: 'User:app', host: '*', operation, resourceType, resourceName },
      permissionType: AclPermissionTypes.ALLOW,
      resourcePatternType: ResourcePatternTypes.LITERAL,
    })),
  });
  await admin.disconnect();
}

itWith(
  SERVERS,
  'without the right to see the settings of a topic a worker counts, and doctor warns with what allows it',
  async ({ secure, redis }) => {
    await withStand({ kafka: secure.kafka, redis }, async (stand) => {
      const broker = secure.kafka.listener('LOGIN');
      const { impressions, feedback } = stand.topics;
      const [letters] = await makeTopics(secure.kafka, 1, 1);
      stand.configure({
        attribution: { horizons: ['1s', '2s'], outOfOrderness: '500ms', idleAfter: '500ms' },
        kafka: {
          brokers: [broker],
          groupId: stand.namespace,
          sasl: { mechanism: 'scram-sha-256', username: 'app', password: PASSWORDS.app },
          topics: { impressions: { name: impressions }, feedback: { name: feedback } },
        },
        deadLetter: { to: 'topic', topic: letters },
      });
      await stand.makeTopics(1);
      const { TOPIC, GROUP } = AclResourceTypes;
      await allow(secure, [
        [TOPIC, impressions, AclOperationTypes.READ],
        [TOPIC, impressions, AclOperationTypes.DESCRIBE_CONFIGS],
        [TOPIC, feedback, AclOperationTypes.READ],
        [TOPIC, letters, AclOperationTypes.WRITE],
        [GROUP, stand.namespace, AclOperationTypes.READ],
      ]);
      const at = Date.now();
      await stand.produce(shown('a', 10, at));
      const service = stand.run();
      const [unit] = await stand.drained(1, service, at + 3000);
      expect(unit.join.counts[1].feedback.read).toBe(10);
      expect(await service.stop()).toBe(0);
      const told = /"error":"(.*?)","msg":"Kafka does not report how long the topics keep records"/;
      expect(told.exec(service.printed)?.[1]).toBe(`this user lacks the right DESCRIBE_CONFIGS on ${feedback}`);

      const { stdout } = await stand.command(doctorCommand, '--output', 'json');
      const { findings }: { findings: { check: string; level: string; message: string }[] } = JSON.parse(stdout);
      const command = `kafka-acls --bootstrap-server ${broker} --add --allow-principal User:app --operation DescribeConfigs --topic `;
      expect(findings.filter(({ message }) => message.includes('DESCRIBE_CONFIGS'))).toEqual([
        { check: 'dead letters', level: 'warning', message: expect.stringContaining(command + letters) },
        { check: 'topics', level: 'warning', message: expect.stringContaining(command + feedback) },
      ]);
      expect(findings.filter(({ message }) => message.includes('allow this user to read'))).toEqual([]);
      // The other topic's are seen.
      expect(findings.filter(({ check }) => check === 'cleanup')).toEqual([
        { check: 'cleanup', level: 'ok', message: `${impressions}: cleanup.policy is delete` },
      ]);
    });
  },
);
