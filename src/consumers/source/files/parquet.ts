import { open } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
} from 'hyparquet';
import { Lz4Blocks } from '../kafka/codecs/lz4.ts';
import { type FileRow, isParquet } from './format.ts';
import type { ReadProgress } from './lines.ts';
import { unpackZstdBlock } from './unpack-zstd.ts';

const ROWS_PER_GROUP = 500;

/**
 * The rows of a Parquet file, one row group in memory at a time. Whole numbers above 2^53 - 1 become texts and decimals JSON
 * numbers; times are ISO 8601 (without a zone if the column has none), bytes UTF-8.
 */
export async function* readParquet(path: string, progress: ReadProgress): AsyncGenerator<readonly FileRow[]> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const buffer: AsyncBuffer = {
      byteLength: size,
      slice: async (start, end = size) => {
        const bytes = new Uint8Array(Math.max(0, end - start));
        for (let at = 0; at < bytes.length; ) {
          const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
          if (bytesRead === 0) throw new Error('it ends before its row groups do');
          at += bytesRead;
        }
        return bytes.buffer;
      },
    };
    if (!isParquet(new Uint8Array(await buffer.slice(0, 4)))) {
      throw new Error('it is not a Parquet file, or a packed one: Parquet packs its pages itself, so unpack the file');
    }
    const metadata = await parquetMetadataAsync(buffer);
    const local = localTimes(metadata);
    let row = 0;
    for (const { num_rows, total_byte_size, total_compressed_size = total_byte_size } of metadata.row_groups) {
      const rows = await parquetReadObjects({
        file: buffer,
        metadata,
        rowStart: row,
        rowEnd: row + Number(num_rows),
        compressors: COMPRESSORS,
        parsers: { dateFromDays: (days) => new Date(days * 86_400_000).toISOString().slice(0, 10) },
      });
      progress.bytes += Number(total_compressed_size);
      for (let from = 0; from < rows.length; from += ROWS_PER_GROUP) {
        yield rows.slice(from, from + ROWS_PER_GROUP).map((object) => ({ value: jsonOf(object, local), row: ++row }));
      }
    }
  } finally {
    await file.close();
  }
}

/** Names of the columns with local times, which are not instants. */
function localTimes({ schema }: FileMetaData): ReadonlySet<string> {
  return new Set(
    schema
      .filter(({ logical_type }) => logical_type?.type === 'TIMESTAMP' && !logical_type.isAdjustedToUTC)
      .map(({ name }) => name),
  );
}

function jsonOf(row: object, local: ReadonlySet<string>): Uint8Array {
  return Buffer.from(
    JSON.stringify(row, (name, value: unknown) => {
      if (typeof value === 'bigint') {
        return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
      }
      if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
      // An instant, as Date.toJSON writes it.
      return typeof value === 'string' && local.has(name) ? value.replace(/Z$/, '') : value;
    }),
  );
}

let lz4: Lz4Blocks | undefined;

/** Besides snappy, which hyparquet has built in. None returns more bytes than the page declares. */
const COMPRESSORS: Compressors = {
  GZIP: (input, bytes) => gunzipSync(input, { maxOutputLength: Math.max(1, bytes) }),
  BROTLI: (input, bytes) => brotliDecompressSync(input, { maxOutputLength: Math.max(1, bytes) }),
  ZSTD: unpackZstdBlock,
  LZ4_RAW: (input, bytes) => {
    lz4 ??= new Lz4Blocks();
    lz4.begin(input, bytes);
    const fault = lz4.add(0, input.length, bytes);
    if (fault !== undefined) throw new Error(`lz4: ${fault}`);
    return lz4.take();
  },
};
