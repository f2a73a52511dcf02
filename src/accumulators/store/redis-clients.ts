/**
 * Options of the client library (ioredis 6.0.0; specification: faults 2). Its defaults send commands again after a
 * reconnect, queue them without bound and wait for ever; here a command is sent once, now, and ends in time.
 */
import type { ConnectionOptions } from 'node:tls';
import { Secret } from '../../connections/secret.ts';
import type { RedisSecurity, SecretSource, TlsSettings } from '../../connections/security-settings.ts';
import { TlsContext } from '../../connections/tls-context.ts';
import type { RedisTarget } from './redis-url.ts';

export interface ClientSettings {
  /** Of the connection, in CLIENT LIST. */
  readonly name: string;
  /** ms */
  readonly commandTimeout: number;
}

const LONGEST_PAUSE_MS = 30_000;

/** As the client library names them. */
interface RedisLogin {
  readonly username?: string;
  readonly password?: string;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}

/** Pause before the nth attempt to connect again, in ms: doubling, with jitter so that workers do not come together. */
export function pauseBefore(attempt: number): number {
  const pause = Math.min(50 * 2 ** Math.min(attempt, 20), LONGEST_PAUSE_MS);
  return Math.round(pause * (0.8 + 0.2 * Math.random()));
}

/** After a fail-over the old primary is a replica: connect anew. 1, not 2, which would send the command again. */
function reconnectOnError(error: Error): 1 | false {
  return error.message.startsWith('READONLY') ? 1 : false;
}

function shared(access: RedisAccess, { name, commandTimeout }: ClientSettings) {
  return {
    connectionName: name,
    ...access.login,
    protocol: 2,
    // Unknown to Redis 7.0, whose ACL refuses rules that name it.
    disableClientInfo: true,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableAutoPipelining: false,
    commandTimeout,
    connectTimeout: 5000,
    disconnectTimeout: 500,
    keepAlive: 10_000,
    reconnectOnError,
  } as const;
}

export function serverOptions(
  target: Exclude<RedisTarget, { readonly kind: 'cluster' }>,
  access: RedisAccess,
  settings: ClientSettings,
) {
  // Connects when it is told to, so that `stayFresh` comes first.
  const common = {
    ...shared(access, settings),
    lazyConnect: true,
    enableOfflineQueue: false,
    retryStrategy: pauseBefore,
  };
  if (target.kind === 'server') {
    const { host, port } = target.address;
    return { ...common, host, port, db: target.db, ...tlsOptions(access.tls, host) };
  }
  const { sentinelTls } = access;
  return {
    ...common,
    ...tlsOptions(access.tls),
    enableTLSForSentinelMode: access.tls !== undefined,
    ...(sentinelTls === undefined ? {} : { sentinelTLS: freshTls(sentinelTls) }),
    sentinels: target.addresses.map(({ host, port }) => ({ host, port })),
    name: target.master,
    role: 'master' as const,
    failoverDetector: true,
    sentinelCommandTimeout: settings.commandTimeout,
    sentinelRetryStrategy: pauseBefore,
  };
}

export function clusterOptions(access: RedisAccess, settings: ClientSettings) {
  return {
    redisOptions: { ...shared(access, settings), ...tlsOptions(access.tls) },
    lazyConnect: true,
    // A certificate is for a name: the client must not turn it into an address before.
    ...(access.tls === undefined ? {} : { dnsLookup: keepName }),
    enableOfflineQueue: false,
    enableAutoPipelining: false,
    clusterRetryStrategy: pauseBefore,
    // MOVED means that nothing was done, so it may be sent on. What may have been done is never sent again.
    maxRedirections: 4,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 100,
  };
}

function tlsOptions(tls: TlsContext | undefined, host?: string): { readonly tls?: ConnectionOptions } {
  return tls === undefined ? {} : { tls: freshTls(tls, host) };
}

/**
 * Options whose certificates are those of the moment of a connection: the client copies them at each.
 *
 * It listens to the first error of a socket only. One with TLS that refuses the certificate of its server has a second, the
 * server's answer to that, which would end the process. A signal that is never raised makes Node.js listen to all of them.
 */
function freshTls(tls: TlsContext, host?: string): ConnectionOptions {
  const { secureContext: _, ...options } = tls.options(host);
  return Object.defineProperties(options, {
    secureContext: { get: () => tls.context, enumerable: true },
    signal: { get: () => new AbortController().signal, enumerable: true },
  });
}

/** Lets the client take the user and the password of the moment at each connection: it looks at its options then. */
export function stayFresh(options: object, { login }: RedisAccess): void {
  Object.defineProperties(options, Object.getOwnPropertyDescriptors(login));
}

/** The same for one node of a cluster, which may have a name of its own. */
export function nodeStaysFresh(
  options: { host?: string | undefined; tls?: ConnectionOptions | undefined },
  access: RedisAccess,
): void {
  stayFresh(options, access);
  if (access.tls !== undefined) options.tls = freshTls(access.tls, options.host);
}

function keepName(name: string, done: (error: null, address: string) => void): void {
  done(null, name);
}

/** What rediss:// alone asks for. */
const ADDRESS_TLS: TlsSettings = {
  setting: 'redis.tls',
  ca: undefined,
  cert: undefined,
  key: undefined,
  passphrase: undefined,
  serverName: undefined,
  rejectUnauthorized: true,
};

/** How to get in: what the address says, and what stands beside it. */
export class RedisAccess {
  /** Each is read anew when it is looked at. */
  readonly login: RedisLogin;
  readonly tls: TlsContext | undefined;
  readonly sentinelTls: TlsContext | undefined;
  readonly #secrets: readonly Secret[];

  /** @throws AccessFileError when a file with a secret or a certificate cannot be used */
  constructor(target: RedisTarget, { username, password, tls, sentinel }: Partial<RedisSecurity>) {
    const secrets: Secret[] = [];
    const login: RedisLogin = {};
    const keep = (name: keyof RedisLogin, source: SecretSource | undefined): void => {
      if (source === undefined) return;
      const secret = new Secret(source);
      secret.read();
      secrets.push(secret);
      Object.defineProperty(login, name, { get: () => secret.read(), enumerable: true });
    };
    // An address that names a password says all of the login.
    keep('username', sourceOf(target.password === undefined ? username : target.username));
    keep('password', sourceOf(target.password) ?? password);
    keep('sentinelUsername', sourceOf(sentinel?.username));
    keep('sentinelPassword', sentinel?.password);
    this.login = login;
    this.#secrets = secrets;
    const own = tls ?? (target.kind === 'server' && target.tls ? ADDRESS_TLS : undefined);
    this.tls = contextOf(own);
    this.sentinelTls = contextOf(sentinel === undefined ? own : sentinel.tls);
  }

  /** What no message may hold, also as it may stand in an address. */
  get secrets(): readonly string[] {
    return this.#secrets.flatMap(({ seen }) => [...seen].flatMap((text) => [text, encodeURIComponent(text)]));
  }
}

function contextOf(tls: TlsSettings | undefined): TlsContext | undefined {
  return tls === undefined ? undefined : new TlsContext(tls);
}

function sourceOf(text: string | undefined): SecretSource | undefined {
  return text === undefined ? undefined : { kind: 'text', text };
}
