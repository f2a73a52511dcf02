import { randomBytes } from 'node:crypto';
import type { Offset } from '../../events.ts';

/** A record batch that was not decoded. */
export interface Refusal {
  /** `damaged`: it never will be. `later`: this fetch has decoded enough; fetched again, it gets its turn. */
  readonly kind: 'damaged' | 'later';
  /** Offsets of the batch: [from, to). */
  readonly from: Offset;
  readonly to: Offset;
  readonly reason: string;
}

const HEADER_BYTES = 61;
const KEY_BYTES = 16;
/** A refused batch must still be given as many records as it says; more than this are not worth it. */
const MOST_RECORDS = 1 << 18;
const REMEMBERED = 1000;

/**
 * Lets one batch be refused where kafkajs would crash the consumer of all partitions. A codec of kafkajs 2.2.4 sees only the
 * compressed bytes, and an error there ends in a crash that names no partition. But those bytes are a view into the whole
 * record batch, whose header (61 bytes, fixed since Kafka 0.11) stands right before them. So a refused batch becomes as
 * many empty records as its header counts, all at its last offset, and each carries a key that nobody can guess; the
 * reader of that partition finds it and knows offsets and reason.
 */
export class Refusals {
  readonly #byKey = new Map<string, Refusal>();

  /**
   * The uncompressed records that stand for a refused batch.
   * @throws RangeError if the bytes are no part of such a batch, or it has too many records.
   */
  stand(compressed: Buffer, kind: Refusal['kind'], reason: string): Buffer {
    const header = headerOf(compressed);
    if (header === undefined) throw new RangeError(reason);
    const { from, lastDelta, count } = header;
    if (count > MOST_RECORDS) {
      throw new RangeError(`${reason}; the batch at offset ${from} has ${count} records, too many to step over`);
    }
    const key = randomBytes(KEY_BYTES);
    if (this.#byKey.size >= REMEMBERED) {
      for (const oldest of this.#byKey.keys()) {
        this.#byKey.delete(oldest);
        break;
      }
    }
    this.#byKey.set(key.toString('latin1'), { kind, from, to: from + lastDelta + 1, reason });
    const record = recordOf(key, lastDelta);
    const records = Buffer.allocUnsafeSlow(record.length * count);
    for (let i = 0; i < count; i++) record.copy(records, i * record.length);
    return records;
  }

  /** What a record stands for; undefined: it is a real one. */
  of(key: Uint8Array | null): Refusal | undefined {
    if (this.#byKey.size === 0 || key === null || key.length !== KEY_BYTES) return undefined;
    return this.#byKey.get(Buffer.from(key).toString('latin1'));
  }
}

interface BatchHeader {
  readonly from: Offset;
  readonly lastDelta: number;
  readonly count: number;
}

/** Reads what stands before the compressed records: kafka.apache.org/documentation/#recordbatch. */
function headerOf(compressed: Buffer): BatchHeader | undefined {
  if (compressed.byteOffset < HEADER_BYTES) return undefined;
  const header = Buffer.from(compressed.buffer, compressed.byteOffset - HEADER_BYTES, HEADER_BYTES);
  const isBatch = header[16] === 2 && header.readInt32BE(8) === compressed.length + HEADER_BYTES - 12;
  const from = Number(header.readBigInt64BE(0));
  const lastDelta = header.readInt32BE(23);
  const count = header.readInt32BE(57);
  if (!isBatch || !Number.isSafeInteger(from + lastDelta) || from < 0 || lastDelta < 0 || count < 1) return undefined;
  return { from, lastDelta, count };
}

/** One record with a key and no value. */
function recordOf(key: Buffer, offsetDelta: number): Buffer {
  const body = Buffer.concat([
    Buffer.from([0]), // attributes
    varint(0), // timestamp delta
    varint(offsetDelta),
    varint(key.length),
    key,
    varint(-1), // no value
    varint(0), // no headers
  ]);
  return Buffer.concat([varint(body.length), body]);
}

/** Zigzag, then seven bits a byte, the lowest first. */
function varint(value: number): Buffer {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  const bytes: number[] = [];
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
