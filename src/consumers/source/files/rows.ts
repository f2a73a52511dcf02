import { statSync } from 'node:fs';
import { messageOf } from '../../../vocabulary/error-text.ts';
import { plainRow } from '../../decode/csv-row.ts';
import type { FileForm } from '../../decode/decoder-settings.ts';
import { CsvRows, type RowObject } from './csv.ts';
import { ANY_FORM, type FileFormat, type FileRow, formatOf } from './format.ts';
import { LineSplitter, type ReadProgress, readBytes, UnreadableFile, withLineFeeds } from './lines.ts';

export interface RowsOptions {
  readonly form?: FileForm | undefined;
  /** Bytes of the longest row that can be valid. Longer ones are cut just above it. */
  readonly longest?: number;
  /** Converts the fields of a CSV row. Default: an object of texts by column, without empty ones. */
  readonly toObject?: RowObject | undefined;
  readonly progress?: ReadProgress;
}

/** A file whose format was detected from its first bytes. */
interface OpenedFile {
  /** undefined: the file is empty. */
  readonly format: FileFormat | undefined;
  /** Rows in groups as they are read; a group may be empty. Rejects with an UnreadableFile. */
  readonly rows: AsyncGenerator<readonly FileRow[]>;
}

const LONGEST = 2 ** 24;

/** Enough to detect the format of a file. A pipe may deliver fewer bytes at a time. */
const FIRST_BYTES = 4096;

/**
 * Opens a file of any form (`FileFormat`), plain, gzipped or packed by zstd; `-` is standard input. Rows are returned as they are read, a
 * line, a value or a row group at a time, never the whole file. Rejects with an UnreadableFile.
 */
