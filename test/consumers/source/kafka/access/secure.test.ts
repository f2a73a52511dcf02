import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect } from 'vitest';
import type { SaslSettings, TlsSettings } from '../../../../../src/connections/security-settings.ts';
import { KafkaAdmin } from '../../../../../src/consumers/source/kafka/access/admin.ts';
import { kafkajs } from '../../../../../src/consumers/source/kafka/access/client.ts';
import { accessAdvice, isUnreachable, KafkaFailure } from '../../../../../src/consumers/source/kafka/access/faults.ts';
import { KafkaProducer } from '../../../../../src/consumers/source/kafka/access/producer.ts';
import { explained } from '../../../../../src/consumers/source/kafka/access/trouble.ts';
import type { Certificate } from '../../../../services/certificates.ts';
import { itWith, type Service } from '../../../../services/it-with.ts';
import {
  PASSWORDS,
  passwordLogin,
  type SecureKafka,
  startSecureKafka,
  tlsOf,
  unsignedToken,
} from '../../../../services/secure-kafka.ts';
import { Collector, range, until } from '../collector.ts';
import { client, makeTopics, PATIENT, produce, sourceOver } from '../fixture.ts';
import { Told } from '../told.ts';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

let started: Promise<SecureKafka> | undefined;
const SECURE: Service<SecureKafka> = {
  name: 'Kafka and openssl',
  get: () => {
    started ??= startSecureKafka();
    return started;
  },
};
const folder = mkdtempSync(join(tmpdir(), 'receval-secure-'));
afterAll(async () => {
  await (await started?.catch(() => undefined))?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Way {
  readonly listener: string;
  readonly tls?: (secure: SecureKafka) => TlsSettings;
  readonly sasl?: SaslSettings;
}

const known = ({ authority }: SecureKafka): TlsSettings => tlsOf({ ca: authority.ca });
const certified = ({ authority, client: { cert, key } }: SecureKafka): TlsSettings =>
  tlsOf({ ca: authority.ca, cert, key });
const token = (text: string): SaslSettings => ({ mechanism: 'oauthbearer', token: { kind: 'text', text } });
const SCRAM = passwordLogin('scram-sha-512', PASSWORDS.app);

/** Asks for the brokers. */
async function enter(secure: SecureKafka, { listener, tls, sasl }: Way): Promise<readonly string[]> {
  const connection = { brokers: [secure.kafka.listener(listener)], clientId: 'test', tls: tls?.(secure), sasl };
  return explained(connection, () => new KafkaAdmin({ ...connection, topics: [] }).cluster());
}

/** Lets the user read topics and a group, or takes the rights away again. */
async function rights(secure: SecureKafka, user: string, topics: readonly string[], allow: boolean): Promise<void> {
  const admin = client(secure.kafka).admin();
  await admin.connect();
  const of = (resourceType: number, resourceName: string, operation: number) => ({
    principal: `User:${user}`,
    host: '*',
    operation,
    permissionType: AclPermissionTypes.ALLOW,
    resourceType,
    resourceName,
    resourcePatternType: ResourcePatternTypes.LITERAL,
  });
  const acl = [
    ...topics.map((topic) => of(AclResourceTypes.TOPIC, topic, AclOperationTypes.READ)),
    of(AclResourceTypes.GROUP, '*', AclOperationTypes.READ),
  ];
  if (allow) await admin.createAcls({ acl });
  else await admin.deleteAcls({ filters: acl });
  await admin.disconnect();
}

describe('a broker that asks for it is reached', () => {
  const ways: Readonly<Record<string, Way>> = {
    'by SCRAM-SHA-512 over TLS': { listener: 'SECURE', tls: known, sasl: SCRAM },
    'by SCRAM-SHA-256 in plain text': { listener: 'LOGIN', sasl: passwordLogin('scram-sha-256', PASSWORDS.app) },
    'by PLAIN over TLS': { listener: 'SECURE', tls: known, sasl: passwordLogin('plain', PASSWORDS.plain) },
    'by OAUTHBEARER over TLS': { listener: 'SECURE', tls: known, sasl: token(unsignedToken('app')) },
    'by TLS alone': { listener: 'TLS', tls: known },
    'by a client certificate': { listener: 'MTLS', tls: certified },
    'under another name than its own': {
      listener: 'ELSEWHERE',
      tls: ({ authority }) => tlsOf({ ca: authority.ca, serverName: 'kafka.example' }),
    },
    'with any certificate, if we ask for that': {
      listener: 'EXPIRED',
      tls: () => tlsOf({ rejectUnauthorized: false }),
    },
  };
  for (const [name, way] of Object.entries(ways)) {
    itWith(SECURE, name, async (secure) => {
      expect(await enter(secure, way)).toEqual([secure.kafka.listener(way.listener)]);
    });
  }

  itWith(SECURE, 'by one that writes records', async (secure) => {
    const topics = await makeTopics(secure.kafka, 1, 1);
    const producer = new KafkaProducer({
      brokers: [secure.kafka.listener('TLS')],
      clientId: 'test',
      tls: known(secure),
    });
    await producer.connect();
    await producer.write([{ topic: topics[0], key: 'k', value: 'v', at: Date.now() }]);
    await producer.close();
    const read = new Collector(sourceOver(secure.kafka, topics));
    await until('it is read', () => read.values().length === 1);
    expect(read.values()).toEqual(['v']);
    await read.stop();
  });

  itWith(SECURE, 'by a token that an endpoint gives for client credentials, asked for once', async (secure) => {
    const asked: string[] = [];
    const endpoint = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const login = Buffer.from((request.headers.authorization ?? '').slice(6), 'base64').toString();
        asked.push(`${login} ${body}`);
        response.setHeader('content-type', 'application/json');
        if (login !== 'receval:c4n4ry%2Fsecret') response.statusCode = 401;
        response.end(
          response.statusCode === 401
            ? JSON.stringify({ error: 'invalid_client', error_description: login })
            : JSON.stringify({ access_token: unsignedToken('app'), token_type: 'Bearer', expires_in: 300 }),
        );
      });
    });
    await new Promise<void>((done) => endpoint.listen(0, '127.0.0.1', done));
    try {
      const address = endpoint.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const sasl = (text: string): SaslSettings => ({
        mechanism: 'oauthbearer',
        tokenEndpoint: `http://127.0.0.1:${port}/token`,
        clientId: 'receval',
        clientSecret: { kind: 'text', text },
        scope: 'kafka',
      });
      const options = {
        brokers: [secure.kafka.listener('SECURE')],
        clientId: 'test',
        tls: known(secure),
        sasl: sasl('c4n4ry/secret'),
      };
      const admin = new KafkaAdmin({ ...options, topics: [] });
      await admin.cluster();
      await admin.cluster();
      expect(asked).toEqual(['receval:c4n4ry%2Fsecret grant_type=client_credentials&scope=kafka']);
      const wrong = { listener: 'SECURE', tls: known, sasl: sasl('c4n4ry-wrong') };
      const error = await enter(secure, wrong).catch((thrown: unknown) => thrown);
      expect(String(error)).toMatch(/tokenEndpoint \(127.*answered 401 \(invalid_client\); check .*clientSecret/);
      expect(String(error)).not.toContain('c4n4ry');
    } finally {
      endpoint.close();
    }
  });

  itWith(SECURE, 'by a new token of an endpoint, when the last one was refused before its time', async (secure) => {
    let asked = 0;
    const endpoint = createServer((_, response) => {
      asked++;
      const token = unsignedToken('app', asked === 1 ? -600 : 3600);
      response.end(JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 3600 }));
    });
    await new Promise<void>((done) => endpoint.listen(0, '127.0.0.1', done));
    try {
      const address = endpoint.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const sasl: SaslSettings = {
        mechanism: 'oauthbearer',
        tokenEndpoint: `http://127.0.0.1:${port}/token`,
        clientId: 'receval',
        clientSecret: { kind: 'text', text: 'c4n4ry' },
        scope: undefined,
      };
      const brokers = [secure.kafka.listener('SECURE')];
      const admin = new KafkaAdmin({ brokers, clientId: 'test', tls: known(secure), sasl, topics: [] });
      await expect(admin.cluster()).rejects.toThrow(/refused the token/);
      expect(await admin.cluster()).toEqual(brokers);
      expect(asked).toBe(2);
    } finally {
      endpoint.close();
    }
  });
});

