/** The settings of TLS, logins and Redis with which clients authenticate, and which of them exclude each other. */
import { z } from 'zod';
import type {
  KafkaSecurity,
  RedisSecurity,
  SaslSettings,
  SecretSource,
  TlsSettings,
} from '../connections/security-settings.ts';
import type { Report } from './problems.ts';
import { anyText, group, textOf, word } from './values.ts';

export function kafkaSecurityOf(
  document: { readonly tls: TlsDocument; readonly sasl: SaslDocument | null },
  report: Report,
): KafkaSecurity {
  const tls = tlsOf(document.tls, ['kafka', 'tls'], report);
  return { tls, sasl: saslOf(document.sasl, tls !== undefined, report) };
}

/** undefined: TLS is not used. */
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

/** undefined: there is no login, or it was reported as wrong. */
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

/** The secret of a group, given as `name`, or in a file as `nameFile`. */
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

/** Combines the URL and the settings beside it. */
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

export const file = textOf('the path of a file', /^[^\0\n]+$/);
/** A secret may contain anything but a line break, which would be a mistake. */
const secret = textOf('text on one line that is not empty', /^[^\0\r\n]+$/);

const tlsGroup = group({
  ca: file.optional().meta({
    description:
      'file (PEM) with the certificates of the authorities that sign certificates of servers. Default: those of Node.js',
  }),
  cert: file.optional().meta({ description: 'file (PEM) with our own certificate; with key' }),
  key: file.optional().meta({ description: 'file (PEM) with its private key' }),
  passphrase: secret.optional().meta({ description: 'of an encrypted key' }),
  passphraseFile: file.optional().meta({ description: 'file that contains it, read at each connection' }),
  serverName: textOf('a host name', /^[^\s:/@]+$/)
    .optional()
    .meta({ description: 'name that the certificate of a server must contain. Default: the host name' }),
  rejectUnauthorized: z
    .boolean({ error: 'expected true or false' })
    .optional()
    .meta({ description: 'false: any certificate is accepted, even that of an attacker on the way. Default: true' }),
});

export const tlsSchema = z.union([z.boolean(), tlsGroup], {
  error: 'expected true, false or {ca, cert, key, passphraseFile, serverName, rejectUnauthorized}',
});

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer', 'msk-iam'] as const;

export const saslSchema = group({
  mechanism: word(MECHANISMS).meta({ description: 'how the brokers let clients in' }),
  username: anyText.optional().meta({ description: 'for plain and scram-sha-256, scram-sha-512' }),
  password: secret.optional().meta({ description: 'of that user; better in passwordFile' }),
  passwordFile: file.optional().meta({ description: 'file that contains it, read at each connection' }),
  token: secret.optional().meta({ description: 'for oauthbearer; better in tokenFile' }),
  tokenFile: file.optional().meta({ description: 'file that contains it, read at each connection' }),
  tokenEndpoint: textOf(
    'an address such as https://login.example.com/token (http only on this machine)',
    /^https?:\/\/\S+$/,
    isTokenEndpoint,
  )
    .optional()
    .meta({ description: 'for oauthbearer without a token: where to get one, by client credentials' }),
  clientId: anyText.optional().meta({ description: 'our id at the endpoint' }),
  clientSecret: secret.optional().meta({ description: 'its secret; better in clientSecretFile' }),
  clientSecretFile: file.optional().meta({ description: 'file that contains it, read for each token' }),
  scope: anyText.optional().meta({ description: 'scope to request from the endpoint' }),
  region: textOf('a region such as eu-central-1', /^[a-z0-9-]+$/)
    .optional()
    .meta({ description: 'of the cluster, for msk-iam' }),
});

type TlsDocument = z.output<typeof tlsSchema>;
type SaslDocument = z.output<typeof saslSchema>;

/** Whether a secret may be sent to this address: it must not cross a network in plain text. */
function isTokenEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}

const HOST = /^(?:\[[0-9a-fA-F:]+\]|[^\s:,/?@[\]]+)(?::([0-9]{1,5}))?$/;

const EXPECTED =
  'redis://host:port, rediss://host:port, redis+sentinel://host:port,host:port/master or redis+cluster://host:port,host:port';

export const redisSchema = group({
  url: textOf(EXPECTED, /^[a-z+]+:\/\/\S+$/, isRedisUrl)
    .prefault('redis://localhost:6379')
    .meta({ description: 'where Redis is; may contain user:password@ before the host' }),
  username: anyText.optional().meta({ description: 'user, unless it is in the address' }),
  password: secret.optional().meta({ description: 'of that user; better in passwordFile' }),
  passwordFile: file.optional().meta({ description: 'file that contains it, read at each connection' }),
  tls: tlsSchema.optional().meta({
    description:
      'connections under TLS, for all forms of the address; a group for the settings below. Default: true for rediss://, else false',
  }),
  sentinel: group({
    username: anyText.optional().meta({ description: 'user of the sentinels, which have their own' }),
    password: secret.optional().meta({ description: 'of that user; better in passwordFile' }),
    passwordFile: file.optional().meta({ description: 'file that contains it, read at each connection' }),
    tls: tlsSchema
      .optional()
      .meta({ description: 'TLS to the sentinels; a group for the settings below. Default: as redis.tls' }),
  })
    .optional()
    .meta({ description: 'how to log in to the sentinels of redis+sentinel://. Default: without a user' }),
});

type RedisDocument = z.output<typeof redisSchema>;

/** A password may contain any character, so the hosts begin after the last @. */
function isRedisUrl(url: string): boolean {
  const [scheme] = url.split('://', 1);
  const rest = url.slice(scheme.length + 3);
  const [hosts, ...path] = rest.slice(rest.lastIndexOf('@') + 1).split('/');
  const tail = path.join('/');
  const list = hosts.split(',');
  if (!list.every(isHost)) return false;
  switch (scheme) {
    case 'redis':
    case 'rediss':
      return list.length === 1 && /^[0-9]*$/.test(tail);
    case 'redis+sentinel':
      return /^[^\s/?{}]+$/.test(tail);
    case 'redis+cluster':
      return tail === '';
    default:
      return false;
  }
}

function isHost(text: string): boolean {
  const match = HOST.exec(text);
  return match !== null && (match[1] === undefined || (Number(match[1]) >= 1 && Number(match[1]) <= 65_535));
}
