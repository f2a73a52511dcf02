import type { Offset } from '../../../../vocabulary/events.ts';
import type { LogRecord, RecordRun, UndecodableBatch } from '../../source-port.ts';
import {
  CHUNK_BYTES,
  CHUNK_TIME,
  DECOMPRESSION_TIME,
  FIRST_CHUNK_RECORDS,
  MOST_CHUNK_RECORDS,
} from '../access/kafka-settings.ts';
import { CODEC_LIMITS } from '../codecs/codecs.ts';
import { openBatch, Records } from '../codecs/records.ts';
import { bytesOf, type Message } from './batches.ts';

/** One fetched batch of a topic partition, with the callbacks for its handler. */
export interface FetchedBatch {
  readonly partition: number;
  /** Index of the topic in the configuration's order. */
  readonly topic: number;
  /** The offset that was requested. */
  readonly fetched: Offset;
  /** Messages, without control records. */
  readonly messages: readonly Message[];
  /** The next offset after everything fetched, delivered or not. */
  readonly end: Offset;
  /** End of the partition's log; everything fetched is below it. */
  readonly logEnd: Offset;
  resolveOffset(offset: string): void;
  heartbeat(): Promise<void>;
  isRunning(): boolean;
  /** Whether a seek is pending. */
  isStale(): boolean;
}

interface Chunk {
  /** Runs, none of which is empty. */
  readonly runs: readonly RecordRun[];
  /** The last offset that is done when the chunk is done. */
  readonly last: string;
  /** The offset after the chunk, and after the batch if it is the last chunk. */
  readonly next: Offset;
  /** Set if the next record batch cannot be decoded; then there are no records. */
  readonly refusal: UndecodableBatch | undefined;
}

/** Reads a fetched batch in chunks. Record batches are decompressed on demand. */
export class ChunkReader {
  readonly #batch: FetchedBatch;
  /** Index of the first message that is not done. */
  #at = 0;
  /** What that message represents, once opened. */
  #open: Records | UndecodableBatch | undefined;
  /** Batches whose last records are in the last chunk. */
  #read: Records[] = [];

  readonly #withEnvelopes: boolean;
  readonly #fetched: number;

  constructor(batch: FetchedBatch, withEnvelopes = false) {
    this.#batch = batch;
    this.#withEnvelopes = withEnvelopes;
    this.#fetched = bytesOf(batch.messages);
  }

  /** Bytes that were fetched, plus those of the currently decompressed record batch. */
  get bytes(): number {
    return this.#fetched + (this.#open instanceof Records ? this.#open.size : 0);
  }

