import type { EpochMs, Offset } from '../../vocabulary/events.ts';
import type { Decoded } from '../decode/decoder.ts';
import type { RecordBytes } from '../engine/record-rows.ts';

/** One record of a topic partition. */
export interface LogRecord {
  readonly offset: Offset;
  /** The record's timestamp; undefined: the log keeps none (files), and the event's own time is used. */
  readonly timestamp: EpochMs | undefined;
  /** null: a tombstone. */
  readonly value: Uint8Array | null;
  /** Set if the source had to decode in order to merge (files); else the unit decodes. */
  readonly decoded?: Decoded;
  /** Set if the source has one and was asked to deliver it. */
  readonly envelope?: Envelope;
  /** Where it stands in its file, for a record from a file. */
  readonly place?: FilePlace;
}

/** What a record has besides its value, for passing it on. It is read on demand; its views are valid as long as the value is. */
export interface Envelope {
  readonly key: Uint8Array | null;
  /** Headers in the order of the record; a name may occur more than once. */
  readonly headers: readonly RecordHeader[];
}

export interface RecordHeader {
  readonly name: string;
  readonly value: Uint8Array | null;
}

export interface FilePlace {
  /** The path as given; `-`: standard input. */
  readonly file: string;
  /** Row number; the first line that is not blank is row 1. */
  readonly row: number;
}

/** Records whose values lie in one buffer, without an object for each. */
export interface RecordRun extends RecordBytes {
  /** The record at this index of the run. */
  record(index: number): LogRecord;
}

/** A record batch that cannot be decoded: it is damaged, has an unknown codec, or decompresses to too much. */
export interface UndecodableBatch {
  /** Offsets of the batch: [from, to). */
  readonly from: Offset;
  readonly to: Offset;
  /** Number of records according to its header; if that cannot be read, one for each offset. */
  readonly records: number;
  readonly reason: string;
  /** The batch as fetched, with its header: a view. */
  readonly bytes: Uint8Array;
}

export interface Batch {
  readonly partition: number;
  /** Index of the topic in the configuration's order. */
  readonly topic: number;
  /** Offsets ascend; holes are normal. In a batch of runs, the records are created on access. */
  readonly records: readonly LogRecord[];
  /** The same records as runs, if the source provides them. */
  readonly runs?: readonly RecordRun[] | undefined;
  /** The next offset to read, past holes after the last record. */
  readonly next: Offset;
  /** The records before `next` cannot be decoded and are skipped; then `records` is empty. */
  readonly undecodable?: UndecodableBatch | undefined;
}

/** The log did not respond to a query; it may respond to the same query later. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}

/** Offsets that a topic partition holds now: [start, end). */
export interface Bounds {
  readonly start: Offset;
  readonly end: Offset;
  /** Set while a transaction is open: from this offset on nothing can be read until the transaction has ended. */
  readonly openFrom?: Offset;
}

export interface SourceHandler {
  /**
   * Called when these partitions, of all topics, are assigned to us; those of an earlier call that are missing no longer are. Nothing of
   * them is delivered before this settles: claim and seek here, and pause again what is to stay paused. A partition may have left and
   * come back since the last call, and a source forgets pauses when a partition leaves.
   */
  assigned(partitions: readonly number[]): Promise<void>;
  /**
   * Called when only these of the partitions that were assigned to us may still be ours; `assigned` follows. Claim no others, because
   * another member may have claimed them already. Called at once, even before `assigned` has settled.
   */
  mayKeep?(partitions: readonly number[]): void;
  /**
   * Called when these partitions stay assigned, but their logs may have been replaced. A handler that detects this from a record seeks it
   * here. Nothing is delivered before this returns.
   */
  doubted?(partitions: readonly number[]): void;
  /** Awaited before the next batch of the same partition, which gives back-pressure. Its bytes are views, valid until then. */
  batch(batch: Batch): Promise<void>;
}

