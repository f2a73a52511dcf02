import { isUtf8 } from 'node:buffer';
import type { FileRow } from './format.ts';

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NOTHING = new Uint8Array(0);

/** From the fields of a row to its object; an empty field is absent. */
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

/**
 * Cuts bytes into the rows of a CSV (RFC 4180, with any delimiter) and makes an object of each. A field in quotes may contain
 * delimiters, line breaks and doubled quotes; in a field that does not start with a quote, quotes are ordinary characters. A
 * row with a quote that does not end, or with more or fewer fields than the header, is refused as its first line alone, and
 * reading continues with the next line, so that a stray quote costs no more than its own line.
 */
export class CsvRows {
  readonly #settings: CsvSettings;
  readonly #delimiter: number;
  #names: readonly string[] | undefined;
  /** Bytes that were not split into rows yet. */
  #bytes: Uint8Array = NOTHING;
  #row = 0;
  /** Whether it is inside a line that was refused as too long. */
  #isSkipping = false;

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
      const line = this.#lineEnd(from);
      if (this.#isSkipping) {
        this.#isSkipping = line < 0;
        from = line < 0 ? bytes.length : line + 1;
        continue;
      }
      const end = this.#rowEnd(from, isEnd);
      if (end >= 0) {
        const row = this.#rowOf(bytes.subarray(from, end));
        if (row !== undefined) rows.push(row);
        from = end + 1;
        continue;
      }
      if (end === INCOMPLETE && !isEnd && bytes.length - from <= longest + 1) break;
      // A quote that does not end or is not allowed there, or a line that is too long.
      if (line < 0 && !isEnd && bytes.length - from <= longest + 1) break;
      const to = line < 0 ? bytes.length : line;
      const isTooLong = to - from > longest;
      const value = bytes.slice(from, Math.min(to, from + longest + 1));
      rows.push({ value, row: ++this.#row, refused: isTooLong ? 'too_large' : 'not_csv' });
      this.#isSkipping = line < 0 && !isEnd;
      from = to + 1;
    }
    this.#bytes = from >= bytes.length ? NOTHING : bytes.slice(from);
    return rows;
  }

  #lineEnd(from: number): number {
    return this.#bytes.indexOf(LINE_FEED, from);
  }

  /** The place after the row at `from` and its line feed; else why there is no row. */
  #rowEnd(from: number, isEnd: boolean): number {
    const bytes = this.#bytes;
    const line = this.#lineEnd(from);
    const lineEnd = line < 0 ? bytes.length : line;
    const quote = bytes.subarray(from, lineEnd).indexOf(QUOTE);
    if (quote < 0) return line < 0 && !isEnd ? INCOMPLETE : lineEnd;
    let at = from;
    for (;;) {
      if (bytes[at] === QUOTE) {
        do {
          at = bytes.indexOf(QUOTE, at + 1);
          if (at < 0) return INCOMPLETE;
          at++;
        } while (bytes[at] === QUOTE);
        if (at === bytes.length && !isEnd) return INCOMPLETE;
        const next = bytes[at] === CARRIAGE_RETURN ? bytes[at + 1] : bytes[at];
        if (next !== undefined && next !== this.#delimiter && next !== LINE_FEED) return MALFORMED;
      }
      while (at < bytes.length && bytes[at] !== this.#delimiter && bytes[at] !== LINE_FEED) at++;
      if (at >= bytes.length) return isEnd ? bytes.length : INCOMPLETE;
      if (bytes[at] === LINE_FEED) return at - from > this.#settings.longest && at > lineEnd ? MALFORMED : at;
      at++;
    }
  }

  /** undefined: a header, or a blank line. */
  #rowOf(raw: Uint8Array): FileRow | undefined {
    const last = raw.length - 1;
    const bytes = raw[last] === CARRIAGE_RETURN ? raw.subarray(0, last) : raw;
    const value = bytes.slice(0, this.#settings.longest + 1);
    if (isBlank(bytes)) return undefined;
    this.#row++;
    const row = this.#row;
    if (bytes.length > this.#settings.longest) return { value, row, refused: 'too_large' };
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

/** Names of columns: each once, none empty. */
function namesOf(header: readonly string[]): readonly string[] {
  const names: string[] = [];
  for (const [i, text] of header.entries()) {
    const name = text.trim() === '' ? `column_${i + 1}` : text.trim();
    let own = name;
    for (let n = 2; names.includes(own); n++) own = `${name}_${n}`;
    names.push(own);
  }
  return names;
}