describe('who is not let in learns why and what to do:', () => {
  const ways: Readonly<Record<string, readonly [Way, RegExp]>> = {
    'a wrong password (SCRAM)': [
      { listener: 'SECURE', tls: known, sasl: passwordLogin('scram-sha-512', 'c4n4ry-wrong') },
      /invalid credentials.*check the user, the password/,
    ],
    'a wrong password (PLAIN)': [
      { listener: 'SECURE', tls: known, sasl: passwordLogin('plain', 'c4n4ry-wrong') },
      /Invalid username or password; the broker refused the login/,
    ],
    'a token that has ended': [
      { listener: 'SECURE', tls: known, sasl: token(unsignedToken('app', -600)) },
      /refused the token \(invalid_token\); look where the token comes from/,
    ],
    'a token that is none': [
      { listener: 'SECURE', tls: known, sasl: token('c4n4ry-none') },
      /refused the token \(invalid_token\)/,
    ],
    'an authority that is not known': [
      { listener: 'SECURE', tls: ({ stranger }) => tlsOf({ ca: stranger.ca }), sasl: SCRAM },
      /signed by nobody who is known here \(CN=broker, signed by CN=receval test authority; known is CN=somebody else of .*\): .*kafka\.tls\.ca$/,
    ],
    'a certificate that has ended': [
      { listener: 'EXPIRED', tls: known },
      /has expired \(CN=broker, ended 2020-02-01T00:00:00Z; here it is \S+Z\): renew it at the server/,
    ],
    'a certificate that is not valid yet': [
      { listener: 'EARLY', tls: known },
      /is not valid yet \(CN=broker, begins 20\S+Z; here it is \S+Z\): check the clocks of both/,
    ],
    'a certificate for another host': [
      { listener: 'ELSEWHERE', tls: known },
      /another name \(CN=broker, for DNS:kafka\.example, and not 127\.0\.0\.1\).*kafka\.tls\.serverName/,
    ],
    'no client certificate': [
      { listener: 'MTLS', tls: known },
      /alert \w+ certificate; the server requires a client certificate .*\(none is set\): .*kafka\.tls\.cert/,
    ],
    'plain text to a port with TLS': [{ listener: 'TLS' }, /this port speaks TLS: set kafka\.tls: true/],
    'a login in plain text to a port with TLS': [{ listener: 'SECURE', sasl: SCRAM }, /speaks TLS: set kafka\.tls/],
    'TLS to a port without': [
      { listener: 'LOGIN', tls: known, sasl: SCRAM },
      /this port speaks Kafka without TLS: leave kafka\.tls out/,
    ],
    'no login where one is wanted': [
      { listener: 'SECURE', tls: known },
      /this port requires a login \(.*scram-sha-512.*\): set kafka\.sasl/,
    ],
    'a login where none is taken': [
      { listener: 'TLS', tls: known, sasl: SCRAM },
      /takes no login: leave kafka\.sasl out/,
    ],
  };
  for (const [name, [way, message]] of Object.entries(ways)) {
    itWith(SECURE, name, async (secure) => {
      const error = await enter(secure, way).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(KafkaFailure);
      expect(error).toMatchObject({ passing: false, message: expect.stringMatching(message) });
      expect(String(error)).toMatch(/^KafkaFailure: kafka \(127\.0\.0\.1:\d+\): /);
      expect(String(error)).not.toMatch(/c4n4ry|\n/);
    });
  }
});