/** Where records come from: Kafka, files, memory. Each keeps the order of offsets within a topic partition. */
export interface LogSource {
  /** Delivers records until `stop`, or to the end of logs that have one. Rejects with the error of a handler or of the log. */
  run(handler: SourceHandler): Promise<void>;
  /**
   * Makes the next record delivered the first at or above this offset.
   * @param heldUpTo the log has held all records below it, so a log that ends earlier is another log; default: the offset. A source whose
   * records cannot be removed ignores it
   */
  seek(partition: number, topic: number, offset: Offset, heldUpTo?: Offset): void;
  /** Pauses one topic of a partition. A batch that is being handled may still end. Calls are not counted. */
  pause(partition: number, topic: number): void;
  resume(partition: number, topic: number): void;
  /**
   * Sets whether more of one topic is fetched; what has been fetched is delivered nevertheless. Independent of `pause`. Only for sources
   * that fetch ahead, where a pause would discard what was fetched.
   */
  setFetching?(partition: number, topic: number, fetching: boolean): void;
  /** Bytes that were fetched and not delivered yet, for sources that fetch ahead. */
  readonly fetchedBytes?: number;
  bounds(partition: number, topic: number): Promise<Bounds>;
  /**
   * Reports to the log, at best effort, that everything below these offsets (by topic) is committed, for tools that show lag. Never
   * awaited.
   */
  sendOffsets(partition: number, offsets: readonly Offset[]): void;
  /** Stops reading. Resolves once no handler runs any more. */
  stop(): Promise<void>;
}

/** A batch of runs, whose records are created on demand. */
export class RunBatch implements Batch {
  readonly partition: number;
  readonly topic: number;
  readonly runs: readonly RecordRun[];
  readonly next: Offset;
  #records: readonly LogRecord[] | undefined;

  constructor(partition: number, topic: number, runs: readonly RecordRun[], next: Offset) {
    this.partition = partition;
    this.topic = topic;
    this.runs = runs;
    this.next = next;
  }

  get records(): readonly LogRecord[] {
    this.#records ??= recordsOf(this.runs);
    return this.#records;
  }
}

export function recordsOf(runs: readonly RecordRun[]): readonly LogRecord[] {
  return runs.flatMap((run) => Array.from({ length: run.count }, (_, index) => run.record(index)));
}

/** Splits a batch into parts of at most `most` records, in order. A batch without runs is its only part. */
export function* partsOf(batch: Batch, most: number): Generator<Batch> {
  const { partition, topic, runs, next } = batch;
  if (runs === undefined || countOf(batch) <= most) {
    yield batch;
    return;
  }
  let part: RecordRun[] = [];
  let room = most;
  for (const run of runs) {
    for (let from = 0; from < run.count; ) {
      if (room === 0) {
        const { offsets } = part[part.length - 1];
        yield new RunBatch(partition, topic, part, offsets[offsets.length - 1] + 1);
        part = [];
        room = most;
      }
      const end = Math.min(run.count, from + room);
      part.push(partOf(run, from, end));
      room -= end - from;
      from = end;
    }
  }
  yield new RunBatch(partition, topic, part, next);
}

function partOf(run: RecordRun, from: number, end: number): RecordRun {
  if (end - from === run.count) return run;
  const { bytes, offsets, timestamps, at, size } = run;
  return {
    count: end - from,
    bytes,
    offsets: offsets.subarray(from, end),
    timestamps: timestamps.subarray(from, end),
    at: at.subarray(from, end),
    size: size.subarray(from, end),
    record: (index) => run.record(from + index),
  };
}

/** Number of records of a batch, determined without creating them. */
export function countOf(batch: Batch): number {
  if (batch.runs === undefined) return batch.records.length;
  let count = 0;
  for (const run of batch.runs) count += run.count;
  return count;
}

/** The first and the last record of a batch, which must have one. */
export function firstOf(batch: Batch): LogRecord {
  return batch.runs === undefined ? batch.records[0] : batch.runs[0].record(0);
}

export function lastOf(batch: Batch): LogRecord {
  const { runs } = batch;
  if (runs === undefined) return batch.records[batch.records.length - 1];
  const run = runs[runs.length - 1];
  return run.record(run.count - 1);
}
