import type { Offset } from '../../events.ts';
import type { Refusal } from './kafka-refusal.ts';
import { CHUNK_RECORDS, CHUNK_TIME } from './kafka-settings.ts';
import type { LogRecord } from './port.ts';

/** The parts of kafkajs' message that are read. */
export interface FetchedMessage {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/** One fetched batch of a topic partition, with what its handler may do. */
export interface FetchedBatch {
  readonly partition: number;
  /** Index in the configuration's order. */
  readonly topic: number;
  /** Offset that the fetch asked for. */
  readonly fetched: Offset;
  /** Without control records and aborted ones. */
  readonly messages: readonly FetchedMessage[];
  /** The next offset behind everything fetched, delivered or not. */
  readonly end: Offset;
  resolveOffset(offset: string): void;
  heartbeat(): Promise<void>;
  isRunning(): boolean;
  /** Whether a seek waits to be carried out. */
  isStale(): boolean;
}

export interface Chunk {
  readonly records: readonly LogRecord[];
  /** Index of the first message after the chunk. */
  readonly end: number;
  /** Offset of its last message. */
  readonly last: string;
  /** Offset behind it, and behind the batch if it is the last. */
  readonly next: Offset;
  /** The message at its place stands for a batch that was refused; then there are no records. */
  readonly refusal: Refusal | undefined;
}

/** The records from message `at` on that are not below `expected`: at most `size`, and none from a refused batch on. */
export function chunkOf(
  batch: FetchedBatch,
  at: number,
  expected: Offset,
  size: number,
  refusalOf: (key: Buffer | null) => Refusal | undefined,
): Chunk {
  const { messages } = batch;
  const records: LogRecord[] = [];
  let end = at;
  for (; end < messages.length && records.length < size; end++) {
    const { key, offset: digits, timestamp, value } = messages[end];
    const offset = offsetOf(digits);
    if (offset < expected) continue;
    const refusal = refusalOf(key);
    if (refusal !== undefined) {
      if (records.length > 0) break;
      return { records, end, last: digits, next: offset, refusal };
    }
    records.push({ offset, timestamp: timestampOf(timestamp), value });
  }
  const last = messages[end - 1].offset;
  return { records, end, last, next: end === messages.length ? batch.end : offsetOf(last) + 1, refusal: undefined };
}

/** @throws Error if it is above 2^53 - 1, where numbers lose digits. */
export function offsetOf(digits: string): Offset {
  const offset = Number(digits);
  if (!Number.isSafeInteger(offset)) throw new Error(`kafka: offset ${digits} is too large to be read exactly`);
  return offset;
}

/** Kafka writes -1 where a record has none. */
function timestampOf(digits: string): number | undefined {
  const timestamp = Number(digits);
  return timestamp < 0 ? undefined : timestamp;
}

/** How many records a handler gets at once: as many as it takes in about the time between two signs of life. */
export class PaceKeeper {
  size = CHUNK_RECORDS;

  /** Only time spent without waiting counts: it is what blocks. */
  took(milliseconds: number, records: number): void {
    if (milliseconds > CHUNK_TIME) this.size = Math.max(1, Math.floor((records * CHUNK_TIME) / milliseconds));
    else if (this.size < CHUNK_RECORDS && milliseconds < CHUNK_TIME / 2) {
      this.size = Math.min(CHUNK_RECORDS, this.size * 2);
    }
  }
}
