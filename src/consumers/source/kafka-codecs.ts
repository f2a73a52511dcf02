import { promisify } from 'node:util';
import { gzip, unzip } from 'node:zlib';
import { decodeLz4 } from './kafka-lz4.ts';
import type { Refusals } from './kafka-refusal.ts';
import { decodeSnappy } from './kafka-snappy.ts';
import { decodeZstd } from './kafka-zstd.ts';

/** What a batch may decompress to, and how long that may take; and the same for all batches of one fetch. */
export interface CodecLimits {
  readonly batchBytes: number;
  readonly batchMilliseconds: number;
  readonly fetchBytes: number;
  readonly fetchMilliseconds: number;
}

export const CODEC_LIMITS: CodecLimits = {
  batchBytes: 32 * 2 ** 20,
  batchMilliseconds: 2000,
  fetchBytes: 256 * 2 ** 20,
  fetchMilliseconds: 4000,
};

/** As kafkajs wants it. Writing is possible with gzip alone, as in kafkajs without us. */
export interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(compressed: Buffer): Promise<Buffer>;
}

const gunzip = promisify(unzip);
const compressGzip = promisify(gzip);
const GZIP = 1;

/** Decoders by the code in a batch's attributes (3 bits; kafka.apache.org/documentation/#recordbatch). */
const DECODERS = new Map<number, (input: Buffer, limits: CodecLimits) => Buffer | Promise<Buffer>>([
  [GZIP, decodeGzip],
  [2, (input, { batchBytes }) => decodeSnappy(input, batchBytes)],
  [3, (input, { batchBytes }) => decodeLz4(input, batchBytes)],
  [4, (input, { batchBytes, batchMilliseconds }) => decodeZstd(input, batchBytes, batchMilliseconds)],
]);
const NAMES = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];
const CODES = [1, 2, 3, 4, 5, 6, 7];

async function decodeGzip(input: Buffer, { batchBytes }: CodecLimits): Promise<Buffer> {
  try {
    return await gunzip(input, { maxOutputLength: batchBytes });
  } catch (error) {
    throw new RangeError(
      `gzip data is damaged or too large: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** All codecs of one process. A batch that cannot be decoded within the limits is refused, never thrown. */
export class Codecs {
  readonly #refusals: Refusals;
  readonly #limits: CodecLimits;
  #bytes = 0;
  #milliseconds = 0;

  constructor(refusals: Refusals, limits: CodecLimits = CODEC_LIMITS) {
    this.#refusals = refusals;
    this.#limits = limits;
  }

  /** A new fetch begins, and with it a new allowance. */
  begin(): void {
    this.#bytes = 0;
    this.#milliseconds = 0;
  }

  /** For kafkajs: a function that gives the codec, by code. A code that no codec has is refused like damaged data. */
  table(): Readonly<Record<number, () => Codec>> {
    return Object.fromEntries(CODES.map((code) => [code, (): Codec => this.#codec(code)]));
  }

  #codec(code: number): Codec {
    return {
      compress: async ({ buffer }) => {
        if (code === GZIP) return compressGzip(buffer);
        throw new Error(`${NAMES[code] ?? code} can only be read here`);
      },
      decompress: (compressed) => this.#decode(code, compressed),
    };
  }

  async #decode(code: number, compressed: Buffer): Promise<Buffer> {
    const decoder = DECODERS.get(code);
    if (decoder === undefined) {
      return this.#refusals.stand(compressed, 'damaged', `compression codec ${code} is unknown`);
    }
    const { fetchBytes, fetchMilliseconds } = this.#limits;
    if (this.#bytes >= fetchBytes || this.#milliseconds >= fetchMilliseconds) {
      return this.#refusals.stand(compressed, 'later', 'one fetch has decompressed enough');
    }
    const began = performance.now();
    try {
      const records = await decoder(compressed, this.#limits);
      this.#bytes += records.length;
      return records;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return this.#refusals.stand(compressed, 'damaged', reason);
    } finally {
      this.#milliseconds += performance.now() - began;
    }
  }
}
