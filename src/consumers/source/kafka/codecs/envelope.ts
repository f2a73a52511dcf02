import type { Envelope, RecordHeader } from '../../port.ts';

/** Key and headers of one record of a decompressed batch: kafka.apache.org/documentation/#record. Read on demand. */
export class RecordEnvelope implements Envelope {
  readonly #bytes: Buffer;
  readonly #timeAt: number;

  /** `timeAt`: where the record's time stands. The record was checked but for its headers. */
  constructor(bytes: Buffer, timeAt: number) {
    this.#bytes = bytes;
    this.#timeAt = timeAt;
  }

  get key(): Uint8Array | null {
    return this.#read().key;
  }

  /** None from one on that cannot be read. */
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

  /** A length and so many bytes; null: -1 stands there; undefined: they do not fit. */
  bytes(): Uint8Array | null | undefined {
    const length = this.varint();
    if (length === -1) return null;
    if (!(length >= 0) || this.#at + length > this.#bytes.length) return undefined;
    const at = this.#at;
    this.#at += length;
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + at, length);
  }
}
