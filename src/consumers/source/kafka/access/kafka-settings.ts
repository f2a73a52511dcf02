import type { SaslSettings, TlsSettings } from '../../../../connections/security-settings.ts';
import type { DurationMs } from '../../../../vocabulary/events.ts';
import type { KafkaEvents, KafkaLog } from '../flow/events.ts';

/** How the consumer talks to Kafka. The values are a set: each guards against a trap of kafkajs (decision 0011). */
export interface KafkaTimes {
  /** A member that has not been heard of for so long is expelled, and others take over its partitions. */
  readonly sessionTimeout: DurationMs;
  readonly heartbeatInterval: DurationMs;
  readonly rebalanceTimeout: DurationMs;
  /** How long a fetch waits for records; also the delay after a resume. */
  readonly maxWaitTimeInMs: DurationMs;
}

/** The other times follow from the session, with room for several heartbeats. */
export function timesFor(sessionTimeout: DurationMs): KafkaTimes {
  return {
    sessionTimeout,
    heartbeatInterval: Math.min(3_000, Math.floor(sessionTimeout / 10)),
    rebalanceTimeout: Math.max(60_000, 2 * sessionTimeout),
    maxWaitTimeInMs: Math.min(500, Math.floor(sessionTimeout / 10)),
  };
}

export const KAFKA_TIMES: KafkaTimes = timesFor(30_000);

/** Where the brokers are, and how to get in. */
export interface KafkaConnection {
  /** host:port of some of the brokers. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** undefined: plain text. */
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
  /** Records are given with key and headers; default: without, which costs less. */
  readonly envelopes?: boolean;
  /** Fetched topic partitions that are handled at the same time; default 4. */
  readonly concurrency?: number;
  /** How long `stop` waits for handlers and brokers; default 4 s. */
  readonly stopTimeout?: DurationMs;
  readonly events: KafkaEvents;
  readonly log: KafkaLog;
}

/** Of an answer to a fetch: of one partition, and of a broker. One record batch comes whole, however large it is. */
export const MAX_BYTES_PER_PARTITION = 2 ** 20;
export const MAX_BYTES = 8 * 2 ** 20;
export const MAX_CONCURRENCY = 4;
export const REQUEST_TIMEOUT: DurationMs = 10_000;
export const CONNECTION_TIMEOUT: DurationMs = 3_000;
/** All fields stand here, as kafkajs has other defaults when NODE_ENV is `test`. */
export const RETRY = { retries: 5, initialRetryTime: 300, maxRetryTime: 30_000, factor: 0.2, multiplier: 2 } as const;

/** A handler is given at most so many records at once, fewer when they take longer than this, so that heartbeats go on. */
export const CHUNK_RECORDS = 200;
/** Nor more than about so many bytes, since what a chunk brings is weighed only after it. */
export const CHUNK_BYTES = 4 * 2 ** 20;
export const CHUNK_TIME: DurationMs = 50;

/**
 * An idle member beats only between two fetches, so both times must leave room for several beats in a session.
 * @throws Error that names the setting and the largest value.
 */
export function checkTimes(times: KafkaTimes): void {
  const most = times.sessionTimeout / 6;
  for (const name of ['maxWaitTimeInMs', 'heartbeatInterval'] as const) {
    if (times[name] > most) {
      throw new Error(
        `kafka: ${name} is ${times[name]} ms; with a sessionTimeout of ${times.sessionTimeout} ms it may be at most ` +
          `${Math.floor(most)} ms, or idle workers are expelled from the group`,
      );
    }
  }
}
