import type { Offset } from '../../vocabulary/events.ts';
import type { Batch, LogRecord, RecordRun } from './source-port.ts';

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
