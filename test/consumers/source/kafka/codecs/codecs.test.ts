import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import lz4js from 'lz4js';
import snappyjs from 'snappyjs';
import { describe, expect, it } from 'vitest';
import { CODEC_LIMITS, codecTable, decompress } from '../../../../../src/consumers/source/kafka/codecs/codecs.ts';
import { decodeLz4 } from '../../../../../src/consumers/source/kafka/codecs/lz4.ts';
import { decodeSnappy } from '../../../../../src/consumers/source/kafka/codecs/snappy.ts';
import { decodeZstd } from '../../../../../src/consumers/source/kafka/codecs/zstd.ts';

const LIMIT = 1 << 20;
const PATIENCE = 1000;
const BLOCK = 1 << 17;

/** Bytes with repeats near and far, as records have. */
const data = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 80 }),
      fc
        .tuple(fc.uint8Array({ minLength: 1, maxLength: 9 }), fc.nat(400))
        .map(([unit, times]) => Uint8Array.from({ length: unit.length * times }, (_, i) => unit[i % unit.length])),
    ),
    { maxLength: 30 },
  )
  .map((parts) => Buffer.concat(parts));

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function xerial(blocks: readonly Uint8Array[]): Buffer {
  const header = Buffer.concat([Buffer.from('\x82SNAPPY\0', 'latin1'), int32(1), int32(1)]);
  return Buffer.concat([header, ...blocks.flatMap((block) => [int32(block.length), block])]);
}

/** A frame of zstd whose size is not given, from blocks of (type, size, content). */
function zstdFrame(blocks: readonly (readonly [number, number, Uint8Array])[]): Buffer {
  const parts: Uint8Array[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38])]; // window of 128 KiB
  blocks.forEach(([type, size, content], i) => {
    const word = (size << 3) | (type << 1) | (i === blocks.length - 1 ? 1 : 0);
    parts.push(Buffer.from([word & 255, (word >> 8) & 255, word >> 16]), content);
  });
  return Buffer.concat(parts);
}

const raw = (content: Uint8Array) => [0, content.length, content] as const;
const repeated = (byte: number, times: number) => [1, times, Buffer.from([byte])] as const;

const CODECS = {
  snappy: {
    encode: (bytes: Buffer) => snappyjs.compress(bytes),
    decode: (bytes: Buffer, limit: number) => decodeSnappy(bytes, limit),
  },
  'framed snappy': {
    encode: (bytes: Buffer) => {
      const half = bytes.length >> 1;
      return xerial([snappyjs.compress(bytes.subarray(0, half)), snappyjs.compress(bytes.subarray(half))]);
    },
    decode: (bytes: Buffer, limit: number) => decodeSnappy(bytes, limit),
  },
  lz4: {
    encode: (bytes: Buffer) => Buffer.from(lz4js.compress(bytes)),
    decode: (bytes: Buffer, limit: number) => decodeLz4(bytes, limit),
  },
  zstd: {
    encode: (bytes: Buffer) => {
      const blocks = Array.from({ length: Math.ceil(bytes.length / BLOCK) }, (_, i) =>
        raw(bytes.subarray(i * BLOCK, (i + 1) * BLOCK)),
      );
      return zstdFrame([...blocks, raw(Buffer.alloc(0))]);
    },
    decode: (bytes: Buffer, limit: number) => decodeZstd(bytes, limit, PATIENCE),
  },
};

