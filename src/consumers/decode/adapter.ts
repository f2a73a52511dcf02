import type { InvalidCode } from '../../vocabulary/drops.ts';
import { isRecord, type RawRecord } from './raw.ts';

/** What a record holds: canonical records, not yet validated; or the code of a record that cannot be read. */
export type Adapted = readonly RawRecord[] | InvalidCode;

/**
 * From the text of one record to 0..n records in canonical fields. Pure. `source` and `offset` identify the record: in Kafka
 * `topic:partition` and offset, in files the file's number and the row.
 */
export type Adapter = (text: string, source: string, offset: number) => Adapted;

/** Canonical JSON: the record is the event. */
export const canonicalAdapter: Adapter = (text) => {
  const record = parseObject(text);
  return typeof record === 'string' ? record : [record];
};

export function parseObject(text: string): RawRecord | InvalidCode {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'not_json';
  }
  return isRecord(value) ? value : 'not_an_object';
}
