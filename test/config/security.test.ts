import { describe, expect, test } from 'vitest';
import { effectiveDocument } from '../../src/config/load.ts';
import { redact } from '../../src/config/redact.ts';
import { configuration, load, problems } from './fixture.ts';

const SCRAM = 'mechanism: scram-sha-512, username: u';

describe('connections are read from', () => {
  test('TLS of Kafka in its short and its long form', () => {
    expect(load('').kafka.tls).toBeUndefined();
    expect(load('kafka: {tls: false}').kafka.tls).toBeUndefined();
    const plain = { setting: 'kafka.tls', rejectUnauthorized: true, ca: undefined, serverName: undefined };
    expect(load('kafka: {tls: true}').kafka.tls).toMatchObject(plain);
    const files = '{ca: /a.pem, cert: /c.pem, key: /k.pem, passphraseFile: /p, serverName: kafka.example}';
    expect(load(`kafka: {tls: ${files}}`).kafka.tls).toMatchObject({
      ca: '/a.pem',
      cert: '/c.pem',
      key: '/k.pem',
      passphrase: { kind: 'file', path: '/p', setting: 'kafka.tls.passphraseFile' },
      serverName: 'kafka.example',
    });
  });

  test('logins of Kafka', () => {
    expect(load(`kafka: {sasl: {${SCRAM}, password: p}}`).kafka.sasl).toEqual({
      mechanism: 'scram-sha-512',
      username: 'u',
      password: { kind: 'text', text: 'p' },
    });
    expect(load('kafka: {sasl: {mechanism: oauthbearer, tokenFile: /t}}').kafka.sasl).toEqual({
      mechanism: 'oauthbearer',
      token: { kind: 'file', path: '/t', setting: 'kafka.sasl.tokenFile' },
    });
    expect(load('kafka: {tls: true, sasl: {mechanism: msk-iam, region: eu-central-1}}').kafka.sasl).toEqual({
      mechanism: 'msk-iam',
      region: 'eu-central-1',
    });
  });

  test('rediss:// and redis.tls alike, and sentinels take those of Redis unless they have their own', () => {
    expect(load('').redis.tls).toBeUndefined();
    expect(load('redis: {url: "rediss://h"}').redis.tls).toMatchObject({ setting: 'redis.tls' });
    const { redis } = load('redis: {url: "redis+sentinel://h/main", tls: {ca: /a}, sentinel: {password: p}}');
    expect(redis.sentinel.tls).toBe(redis.tls);
    expect(redis.sentinel.password).toEqual({ kind: 'text', text: 'p' });
    expect(load('redis: {url: "redis+sentinel://h/m", tls: true, sentinel: {tls: false}}').redis.sentinel.tls).toBe(
      undefined,
    );
  });

  test('variables: a secret, and the file that it is read from at each connection', () => {
    const env = {
      RECEVAL_KAFKA_TLS: 'true',
      RECEVAL_KAFKA_SASL_MECHANISM: 'plain',
      RECEVAL_KAFKA_SASL_USERNAME: 'u',
      RECEVAL_KAFKA_SASL_PASSWORD: '12345',
      RECEVAL_REDIS_TLS_CA: '/ca.pem',
      RECEVAL_REDIS_PASSWORD_FILE: '/run/secrets/redis',
    };
    const { kafka, redis } = configuration({ env }).settings;
    expect(kafka.sasl).toMatchObject({ password: { kind: 'text', text: '12345' } });
    expect(redis).toMatchObject({
      tls: { ca: '/ca.pem' },
      password: { kind: 'file', path: '/run/secrets/redis', setting: 'redis.passwordFile' },
    });
  });
});