describe('an error of the client about a certificate', () => {
  itWith(SECURE, 'is reported with the broker, the certificate and its end', async (secure) => {
    const broker = secure.kafka.listener('EXPIRED');
    const connection = { brokers: [broker], clientId: 'test', tls: known(secure), topics: [] };
    const admin = new KafkaAdmin(connection);
    await expect(explained(connection, () => admin.cluster())).rejects.toThrow(
      new RegExp(
        `; ${broker}: certificate has expired: .* has expired \\(CN=broker, ended 2020-02-01T00:00:00Z; here it is`,
      ),
    );
  });
});

describe('a user without rights on the group', () => {
  itWith(SECURE, 'is reported, and is not taken for one whose brokers are away', async (secure) => {
    const topics = await makeTopics(secure.kafka, 1, 1);
    const source = sourceOver({ brokers: [secure.kafka.listener('LOGIN')] }, topics, undefined, {
      sasl: passwordLogin('scram-sha-256', PASSWORDS.app),
    });
    const error = await source.committedByGroup().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ type: 'GROUP_AUTHORIZATION_FAILED' });
    expect(accessAdvice(error)).toBe(
      'allow this user to read the group kafka.groupId: receval doctor prints the command',
    );
    expect(isUnreachable(error)).toBe(false);
    await source.stop();
  });
});

