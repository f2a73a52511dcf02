import type { SaslSettings, TlsSettings } from '../../../../connections/security-settings.ts';
import type { DurationMs, Offset } from '../../../../vocabulary/events.ts';
import type { UndecodableBatch } from '../../source-port.ts';

/** Timeouts of the consumer. The values depend on each other; each avoids a pitfall of kafkajs (decision 0011). */
export interface KafkaTimes {
  /** A member that sends no heartbeat for this long is removed from the group, and others take over its partitions. */
  readonly sessionTimeout: DurationMs;
  /** Members learn from a heartbeat that another member has come, gone or been removed, and all wait for the last of them. */
  readonly heartbeatInterval: DurationMs;
  readonly rebalanceTimeout: DurationMs;
  /** How long a fetch waits for records, or `longestWait` if many partitions are read (fetch-waits.ts). */
  readonly maxWaitTimeInMs: DurationMs;
}

/** Derives the other times from the session timeout, with time for several heartbeats. */
export function timesFor(sessionTimeout: DurationMs): KafkaTimes {
  return {
    sessionTimeout,
    heartbeatInterval: Math.min(1_000, Math.floor(sessionTimeout / 10)),
    rebalanceTimeout: Math.max(60_000, 2 * sessionTimeout),
    maxWaitTimeInMs: Math.min(500, Math.floor(sessionTimeout / 10)),
  };
}

/** The longest wait or interval: an idle member sends heartbeats only between two fetches, and there must be several in a session. */
function mostOf(sessionTimeout: DurationMs): DurationMs {
  return Math.floor(sessionTimeout / 6);
}

/** How long a fetch of many partitions waits for records; one of few waits for `maxWait`. */
export function longestWait(maxWait: DurationMs, sessionTimeout: DurationMs): DurationMs {
  return Math.min(2 * maxWait, mostOf(sessionTimeout));
}

export const KAFKA_TIMES: KafkaTimes = timesFor(30_000);

/** Addresses of brokers, and how to authenticate. */
export interface KafkaConnection {
  /** host:port of some of the brokers. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** undefined: connections are not encrypted. */
  readonly tls?: TlsSettings | undefined;
  /** undefined: no login. */
  readonly sasl?: SaslSettings | undefined;
}

export interface KafkaSourceOptions extends KafkaConnection {
  readonly groupId: string;
  /** Names, in the configuration's order. */
  readonly topics: readonly string[];
  /** Default KAFKA_TIMES. */
  readonly times?: KafkaTimes;
  /** Whether records are delivered with key and headers; default: without, which costs less. */
  readonly envelopes?: boolean;
  /** Number of fetched topic partitions that are handled at the same time; default 4. */
  readonly concurrency?: number;
  /** How long `stop` waits for handlers and brokers; default 4 s. */
  readonly stopTimeout?: DurationMs;
  readonly events: KafkaEvents;
  readonly log: KafkaLog;
}

/** Bytes of a fetch response, per partition and per broker. One record batch is always returned whole, however large it is. */
export const MAX_BYTES_PER_PARTITION = 2 ** 20;
export const MAX_BYTES = 8 * 2 ** 20;
export const MAX_CONCURRENCY = 4;
export const REQUEST_TIMEOUT: DurationMs = 10_000;
export const CONNECTION_TIMEOUT: DurationMs = 3_000;
/** All fields are set, because kafkajs has other defaults when NODE_ENV is `test`. */
export const RETRY = { retries: 5, initialRetryTime: 300, maxRetryTime: 30_000, factor: 0.2, multiplier: 2 } as const;

/** Number of records that a handler gets at once, initially and at most (`ChunkSize` in flow/chunks.ts). */
export const FIRST_CHUNK_RECORDS = 200;
export const MOST_CHUNK_RECORDS = 2048;
/** Approximate limit of the bytes in a chunk, since memory is measured only between chunks. */
export const CHUNK_BYTES = 2 * 2 ** 20;
/** Approximate time that a handler takes for a chunk. Nothing else runs meanwhile. */
export const CHUNK_TIME: DurationMs = 10;
/** Decompression for one chunk ends after this time, so that heartbeats continue. */
export const DECOMPRESSION_TIME: DurationMs = 50;

/**
 * Checks that members stay in the group while no records are written.
 * @throws Error that names the setting and the largest value
 */
export function checkTimes(times: KafkaTimes): void {
  const most = mostOf(times.sessionTimeout);
  for (const name of ['maxWaitTimeInMs', 'heartbeatInterval'] as const) {
    if (times[name] > most) {
      throw new Error(
        `kafka: ${name} is ${times[name]} ms; with a sessionTimeout of ${times.sessionTimeout} ms it may be at most ` +
          `${most} ms, or idle workers are expelled from the group`,
      );
    }
  }
}

type LogLevel = 'error' | 'warn' | 'info';
export type KafkaLog = (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;

/** Records that expired from the log before they were read: `start - asked` offsets. */
export interface Gap {
  readonly partition: number;
  readonly topic: number;
  /** The offset that was to be read next. */
  readonly asked: Offset;
  /** The first offset in the log. */
  readonly start: Offset;
}

/** The log ends before an offset that it had reached: it was deleted and created again, or truncated. */
export interface LostLog {
  readonly partition: number;
  readonly topic: number;
  /** The offset that it had reached. */
  readonly held: Offset;
  readonly end: Offset;
}

/** A record batch that cannot be decoded, such as a decompression bomb. */
export interface RefusedBatch extends Pick<UndecodableBatch, 'from' | 'to' | 'reason'> {
  readonly partition: number;
  readonly topic: number;
}

/**
 * Events of a source other than records. They are called from within the client and must return at once. Reading of that topic of that
 * partition stops until the next seek, unless the callback returns `skip` for a gap or a batch.
 */
export interface KafkaEvents {
  /** `skip`: continue at `start`. `not needed`: continue there too, because nothing that counts is missing. */
  onGap(gap: Gap): 'skip' | 'stop' | 'not needed';
  onLostLog(lost: LostLog): void;
  /** `skip`: the handler gets the batch as `undecodable`, and reading continues at its `to`. */
  onRefused(refused: RefusedBatch): 'skip' | 'stop';
  /** Some, but not all, of our topics are assigned with these partitions. Nothing is read from them. */
  onUnpaired(partitions: readonly number[]): void;
  /** The number of partitions of each topic, 0 if it does not exist; called after each join, when a topic is missing, and once a minute. */
  onPartitionCounts(counts: readonly number[]): void;
}