describe('what does not go together is told with path and advice:', () => {
  test.each([
    ['kafka: {tls: {cert: /c}}', /^kafka\.tls\.key: is missing/],
    ['kafka: {tls: {key: /k}}', /^kafka\.tls\.cert: is missing/],
    ['kafka: {tls: {passphrase: p}}', /^kafka\.tls\.passphrase: is for an encrypted key/],
    [
      'kafka: {tls: {cert: /c, key: /k, passphrase: p, passphraseFile: /p}}',
      /^kafka\.tls\.passphraseFile: conflicts with/,
    ],
    ['kafka: {tls: {ca: /a, rejectUnauthorized: false}}', /^kafka\.tls\.rejectUnauthorized: is false, so ca/],
    ['kafka: {tls: {certificate: /c}}', /^kafka\.tls\.certificate: unknown setting/],
    ['kafka: {tls: yes please}', /^kafka\.tls: expected true, false or \{ca/],
    ['kafka: {sasl: {mechanism: scram}}', /^kafka\.sasl\.mechanism: expected plain, scram-sha-256/],
    ['kafka: {sasl: {username: u}}', /^kafka\.sasl\.mechanism: expected plain/],
    [
      `kafka: {sasl: {${SCRAM}}}`,
      /^kafka\.sasl\.passwordFile: is missing: the mechanism scram-sha-512 needs a password/,
    ],
    [
      `kafka: {sasl: {${SCRAM}, password: p, region: r}}`,
      /^kafka\.sasl\.region: is not for the mechanism scram-sha-512/,
    ],
    [`kafka: {sasl: {${SCRAM}, password: p, passwordFile: /p}}`, /^kafka\.sasl\.passwordFile: conflicts with password/],
    ['kafka: {sasl: {mechanism: plain, password: p}}', /^kafka\.sasl\.username: is missing/],
    ['kafka: {sasl: {mechanism: oauthbearer}}', /^kafka\.sasl\.tokenFile: is missing.*tokenEndpoint/],
    ['kafka: {sasl: {mechanism: oauthbearer, token: t, scope: s}}', /^kafka\.sasl\.scope: conflicts with a token/],
    [
      'kafka: {sasl: {mechanism: oauthbearer, tokenEndpoint: "https://i/t", clientId: c}}',
      /^kafka\.sasl\.clientSecretFile: is required/,
    ],
    [
      'kafka: {sasl: {mechanism: oauthbearer, tokenEndpoint: "http://i/t", clientId: c, clientSecret: s}}',
      /^kafka\.sasl\.tokenEndpoint: expected an address such as https/,
    ],
    ['kafka: {sasl: {mechanism: msk-iam, region: eu-central-1}}', /^kafka\.tls: is missing.*kafka\.tls: true/],
    ['kafka: {tls: true, sasl: {mechanism: msk-iam}}', /^kafka\.sasl\.region: is missing/],
    ['redis: {url: "rediss://h", tls: false}', /^redis\.tls: is false, but redis\.url asks for TLS/],
    [
      'redis: {url: "redis://:p@h", password: q}',
      /^redis\.password: conflicts with the user and password in redis\.url/,
    ],
    ['redis: {username: u, password: 5}', /^redis\.password: expected text on one line.*found "\*\*\*"$/],
    ['redis: {username: u}', /^redis\.passwordFile: is required with username/],
    ['redis: {sentinel: {password: p}}', /^redis\.sentinel: is for redis\+sentinel:\/\/ only/],
    [
      'redis: {url: "redis+sentinel://h/m", sentinel: {username: u}}',
      /^redis\.sentinel\.passwordFile: is required with username/,
    ],
  ])('%s', (yaml, message) => {
    const found = problems(yaml);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });
});

const SECRETS = `
kafka:
  tls: {cert: /c, key: /k, passphrase: c4n4ry}
  sasl: {mechanism: plain, username: u, password: c4n4ry}
redis:
  url: redis+sentinel://h/main
  password: c4n4ry
  tls: {cert: /c, key: /k, passphrase: c4n4ry}
  sentinel: {password: c4n4ry, tls: {cert: /c, key: /k, passphrase: c4n4ry}}
`;

test('secrets are hidden, and the files that hold them are shown', () => {
  const given = configuration({ files: { 'receval.yaml': SECRETS } });
  const shown = JSON.stringify(redact(effectiveDocument(given)));
  expect(shown).not.toContain('c4n4ry');
  expect(shown.match(/\*\*\*/g)).toHaveLength(6);
  const files = SECRETS.replaceAll('c4n4ry', '/shown').replace(/(passphrase|password):/g, '$1File:');
  const other = configuration({ files: { 'receval.yaml': files } });
  expect(JSON.stringify(redact(effectiveDocument(other)))).not.toContain('***');
});

test.each([
  'kafka: {sasl: {mechanism: oauthbearer, token: [c4n4ry]}}',
  'kafka: {sasl: c4n4ry}',
  'kafka: {sasl: {mechanism: plain, username: u, password: "c4n4ry\\nx"}}',
  'kafka: {sasl: {mechanism: plain, username: u, passwort: c4n4ry}}',
  'kafka: {sasl: {mechanism: oauthbearer, tokenEndpoint: "https://u:c4n4ry@h/t", clientId: c, clientSecret: s}}',
  'redis: {password: {x: c4n4ry}}',
  'redis: c4n4ry',
])('a secret is in no message: %j', (yaml) => {
  expect(problems(yaml).join('\n')).not.toContain('c4n4ry');
});
