import type { Offset } from '../../../../vocabulary/events.ts';
import type { UndecodableBatch } from '../../source-port.ts';

export type LogLevel = 'error' | 'warn' | 'info';
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
 * Events of a source other than records. They are called from within the client and must return at once. Reading of that topic
 * of that partition stops until it is sought again, unless the callback returns `skip` for a gap or a batch.
 */
export interface KafkaEvents {
  /** `skip`: continue at `start`. `not needed`: the same, because nothing that counts is missing. */
  onGap(gap: Gap): 'skip' | 'stop' | 'not needed';
  onLostLog(lost: LostLog): void;
  /** `skip`: the handler is given the batch as `undecodable`, and reading continues at its `to`. */
  onRefused(refused: RefusedBatch): 'skip' | 'stop';
  /** The assignment holds these partitions for some of our topics, not for all. Nothing is read from them. */
  onUnpaired(partitions: readonly number[]): void;
  /** The number of partitions of each topic, 0 if it does not exist; called after each join and once a minute. */
  onPartitionCounts(counts: readonly number[]): void;
}