describe('a consumer that was let in', () => {
  const numbered = (from: number, to: number) => range(from, to).map((i) => ({ value: String(i) }));

  itWith(
    SECURE,
    'waits while its rights are taken away, says so, and goes on when it has them again',
    async (secure) => {
      const topics = await makeTopics(secure.kafka, 1, 1);
      await rights(secure, 'app', topics, true);
      await produce(secure.kafka, topics[0], numbered(0, 10));
      const source = sourceOver({ brokers: [secure.kafka.listener('SECURE')] }, topics, undefined, {
        tls: known(secure),
        sasl: SCRAM,
      });
      const read = new Collector(source);
      await until('the first are read', () => read.offsets().length === 10);
      expect(source.trouble).toBeUndefined();
      await rights(secure, 'app', topics, false);
      await until('it knows', () => source.trouble !== undefined);
      expect(source.trouble).toMatch(/allow this user to read/);
      await produce(secure.kafka, topics[0], numbered(10, 20));
      await rights(secure, 'app', topics, true);
      await until('the rest is read', () => read.offsets().length === 20);
      expect(read.offsets()).toEqual(range(0, 20));
      await until('all is well', () => source.trouble === undefined);
      await read.stop();
    },
  );

  itWith(SECURE, 'takes a password that was changed from its file at the next connection', async (secure) => {
    const setPassword = (password: string): Promise<string> =>
      secure.kafka.tool('kafka.admin.ConfigCommand', [
        ...[
          '--bootstrap-server',
          secure.kafka.brokers[0],
          '--alter',
          '--entity-type',
          'users',
          '--entity-name',
          'moving',
        ],
        ...['--add-config', `SCRAM-SHA-512=[password=${password}]`],
      ]);
    const file = join(folder, 'password');
    await setPassword('c4n4ry-one');
    writeFileSync(file, 'c4n4ry-one\n');
    const topics = await makeTopics(secure.kafka, 1, 1);
    await rights(secure, 'moving', topics, true);
    await produce(secure.kafka, topics[0], numbered(0, 10));
    const source = sourceOver({ brokers: [secure.kafka.listener('SECURE')] }, topics, undefined, {
      tls: known(secure),
      sasl: {
        mechanism: 'scram-sha-512',
        username: 'moving',
        password: { kind: 'file', path: file, setting: 'kafka.sasl.passwordFile' },
      },
    });
    const read = new Collector(source);
    await until('the first are read', () => read.offsets().length === 10);
    await setPassword('c4n4ry-two');
    await secure.kafka.restart(1);
    await until('it is refused', () => /the broker refused the login/.test(source.trouble ?? ''));
    writeFileSync(file, 'c4n4ry-two\n');
    await produce(secure.kafka, topics[0], numbered(10, 20));
    await until('the rest is read', () => read.offsets().length === 20);
    await read.stop();
  });

  itWith(SECURE, 'takes a renewed certificate at the next connection', async (secure) => {
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const put = ({ cert: newCert, key: newKey }: Certificate): void => {
      copyFileSync(newCert, cert);
      copyFileSync(newKey, key);
    };
    put(await secure.authority.sign({ name: 'renewed' }));
    const tls = tlsOf({ ca: secure.authority.ca, cert, key });
    const connection = { brokers: [secure.kafka.listener('MTLS')], clientId: 'test', tls, topics: [] };
    const admin = new KafkaAdmin(connection);
    await admin.cluster();
    put(await secure.stranger.sign({ name: 'renewed' }));
    await expect(explained(connection, () => admin.cluster())).rejects.toThrow(
      /requires a client certificate .*\(ours is CN=renewed, signed by CN=somebody else, valid until 20\S+Z\): /,
    );
    put(await secure.authority.sign({ name: 'renewed', expired: true }));
    await expect(explained(connection, () => admin.cluster())).rejects.toThrow(
      /\(ours is CN=renewed, signed by CN=receval test authority, ended 2020-02-01T00:00:00Z; here it is 20\S+Z\): /,
    );
    put(await secure.authority.sign({ name: 'renewed' }));
    await admin.cluster();
  });

  itWith(SECURE, 'logs in anew when the broker wants that now and then', async (secure) => {
    const topics = await makeTopics(secure.kafka, 1, 1);
    await rights(secure, 'app', topics, true);
    const told = new Told();
    const source = sourceOver({ brokers: [secure.kafka.listener('LOGIN')] }, topics, told, {
      sasl: passwordLogin('scram-sha-256', PASSWORDS.app),
      times: PATIENT,
    });
    const read = new Collector(source);
    await produce(secure.kafka, topics[0], numbered(0, 10));
    await until('the first are read', () => read.offsets().length === 10);
    const joins = read.assignments.length;
    // Longer than the broker bears an old login.
    await sleep(13_000);
    await produce(secure.kafka, topics[0], numbered(10, 20));
    await until('the rest is read', () => read.offsets().length === 20);
    expect(read.assignments).toHaveLength(joins);
    expect(told.warnings.filter((text) => text.startsWith('error'))).toEqual([]);
    await read.stop();
  });

  itWith(SECURE, 'that is refused from the start ends with what to do', async (secure) => {
    const topics = await makeTopics(secure.kafka, 1, 1);
    const source = sourceOver({ brokers: [secure.kafka.listener('SECURE')] }, topics, undefined, {
      tls: known(secure),
      sasl: passwordLogin('plain', 'c4n4ry-wrong'),
    });
    const read = new Collector(source);
    expect(String(await read.ended)).toMatch(/KafkaFailure: kafka \(.*, group .*\): .*check the user, the password/);
  });
});
