import { gzipSync } from 'node:zlib';
import lz4js from 'lz4js';
import snappyjs from 'snappyjs';
import { byBytes } from '../../../../src/consumers/source/kafka/codecs/crc32c.ts';

/** One record as a producer writes it: kafka.apache.org/documentation/#record. */
export interface RawRecord {
  readonly offsetDelta: number;
  readonly timestampDelta: bigint;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly (readonly [string, Uint8Array | null])[];
}

export interface RawBatch {
  readonly base: number;
  readonly lastDelta: number;
  readonly codec: 0 | 1 | 2 | 3;
  readonly firstTimestamp: bigint;
  readonly maxTimestamp: bigint;
  readonly isAppendTime: boolean;
  /** undefined: not transactional. */
  readonly producerId?: number;
  readonly isControl?: boolean;
  readonly records: readonly RawRecord[];
}

const ENCODERS = [
  (bytes: Buffer) => bytes,
  (bytes: Buffer) => gzipSync(bytes),
  (bytes: Buffer) => Buffer.from(snappyjs.compress(bytes)),
  (bytes: Buffer) => Buffer.from(lz4js.compress(bytes)),
];

/** Zigzag, then seven bits a byte, the lowest first. */
function varint(value: number | bigint): Buffer {
  const wide = BigInt(value);
  let rest = BigInt.asUintN(64, (wide << 1n) ^ (wide >> 63n));
  const bytes: number[] = [];
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

function sized(bytes: Uint8Array | null): Buffer {
  return bytes === null ? varint(-1) : Buffer.concat([varint(bytes.length), bytes]);
}

export function recordBytes({ offsetDelta, timestampDelta, key, value, headers }: RawRecord): Buffer {
  const body = Buffer.concat([
    Buffer.from([0]),
    varint(timestampDelta),
    varint(offsetDelta),
    sized(key),
    sized(value),
    varint(headers.length),
    ...headers.flatMap(([name, content]) => [sized(Buffer.from(name)), sized(content)]),
  ]);
  return Buffer.concat([varint(body.length), body]);
}

/** A record batch as a fetch has it. */
export function batchBytes(batch: RawBatch, content = Buffer.concat(batch.records.map(recordBytes))): Buffer {
  const compressed = ENCODERS[batch.codec](content);
  const header = Buffer.alloc(61);
  const attributes =
    batch.codec |
    (batch.isAppendTime ? 0x08 : 0) |
    (batch.producerId === undefined ? 0 : 0x10) |
    (batch.isControl === true ? 0x20 : 0);
  header.writeBigInt64BE(BigInt(batch.base), 0);
  header.writeInt32BE(compressed.length + 49, 8);
  header[16] = 2;
  header.writeInt16BE(attributes, 21);
  header.writeInt32BE(batch.lastDelta, 23);
  header.writeBigInt64BE(batch.firstTimestamp, 27);
  header.writeBigInt64BE(batch.maxTimestamp, 35);
  header.writeBigInt64BE(BigInt(batch.producerId ?? -1), 43);
  header.writeInt32BE(batch.records.length, 57);
  return signed(Buffer.concat([header, compressed]));
}

/** With the checksum of what stands behind it. */
export function signed(bytes: Buffer): Buffer {
  bytes.writeUInt32BE(byBytes(bytes, 21), 17);
  return bytes;
}

/** The record that ends a transaction. */
export function marker(base: number, producerId: number, isCommit: boolean): RawBatch {
  const key = Buffer.from([0, 0, 0, isCommit ? 1 : 0]);
  return {
    base,
    lastDelta: 0,
    codec: 0,
    firstTimestamp: 5n,
    maxTimestamp: 5n,
    isAppendTime: false,
    producerId,
    isControl: true,
    records: [{ offsetDelta: 0, timestampDelta: 0n, key, value: Buffer.alloc(6), headers: [] }],
  };
}

/** The records of one partition within an answer to a fetch. */
export function recordSet(bytes: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
}
