import { open } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type AsyncBuffer, type Compressors, type FileMetaData, parquetMetadataAsync, parquetSchema } from 'hyparquet';
import { assembleNested } from 'hyparquet/src/assemble.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { getTreePath } from 'hyparquet/src/schema.js';
import { isTooDeep } from '../../decode/raw.ts';
import { Lz4Blocks } from '../kafka/codecs/lz4.ts';
import { type FileRow, isParquet } from './format.ts';
import type { ReadProgress } from './lines.ts';
import { ParquetColumn, type ReadAt } from './parquet-column.ts';
import { unpackZstdBlock } from './unpack-zstd.ts';

type RowGroup = FileMetaData['row_groups'][number];
type SchemaTree = ReturnType<typeof parquetSchema>;
type Parsers = typeof DEFAULT_PARSERS;

const ROWS_AT_ONCE = 500;
/** Size of a group of rows in bytes of JSON, unless a single row has more. */
const BYTES_AT_ONCE = 1 << 22;
/** Characters that are kept of each text in a row that is too large. */
const EXCERPT = 100;
/** Limit of compression: equal rows take a few bits each, while the rows of a real log take bytes. */
const MOST_ROWS_PER_BYTE = 1000;

/**
 * The rows of a Parquet file, some of each column in memory at a time. Whole numbers above 2^53 - 1 become texts and decimals JSON
 * numbers; times are ISO 8601 (without a zone if the column has none), bytes UTF-8. A row whose values alone are longer than
 * `longest` is refused before anything is copied, with the beginnings of its texts.
 * @param longest bytes of the longest row that can be valid
 */
export async function* readParquet(
  path: string,
  longest: number,
  progress: ReadProgress,
): AsyncGenerator<readonly FileRow[]> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const readAt: ReadAt = async (from, to) => {
      const bytes = new Uint8Array(Math.max(0, to - from));
      for (let at = 0; at < bytes.length; ) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, from + at);
        if (bytesRead === 0) throw new Error('it ends before its row groups do');
        at += bytesRead;
      }
      return bytes;
    };
    if (!isParquet(await readAt(0, Math.min(4, size)))) {
      throw new Error('it is not a Parquet file, or a packed one: Parquet packs its pages itself, so unpack the file');
    }
    const buffer: AsyncBuffer = {
      byteLength: size,
      slice: async (start, end = size) => (await readAt(start, end)).buffer,
    };
    // Geometries do not occur in a log, and looking for them in a damaged schema does not end.
    const metadata = await parquetMetadataAsync(buffer, { geoparquet: false });
    const local = localTimes(metadata);
    const schema = parquetSchema(metadata);
    const parsers = parsersOf(longest);
    const total = metadata.row_groups.reduce((sum, { num_rows }) => sum + Number(num_rows), 0);
    if (total > MOST_ROWS_PER_BYTE * size)
      throw new Error(`it says to have ${total} rows in ${size} bytes: that is no log`);
    let row = 0;
    for (const group of metadata.row_groups) {
      const before = progress.bytes;
      const bytesOfGroup = Number(group.total_compressed_size ?? group.total_byte_size);
      let read = 0;
      for await (const rows of rowsOf(group, schema, parsers, readAt)) {
        let some: FileRow[] = [];
        let bytes = 0;
        for (const object of rows) {
          const one = rowOf(object, ++row, local, longest);
          some.push(one);
          bytes += one.value.length;
          if (bytes < BYTES_AT_ONCE) continue;
          yield some;
          some = [];
          bytes = 0;
        }
        read += rows.length;
        progress.bytes = before + Math.floor((bytesOfGroup * read) / Number(group.num_rows));
        yield some;
      }
    }
  } catch (error) {
    // No well-formed file causes these errors in hyparquet.
    if (error instanceof TypeError || error instanceof RangeError)
      throw new Error(`it is damaged, or nested too deep (${error.message})`, { cause: error });
    throw error;
  } finally {
    await file.close();
  }
}

