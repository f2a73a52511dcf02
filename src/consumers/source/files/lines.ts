import { createReadStream, statSync } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { codeOf, messageOf } from '../../../vocabulary/error-text.ts';

const CHUNK_BYTES = 1 << 18;
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const TAB = 9;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
/** Bytes before the first brace of a list; where there are more of them at the end of a chunk, it is a line like any other. */
const MOST_BEFORE_LIST = 1000;

/** An error for a file that cannot be read to its end; `cause` is the error of the system or of zlib. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  readonly file: string;

  constructor(file: string, cause: unknown) {
    super(`cannot read ${file}: ${messageOf(cause)}`, { cause });
    this.file = file;
  }
}

/** How far a file has been read, in bytes of the (packed) file. */
export interface ReadProgress {
  bytes: number;
}

/** The first bytes of a zstd frame, and of a skippable frame (whose lowest four bits are free). */
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd] as const;
const SKIPPABLE = [0x50, 0x2a, 0x4d, 0x18] as const;

/** Whether a file is packed, by its first bytes, regardless of its name. */
export function packingOf(first: Uint8Array): 'gz' | 'zst' | undefined {
  if (first[0] === 0x1f && first[1] === 0x8b) return 'gz';
  return isZstd(first) ? 'zst' : undefined;
}

function isZstd(first: Uint8Array): boolean {
  return (
    MAGIC.every((byte, i) => first[i] === byte) || SKIPPABLE.every((byte, i) => (first[i] & (i ? 255 : 240)) === byte)
  );
}

/**
 * The bytes of a file, unpacked if it is gzipped or packed by zstd. `-` is standard input. Rejects with the error of the
 * system, or with one that says how packed data are damaged and what to do.
 */
export async function* readBytes(file: string, progress: ReadProgress): AsyncGenerator<Uint8Array> {
  const stored = counted(
    file === '-' ? process.stdin : createReadStream(file, { highWaterMark: CHUNK_BYTES }),
    progress,
  );
  // A pipe may deliver fewer bytes at a time than are needed to detect the packing.
  let first: Uint8Array = new Uint8Array(0);
  while (first.length < MAGIC.length) {
    const { value, done } = await stored.next();
    if (done === true) break;
    first = first.length === 0 ? value : Buffer.concat([first, value]);
  }
  if (first.length === 0) return;
  const all = following(first, stored);
  const packing = packingOf(first);
  if (packing === undefined) {
    yield* all;
    return;
  }
  try {
    if (packing === 'gz') yield* unpackGzip(file, all);
    else yield* (await import('./unpack-zstd.ts')).unpackZstd(all);
  } catch (error) {
    const known: Readonly<Record<string, string>> = {
      Z_BUF_ERROR: 'the gzip data end too early',
      Z_DATA_ERROR: `the gzip data are damaged: ${messageOf(error)}`,
    };
    const damage = known[codeOf(error)] ?? (error instanceof RangeError ? messageOf(error) : undefined);
    if (damage === undefined) throw error;
    throw new Error(`${damage}. Copy the file again from where it was written, or pack it again`, { cause: error });
  }
}

/** Bytes in which the first line end is searched. */
const FIRST_BYTES = 1 << 16;

/**
 * The same bytes with line feeds in place of carriage returns, if the lines end as on old Macs: a carriage return is among the first
 * 64 KiB, and no line feed (specification: events 7). A chunk of other line ends is passed on as it is. Chunks may be changed.
 */
export async function* withLineFeeds(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let first: Uint8Array | undefined = new Uint8Array(0);
  let isMac = false;
  for await (const chunk of chunks) {
    if (first === undefined) {
      yield isMac ? fed(chunk) : chunk;
      continue;
    }
    first = Buffer.concat([first, chunk]);
    const hasFeed: boolean = first.includes(NEWLINE);
    if (!hasFeed && first.length < FIRST_BYTES) continue;
    // A line feed may follow the last byte.
    isMac = !hasFeed && first.subarray(0, -1).includes(CARRIAGE_RETURN);
    yield isMac ? fed(first) : first;
    first = undefined;
  }
  if (first !== undefined && first.length > 0) yield fed(first);
}

function fed(bytes: Uint8Array): Uint8Array {
  for (let at = bytes.indexOf(CARRIAGE_RETURN); at >= 0; at = bytes.indexOf(CARRIAGE_RETURN, at + 1))
    bytes[at] = NEWLINE;
  return bytes;
}

