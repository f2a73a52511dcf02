/**
 * Options of the client library (ioredis 6.0.0; faults.md section 2). Its defaults send commands again after a
 * reconnect, queue them without bound and wait for ever; here a command is sent once, now, and ends in time.
 */
import type { RedisTarget } from './redis-url.ts';

export interface ClientSettings {
  /** Of the connection, in CLIENT LIST. */
  readonly name: string;
  /** ms */
  readonly commandTimeout: number;
}

const LONGEST_PAUSE_MS = 30_000;

/** Pause before the nth attempt to connect again, in ms: doubling, with jitter so that workers do not come together. */
export function pauseBefore(attempt: number): number {
  const pause = Math.min(50 * 2 ** Math.min(attempt, 20), LONGEST_PAUSE_MS);
  return Math.round(pause * (0.8 + 0.2 * Math.random()));
}

/** After a fail-over the old primary is a replica: connect anew. 1, not 2, which would send the command again. */
function reconnectOnError(error: Error): 1 | false {
  return error.message.startsWith('READONLY') ? 1 : false;
}

function shared({ username, password }: RedisTarget, { name, commandTimeout }: ClientSettings) {
  return {
    connectionName: name,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
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

export function serverOptions(target: Exclude<RedisTarget, { readonly kind: 'cluster' }>, settings: ClientSettings) {
  const common = { ...shared(target, settings), enableOfflineQueue: false, retryStrategy: pauseBefore };
  if (target.kind === 'server') {
    const { host, port } = target.address;
    return { ...common, host, port, db: target.db, ...(target.tls ? { tls: {} } : {}) };
  }
  return {
    ...common,
    sentinels: target.addresses.map(({ host, port }) => ({ host, port })),
    name: target.master,
    role: 'master' as const,
    failoverDetector: true,
    sentinelCommandTimeout: settings.commandTimeout,
    sentinelRetryStrategy: pauseBefore,
  };
}

export function clusterOptions(target: RedisTarget, settings: ClientSettings) {
  return {
    redisOptions: shared(target, settings),
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
