import type { EpochMs, Offset } from '../../../../vocabulary/events.ts';
import { engineBuffers, engineInput } from '../../../engine/engine-buffers.ts';
import type { Envelope, LogRecord, RecordHeader, RecordRun, UndecodableBatch } from '../../source-port.ts';
import { ATTRIBUTES_AT, HEADER_BYTES, LAST_DELTA_AT, undecodable } from '../flow/batches.ts';
import { type Decompression, decompress, LZ4 } from './codecs.ts';
import { crc32c } from './crc32c.ts';
import { outputs, RecordColumns, responses } from './reused-buffers.ts';

const CHECKSUM_AT = 17;
const FIRST_TIME_AT = 27;
const LARGEST_TIME_AT = 35;
const COUNT_AT = 57;
const CODEC = 0x07;
const APPEND_TIME = 0x08;

const WRONG_CHECKSUM =
  'the checksum of the record batch is wrong, so it was damaged after it was written: restart the worker to fetch it again';

interface Header {
  readonly base: Offset;
  readonly lastDelta: number;
  readonly count: number;
  readonly firstTime: bigint;
  /** undefined: each record has its own time. */
  readonly appendTime: bigint | undefined;
}

/**
 * Verifies the checksum of a record batch, decompresses it and checks that all its records can be read:
 * kafka.apache.org/documentation/#recordbatch. Returns a refusal if not. Rejects if the process has no memory for it, which is no fault
 * of the batch.
 * @param decompression `inEngine`: the caller frees the records, and reads nothing of them later
 */
export async function openBatch(batch: Buffer, decompression: Decompression = {}): Promise<Records | UndecodableBatch> {
  const attributes = batch.readInt16BE(ATTRIBUTES_AT);
  const firstTime = batch.readBigInt64BE(FIRST_TIME_AT);
  const header: Header = {
    base: Number(batch.readBigInt64BE(0)),
    lastDelta: batch.readInt32BE(LAST_DELTA_AT),
    count: batch.readInt32BE(COUNT_AT),
    firstTime,
    appendTime: (attributes & APPEND_TIME) === 0 ? undefined : batch.readBigInt64BE(LARGEST_TIME_AT),
  };
  try {
    const code = attributes & CODEC;
    // Checksum and decoder work in the engine's memory.
    const read = code === LZ4 ? engineInput(batch) : batch;
    // The checksum covers everything after itself. Brokers may change what precedes it.
    if (crc32c(read, ATTRIBUTES_AT) !== batch.readUInt32BE(CHECKSUM_AT)) throw new RangeError(WRONG_CHECKSUM);
    if (header.count < 0 || header.lastDelta < 0) throw new RangeError('the header of the record batch is damaged');
    const isEmpty = header.count === 0 && header.lastDelta >= 0;
    const bytes =
      code === 0 || isEmpty
        ? batch.subarray(HEADER_BYTES)
        : await decompress(code, read.subarray(HEADER_BYTES), decompression);
    const records = new Records(bytes, header, batch);
    const { count } = records;
    if (count === header.count) return records;
    records.forget();
    give(bytes);
    throw new RangeError(`record ${count + 1} of the ${header.count} in the batch is damaged`);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undecodable(batch, error.message);
  }
}

/** Called when nobody reads the decompressed bytes any more. */
function give(bytes: Buffer): void {
  outputs.give(bytes);
  engineBuffers()?.give(bytes);
}

/** The shortest record: its length, attributes, two deltas, the lengths of key and value, and the number of headers. */
const LEAST_RECORD_BYTES = 7;

/** The records of one batch, parsed when it is opened. The fields are those of the record to which `next` moved. */
export class Records {
  /** Decompressed bytes of all records. */
  readonly size: number;
  /** Number of readable records. If it is less than the header declares, the next record is damaged. */
  readonly count: number;
  readonly #bytes: Buffer;
  /** The batch as it was fetched; if it is not compressed, `bytes` is the part after its header. */
  readonly #batch: Buffer;
  readonly #columns: RecordColumns;
  #isForgotten = false;
  #isFreed = false;
  /** Index after the record to which `next` moved. */
  #next = 0;

  constructor(bytes: Buffer, header: Header, batch: Buffer) {
    this.#bytes = bytes;
    this.#batch = batch;
    this.size = bytes.length;
    const most = Math.min(header.count, Math.floor(bytes.length / LEAST_RECORD_BYTES));
    this.#columns = RecordColumns.of(most);
    this.count = this.#read(header, most);
  }

  /** Number of records to which `next` has not moved yet. */
  get left(): number {
    return this.count - this.#next;
  }

