/** How clients get in, and what does not go together. */
import type {
  KafkaSecurity,
  RedisSecurity,
  SaslSettings,
  SecretSource,
  TlsSettings,
} from '../connections/security-settings.ts';
import type { SaslDocument, TlsDocument } from './access.ts';
import type { Report } from './problems.ts';
import type { RedisDocument } from './redis.ts';

export function kafkaSecurityOf(
  document: { readonly tls: TlsDocument; readonly sasl: SaslDocument | null },
  report: Report,
): KafkaSecurity {
  const tls = tlsOf(document.tls, ['kafka', 'tls'], report);
  return { tls, sasl: saslOf(document.sasl, tls !== undefined, report) };
}

/** undefined: without TLS. */
function tlsOf(document: TlsDocument, path: readonly string[], report: Report): TlsSettings | undefined {
  if (document === false) return undefined;
  const setting = path.join('.');
  if (document === true) {
    return { setting, ...NO_FILES, passphrase: undefined, serverName: undefined, rejectUnauthorized: true };
  }
  const { ca, cert, key, serverName, rejectUnauthorized = true } = document;
  if (cert !== undefined && key === undefined) {
    report.add(
      [...path, 'key'],
      'is missing: cert names our certificate, so the file of its private key is needed too',
    );
  }
  if (key !== undefined && cert === undefined) {
    report.add(
      [...path, 'cert'],
      'is missing: key names our private key, so the file of its certificate is needed too',
    );
  }
  const passphrase = secretOf(document, 'passphrase', path, report);
  if (passphrase !== undefined && key === undefined) {
    report.add([...path, 'passphrase'], 'is for an encrypted key: set key too, or leave it out');
  }
  if (!rejectUnauthorized && ca !== undefined) {
    report.add([...path, 'rejectUnauthorized'], 'is false, so ca would not be looked at: leave one of the two out');
  }
  return { setting, ca, cert, key, passphrase, serverName, rejectUnauthorized };
}

const NO_FILES = { ca: undefined, cert: undefined, key: undefined } as const;

const FIELDS = {
  password: ['username', 'password', 'passwordFile'],
  oauthbearer: ['token', 'tokenFile', 'tokenEndpoint', 'clientId', 'clientSecret', 'clientSecretFile', 'scope'],
  'msk-iam': ['region'],
} as const;

/** undefined: no login, or one that was reported. */
function saslOf(document: SaslDocument | null, hasTls: boolean, report: Report): SaslSettings | undefined {
  if (document === null) return undefined;
  const path = ['kafka', 'sasl'];
  const { mechanism, username, region } = document;
  const own: readonly string[] =
    FIELDS[mechanism === 'oauthbearer' || mechanism === 'msk-iam' ? mechanism : 'password'];
  for (const name of Object.keys(document)) {
    if (name !== 'mechanism' && !own.includes(name)) {
      report.add([...path, name], `is not for the mechanism ${mechanism}, which takes ${own.join(', ')}: leave it out`);
    }
  }
  const missing = (name: string, what: string, needs: readonly string[] = []): undefined => {
    report.add([...path, name], `is missing: the mechanism ${mechanism} needs ${what}`, needs);
    return undefined;
  };
  switch (mechanism) {
    case 'plain':
    case 'scram-sha-256':
    case 'scram-sha-512': {
      const password = secretOf(document, 'password', path, report);
      if (username === undefined) missing('username', 'a user');
      if (password === undefined)
        missing('passwordFile', 'a password (passwordFile, or password)', ['kafka.sasl.password']);
      return username === undefined || password === undefined ? undefined : { mechanism, username, password };
    }
    case 'oauthbearer':
      return oauthOf(document, path, report);
    case 'msk-iam':
      if (!hasTls) report.add(['kafka', 'tls'], 'is missing: MSK takes IAM over TLS only: set kafka.tls: true');
      return region === undefined ? missing('region', 'the region of the cluster') : { mechanism, region };
  }
}