describe.each(Object.entries(CODECS))('the %s decoder', (_, { encode, decode }) => {
  it('gives back what was compressed', () => {
    fc.assert(
      fc.property(data, (bytes) => {
        expect(decode(encode(bytes), LIMIT).equals(bytes)).toBe(true);
      }),
    );
  });

  it('gives data at the limit, and refuses one byte more', () => {
    for (const length of [LIMIT - 1, LIMIT]) expect(decode(encode(Buffer.alloc(length)), LIMIT)).toHaveLength(length);
    expect(() => decode(encode(Buffer.alloc(LIMIT + 1)), LIMIT)).toThrow(RangeError);
  });

  it('never takes the beginning of a message for the whole', () => {
    const whole = Buffer.from('impression '.repeat(50));
    const message = encode(whole);
    for (let length = 1; length < message.length; length++) {
      // What ends between two frames cannot be distinguished from a shorter message.
      let isWhole = false;
      try {
        isWhole = decode(message.subarray(0, length), LIMIT).equals(whole);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
      expect(isWhole).toBe(false);
    }
  });

  it('refuses changed bytes or stays within the limit, soon', () => {
    const change = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(data, change, (bytes, changes) => {
        const message = Buffer.from(encode(bytes));
        for (const [at, byte] of changes) message[at % message.length] = byte;
        const before = process.cpuUsage();
        try {
          expect(decode(message, LIMIT).length).toBeLessThanOrEqual(LIMIT);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
        expect(process.cpuUsage(before).user).toBeLessThan(2000 * PATIENCE);
      }),
      { numRuns: 300 },
    );
  });

  it('refuses random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (bytes) => {
        try {
          decode(Buffer.from(bytes), LIMIT);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});

describe('hostile bytes', () => {
  it('do not send the snappy decoder backwards by a negative length', () => {
    const negative = Buffer.from([0x10, 63 << 2, 0xf0, 0xff, 0xff, 0xff, 1, 2, 3, 4]);
    expect(() => decodeSnappy(negative, LIMIT)).toThrow('damaged');
  });

  it('do not make snappy read what was not written', () => {
    expect(() => decodeSnappy(Buffer.from([8, 0, 65, 1, 2]), LIMIT)).toThrow('damaged');
    expect(() => decodeSnappy(Buffer.from([8, 0, 65]), LIMIT)).toThrow('damaged');
  });

  it('do not make lz4 grow by lengths without end', () => {
    const size = 60_000;
    const block = Buffer.concat([Buffer.from([0x1f, 65, 1, 0]), Buffer.alloc(size, 255)]);
    const header = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0]);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(block.length);
    const frame = Buffer.concat([header, length, block, Buffer.alloc(4)]);
    expect(() => decodeLz4(frame, LIMIT)).toThrow(RangeError);
  });

  it('do not make lz4 walk behind its input', () => {
    for (const word of [0x7fffffff, 0xffffffff, 0x80000010, 64]) {
      const frame = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0, 0, 0, 0, 0, 1, 2]);
      frame.writeUInt32LE(word, 7);
      expect(() => decodeLz4(frame, LIMIT)).toThrow('too long');
    }
  });

  it('do not keep zstd busy: a few bytes that ask for thousands of millions of steps are cut off', () => {
    // One literal, 98,047 sequences of the longest match, by tables of one symbol.
    const content = Buffer.from([0x09, 65, 255, 255, 255, 0x54, 0, 0, 52, 1]);
    const before = process.cpuUsage();
    expect(() => decodeZstd(zstdFrame([[2, content.length, content]]), LIMIT, 100)).toThrow(RangeError);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });

  it('are refused before memory is spent when zstd promises too much', () => {
    const bomb = zstdFrame(Array.from({ length: 9 }, () => repeated(65, 1 << 17)));
    expect(() => decodeZstd(bomb, LIMIT, PATIENCE)).toThrow('more than the limit');
    expect(decodeZstd(zstdFrame(Array.from({ length: 8 }, () => repeated(65, 1 << 17))), LIMIT, PATIENCE)).toHaveLength(
      LIMIT,
    );
  });
});

describe('the codecs', () => {
  it('decode gzip up to the limit and refuse one byte more', async () => {
    const limits = { ...CODEC_LIMITS, bytes: LIMIT };
    expect(await decompress(1, gzipSync(Buffer.alloc(LIMIT)), { limits })).toHaveLength(LIMIT);
    await expect(decompress(1, gzipSync(Buffer.alloc(LIMIT + 1)), { limits })).rejects.toThrow(RangeError);
  });

  it('refuse what no codec has', async () => {
    for (const code of [5, 6, 7]) {
      await expect(decompress(code, Buffer.from('x'))).rejects.toThrow(`compression codec ${code} is unknown`);
    }
  });

  it('refuse what is no message of theirs', async () => {
    for (const code of [1, 2, 3, 4]) {
      await expect(decompress(code, Buffer.from('nonsense'))).rejects.toThrow(RangeError);
    }
  });

  it('that kafkajs is given only read, but for gzip', async () => {
    const table = codecTable();
    const buffer = Buffer.from('text');
    for (const code of [2, 3, 4, 5])
      await expect(table[code]().compress({ buffer })).rejects.toThrow('only be read here');
    expect(await table[1]().decompress(await table[1]().compress({ buffer }))).toEqual(buffer);
  });
});
