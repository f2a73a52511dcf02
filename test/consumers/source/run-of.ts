import { BatchRun } from '../../../src/consumers/source/kafka/codecs/records.ts';
import { RecordColumns } from '../../../src/consumers/source/kafka/codecs/reused-buffers.ts';
import type { LogRecord } from '../../../src/consumers/source/source-port.ts';

const EMPTY = new Uint8Array(0);

/** Records as a fetched batch holds them: their values one behind the other, without envelopes. */
export function runOf(records: readonly LogRecord[]): BatchRun {
  const values = records.map(({ value }) => value ?? EMPTY);
  const columns = RecordColumns.of(records.length);
  let at = 0;
  for (const [n, { offset, timestamp, value }] of records.entries()) {
    columns.offsets[n] = offset;
    columns.timestamps[n] = timestamp ?? Number.NaN;
    columns.at[n] = at;
    columns.size[n] = value === null ? -1 : value.length;
    at += value?.length ?? 0;
  }
  return new BatchRun(Buffer.concat(values), columns, 0, records.length, false, at);
}
