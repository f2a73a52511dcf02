import { BatchRun } from '../../../src/consumers/source/kafka/codecs/records.ts';
import type { LogRecord } from '../../../src/consumers/source/source-port.ts';

const EMPTY = new Uint8Array(0);

/** Records as a fetched batch holds them: their values one behind the other, without envelopes. */
export function runOf(records: readonly LogRecord[]): BatchRun {
  const values = records.map(({ value }) => value ?? EMPTY);
  const run = new BatchRun(Buffer.concat(values), records.length, false);
  let at = 0;
  for (const { offset, timestamp, value } of records) {
    run.add(offset, timestamp, 0, at, value === null ? -1 : value.length);
    at += value?.length ?? 0;
  }
  return run;
}
