import { isUtf8 } from 'node:buffer';
import type { FileRow } from './format.ts';

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NOTHING = new Uint8Array(0);
/** Limits of the header. Each row becomes an object with all names, so they bound what a byte of a row can cost. */
const MOST_COLUMNS = 10_000;
const LONGEST_NAME = 300;

/** Turns the fields of a row into its object; an empty field is absent. */
export type RowObject = (names: readonly string[], fields: readonly string[]) => object;

interface CsvSettings {
  /** One character of ASCII. */
  readonly delimiter: string;
  /** undefined: the first row names them. */
  readonly columns: readonly string[] | undefined;
  /** Bytes of the longest row that can be valid. */
  readonly longest: number;
  readonly toObject: RowObject;
}

/** A row that continues after its first line, as far as it was followed. */
interface Followed {
  /** All line feeds of the row before this index are in quotes. */
  at: number;
  inQuotes: boolean;
  /** Index of the line feed that ends it, or MALFORMED; undefined: not known yet. */
  end: number | undefined;
}

/**
 * Cuts bytes into the rows of a CSV (RFC 4180, with any delimiter) and makes an object of each. A field in quotes may contain delimiters,
 * line breaks and doubled quotes; in a field that does not start with a quote, quotes are ordinary characters. A row with a quote that
 * does not end, or with more or fewer fields than the header, is refused as its first line alone, and reading continues with the next
 * line, so that a stray quote costs no more than its own line.
 *
 * Each byte is examined only a few times, whatever the quotes are. A row passes a line feed only in quotes, so two rows that pass the
 * same one continue and end alike, and the second is not followed again.
 */
export class CsvRows {
  readonly #settings: CsvSettings;
  readonly #delimiter: number;
  #names: readonly string[] | undefined;
  /** Bytes that have not been split into rows. */
  #bytes: Uint8Array = NOTHING;
  #row = 0;
  /** Whether the current position is inside a line that was refused as too long. */
  #isSkipping = false;
  #followed: Followed | undefined;
  /** Number of bytes that were searched for the ends of lines, fields and rows: the work that depends on quotes. */
  searched = 0;

  constructor(settings: CsvSettings) {
    this.#settings = settings;
    this.#delimiter = settings.delimiter.charCodeAt(0);
    this.#names = settings.columns;
  }

  /** The rows that end in these bytes. @throws Error if the first line cannot be a header */
  push(chunk: Uint8Array): readonly FileRow[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    return this.#cut(false);
  }

  end(): readonly FileRow[] {
    return this.#cut(true);
  }

