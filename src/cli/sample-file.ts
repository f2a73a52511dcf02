/** The first records of a file of any form. */
import { Buffer } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { decodeZstd } from '../consumers/source/kafka-zstd.ts';
import { binaryFormOf, compressionOf, encodingOf, type FileFormat, lineEndsOf, textFormOf } from '../inspect/format.ts';
import { type Rows, rowsOf } from '../inspect/rows.ts';
import { fileProblem } from './failure.ts';

/** Unpacked bytes that are looked at. */
const MOST_BYTES = 64 << 20;
/** Of a file packed with zstd, which is unpacked as a whole: node:zlib reads zstd from Node 22.15 on only. */
const MOST_ZSTD = 256 << 20;
const ZSTD_TIME = 20_000;
/** What tells the form. */
const HEAD = 1 << 18;

export interface FileSample extends Rows {
  readonly format: FileFormat;
}

/** At most `limit` records from the beginning. Rejects with an Error that says what is wrong with the file. */
export async function sampleOf(file: string, limit: number): Promise<FileSample> {
  const { bytes, compression, cut } = await unpacked(file);
  const head = bytes.subarray(0, HEAD);
  const encoding = encodingOf(head);
  const binary = binaryFormOf(head);
  if (binary !== undefined) {
    return { format: { compression, encoding: 'UTF-8', lineEnds: 'none', form: binary }, rows: [], bad: [], more: false };
  }
  const isBigEndian = bytes[0] === 0xfe;
  const decoder = new TextDecoder(encoding === 'UTF-16' ? (isBigEndian ? 'utf-16be' : 'utf-16le') : encoding === 'not UTF-8' ? 'latin1' : 'utf-8');
  const text = decoder.decode(bytes);
  const first = text.slice(0, HEAD);
  const form = textFormOf(first);
  return { format: { compression, encoding, lineEnds: lineEndsOf(first), form }, ...rowsOf(text, form, limit, cut) };
}

interface Unpacked {
  readonly bytes: Uint8Array;
  readonly compression: FileFormat['compression'];
  /** The file goes on. */
  readonly cut: boolean;
}

async function unpacked(file: string): Promise<Unpacked> {
  try {
    const stream = file === '-' ? process.stdin : createReadStream(file);
    const chunks: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]();
    const first = await chunks.next();
    if (first.done === true) return { bytes: new Uint8Array(0), compression: 'none', cut: false };
    const compression = compressionOf(first.value);
    const all = following(first.value, chunks);
    if (compression === 'gzip') {
      const gunzip = pipeline(Readable.from(all), createGunzip(), () => {});
      return { ...(await upTo(gunzip, MOST_BYTES)), compression };
    }
    if (compression === 'zstd') {
      const packed = await upTo(all, MOST_ZSTD);
      if (packed.cut) throw new Error('packed with zstd and too large to unpack as a whole: unpack it first (zstd -d)');
      return { ...cutAt(withoutPadding(decodeZstd(packed.bytes, 2 * MOST_ZSTD, ZSTD_TIME)), MOST_BYTES), compression };
    }
    return { ...(await upTo(all, MOST_BYTES)), compression };
  } catch (error) {
    throw new Error(fileProblem(file, error), { cause: error });
  }
}

async function* following(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

async function upTo(stream: AsyncIterable<Uint8Array>, most: number): Promise<{ readonly bytes: Uint8Array; readonly cut: boolean }> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    parts.push(part);
    length += part.length;
    if (length > most) return { bytes: Buffer.concat(parts, most), cut: true };
  }
  return { bytes: Buffer.concat(parts), cut: false };
}

function cutAt(bytes: Uint8Array, most: number): { readonly bytes: Uint8Array; readonly cut: boolean } {
  return { bytes: bytes.subarray(0, most), cut: bytes.length > most };
}

/** Zeros may follow where a frame does not say how long it is; text holds none. */
function withoutPadding(bytes: Uint8Array): Uint8Array {
  const end = bytes.findLastIndex((byte) => byte !== 0);
  return bytes.subarray(0, end + 1);
}
