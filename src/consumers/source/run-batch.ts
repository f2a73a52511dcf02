import type { Offset } from '../../vocabulary/events.ts';
import type { Batch, LogRecord, RecordRun } from './source-port.ts';

/** A batch of runs, whose records are made when somebody asks for them. */
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

/** Number of records of a batch, without making them. */
export function countOf(batch: Batch): number {
  if (batch.runs === undefined) return batch.records.length;
  let count = 0;
  for (const run of batch.runs) count += run.count;
  return count;
}

/** The first and the last record of a batch that has any. */
export function firstOf(batch: Batch): LogRecord {
  return batch.runs === undefined ? batch.records[0] : batch.runs[0].record(0);
}

export function lastOf(batch: Batch): LogRecord {
  const { runs } = batch;
  if (runs === undefined) return batch.records[batch.records.length - 1];
  const run = runs[runs.length - 1];
  return run.record(run.count - 1);
}
