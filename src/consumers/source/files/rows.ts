import { statSync } from 'node:fs';
import type { FileForm } from '../../decode/decoder-settings.ts';
import { CsvRows, type RowObject } from './csv.ts';
import { ANY_FORM, type FileFormat, type FileRow, formatOf } from './format.ts';
import { JsonValues } from './json.ts';
import { LineSplitter, type ReadProgress, readBytes, UnreadableFile } from './lines.ts';

export interface RowsOptions {
  readonly form?: FileForm | undefined;
  /** Bytes of the longest row that can be valid. Longer ones are cut just above it. */
  readonly longest?: number;
  /** Converts the fields of a CSV row. Default: an object with the texts by column, without the empty ones. */
  readonly toObject?: RowObject | undefined;
  readonly progress?: ReadProgress;
}

/** A file whose first bytes were read. */
export interface OpenedFile {
  /** undefined: the file is empty. */
  readonly format: FileFormat | undefined;
  /** In groups as they are read; a group may be empty. Rejects with an UnreadableFile. */
  readonly rows: AsyncGenerator<readonly FileRow[]>;
}

const LONGEST = 2 ** 24;

/** Enough to detect the format of a file; a pipe may give less at a time. */
const FIRST_BYTES = 4096;

/**
 * Opens a file of any form (`FileFormat`), plain, gzipped or packed by zstd; `-` is standard input. Rows come as they are read: a
 * line, a value or a row group at a time, never the whole file.
 * Rejects with an UnreadableFile.
 */
export async function openRows(path: string, options: RowsOptions = {}): Promise<OpenedFile> {
  const { form = ANY_FORM, progress = { bytes: 0 } } = options;
  const before = progress.bytes;
  const chunks = readBytes(path, progress);
  let first: Uint8Array = new Uint8Array(0);
  let format: FileFormat | undefined;
  try {
    while (first.length < FIRST_BYTES) {
      const chunk = await chunks.next();
      if (chunk.done === true) break;
      first = first.length === 0 ? chunk.value : Buffer.concat([first, chunk.value]);
    }
    if (first.length > 0) format = formatOf(first, path, form);
    if (format?.kind === 'parquet') {
      await chunks.return(undefined);
      progress.bytes = before;
      if (path === '-' || !statSync(path).isFile())
        throw new Error('Parquet is read from its end: give the file by its name, not on standard input or by a pipe');
    }
  } catch (error) {
    throw new UnreadableFile(path, error);
  }
  const rows = format === undefined ? none() : format.kind === 'parquet' ? columns() : cut(format);
  return { format, rows: explained(path, rows) };

  async function* columns(): AsyncGenerator<readonly FileRow[]> {
    const { readParquet } = await import('./parquet.ts');
    yield* readParquet(path, progress);
  }

  async function* cut(found: FileFormat): AsyncGenerator<readonly FileRow[]> {
    const cutter = cutterOf(found, options);
    yield cutter.push(found.hasMark ? first.subarray(3) : first);
    first = new Uint8Array(0);
    for await (const chunk of chunks) yield cutter.push(chunk);
    yield cutter.end();
  }
}

/** The rows of a file in groups, as `openRows` opens it. */
export async function* readRows(path: string, options: RowsOptions = {}): AsyncGenerator<readonly FileRow[]> {
  const { rows } = await openRows(path, options);
  yield* rows;
}

async function* none(): AsyncGenerator<readonly FileRow[]> {}

async function* explained(path: string, rows: AsyncGenerator<readonly FileRow[]>): AsyncGenerator<readonly FileRow[]> {
  try {
    yield* rows;
  } catch (error) {
    throw error instanceof UnreadableFile ? error : new UnreadableFile(path, error);
  }
}

interface Cutter {
  push(chunk: Uint8Array): readonly FileRow[];
  end(): readonly FileRow[];
}

function cutterOf({ kind, delimiter = ',' }: FileFormat, options: RowsOptions): Cutter {
  const { form = ANY_FORM, longest = LONGEST, toObject = objectOf } = options;
  if (kind === 'json') return new JsonValues(longest);
  if (kind === 'csv') return new CsvRows({ delimiter, columns: form.columns, longest, toObject });
  return new Lines(longest);
}

/** Lines that are not blank, each a row. */
class Lines implements Cutter {
  readonly #splitter: LineSplitter;
  #row = 0;

  constructor(longest: number) {
    this.#splitter = new LineSplitter(longest);
  }

  push(chunk: Uint8Array): readonly FileRow[] {
    return this.#splitter.split(chunk).map((value) => ({ value, row: ++this.#row }));
  }

  end(): readonly FileRow[] {
    const value = this.#splitter.end();
    return value === undefined ? [] : [{ value, row: ++this.#row }];
  }
}

/** An empty field, and the `\N` of databases, is absent. */
function objectOf(names: readonly string[], fields: readonly string[]): object {
  const object: Record<string, string> = Object.create(null);
  for (let i = 0; i < names.length; i++) if (fields[i] !== '' && fields[i] !== '\\N') object[names[i]] = fields[i];
  return object;
}
