import { afterAll, expect } from 'vitest';
import { kafkajs } from '../../src/consumers/source/kafka/access/client.ts';
import { LetterTopic } from '../../src/dead-letters/letter-topic.ts';
import { lookAtDeadLetters } from '../../src/service/doctor-dead-letters.ts';
import { WallClock } from '../../src/vocabulary/clock.ts';
import { client, makeTopics } from '../consumers/source/kafka/fixture.ts';
import { lettersIn } from '../dead-letters/letter-log.ts';
import { letter } from '../dead-letters/letters.ts';
import { settingsOf } from '../metrics/settings.ts';
import { itWith, type Service } from '../services/it-with.ts';
import { PASSWORDS, passwordLogin, type SecureKafka, startSecureKafka, tlsOf } from '../services/secure-kafka.ts';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

let started: Promise<SecureKafka> | undefined;
const SECURE: Service<SecureKafka> = {
  name: 'Kafka and openssl',
  get: () => {
    started ??= startSecureKafka();
    return started;
  },
};
afterAll(async () => {
  await (await started?.catch(() => undefined))?.stop();
});

/** Lets the user app do this with the topics. */
async function allow({ kafka }: SecureKafka, topics: readonly string[], operation: number): Promise<void> {
  const admin = client(kafka).admin();
  await admin.connect();
  await admin.createAcls({
    acl: topics.map((resourceName) => ({
      ...{ principal: 'User:app', host: '*', operation, resourceName },
      permissionType: AclPermissionTypes.ALLOW,
      resourceType: AclResourceTypes.TOPIC,
      resourcePatternType: ResourcePatternTypes.LITERAL,
    })),
  });
  await admin.disconnect();
}

itWith(
  SECURE,
  'letters go over TLS with a login; without the right to write they do not, and the doctor says so beforehand',
  async (secure) => {
    const [impressions, feedback] = await makeTopics(secure.kafka, 2, 1);
    const [letters] = await makeTopics(secure.kafka, 1, 1, { 'max.message.bytes': '2000000' });
    const settings = settingsOf(
      JSON.stringify({
        kafka: { topics: { impressions: { name: impressions }, feedback: { name: feedback } } },
        deadLetter: { to: 'topic', topic: letters },
      }),
    );
    const connection = {
      brokers: [secure.kafka.listener('SECURE')],
      clientId: 'test',
      tls: tlsOf({ ca: secure.authority.ca }),
      sasl: passwordLogin('scram-sha-512', PASSWORDS.app),
    };
    const look = () => lookAtDeadLetters(settings, connection, Date.now());
    const write = async (): Promise<void> => {
      const writer = new LetterTopic(letters, connection, new WallClock());
      await writer.write([letter(1)]).finally(() => writer.close());
    };
    await allow(secure, [impressions, feedback, letters], AclOperationTypes.DESCRIBE_CONFIGS);
    await allow(secure, [impressions, feedback, letters], AclOperationTypes.DESCRIBE);
    expect(await look()).toMatchObject([
      { level: 'error', message: expect.stringMatching(/cannot be written .*allow/) },
    ]);
    await expect(write()).rejects.toThrow();
    await allow(secure, [letters], AclOperationTypes.WRITE);
    await expect.poll(look, { timeout: 300_000 }).toMatchObject([{ level: 'ok' }]);
    await write();
    expect((await lettersIn(secure.kafka, letters, 1)).map(({ value }) => value)).toEqual(['value 1']);
  },
);
