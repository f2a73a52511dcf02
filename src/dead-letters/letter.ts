import { isUtf8 } from 'node:buffer';
import type { FilePlace, LogRecord, RecordHeader, UndecodableBatch } from '../consumers/source/source-port.ts';
import type { InvalidCode } from '../vocabulary/drops.ts';
import type { EpochMs, Offset } from '../vocabulary/events.ts';

/** Position of a record in Kafka. */
interface TopicPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset: Offset;
  /** Record timestamp; undefined: it has none. */
  readonly timestamp: EpochMs | undefined;
}

/** A whole record batch that could not be decoded. */
interface LostBatch {
  /** The offset after it. */
  readonly next: Offset;
  /** Number of records that were counted for it. */
  readonly records: number;
  readonly problem: string;
  /** Its size. The letter's value has at most its first BATCH_BYTES bytes. */
  readonly bytes: number;
}

/** Most bytes of a batch that are kept. With the headers they fit into a topic with the default max.message.bytes. */
export const BATCH_BYTES = 2 ** 19;

/** An invalid record or an undecodable batch, its bytes as they were read, and what is wrong with it. */
export interface DeadLetter {
  readonly place: TopicPlace | FilePlace;
  /** undefined: the letter is a batch. */
  readonly code: InvalidCode | undefined;
  /** undefined: the letter is a record. */
  readonly batch?: LostBatch | undefined;
  /** The part of the event that is wrong; undefined: all of it, or unknown. */
  readonly field: string | undefined;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array;
  readonly headers: readonly RecordHeader[];
}

interface Refusal {
  readonly record: LogRecord;
  readonly code: InvalidCode;
  readonly field: string | undefined;
}

/** The letter of a refused record. Its bytes are views, like those of the record. */
export function letterOf({ record, code, field }: Refusal, place: DeadLetter['place']): DeadLetter {
  const { value, envelope } = record;
  return {
    place,
    code,
    field,
    key: envelope?.key ?? null,
    value: value ?? new Uint8Array(0),
    headers: envelope?.headers ?? [],
  };
}

/** The letter of a batch that was skipped. Its bytes are a view. */
export function batchLetterOf({ to, records, reason, bytes }: UndecodableBatch, place: TopicPlace): DeadLetter {
  return {
    place,
    code: undefined,
    batch: { next: to, records, problem: reason, bytes: bytes.length },
    field: undefined,
    key: null,
    value: bytes.subarray(0, BATCH_BYTES),
    headers: [],
  };
}

function reasonOf({ batch }: Pick<DeadLetter, 'batch'>): string {
  return batch === undefined ? 'invalid' : 'undecodable';
}

/** Bytes of key, value and headers: approximately what a letter takes in memory. */
export function sizeOf({ key, value, headers }: DeadLetter): number {
  return headers.reduce(
    (sum, header) => sum + header.name.length + (header.value?.length ?? 0),
    value.length + (key?.length ?? 0),
  );
}

/** A letter with its own copy of the bytes: the record's are a view of a whole batch. */
export function kept(letter: DeadLetter): DeadLetter {
  const { key, value, headers } = letter;
  return {
    ...letter,
    key: key === null ? null : copyOf(key),
    value: copyOf(value),
    headers: headers.map((header) => ({ ...header, value: header.value === null ? null : copyOf(header.value) })),
  };
}

/** Not `slice`, which returns a view for a Buffer. */
function copyOf(content: Uint8Array): Uint8Array {
  return new Uint8Array(content);
}

/** Prefix of all error headers, like `__connect.errors.` and `__streams.errors.`. */
const ERRORS = '__receval.errors.';

/** What is wrong, as headers in UTF-8, following Kafka Connect (KIP-298) and Kafka Streams (KIP-1034). */
export function errorHeaders({ place, code, batch, field }: DeadLetter): readonly RecordHeader[] {
  const from =
    'file' in place
      ? { file: place.file, row: place.row }
      : { topic: place.topic, partition: place.partition, offset: place.offset, timestamp: place.timestamp };
  const texts: readonly (readonly [string, string | number | undefined])[] = [
    ['reason', reasonOf({ batch })],
    ['code', code],
    ['field', field],
    ...Object.entries({ ...from, ...batch }),
  ];
  return texts.flatMap(([name, text]) =>
    text === undefined ? [] : [{ name: `${ERRORS}${name}`, value: Buffer.from(String(text)) }],
  );
}

/** One line of NDJSON with its line end. */
export function lineOf({ place, code, batch, field, key, value, headers }: DeadLetter): string {
  const line = {
    ...place,
    reason: reasonOf({ batch }),
    code,
    field,
    ...batch,
    ...(key === null ? {} : textOrBase64('key', key)),
    ...textOrBase64('value', value),
    ...(headers.length === 0
      ? {}
      : { headers: headers.map((header) => ({ name: header.name, ...textOrBase64('value', header.value) })) }),
  };
  return `${JSON.stringify(line)}\n`;
}

/** The field of this name; bytes that are not UTF-8 are written in base64 under another name. */
export function textOrBase64(name: string, content: Uint8Array | null): Readonly<Record<string, string | null>> {
  if (content === null) return { [name]: null };
  const buffer = Buffer.from(content.buffer, content.byteOffset, content.length);
  // Not TextDecoder, which removes a byte order mark.
  return isUtf8(buffer) ? { [name]: buffer.toString('utf8') } : { [`${name}Base64`]: buffer.toString('base64') };
}
