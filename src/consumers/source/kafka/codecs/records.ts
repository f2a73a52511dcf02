import type { EpochMs, Offset } from '../../../../vocabulary/events.ts';
import type { Envelope, LogRecord, RecordHeader, RecordRun, UndecodableBatch } from '../../source-port.ts';
import { ATTRIBUTES_AT, HEADER_BYTES, LAST_DELTA_AT, undecodable } from '../flow/batches.ts';
import { CODEC_LIMITS, decompress } from './codecs.ts';
import { crc32c } from './crc32c.ts';
import { outputs } from './outputs.ts';

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
 * Verifies the checksum of a record batch, decompresses it and checks that all its records can be read: kafka.apache.org/documentation/#recordbatch.
 * Returns a refusal if not. Never rejects.
 */
export async function openBatch(batch: Buffer, limits = CODEC_LIMITS): Promise<Records | UndecodableBatch> {
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
    // The checksum covers everything after it. Brokers may change what precedes it.
    if (crc32c(batch, ATTRIBUTES_AT) !== batch.readUInt32BE(CHECKSUM_AT)) throw new RangeError(WRONG_CHECKSUM);
    if (header.count < 0 || header.lastDelta < 0) throw new RangeError('the header of the record batch is damaged');
    const content = batch.subarray(HEADER_BYTES);
    const code = attributes & CODEC;
    const isEmpty = header.count === 0 && header.lastDelta >= 0;
    const bytes = code === 0 || isEmpty ? content : await decompress(code, content, limits);
    const records = new Records(bytes, header);
    const read = records.check();
    if (read < header.count) throw new RangeError(`record ${read + 1} of the ${header.count} in the batch is damaged`);
    return records;
  } catch (error) {
    return undecodable(batch, error instanceof Error ? error.message : String(error));
  }
}

/** The records of one batch, read one after the other. The fields are those of the record that `next` moved to. */
export class Records {
  offset: Offset = -1;
  hasKey = false;
  /** Records not read yet. */
  left: number;
  /** Decompressed bytes of all records. */
  readonly size: number;
  readonly #bytes: Buffer;
  readonly #header: Header;
  readonly #appendTime: EpochMs | undefined;
  /** The first time of the batch, if it and the time deltas can be added as numbers. */
  readonly #firstTime: EpochMs | undefined;
  #at = 0;
  #delta = -1;
  #timeAt = 0;
  #valueAt = 0;
  /** -1: null. */
  #valueLength = -1;

  constructor(bytes: Buffer, header: Header) {
    this.#bytes = bytes;
    this.#header = header;
    this.left = header.count;
    this.size = bytes.length;
    this.#appendTime = header.appendTime === undefined ? undefined : Number(header.appendTime);
    const first = Number(header.firstTime);
    this.#firstTime = Math.abs(first) < 2 ** 52 ? first : undefined;
  }

