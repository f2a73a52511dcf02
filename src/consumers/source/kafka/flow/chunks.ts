import type { Offset } from '../../../../vocabulary/events.ts';
import type { LogRecord, UndecodableBatch } from '../../source-port.ts';
import { CHUNK_BYTES, CHUNK_RECORDS, CHUNK_TIME } from '../access/kafka-settings.ts';
import { CODEC_LIMITS } from '../codecs/codecs.ts';
import { openBatch, Records } from '../codecs/records.ts';
import type { Message } from './batches.ts';

/** One fetched batch of a topic partition, with what its handler may do. */
export interface FetchedBatch {
  readonly partition: number;
  /** Index in the configuration's order. */
  readonly topic: number;
  /** Offset that the fetch asked for. */
  readonly fetched: Offset;
  /** Without control records. */
  readonly messages: readonly Message[];
  /** The next offset behind everything fetched, delivered or not. */
  readonly end: Offset;
  /** Of the partition: nothing that was fetched lies at or above it. */
  readonly logEnd: Offset;
  resolveOffset(offset: string): void;
  heartbeat(): Promise<void>;
  isRunning(): boolean;
  /** Whether a seek waits to be carried out. */
  isStale(): boolean;
}

export interface Chunk {
  readonly records: readonly LogRecord[];
  /** The last offset that is done with it. */
  readonly last: string;
  /** Offset behind it, and behind the batch if it is the last. */
  readonly next: Offset;
  /** Of the record batch that comes next; then there are no records. */
  readonly refusal: UndecodableBatch | undefined;
}

/** Reads a fetched batch in chunks. Record batches are decompressed when their turn comes. */
export class ChunkReader {
  readonly #batch: FetchedBatch;
  /** Index of the first message that is not done. */
  #at = 0;
  /** What it stands for. */
  #open: Records | UndecodableBatch | undefined;

  readonly #withEnvelopes: boolean;
  readonly #fetched: number;

  constructor(batch: FetchedBatch, withEnvelopes = false) {
    this.#batch = batch;
    this.#withEnvelopes = withEnvelopes;
    let bytes = 0;
    for (const { stand, value } of batch.messages) {
      bytes += stand?.kind === 'batch' ? stand.bytes.length : (value?.length ?? 0);
    }
    this.#fetched = bytes;
  }

  /** Of what was fetched, and of the record batch that is decompressed now. */
  get bytes(): number {
    return this.#fetched + (this.#open instanceof Records ? this.#open.size : 0);
  }

  /** Nothing is left. */
  get isDone(): boolean {
    return this.#at === this.#batch.messages.length;
  }

  /**
   * The next records that are not below `expected`: at most `size`, about CHUNK_BYTES, and none from a refused batch on. There may be none when
   * batches hold none, or when their decompression gives or takes so much that a sign of life is due. Not to be called when
   * nothing is left. @throws Error for an offset that cannot be read exactly.
   */
  async chunk(expected: Offset, size: number): Promise<Chunk> {
    const { messages, end } = this.#batch;
    const records: LogRecord[] = [];
    const began = performance.now();
    let decoded = 0;
    let taken = 0;
    while (this.#at < messages.length && records.length < size && taken < CHUNK_BYTES) {
      const message = messages[this.#at];
      const offset = offsetOf(message.offset);
      if (offset >= expected) {
        const { stand } = message;
        if (stand === undefined) {
          const { key, value } = message;
          const record = { offset, timestamp: timestampOf(message.timestamp), value };
          taken += value?.length ?? 0;
          // Formats before Kafka 0.11 have no headers.
          records.push(this.#withEnvelopes ? { ...record, envelope: { key, headers: [] } } : record);
        } else if (stand.kind !== 'aborted') {
          this.#open ??= stand.kind === 'batch' ? await openBatch(stand.bytes) : stand.refusal;
          if (!(this.#open instanceof Records)) {
            if (records.length > 0) break;
            return { records, last: message.offset, next: offset, refusal: this.#within(this.#open, expected) };
          }
          taken += this.#open.take(records, expected, { size, room: CHUNK_BYTES - taken }, this.#withEnvelopes);
          if (this.#open.left > 0) {
            const last = this.#open.offset;
            return { records, last: String(last), next: last + 1, refusal: undefined };
          }
          decoded += this.#open.size;
        }
      }
      this.#open = undefined;
      this.#at++;
      if (decoded > CODEC_LIMITS.bytes || performance.now() - began > CHUNK_TIME) break;
    }
    const { offset: last } = messages[this.#at - 1];
    return { records, last, next: this.isDone ? end : offsetOf(last) + 1, refusal: undefined };
  }

  /**
   * The part of a refused batch that was still to be read. Its header may be damaged too: one that reaches into the batch behind
   * it or beyond the log tells no length. Then the next batch's beginning does; without one, a single offset is passed.
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

/** The first offset of what a message stands for. */
function firstOf({ offset, stand }: Message): Offset {
  return Number(stand?.kind === 'batch' ? stand.bytes.readBigInt64BE(0) : offset);
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
