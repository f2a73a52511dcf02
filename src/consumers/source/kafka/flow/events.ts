import type { Offset } from '../../../../vocabulary/events.ts';
import type { UndecodableBatch } from '../../source-port.ts';

export type LogLevel = 'error' | 'warn' | 'info';
export type KafkaLog = (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;

/** Records that the log held once and holds no more: `start - asked` offsets. */
export interface Gap {
  readonly partition: number;
  readonly topic: number;
  /** The offset that was to be read next. */
  readonly asked: Offset;
  /** The first that is there. */
  readonly start: Offset;
}

/** The log ends before an offset that it has reached before: it was deleted and made anew, or cut. */
export interface LostLog {
  readonly partition: number;
  readonly topic: number;
  /** Where it reached to. */
  readonly held: Offset;
  readonly end: Offset;
}

/** A record batch that cannot be decoded, such as a decompression bomb. */
export interface RefusedBatch extends Pick<UndecodableBatch, 'from' | 'to' | 'reason'> {
  readonly partition: number;
  readonly topic: number;
}

/**
 * What a source tells its owner beside records. The calls come from within the client: answer at once. Reading of that topic
 * of that partition has stopped until it is sought again, unless a gap or a batch is answered with `skip`.
 */
export interface KafkaEvents {
  /** `skip`: go on at `start`. `not needed`: the same, for nothing that counts is missing. */
  onGap(gap: Gap): 'skip' | 'stop' | 'not needed';
  onLostLog(lost: LostLog): void;
  /** `skip`: the handler is given the batch as `undecodable`, and reading goes on at its `to`. */
  onRefused(refused: RefusedBatch): 'skip' | 'stop';
  /** The assignment holds these partitions for some of our topics, not for all. Nothing is read from them. */
  onUnpaired(partitions: readonly number[]): void;
  /** How many partitions each topic has, 0 if there is no such topic: after each join and once a minute. */
  onPartitionCounts(counts: readonly number[]): void;
}