  /** -1 before the first call of `next`. */
  get offset(): Offset {
    return this.#next === 0 ? -1 : this.#columns.offsets[this.#next - 1];
  }

  get hasKey(): boolean {
    return this.envelope.key !== null;
  }

  get timestamp(): EpochMs | undefined {
    return timeOf(this.#columns.timestamps[this.#next - 1]);
  }

  /** A view, which keeps the whole batch in memory. */
  get value(): Uint8Array | null {
    const { at, size } = this.#columns;
    return viewOf(this.#bytes, at[this.#next - 1], size[this.#next - 1]);
  }

  get envelope(): RecordEnvelope {
    return new RecordEnvelope(this.#bytes, this.#columns.timeAt[this.#next - 1]);
  }

  /** Releases the records and the batch, whose memory may be reused. Nobody may read them, or anything taken from them, afterwards. */
  free(): void {
    if (this.#isFreed) return;
    this.#isFreed = true;
    give(this.#bytes);
    responses.unref(this.#batch);
    this.forget();
  }

  /** Releases the columns: no other record can be moved to afterwards. What was taken may still be read. */
  forget(): void {
    if (this.#isForgotten) return;
    this.#isForgotten = true;
    this.#columns.free();
  }

  /** Moves to the next record; false: there is none. */
  next(): boolean {
    if (this.#next === this.count) return false;
    this.#next++;
    return true;
  }

  /** The next records at or above `expected`: at most `size` of them, and about `room` bytes of values. */
  take(
    expected: Offset,
    { size, room }: { readonly size: number; readonly room: number },
    withEnvelopes = false,
  ): BatchRun {
    const { offsets, size: sizes } = this.#columns;
    let next = this.#next;
    while (next < this.count && offsets[next] < expected) next++;
    const from = next;
    let valueBytes = 0;
    for (; next < this.count && next - from < size && valueBytes < room; next++) {
      valueBytes += Math.max(0, sizes[next]);
    }
    this.#next = next;
    return new BatchRun(this.#bytes, this.#columns, from, next, withEnvelopes, valueBytes);
  }

  /** Parses up to `most` records, without their headers, which counting does not need. Returns how many are undamaged. */
  #read({ base, lastDelta, firstTime, appendTime }: Header, most: number): number {
    const { offsets, timestamps, at, size, timeAt } = this.#columns;
    const bytes = this.#bytes;
    const reader = new Reader(bytes, 0);
    const times = new CreateTimes(bytes, firstTime);
    const fixed = appendTime === undefined ? undefined : Number(appendTime);
    let last = -1;
    for (let n = 0; n < most; n++) {
      const length = reader.varint();
      const end = reader.at + length;
      // The byte of attributes is unused so far.
      const time = reader.at + 1;
      reader.at = time;
      reader.skipTime();
      const delta = reader.varint();
      const keyLength = reader.varint();
      if (keyLength > 0) reader.at += keyLength;
      const valueLength = reader.varint();
      const valueAt = reader.at;
      // Reads past the end are harmless, so one check here is enough. NaN fails each comparison.
      const fits = length > 0 && end <= bytes.length && valueAt + Math.max(0, valueLength) <= end;
      const isRead = keyLength >= -1 && valueLength >= -1 && delta > last && delta <= lastDelta;
      if (!fits || !isRead) return n;
      const timestamp = fixed ?? times.at(time);
      offsets[n] = base + delta;
      timestamps[n] = timestamp < 0 ? Number.NaN : timestamp;
      at[n] = valueAt;
      size[n] = valueLength;
      timeAt[n] = time;
      last = delta;
      reader.at = end;
    }
    return most;
  }
}

/** The times of records that each have their own. */
class CreateTimes {
  readonly #bytes: Buffer;
  readonly #first: bigint;
  /** The first time of the batch, if adding the time deltas to it as numbers is exact. */
  readonly #firstNumber: EpochMs | undefined;

  constructor(bytes: Buffer, first: bigint) {
    this.#bytes = bytes;
    this.#first = first;
    const number = Number(first);
    this.#firstNumber = Math.abs(number) < 2 ** 52 ? number : undefined;
  }

  /** The time of a record: the batch's first time plus the record's delta, a zigzag varint of 64 bits. */
  at(timeAt: number): number {
    const bytes = this.#bytes;
    let at = timeAt;
    let byte = bytes[at++];
    let raw = byte & 0x7f;
    let scale = 128;
    while (byte >= 0x80 && scale < 2 ** 49) {
      byte = bytes[at++];
      raw += (byte & 0x7f) * scale;
      scale *= 128;
    }
    if (byte >= 0x80 || this.#firstNumber === undefined) return this.#large(timeAt);
    return this.#firstNumber + (raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2);
  }

  #large(timeAt: number): number {
    let raw = 0n;
    for (let at = timeAt, shift = 0n; ; shift += 7n) {
      const byte = this.#bytes[at++];
      raw |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    raw = BigInt.asUintN(64, raw);
    const delta = (raw >> 1n) ^ -(raw & 1n);
    return Number(this.#first + delta);
  }
}

/** Consecutive records of a decompressed batch. They keep the whole batch in memory. */
export class BatchRun implements RecordRun {
  readonly count: number;
  /** Bytes of all values together. */
  readonly valueBytes: number;
  readonly bytes: Buffer;
  readonly offsets: Float64Array;
  readonly timestamps: Float64Array;
  readonly at: Int32Array;
  readonly size: Int32Array;
  readonly #times: Int32Array | undefined;

  /** The records with indexes [from, end). */
  constructor(
    bytes: Buffer,
    { offsets, timestamps, at, size, timeAt }: RecordColumns,
    from: number,
    end: number,
    withEnvelopes: boolean,
    valueBytes: number,
  ) {
    this.count = end - from;
    this.valueBytes = valueBytes;
    this.bytes = bytes;
    this.offsets = offsets.subarray(from, end);
    this.timestamps = timestamps.subarray(from, end);
    this.at = at.subarray(from, end);
    this.size = size.subarray(from, end);
    this.#times = withEnvelopes ? timeAt.subarray(from, end) : undefined;
  }

  /** The record at an index; its value is a view. */
  record(index: number): LogRecord {
    const record = {
      offset: this.offsets[index],
      timestamp: timeOf(this.timestamps[index]),
      value: viewOf(this.bytes, this.at[index], this.size[index]),
    };
    if (this.#times === undefined) return record;
    return { ...record, envelope: new RecordEnvelope(this.bytes, this.#times[index]) };
  }
}

function timeOf(timestamp: number): EpochMs | undefined {
  return Number.isNaN(timestamp) ? undefined : timestamp;
}

function viewOf({ buffer, byteOffset }: Buffer, at: number, size: number): Uint8Array | null {
  return size < 0 ? null : new Uint8Array(buffer, byteOffset + at, size);
}

/** Key and headers of one record of a decompressed batch: kafka.apache.org/documentation/#record. Read on demand. */
class RecordEnvelope implements Envelope {
  readonly #bytes: Buffer;
  readonly #timeAt: number;

  /** @param timeAt where the record's time stands. Everything in the record except its headers has been checked */
  constructor(bytes: Buffer, timeAt: number) {
    this.#bytes = bytes;
    this.#timeAt = timeAt;
  }

  get key(): Uint8Array | null {
    return this.#read().key;
  }

  /** The headers before the first one that cannot be read. */
  get headers(): readonly RecordHeader[] {
    return this.#read().headers;
  }

  #read(): Envelope {
    const reader = new Reader(this.#bytes, this.#timeAt);
    reader.skipTime();
    reader.varint();
    const key = reader.bytes() ?? null;
    reader.bytes();
    const headers: RecordHeader[] = [];
    for (let left = reader.varint(); left > 0; left--) {
      const name = reader.bytes();
      const value = reader.bytes();
      if (name === undefined || name === null || value === undefined) break;
      headers.push({ name: Buffer.from(name.buffer, name.byteOffset, name.length).toString('utf8'), value });
    }
    return { key, headers };
  }
}

class Reader {
  at: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** A zigzag number, seven bits a byte, the lowest first. NaN: it has more than five bytes, or is cut off. */
  varint(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.at++];
    let raw = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      if (shift > 28) return Number.NaN;
      byte = bytes[this.at++];
      raw |= (byte & 0x7f) << shift;
    }
    return byte === undefined ? Number.NaN : (raw >>> 1) ^ -(raw & 1);
  }

  /** Skips a varint of at most ten bytes. A longer one makes the record damaged. */
  skipTime(): void {
    const bytes = this.#bytes;
    const last = this.at + 9;
    while (bytes[this.at] >= 0x80 && this.at < last) this.at++;
    this.at = bytes[this.at] >= 0x80 ? Number.NaN : this.at + 1;
  }

  /** A length and that many bytes; null: the length is -1; undefined: they do not fit. */
  bytes(): Uint8Array | null | undefined {
    const length = this.varint();
    if (length === -1) return null;
    if (!(length >= 0) || this.at + length > this.#bytes.length) return undefined;
    const { at } = this;
    this.at += length;
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + at, length);
  }
}
