import { countOf, RunBatch } from '../consumers/source/run-batch.ts';
import type { Batch, RecordRun } from '../consumers/source/source-port.ts';

/** A unit begins with so many records at once. */
const FIRST_PART = 25;
const LARGEST_PART = 6400;

/**
 * How many records a unit is fed between two looks at what they changed: a list may change a row, or a hundred kB of sums by user bucket.
 * Few at first and after much has changed, twice as many after little has.
 */
export class PartSize {
  #records = FIRST_PART;

  get records(): number {
    return this.#records;
  }

  /** After a part, `changed` bytes of rows are to be stored; a commit should not have more than `most`. */
  fed(changed: number, most: number): void {
    if (changed > most) this.#records = Math.max(1, Math.floor(this.#records / 2));
    else if (changed < most / 4) this.#records = Math.min(LARGEST_PART, 2 * this.#records);
  }
}

/** The first `records` of a batch, and the rest of it; undefined: there is none. */
export function cut(batch: Batch, records: number): readonly [part: Batch, rest: Batch | undefined] {
  if (countOf(batch) <= records) return [batch, undefined];
  if (batch.runs !== undefined) return cutRuns(batch, batch.runs, records);
  const first = batch.records.slice(0, records);
  return [
    { ...batch, records: first, next: first[records - 1].offset + 1 },
    { ...batch, records: batch.records.slice(records) },
  ];
}

function cutRuns(
  { partition, topic, next }: Batch,
  runs: readonly RecordRun[],
  records: number,
): readonly [Batch, Batch] {
  let left = records;
  let whole = 0;
  while (runs[whole].count < left) left -= runs[whole++].count;
  const run = runs[whole];
  const first = [...runs.slice(0, whole), between(run, 0, left)];
  const rest = [...(left < run.count ? [between(run, left, run.count)] : []), ...runs.slice(whole + 1)];
  const last = run.offsets[left - 1];
  return [new RunBatch(partition, topic, first, last + 1), new RunBatch(partition, topic, rest, next)];
}

/** The records [from, to) of a run. */
function between(run: RecordRun, from: number, to: number): RecordRun {
  return {
    count: to - from,
    bytes: run.bytes,
    offsets: run.offsets.subarray(from, to),
    timestamps: run.timestamps.subarray(from, to),
    at: run.at.subarray(from, to),
    size: run.size.subarray(from, to),
    record: (index) => run.record(from + index),
  };
}
