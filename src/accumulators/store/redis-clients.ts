/**
 * Options of the client library (ioredis 6.0.0; specification: faults 2). By default it sends commands again after a reconnect,
 * queues them without bound and waits for ever; with these options a command is sent once, without delay, and ends in time.
 */
import type { ConnectionOptions } from 'node:tls';
import { Secret } from '../../connections/secret.ts';
import type { RedisSecurity, SecretSource, TlsSettings } from '../../connections/security-settings.ts';
import { TlsContext } from '../../connections/tls.ts';
import type { RedisTarget } from './redis-url.ts';

export interface ClientSettings {
  /** Name of the connection in CLIENT LIST. */
  readonly name: string;
  /** Timeout of a command, in ms; sentinels have `sentinelTimeout`. */
  readonly commandTimeout: number;
  readonly sentinelTimeout: number;
}

/** An attempt costs the server next to nothing, and after any outage all partitions go on within this time. */
const LONGEST_PAUSE_MS = 5_000;

/** The names are those of the client library. */
interface RedisLogin {
  readonly username?: string;
  readonly password?: string;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}

/** Delay before the nth attempt to reconnect, in ms: doubling, with jitter so that workers do not reconnect at the same moment. */
function pauseBefore(attempt: number): number {
  const pause = Math.min(50 * 2 ** Math.min(attempt, 20), LONGEST_PAUSE_MS);
  return Math.round(pause * (0.8 + 0.2 * Math.random()));
}

/** Reconnects after a fail-over, when the old primary is a replica. 1, not 2, which would also send the command again. */
function reconnectOnError(error: Error): 1 | false {
  return error.message.startsWith('READONLY') ? 1 : false;
}

function shared(access: RedisAccess, { name, commandTimeout }: ClientSettings) {
  return {
    connectionName: name,
    ...access.login,
    protocol: 2,
    // Redis 7.0 does not know CLIENT SETINFO, and its ACL refuses rules that name it.
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
  // Connecting waits for `connect`, so that `stayFresh` is applied first.
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
    sentinelCommandTimeout: settings.sentinelTimeout,
    sentinelRetryStrategy: pauseBefore,
  };
}

export function clusterOptions(access: RedisAccess, settings: ClientSettings) {
  return {
    redisOptions: { ...shared(access, settings), ...tlsOptions(access.tls) },
    lazyConnect: true,
    // Certificates are issued for names, so the client must not resolve the name first.
    ...(access.tls === undefined ? {} : { dnsLookup: keepName }),
    enableOfflineQueue: false,
    enableAutoPipelining: false,
    clusterRetryStrategy: pauseBefore,
    // MOVED means that the command was not executed, so it may be sent to the other node. A command that may have been executed
    // is never sent again.
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
 * Options whose certificates are read at each connection: the client copies the options when it connects.
 *
 * The client listens only for the first error of a socket. A TLS socket that refuses the server's certificate emits a second one,
 * for the server's reply, which would end the process. With an abort signal that is never raised, Node.js listens for all of
 * them.
 */
function freshTls(tls: TlsContext, host?: string): ConnectionOptions {
  const { secureContext: _, ...options } = tls.options(host);
  return Object.defineProperties(options, {
    secureContext: { get: () => tls.context, enumerable: true },
    signal: { get: () => new AbortController().signal, enumerable: true },
  });
}

/**
 * Handles errors of the connections on which sentinels announce a fail-over. The client does not, so it would print a stack trace among
 * the lines of the log at each attempt to reach a sentinel that is down or refuses us, although other sentinels are enough.
 */
export function quietSentinels(client: object): void {
  const connector = Reflect.get(client, 'connector');
  const connect = Reflect.get(connector, 'connectToSentinel').bind(connector);
  const quiet = (...args: readonly unknown[]): unknown => connect(...args).on('error', () => {});
  Reflect.set(connector, 'connectToSentinel', quiet);
}

/** Lets the client use the current user and password at each connection: it reads its options then. */
export function stayFresh(options: object, { login }: RedisAccess): void {
  Object.defineProperties(options, Object.getOwnPropertyDescriptors(login));
}

/** Like `stayFresh`, for one node of a cluster, which may have a name of its own. */
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

/** The settings that rediss:// alone stands for. */
const ADDRESS_TLS: TlsSettings = {
  setting: 'redis.tls',
  ca: undefined,
  cert: undefined,
  key: undefined,
  passphrase: undefined,
  serverName: undefined,
  rejectUnauthorized: true,
};

/** How to authenticate: from the address, and from the settings beside it. */
export class RedisAccess {
  /** Its properties are getters, each of which reads its source at every access. */
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
    // An address with a password has the complete login.
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

  /** The TLS settings for the addresses of a target: for its sentinels if it has any. */
  tlsTo({ kind }: RedisTarget): TlsContext | undefined {
    return kind === 'sentinel' ? this.sentinelTls : this.tls;
  }

  /** Texts that no message may contain, also in their form in an address. */
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