function oauthOf(document: SaslDocument, path: readonly string[], report: Report): SaslSettings | undefined {
  const { tokenEndpoint, clientId, scope } = document;
  const mechanism = 'oauthbearer';
  const token = secretOf(document, 'token', path, report);
  const clientSecret = secretOf(document, 'clientSecret', path, report);
  if (token !== undefined) {
    for (const name of ['tokenEndpoint', 'clientId', 'clientSecret', 'clientSecretFile', 'scope'] as const) {
      if (document[name] !== undefined) report.add([...path, name], 'conflicts with a token: leave one of the two out');
    }
    return { mechanism, token };
  }
  if (tokenEndpoint === undefined) {
    report.add(
      [...path, 'tokenFile'],
      'is missing: oauthbearer needs a token (tokenFile), or where to get one (tokenEndpoint)',
      ['kafka.sasl.token', 'kafka.sasl.tokenEndpoint'],
    );
    return undefined;
  }
  if (clientId === undefined) report.add([...path, 'clientId'], 'is required with tokenEndpoint');
  if (clientSecret === undefined) {
    report.add([...path, 'clientSecretFile'], 'is required with tokenEndpoint', ['kafka.sasl.clientSecret']);
  }
  if (clientId === undefined || clientSecret === undefined) return undefined;
  return { mechanism, tokenEndpoint, clientId, clientSecret, scope };
}

/** Of a group that takes a secret as `name`, or a file with it as `nameFile`. */
export function secretOf(
  document: object,
  name: 'password' | 'passphrase' | 'token' | 'clientSecret',
  path: readonly string[],
  report: Report,
): SecretSource | undefined {
  const given = new Map<string, unknown>(Object.entries(document));
  const text = given.get(name);
  const fileName = `${name}File`;
  const file = given.get(fileName);
  if (typeof text === 'string' && file !== undefined) {
    report.add([...path, fileName], `conflicts with ${name}: leave one of the two out`);
  }
  if (typeof text === 'string') return { kind: 'text', text };
  return typeof file === 'string' ? { kind: 'file', path: file, setting: [...path, fileName].join('.') } : undefined;
}

const NO_PASSWORD = 'is required with username (passwordFile, or password)';

/** What the address says, and what stands beside it. */
export function redisSecurityOf(document: RedisDocument, report: Report): RedisSecurity {
  const { url, username, sentinel } = document;
  const path = ['redis'];
  const password = secretOf(document, 'password', path, report);
  const needs = ['redis.url'];
  if (url.includes('@')) {
    for (const name of ['username', 'password', 'passwordFile'] as const) {
      if (document[name] === undefined) continue;
      report.add([...path, name], 'conflicts with the user and password in redis.url: leave one of the two out', needs);
    }
  }
  if (username !== undefined && password === undefined) {
    report.add([...path, 'passwordFile'], NO_PASSWORD, ['redis.password']);
  }
  if (url.startsWith('rediss:') && document.tls === false) {
    report.add([...path, 'tls'], 'is false, but redis.url asks for TLS: write redis://, or leave tls out', needs);
  }
  const tls = tlsOf(document.tls ?? url.startsWith('rediss:'), ['redis', 'tls'], report);
  const security = { username, password, tls };
  if (sentinel === undefined) return { ...security, sentinel: { username: undefined, password: undefined, tls } };
  const at = [...path, 'sentinel'];
  if (!url.startsWith('redis+sentinel:')) {
    report.add(at, 'is for redis+sentinel:// only: leave it out, or correct redis.url', needs);
  }
  const sentinelPassword = secretOf(sentinel, 'password', at, report);
  if (sentinel.username !== undefined && sentinelPassword === undefined) {
    report.add([...at, 'passwordFile'], NO_PASSWORD, ['redis.sentinel.password']);
  }
  return {
    ...security,
    sentinel: {
      username: sentinel.username,
      password: sentinelPassword,
      tls: sentinel.tls === undefined ? tls : tlsOf(sentinel.tls, [...at, 'tls'], report),
    },
  };
}