  /** Releases the last chunk, which nobody may read any more. */
  handled(): void {
    for (const records of this.#read) records.free();
    this.#read = [];
  }

  /** Releases everything, including the last chunk. */
  close(): void {
    this.handled();
    if (this.#open instanceof Records) this.#open.free();
    this.#open = undefined;
  }

  /** Whether nothing is left. */
  get isDone(): boolean {
    return this.#at === this.#batch.messages.length;
  }

  /**
   * The next records at or above `expected`: at most `size` and about CHUNK_BYTES, up to a refused batch. There may be none, if batches
   * hold none, or if decompression produced or took so much that a heartbeat is due. Must not be called when nothing is left. The result
   * consists of views, valid until `handled`.
   * @throws Error for an offset that cannot be represented exactly
   */
  async chunk(expected: Offset, size: number): Promise<Chunk> {
    const { messages, end } = this.#batch;
    const runs: RecordRun[] = [];
    const began = performance.now();
    let records = 0;
    let decoded = 0;
    let taken = 0;
    while (this.#at < messages.length && records < size && taken < CHUNK_BYTES) {
      const message = messages[this.#at];
      const offset = offsetOf(message.offset);
      if (offset >= expected) {
        const { stand } = message;
        if (stand === undefined) {
          const { key, value } = message;
          const record = { offset, timestamp: timestampOf(message.timestamp), value };
          taken += value?.length ?? 0;
          records++;
          // Formats before Kafka 0.11 have no headers.
          runs.push(runOf(this.#withEnvelopes ? { ...record, envelope: { key, headers: [] } } : record));
        } else if (stand.kind !== 'aborted') {
          this.#open ??= stand.kind === 'batch' ? await openBatch(stand.bytes, { inEngine: true }) : stand.refusal;
          if (!(this.#open instanceof Records)) {
            if (records > 0) break;
            return { runs, last: message.offset, next: offset, refusal: this.#within(this.#open, expected) };
          }
          const room = { size: size - records, room: CHUNK_BYTES - taken };
          const run = this.#open.take(expected, room, this.#withEnvelopes);
          taken += run.valueBytes;
          records += run.count;
          if (run.count > 0) runs.push(run);
          if (this.#open.left > 0) {
            const last = this.#open.offset;
            return { runs, last: String(last), next: last + 1, refusal: undefined };
          }
          decoded += this.#open.size;
          this.#read.push(this.#open);
        }
      }
      this.#open = undefined;
      this.#at++;
      if (decoded > CODEC_LIMITS.bytes || performance.now() - began > DECOMPRESSION_TIME) break;
    }
    const { offset: last } = messages[this.#at - 1];
    return { runs, last, next: this.isDone ? end : offsetOf(last) + 1, refusal: undefined };
  }

  /**
   * The part of a refused batch that was not read yet. Its header may be damaged too: if it overlaps the next batch or the end of the
   * log, its length is not used. Then the start of the next batch ends it; without a next batch, a single offset is skipped.
   */
  #within(refusal: UndecodableBatch, expected: Offset): UndecodableBatch {
    const from = Math.max(refusal.from, expected);
    const following = this.#batch.messages
      .slice(this.#at + 1)
      .map(firstOf)
      .find((first) => first > from);
    const isLie =
      refusal.to <= from || refusal.to > Math.min(following ?? Number.POSITIVE_INFINITY, this.#batch.logEnd);
    const to = isLie ? (following ?? from + 1) : refusal.to;
    return {
      ...refusal,
      from,
      to,
      records: Math.min(isLie && following === undefined ? 1 : refusal.records, to - from),
    };
  }
}

/** A run of one record that has a buffer of its own. */
function runOf(record: LogRecord): RecordRun {
  return {
    count: 1,
    bytes: record.value ?? new Uint8Array(0),
    offsets: Float64Array.of(record.offset),
    timestamps: Float64Array.of(record.timestamp ?? Number.NaN),
    at: Int32Array.of(0),
    size: Int32Array.of(record.value?.length ?? -1),
    record: () => record,
  };
}

/** The first offset of what a message represents. */
function firstOf({ offset, stand }: Message): Offset {
  return Number(stand?.kind === 'batch' ? stand.bytes.readBigInt64BE(0) : offset);
}

/** @throws Error if it is above 2^53 - 1, where numbers lose digits */
export function offsetOf(digits: string): Offset {
  const offset = Number(digits);
  if (!Number.isSafeInteger(offset)) throw new Error(`kafka: offset ${digits} is too large to be read exactly`);
  return offset;
}

/** The timestamp; undefined for Kafka's -1, which means none. */
function timestampOf(digits: string): number | undefined {
  const timestamp = Number(digits);
  return timestamp < 0 ? undefined : timestamp;
}

/**
 * Number of records that a handler gets at once: as many as it handles in about CHUNK_TIME. The fixed cost of a chunk is that of some
 * dozens of records, so large chunks are cheaper; but nothing else runs while a handler works, so they must not be too large.
 */
export class ChunkSize {
  records = FIRST_CHUNK_RECORDS;

  /** Adapts the number to how long a chunk took. Only time spent without awaiting counts, since it blocks the event loop. */
  took(milliseconds: number, records: number): void {
    if (milliseconds > 2 * CHUNK_TIME) this.records = Math.max(1, Math.floor((records * CHUNK_TIME) / milliseconds));
    // A small fetch says little about a full chunk.
    else if (records >= this.records && milliseconds < CHUNK_TIME / 2) {
      this.records = Math.min(MOST_CHUNK_RECORDS, this.records * 2);
    }
  }
}