  #cut(isEnd: boolean): readonly FileRow[] {
    const rows: FileRow[] = [];
    const bytes = this.#bytes;
    const { longest } = this.#settings;
    let from = 0;
    while (from < bytes.length) {
      const feed = bytes.indexOf(LINE_FEED, from);
      const to = feed < 0 ? bytes.length : feed;
      this.searched += to - from;
      if (this.#isSkipping) {
        this.#isSkipping = feed < 0;
        from = to + 1;
        continue;
      }
      const end = feed < 0 && !isEnd ? INCOMPLETE : this.#rowEnd(from, to, isEnd);
      if (end >= 0) {
        const row = this.#rowOf(bytes.subarray(from, end));
        if (row !== undefined) rows.push(row);
        from = end + 1;
        continue;
      }
      if (end === INCOMPLETE && !isEnd && bytes.length - from <= longest + 1) break;
      // The quote does not end, is not allowed there, or the line is too long.
      const isTooLong = to - from > longest;
      const value = bytes.slice(from, Math.min(to, from + longest + 1));
      rows.push({ value, row: ++this.#row, refused: isTooLong ? 'too_large' : 'not_csv' });
      this.#isSkipping = feed < 0 && !isEnd;
      from = to + 1;
    }
    this.#bytes = from >= bytes.length ? NOTHING : bytes.slice(from);
    if (this.#followed !== undefined) this.#followed = cutBefore(from, this.#followed);
    return rows;
  }

  /** Index of the line feed that ends the row at `from`, whose first line ends before `feed`; else why there is no row. */
  #rowEnd(from: number, feed: number, isEnd: boolean): number {
    const line = this.#bytes.subarray(from, feed);
    if (!line.includes(QUOTE)) return feed;
    this.searched += line.length;
    for (let at = 0; at >= 0; ) {
      if (line[at] === QUOTE) {
        const close = closingQuote(line, at + 1);
        if (close < 0) return this.#endBehind(from, feed, isEnd);
        if (!this.#mayFollow(line, close)) return MALFORMED;
        at = close + 1;
      }
      const next = line.indexOf(this.#delimiter, at);
      if (next < 0) return feed;
      at = next + 1;
    }
    return feed;
  }

  /** The same for a row whose first line ends in quotes. */
  #endBehind(from: number, feed: number, isEnd: boolean): number {
    let followed = this.#followed;
    if (followed === undefined || feed >= followed.at) {
      followed = { at: feed, inQuotes: true, end: undefined };
      this.#followed = followed;
    }
    if (followed.end === undefined) {
      const { at } = followed;
      this.#follow(followed, isEnd);
      this.searched += followed.at - at;
    }
    const { end = INCOMPLETE } = followed;
    return end - from > this.#settings.longest ? MALFORMED : end;
  }

  /** Follows a row to its end, or as far as the bytes at hand decide. */
  #follow(row: Followed, isEnd: boolean): void {
    const bytes = this.#bytes;
    for (;;) {
      if (row.inQuotes) {
        const close = closingQuote(bytes, row.at);
        row.at = close < 0 ? bytes.length : close;
        if (close < 0 || (!isEnd && close + (bytes[close + 1] === CARRIAGE_RETURN ? 2 : 1) >= bytes.length)) return;
        if (!this.#mayFollow(bytes, close)) {
          row.end = MALFORMED;
          return;
        }
        row.inQuotes = false;
        row.at++;
      }
      while (row.at < bytes.length && bytes[row.at] !== this.#delimiter && bytes[row.at] !== LINE_FEED) row.at++;
      if (bytes[row.at] !== this.#delimiter) {
        if (isEnd || bytes[row.at] === LINE_FEED) row.end = row.at;
        return;
      }
      if (row.at + 1 === bytes.length && !isEnd) return;
      row.inQuotes = bytes[row.at + 1] === QUOTE;
      row.at += row.inQuotes ? 2 : 1;
    }
  }

  /** Whether the quote at `close` may end a field: a delimiter or the end of the row must follow. */
  #mayFollow(bytes: Uint8Array, close: number): boolean {
    const next = bytes[close + 1] === CARRIAGE_RETURN ? bytes[close + 2] : bytes[close + 1];
    return next === undefined || next === this.#delimiter || next === LINE_FEED;
  }

  /** The row; undefined for a header or a blank line. */
  #rowOf(raw: Uint8Array): FileRow | undefined {
    const last = raw.length - 1;
    const bytes = raw[last] === CARRIAGE_RETURN ? raw.subarray(0, last) : raw;
    const value = bytes.slice(0, this.#settings.longest + 1);
    const isTooLong = bytes.length > this.#settings.longest;
    if (!isTooLong && isBlank(bytes)) return undefined;
    this.#row++;
    const row = this.#row;
    if (isTooLong) return { value, row, refused: 'too_large' };
    if (!isUtf8(bytes)) return { value, row, refused: 'not_utf8' };
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
    const fields = fieldsOf(text, this.#settings.delimiter);
    const names = this.#names;
    if (names === undefined) {
      this.#names = namesOf(fields);
      return undefined;
    }
    if (fields.length !== names.length) return { value, row, refused: 'not_csv' };
    return { value: Buffer.from(JSON.stringify(this.#settings.toObject(names, fields))), row };
  }
}

const INCOMPLETE = -1;
const MALFORMED = -2;

/** The quote that ends the field that contains `at`; -1: there is none. */
function closingQuote(bytes: Uint8Array, at: number): number {
  let quote = bytes.indexOf(QUOTE, at);
  while (quote >= 0 && bytes[quote + 1] === QUOTE) quote = bytes.indexOf(QUOTE, quote + 2);
  return quote;
}

/** The followed row after the bytes before `from` were removed; undefined: it began among them. */
function cutBefore(from: number, { at, inQuotes, end }: Followed): Followed | undefined {
  if (at < from) return undefined;
  return { at: at - from, inQuotes, end: end === undefined || end < 0 ? end : end - from };
}

function isBlank(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0x20) return false;
  return true;
}

/** The fields of a row with correct quotes. */
function fieldsOf(text: string, delimiter: string): readonly string[] {
  if (!text.includes('"')) return text.split(delimiter);
  const fields: string[] = [];
  for (let at = 0; ; at++) {
    if (text[at] === '"') {
      let field = '';
      let end = text.indexOf('"', at + 1);
      field = text.slice(at + 1, end);
      while (text[end + 1] === '"') {
        const next = text.indexOf('"', end + 2);
        field += text.slice(end + 1, next);
        end = next;
      }
      fields.push(field);
      at = end + 1;
    } else {
      const next = text.indexOf(delimiter, at);
      const end = next < 0 ? text.length : next;
      fields.push(text.slice(at, end));
      at = end;
    }
    if (at >= text.length) return fields;
  }
}

/** Names of columns: each once, none empty. @throws Error if there are too many, or one is too long */
function namesOf(header: readonly string[]): readonly string[] {
  if (header.length > MOST_COLUMNS) {
    throw new Error(
      `its first line has ${header.length} columns, the most are ${MOST_COLUMNS}: is it the right delimiter?`,
    );
  }
  const names = new Set<string>();
  /** The next suffix to try for each name that occurs twice. */
  const numbers = new Map<string, number>();
  for (const [i, text] of header.entries()) {
    const name = text.trim() === '' ? `column_${i + 1}` : text.trim();
    if (name.length > LONGEST_NAME) {
      throw new Error(
        `column ${i + 1} of its first line has a name of ${name.length} characters, the most are ${LONGEST_NAME}: is the first line a header, and are its quotes right?`,
      );
    }
    let own = name;
    let number = numbers.get(name) ?? 2;
    while (names.has(own)) own = `${name}_${number++}`;
    numbers.set(name, number);
    names.add(own);
  }
  return [...names];
}