async function* unpackGzip(file: string, packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // The loop over gunzip reports the error, if any.
  yield* pipeline(Readable.from(packed), gunzip, () => {});
  if (file === '-' || !statSync(file).isFile()) return;
  // Zeros may pad the last block of a medium. Node.js ends at the first zero, whatever follows.
  for await (const rest of createReadStream(file, { start: gunzip.bytesWritten })) {
    if (rest.some((byte: number) => byte !== 0))
      throw new RangeError('the gzip data are damaged: zeros are in between');
  }
}

async function* counted(stream: Readable, progress: ReadProgress): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    progress.bytes += chunk.length;
    yield chunk;
  }
}

async function* following(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

/**
 * Splits chunks of bytes into lines without their ends; blank lines are left out. An unfinished line waits for the next chunk.
 * A line longer than `longest` is cut just above it, so that the decoder refuses it as too large and no memory is spent on the
 * rest.
 */
export class LineSplitter {
  readonly #longest: number;
  readonly #hasLists: boolean;
  #unfinished: Uint8Array[] = [];
  #unfinishedBytes = 0;

  /** @param hasLists whether it stops at lines that begin with a list of objects, which are split in another way */
  constructor(longest: number, hasLists: boolean) {
    this.#longest = longest;
    this.#hasLists = hasLists;
  }

  /** @param from where to begin @param lines where lines are added @returns where a line begins with a list, or the length of the chunk */
  split(chunk: Uint8Array, from: number, lines: (line: Uint8Array) => void): number {
    let at = from;
    if (this.#unfinished.length === 0) {
      at = behindBlanks(chunk, at);
      if (this.#hasLists && isListAt(chunk, at)) return at;
    }
    for (let end = chunk.indexOf(NEWLINE, at); end >= 0; end = chunk.indexOf(NEWLINE, at)) {
      const line = this.#finish(chunk.subarray(at, end));
      if (!isBlank(line)) lines(line);
      at = behindBlanks(chunk, end + 1);
      if (this.#hasLists && isListAt(chunk, at)) return at;
    }
    if (at < chunk.length) this.#keep(chunk.subarray(at));
    return chunk.length;
  }

  /** The chunk, behind the beginning of a line that did not show yet whether it is a list. */
  resume(chunk: Uint8Array): Uint8Array {
    const [begin] = this.#unfinished;
    if (!this.#hasLists || this.#unfinished.length !== 1 || begin.length > MOST_BEFORE_LIST || !mayBeList(begin))
      return chunk;
    this.#unfinished = [];
    this.#unfinishedBytes = 0;
    return Buffer.concat([begin, chunk]);
  }

  end(): Uint8Array | undefined {
    const line = this.#finish(new Uint8Array(0));
    return isBlank(line) ? undefined : line;
  }

  #keep(piece: Uint8Array): void {
    const room = this.#longest + 1 - this.#unfinishedBytes;
    if (room <= 0) return;
    const kept = piece.length > room ? piece.slice(0, room) : piece;
    this.#unfinished.push(kept);
    this.#unfinishedBytes += kept.length;
  }

  #finish(piece: Uint8Array): Uint8Array {
    let line = piece;
    if (this.#unfinished.length > 0) {
      this.#keep(piece);
      line = Buffer.concat(this.#unfinished);
      this.#unfinished = [];
      this.#unfinishedBytes = 0;
    }
    const last = line.length - 1;
    return last >= 0 && line[last] === CARRIAGE_RETURN ? line.subarray(0, last) : line;
  }
}

function isBlank(line: Uint8Array): boolean {
  for (const byte of line) if (!isSpace(byte)) return false;
  return true;
}

/** The beginning of the first line from `from` on that is not blank, or not complete. */
function behindBlanks(chunk: Uint8Array, from: number): number {
  let line = from;
  for (let at = from; chunk[at] === NEWLINE || isSpace(chunk[at]); at++) if (chunk[at] === NEWLINE) line = at + 1;
  return line;
}

/** Whether a list of objects begins at `from`: a bracket, and then a brace, the end of the list, or that of the line. */
function isListAt(bytes: Uint8Array, from: number): boolean {
  const open = behindSpaces(bytes, from);
  if (bytes[open] !== OPEN_BRACKET) return false;
  const next = bytes[behindSpaces(bytes, open + 1)];
  return next === OPEN_BRACE || next === CLOSE_BRACKET || next === NEWLINE;
}

/** Whether it holds nothing but spaces and at most one bracket. */
function mayBeList(begin: Uint8Array): boolean {
  const open = behindSpaces(begin, 0);
  return open === begin.length || (begin[open] === OPEN_BRACKET && behindSpaces(begin, open + 1) === begin.length);
}

function behindSpaces(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at++;
  return at;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN;
}