  /** Returns how many records can be read; if these are fewer than the header declares, the next one is damaged. Goes back to the first. */
  check(): number {
    const { count } = this.#header;
    this.left = count;
    while (this.left > 0 && this.#step());
    const read = count - this.left;
    this.#at = 0;
    this.#delta = -1;
    this.left = count;
    return read;
  }

  /** Nobody reads its records any more, nor what was taken of it: its memory may be used for others. */
  release(): void {
    outputs.give(this.#bytes);
  }

  /** Goes to the next record. false: there is none. */
  next(): boolean {
    return this.left > 0 && this.#step();
  }

  /** Kafka writes -1 if a record has none. */
  get timestamp(): EpochMs | undefined {
    const time = this.#appendTime ?? this.#createTime();
    return time < 0 ? undefined : time;
  }

  /** A view: it keeps the whole batch in memory. */
  get value(): Uint8Array | null {
    const bytes = this.#bytes;
    if (this.#valueLength < 0) return null;
    return new Uint8Array(bytes.buffer, bytes.byteOffset + this.#valueAt, this.#valueLength);
  }

  /** Key and headers of the record that `next` moved to. */
  get envelope(): RecordEnvelope {
    return new RecordEnvelope(this.#bytes, this.#timeAt);
  }

  /** The next records that are not below `expected`: at most `size` of them, and about `room` bytes of values. */
  take(
    expected: Offset,
    { size, room }: { readonly size: number; readonly room: number },
    withEnvelopes = false,
  ): BatchRun {
    const run = new BatchRun(this.#bytes, Math.min(size, this.left), withEnvelopes);
    while (run.count < size && run.valueBytes < room && this.next()) {
      if (this.offset < expected) continue;
      run.add(this.offset, this.timestamp, this.#timeAt, this.#valueAt, this.#valueLength);
    }
    return run;
  }

  /** Reads a record without its headers, which counting does not need. false: it is damaged. */
  #step(): boolean {
    const length = this.#varint();
    const end = this.#at + length;
    // One byte of attributes, which are unused so far.
    this.#timeAt = this.#at + 1;
    this.#skipTime();
    const delta = this.#varint();
    const keyLength = this.#varint();
    if (keyLength > 0) this.#at += keyLength;
    const valueLength = this.#varint();
    const valueAt = this.#at;
    // Reads past the end are harmless, so one check here is enough. NaN fails each comparison.
    const fits = length > 0 && end <= this.#bytes.length && valueAt + Math.max(0, valueLength) <= end;
    const isRead = keyLength >= -1 && valueLength >= -1 && delta > this.#delta && delta <= this.#header.lastDelta;
    if (!fits || !isRead) return false;
    this.offset = this.#header.base + delta;
    this.hasKey = keyLength >= 0;
    this.#valueAt = valueAt;
    this.#valueLength = valueLength;
    this.#delta = delta;
    this.#at = end;
    this.left--;
    return true;
  }

  /** Zigzag, seven bits a byte, the lowest first. NaN: it has more than five bytes. */
  #varint(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#at++];
    let raw = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      if (shift > 28) return Number.NaN;
      byte = bytes[this.#at++];
      raw |= (byte & 0x7f) << shift;
    }
    return (raw >>> 1) ^ -(raw & 1);
  }

  /** A varint of at most ten bytes. One that is longer makes the record damaged. */
  #skipTime(): void {
    const last = this.#timeAt + 9;
    let at = this.#timeAt;
    while (this.#bytes[at] >= 0x80 && at < last) at++;
    this.#at = this.#bytes[at] >= 0x80 ? Number.NaN : at + 1;
  }

  /** The batch's first time and what the record adds to it: a zigzag varint of 64 bits. */
  #createTime(): number {
    const bytes = this.#bytes;
    let at = this.#timeAt;
    let byte = bytes[at++];
    let raw = byte & 0x7f;
    let scale = 128;
    while (byte >= 0x80 && scale < 2 ** 49) {
      byte = bytes[at++];
      raw += (byte & 0x7f) * scale;
      scale *= 128;
    }
    if (byte >= 0x80 || this.#firstTime === undefined) return this.#largeTime();
    return this.#firstTime + (raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2);
  }

  #largeTime(): number {
    let raw = 0n;
    for (let at = this.#timeAt, shift = 0n; ; shift += 7n) {
      const byte = this.#bytes[at++];
      raw |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    raw = BigInt.asUintN(64, raw);
    const delta = (raw >> 1n) ^ -(raw & 1n);
    return Number(this.#header.firstTime + delta);
  }
}

/** Some records of a decompressed batch, one behind the other. It keeps the whole batch in memory. */
export class BatchRun implements RecordRun {
  count = 0;
  /** Of all values together. */
  valueBytes = 0;
  readonly bytes: Buffer;
  readonly offsets: Float64Array;
  readonly timestamps: Float64Array;
  readonly at: Int32Array;
  readonly size: Int32Array;
  readonly #times: Int32Array | undefined;

  /** For up to so many records. */
  constructor(bytes: Buffer, most: number, withEnvelopes: boolean) {
    this.bytes = bytes;
    // One buffer: each has memory of its own outside the heap, which costs more than what is written to it.
    const rows = new ArrayBuffer(24 * most);
    this.offsets = new Float64Array(rows, 0, most);
    this.timestamps = new Float64Array(rows, 8 * most, most);
    this.at = new Int32Array(rows, 16 * most, most);
    this.size = new Int32Array(rows, 20 * most, most);
    this.#times = withEnvelopes ? new Int32Array(most) : undefined;
  }

  add(offset: Offset, timestamp: EpochMs | undefined, timeAt: number, at: number, size: number): void {
    const { count } = this;
    this.offsets[count] = offset;
    this.timestamps[count] = timestamp ?? Number.NaN;
    this.at[count] = at;
    this.size[count] = size;
    if (this.#times !== undefined) this.#times[count] = timeAt;
    if (size > 0) this.valueBytes += size;
    this.count = count + 1;
  }

  /** Its value is a view. */
  record(index: number): LogRecord {
    const { buffer, byteOffset } = this.bytes;
    const [at, size, timestamp] = [this.at[index], this.size[index], this.timestamps[index]];
    const record = {
      offset: this.offsets[index],
      timestamp: Number.isNaN(timestamp) ? undefined : timestamp,
      value: size < 0 ? null : new Uint8Array(buffer, byteOffset + at, size),
    };
    if (this.#times === undefined) return record;
    return { ...record, envelope: new RecordEnvelope(this.bytes, this.#times[index]) };
  }
}

/** Key and headers of one record of a decompressed batch: kafka.apache.org/documentation/#record. Read on demand. */
class RecordEnvelope implements Envelope {
  readonly #bytes: Buffer;
  readonly #timeAt: number;

  /** `timeAt`: where the record's time is. Everything in the record but its headers was checked. */
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
    reader.skipVarint();
    reader.skipVarint();
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
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  skipVarint(): void {
    while (this.#bytes[this.#at++] >= 0x80);
  }

  /** Zigzag, seven bits a byte, the lowest first. NaN: it is longer than a length can be, or cut off. */
  varint(): number {
    let raw = 0;
    for (let shift = 0; shift <= 28; shift += 7) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) return Number.NaN;
      raw |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (raw >>> 1) ^ -(raw & 1);
    }
    return Number.NaN;
  }

  /** A length and that many bytes; null: the length is -1; undefined: they do not fit. */
  bytes(): Uint8Array | null | undefined {
    const length = this.varint();
    if (length === -1) return null;
    if (!(length >= 0) || this.#at + length > this.#bytes.length) return undefined;
    const at = this.#at;
    this.#at += length;
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + at, length);
  }
}
