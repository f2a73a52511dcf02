import { promisify } from 'node:util';
import { gzip, unzip } from 'node:zlib';
import { messageOf } from '../../../../vocabulary/error-text.ts';
import { decodeLz4 } from './lz4.ts';
import { decodeSnappy } from './snappy.ts';
import { decodeZstd } from './zstd.ts';

/** Limits of the size of a decompressed batch, and of the time to decompress it, for decoders that do not bound it themselves. */
interface CodecLimits {
  readonly bytes: number;
  readonly milliseconds: number;
}

export interface Decompression {
  readonly limits?: CodecLimits;
  /** Whether the result may stay in the engine's memory. Then the caller gives it back to `engineBuffers`, and keeps no views. */
  readonly inEngine?: boolean;
}

export const CODEC_LIMITS: CodecLimits = { bytes: 32 * 2 ** 20, milliseconds: 2000 };

/** The form that kafkajs requires. Only gzip can be written, as in plain kafkajs. */
interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(compressed: Buffer): Promise<Buffer>;
}

const gunzip = promisify(unzip);
const compressGzip = promisify(gzip);
const GZIP = 1;
export const LZ4 = 3;

/** Decoders by the code in a batch's attributes (3 bits; kafka.apache.org/documentation/#recordbatch). */
const DECODERS = new Map<number, (input: Buffer, limits: CodecLimits, inEngine: boolean) => Buffer | Promise<Buffer>>([
  [GZIP, decodeGzip],
  [2, (input, { bytes }) => decodeSnappy(input, bytes)],
  [LZ4, (input, { bytes }, inEngine) => decodeLz4(input, bytes, inEngine)],
  [4, (input, { bytes, milliseconds }) => decodeZstd(input, bytes, milliseconds)],
]);
const NAMES = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];
const CODES = [1, 2, 3, 4, 5, 6, 7];

async function decodeGzip(input: Buffer, { bytes }: CodecLimits): Promise<Buffer> {
  try {
    return await gunzip(input, { maxOutputLength: bytes });
  } catch (error) {
    throw new RangeError(`gzip data is damaged or too large: ${messageOf(error)}`);
  }
}

/** Rejects with a RangeError if the data are damaged or exceed the limits, or if there is no such codec. */
export async function decompress(
  code: number,
  compressed: Buffer,
  { limits = CODEC_LIMITS, inEngine = false }: Decompression = {},
): Promise<Buffer> {
  const decoder = DECODERS.get(code);
  if (decoder === undefined) throw new RangeError(`compression codec ${code} is unknown`);
  return decoder(compressed, limits, inEngine);
}

/** Codecs for kafkajs, which decodes messages in the formats before Kafka 0.11: by code, a function that returns the codec. */
export function codecTable(): Readonly<Record<number, () => Codec>> {
  return Object.fromEntries(CODES.map((code) => [code, (): Codec => codec(code)]));
}

function codec(code: number): Codec {
  return {
    compress: async ({ buffer }) => {
      if (code === GZIP) return compressGzip(buffer);
      throw new Error(`${NAMES[code] ?? code} can only be read here`);
    },
    decompress: (compressed) => decompress(code, compressed),
  };
}