export async function openRows(path: string, options: RowsOptions = {}): Promise<OpenedFile> {
  const { form = ANY_FORM, progress = { bytes: 0 } } = options;
  const before = progress.bytes;
  const chunks = withLineFeeds(readBytes(path, progress));
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
  return { format, rows: explained(path, sizeOf(path), rows) };

  async function* columns(): AsyncGenerator<readonly FileRow[]> {
    const { readParquet } = await import('./parquet.ts');
    yield* readParquet(path, options.longest ?? LONGEST, progress);
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

/**
 * Turns errors into UnreadableFile.
 * @param size that of the file when it was opened
 */
async function* explained(
  path: string,
  size: number | undefined,
  rows: AsyncGenerator<readonly FileRow[]>,
): AsyncGenerator<readonly FileRow[]> {
  try {
    yield* rows;
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile(path, sizeOf(path) === size ? error : new Error(`${CHANGED} (${messageOf(error)})`));
  }
}

const CHANGED = 'it changed while it was read: wait until its writer is done, or read a copy';

/** The size of a file in bytes; undefined: the path is not a regular file. */
function sizeOf(path: string): number | undefined {
  const stats = path === '-' ? undefined : statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true ? stats.size : undefined;
}

interface Cutter {
  push(chunk: Uint8Array): readonly FileRow[];
  end(): readonly FileRow[];
}

function cutterOf({ kind, delimiter = ',' }: FileFormat, options: RowsOptions): Cutter {
  const { form = ANY_FORM, longest = LONGEST, toObject = plainRow } = options;
  if (kind === 'json') return new JsonValues(longest);
  if (kind === 'csv') return new CsvRows({ delimiter, columns: form.columns, longest, toObject });
  return new Lines(longest, form.format === 'auto');
}

/** Splits bytes into lines that are not blank, each a row. A line that begins with a list of objects is a row for each of them. */
export class Lines implements Cutter {
  readonly #longest: number;
  readonly #splitter: LineSplitter;
  /** The list that is being read. */
  #list: JsonValues | undefined;
  #row = 0;

  /** @param hasLists whether lines that are lists are split; otherwise each is a row like any other */
  constructor(longest: number, hasLists: boolean) {
    this.#longest = longest;
    this.#splitter = new LineSplitter(longest, hasLists);
  }

  push(chunk: Uint8Array): readonly FileRow[] {
    const rows: FileRow[] = [];
    const add = (value: Uint8Array): void => {
      rows.push({ value, row: ++this.#row });
    };
    const bytes = this.#list === undefined ? this.#splitter.resume(chunk) : chunk;
    for (let at = 0; at < bytes.length; ) {
      if (this.#list === undefined) {
        at = this.#splitter.split(bytes, at, add);
        if (at < bytes.length) this.#list = new JsonValues(this.#longest, 'one list');
      } else {
        at = this.#list.take(bytes, at, add);
        if (this.#list.isEnded) this.#list = undefined;
      }
    }
    return rows;
  }

  end(): readonly FileRow[] {
    const value = this.#list === undefined ? this.#splitter.end() : this.#list.rest();
    return value === undefined ? [] : [{ value, row: ++this.#row }];
  }
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Splits bytes into JSON values: the elements of one or several lists, or values one after the other, regardless of lines. It only looks
 * for the ends of values; the decoder reports errors inside of them. A value longer than `longest` is cut just above it, so that the
 * decoder refuses it as too large and no memory is spent on the rest.
 */
export class JsonValues {
  readonly #longest: number;
  readonly #isOneList: boolean;
  #row = 0;
  #begun = false;
  #isList = false;
  #listEnded = false;
  /** Number of open brackets; 0 before the value starts, and in a value that is neither a list nor an object. */
  #depth = 0;
  #state: 'between' | 'structure' | 'scalar' = 'between';
  #inText = false;
  #escaped = false;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;

  /** @param holds what the bytes hold: one list among lines ends with its bracket, or with the line in which a value does not end */
  constructor(longest: number, holds: 'anything' | 'one list' = 'anything') {
    this.#longest = longest;
    this.#isOneList = holds === 'one list';
  }

  /** Whether one list has ended. */
  get isEnded(): boolean {
    return this.#isOneList && this.#listEnded;
  }

  push(chunk: Uint8Array): readonly FileRow[] {
    const rows: FileRow[] = [];
    this.take(chunk, 0, (value) => rows.push({ value, row: ++this.#row }));
    return rows;
  }

  /** Adds the values that end in the chunk from `begin` on. @returns where one list has ended, or the length of the chunk */
  take(chunk: Uint8Array, begin: number, add: (value: Uint8Array) => void): number {
    let from = begin;
    for (let i = begin; i < chunk.length; i++) {
      const byte = chunk[i];
      if (byte === LINE_FEED && this.#isOneList && this.#state !== 'between') {
        this.#listEnded = true;
        this.#inText = false;
        add(this.#finish(chunk.subarray(from, i)));
        return i + 1;
      }
      if (this.#inText) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inText = false;
        continue;
      }
      if (this.#state === 'between') {
        if (byte <= 0x20 || byte === COMMA) continue;
        if (byte === CLOSE_BRACKET && this.#isList && !this.#listEnded) {
          this.#listEnded = true;
          if (this.#isOneList) return i + 1;
          continue;
        }
        if (byte === OPEN_BRACKET && (!this.#begun || this.#listEnded)) {
          this.#begun = true;
          this.#isList = true;
          this.#listEnded = false;
          continue;
        }
        this.#begun = true;
        from = i;
        this.#depth = 0;
        this.#state = byte === OPEN_BRACE || byte === OPEN_BRACKET ? 'structure' : 'scalar';
        if (this.#state === 'structure') this.#depth = 1;
        else if (byte === QUOTE) this.#inText = true;
        continue;
      }
      if (byte === QUOTE) this.#inText = true;
      else if (this.#state === 'scalar') {
        if (byte > 0x20 && byte !== COMMA && byte !== CLOSE_BRACKET) continue;
        add(this.#finish(chunk.subarray(from, i)));
        if (byte !== CLOSE_BRACKET || !this.#isList) continue;
        this.#listEnded = true;
        if (this.#isOneList) return i + 1;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --this.#depth === 0) {
        add(this.#finish(chunk.subarray(from, i + 1)));
      }
    }
    if (this.#state !== 'between') this.#keep(chunk.subarray(from));
    return chunk.length;
  }

  /** What is left of one list that has no end: a value without its end, else its bracket. */
  rest(): Uint8Array {
    return this.#state === 'between' ? Uint8Array.of(OPEN_BRACKET) : this.#finish(new Uint8Array(0));
  }

  /** @throws Error if a value or the list does not end */
  end(): readonly FileRow[] {
    if (this.#state === 'scalar' && !this.#inText && !this.#isList) {
      return [{ value: this.#finish(new Uint8Array(0)), row: ++this.#row }];
    }
    if (this.#state !== 'between') throw new Error(`it ends in the middle of value ${this.#row + 1}: was it cut off?`);
    if (this.#isList && !this.#listEnded)
      throw new Error(`its list has no end after value ${this.#row}: was it cut off?`);
    return [];
  }

  #keep(piece: Uint8Array): void {
    const room = this.#longest + 1 - this.#keptBytes;
    if (room <= 0) return;
    const kept = piece.slice(0, room);
    this.#kept.push(kept);
    this.#keptBytes += kept.length;
  }

  #finish(piece: Uint8Array): Uint8Array {
    this.#keep(piece);
    const value = this.#kept.length === 1 ? this.#kept[0] : Buffer.concat(this.#kept);
    this.#kept = [];
    this.#keptBytes = 0;
    this.#state = 'between';
    return value;
  }
}