/** The rows of a group, as many at a time as all of its columns have ready. */
async function* rowsOf(
  { columns, num_rows }: RowGroup,
  schema: SchemaTree,
  parsers: Parsers,
  readAt: ReadAt,
): AsyncGenerator<readonly object[]> {
  const held = { bytes: 0 };
  const leaves = columns.map(({ file_path, meta_data: own }) => {
    if (file_path) throw new Error('its columns are in other files');
    if (own === undefined) throw new Error('a column has no metadata');
    const schemaPath = getTreePath(schema, own.path_in_schema);
    const { element } = schemaPath[schemaPath.length - 1];
    const from = Number(own.dictionary_page_offset || own.data_page_offset);
    const decoder = {
      ...own,
      pathInSchema: own.path_in_schema,
      schemaPath,
      element,
      parsers,
      compressors: COMPRESSORS,
    };
    return new ParquetColumn(decoder, from, from + Number(own.total_compressed_size), readAt, held);
  });
  const tops = schema.children.flatMap((top) => {
    const own = leaves.filter(({ path }) => path[0] === top.element.name);
    return own.length === 0 ? [] : [{ top, own: top.children.length === 0 ? own.slice(0, 1) : own }];
  });
  const read = tops.flatMap(({ own }) => own);
  for (let left = Number(num_rows); left > 0; ) {
    for (const leaf of read) await leaf.fill(Math.min(left, ROWS_AT_ONCE));
    const count = read.reduce((least, { ready }) => Math.min(least, ready), Math.min(left, ROWS_AT_ONCE));
    if (count === 0 || read.length === 0) throw new Error(`a row group of ${num_rows} rows ends ${left} rows before`);
    left -= count;
    const values = tops.map(({ top, own }) => ({ name: top.element.name, values: valuesOf(top, own, count, parsers) }));
    yield Array.from({ length: count }, (_, i) => Object.fromEntries(values.map((one) => [one.name, one.values[i]])));
  }
}

/** The values of the next rows of a field. Lists and structs are assembled from their leaves. */
function valuesOf(
  top: SchemaTree,
  leaves: readonly ParquetColumn[],
  count: number,
  parsers: Parsers,
): ArrayLike<unknown> {
  if (top.children.length === 0) return leaves[0].take(count);
  const parts = new Map(leaves.map((leaf) => [leaf.path.join('.'), leaf.take(count)]));
  assembleNested(parts, top, parsers);
  const values = parts.get(top.element.name);
  if (values === undefined) throw new Error(`the parts of ${top.element.name} do not belong together`);
  return values;
}

const TEXT = new TextDecoder();

/** Parsers of values. Of a text that is too long, only enough is made to show that it is. */
function parsersOf(longest: number): Parsers {
  const textOf = (bytes: Uint8Array): string =>
    TEXT.decode(bytes.length > longest ? bytes.subarray(0, longest + 1) : bytes);
  return {
    ...DEFAULT_PARSERS,
    dateFromDays: (days) => new Date(days * 86_400_000).toISOString().slice(0, 10),
    stringFromBytes: (bytes) => bytes && textOf(bytes),
    jsonFromBytes: (bytes) => {
      const text = bytes && textOf(bytes);
      return text === undefined || text.length > longest || isTooDeep(text) ? text : JSON.parse(text);
    },
  };
}

/** Names of the columns with local times, which are not instants. */
function localTimes({ schema }: FileMetaData): ReadonlySet<string> {
  return new Set(
    schema
      .filter(({ logical_type }) => logical_type?.type === 'TIMESTAMP' && !logical_type.isAdjustedToUTC)
      .map(({ name }) => name),
  );
}

function rowOf(object: object, row: number, local: ReadonlySet<string>, longest: number): FileRow {
  if (lengthOf(object, longest) <= longest) return { value: jsonOf(object, local), row };
  const excerpt = Object.entries(object).map(([name, value]) => [
    name,
    typeof value === 'string'
      ? value.slice(0, EXCERPT)
      : typeof value === 'object' && !(value instanceof Date)
        ? undefined
        : value,
  ]);
  return { value: jsonOf(Object.fromEntries(excerpt), local), row, refused: 'too_large' };
}

/** Characters and values of a row, which are fewer than the bytes of its JSON. Counting ends when they exceed `most`. */
function lengthOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof Uint8Array) return value.length;
  let length = 1;
  if (Array.isArray(value)) {
    for (const part of value) {
      length += lengthOf(part, most);
      if (length > most) break;
    }
    return length;
  }
  for (const [name, part] of Object.entries(value)) {
    if (part !== undefined) length += name.length + lengthOf(part, most);
    if (length > most) break;
  }
  return length;
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

/** Compressors other than snappy, which hyparquet has built in. None returns more bytes than the page declares. */
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
