import { Buffer } from 'node:buffer';
import { wideEncodingOf } from '../vocabulary/wide-encoding.ts';
import { NEWLINE } from './line-fields.ts';

/** Reads whole lines: bytes[from, to) ends with a newline. The reader splits them. */
export interface BlockReader {
  block(bytes: Uint8Array, from: number, to: number): void;
  /** Called after the last block. */
  end(): void;
}

/** The line of a list may be long; a longer one is no text. */
export const LONGEST_LINE = 64 * 2 ** 20;
const END = Uint8Array.of(NEWLINE);
const MARK = [0xef, 0xbb, 0xbf];

/** Length of the byte order mark at the beginning of a file. */
export function markOf(bytes: Uint8Array): number {
  return MARK.every((byte, i) => bytes[i] === byte) ? MARK.length : 0;
}

/**
 * Splits chunks of a file at line ends, so that a reader gets whole lines and scans each byte once. The part of a line at the end of a
 * chunk is copied until the next chunk; nothing else is kept. A byte order mark at the start is skipped.
 */
export class Blocks {
  readonly #reader: BlockReader;
  readonly #file: string;
  #unfinished: Uint8Array[] = [];
  #bytes = 0;
  #isFirst = true;

  constructor(file: string, reader: BlockReader) {
    this.#file = file;
    this.#reader = reader;
  }

  /** @throws InputError as the reader does, and for a line that does not end */
  add(chunk: Uint8Array): void {
    let from = 0;
    if (this.#isFirst && chunk.length > 0) {
      from = markOf(chunk);
      const wide = wideEncodingOf(chunk);
      if (wide !== undefined) throw new InputError(this.#file, undefined, `this is ${wide}; convert it to UTF-8`);
      this.#isFirst = false;
    }
    const last = chunk.lastIndexOf(NEWLINE) + 1;
    if (last <= from) {
      this.#keep(chunk.slice(from));
      return;
    }
    if (this.#bytes > 0) {
      const first = chunk.indexOf(NEWLINE, from) + 1;
      const line = Buffer.concat([...this.#unfinished, chunk.subarray(from, first)]);
      this.#unfinished = [];
      this.#bytes = 0;
      this.#reader.block(line, 0, line.length);
      from = first;
    }
    if (from < last) this.#reader.block(chunk, from, last);
    if (last < chunk.length) this.#keep(chunk.slice(last));
  }

  end(): void {
    if (this.#bytes > 0) {
      const line = Buffer.concat([...this.#unfinished, END]);
      this.#reader.block(line, 0, line.length);
    }
    this.#reader.end();
  }

  #keep(piece: Uint8Array): void {
    this.#unfinished.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes > LONGEST_LINE) {
      throw new InputError(
        this.#file,
        undefined,
        `a line of more than ${LONGEST_LINE / 2 ** 20} MB: is this a text file?`,
      );
    }
  }
}

/** An error for an input file that does not have its format. The message names file and line, and what was expected. */
export class InputError extends Error {
  override readonly name = 'InputError';

  /** @param line from 1; undefined: the file as a whole */
  constructor(file: string, line: number | undefined, what: string) {
    super(`${file === '-' ? 'standard input' : file}${line === undefined ? '' : `, line ${line}`}: ${what}`);
  }
}

/** A hint for an unreadable row that was meant as a comment: none of these files has comments. */
export function ifComment(first: string): string {
  return first.startsWith('#')
    ? '. A line that begins with # is a row like any other: delete it if it is a comment'
    : '';
}
