import { isUtf8 } from 'node:buffer';
import type { InvalidCode } from '../../../vocabulary/drops.ts';
import { wideEncodingOf } from '../../../vocabulary/wide-encoding.ts';
import type { FileForm } from '../../decode/decoder-settings.ts';

/** One row of a file, converted to JSON from any form. */
export interface FileRow {
  /** An object as JSON in UTF-8; for a refused row, its bytes in the file. Owned by the caller. */
  readonly value: Uint8Array;
  /** Number of the row, from 1; it counts rows that are not blank, including a header. */
  readonly row: number;
  /** Set if the row cannot be made into an object. */
  readonly refused?: InvalidCode;
}

/** The form if nothing is configured. */
export const ANY_FORM: FileForm = { format: 'auto', delimiter: undefined, columns: undefined };

/**
 * Format of a file: `ndjson`, one object a line; `json`, one list of objects, or objects one after the other over several lines; `csv`
 * with its delimiter; `parquet`.
 */
export interface FileFormat {
  readonly kind: 'ndjson' | 'json' | 'csv' | 'parquet';
  /** The delimiter of a CSV. */
  readonly delimiter: string | undefined;
  /** Whether the text starts with a byte order mark. */
  readonly hasMark: boolean;
  /** Line end of the first line; undefined: it has none. */
  readonly lineEnd: 'lf' | 'crlf' | undefined;
}

const DELIMITERS = [',', '\t', ';', '|'] as const;
const LINE_FEED = 10;

/**
 * Detects the format from the first bytes of an unpacked file; its name decides only if they leave it open.
 * @throws Error for text that begins with the byte order mark of another encoding than UTF-8
 */
export function formatOf(first: Uint8Array, name: string, form: FileForm = ANY_FORM): FileFormat {
  const hasMark = first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf;
  const wide = wideEncodingOf(first);
  if (wide !== undefined) throw new Error(`it is ${wide}: convert it to UTF-8`);
  const kind = form.format === 'auto' ? undefined : form.format;
  if (kind === 'parquet' || (kind === undefined && isParquet(first))) {
    return { kind: 'parquet', delimiter: undefined, hasMark: false, lineEnd: undefined };
  }
  const lines = firstLines(first.subarray(hasMark ? 3 : 0));
  const [line = ''] = lines;
  const lineEnd = line.endsWith('\r\n') ? 'crlf' : line.endsWith('\n') ? 'lf' : undefined;
  if (kind === 'ndjson' || kind === 'json') return { kind, delimiter: undefined, hasMark, lineEnd };
  const delimiter = form.delimiter ?? (kind === 'tsv' || /\.(?:tsv|tab)\b/i.test(name) ? '\t' : delimiterOf(line));
  if (kind !== undefined || isCsv(lines, name)) return { kind: 'csv', delimiter: delimiter ?? ',', hasMark, lineEnd };
  const isList = line.startsWith('[') || line.trim() === '{';
  return { kind: isList ? 'json' : 'ndjson', delimiter: undefined, hasMark, lineEnd };
}

export function isParquet(first: Uint8Array): boolean {
  return first[0] === 0x50 && first[1] === 0x41 && first[2] === 0x52 && first[3] === 0x31;
}

/** The first two lines that are not blank, with their ends. */
function firstLines(bytes: Uint8Array): readonly string[] {
  const lines: string[] = [];
  for (let from = 0; from < bytes.length && lines.length < 2; ) {
    const end = bytes.indexOf(LINE_FEED, from);
    const to = end < 0 ? bytes.length : end + 1;
    const line = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
    const text = line.toString(isUtf8(line) ? 'utf8' : 'latin1').trimStart();
    if (text !== '') lines.push(text);
    from = to;
  }
  return lines;
}

/**
 * Whether the file is CSV. JSON starts with a bracket or a brace. Anything else is CSV if its name ends so, or if it has columns and no
 * object follows. The first field of a row may start with a brace, but one that continues with a quote would be quoted.
 */
function isCsv([line, next]: readonly string[], name: string): boolean {
  if (line === undefined || /^[[{]/.test(line)) return false;
  return /\.(?:csv|tsv|tab)\b/i.test(name) || (delimiterOf(line) !== undefined && !/^\{\s*"/.test(next ?? ''));
}

/** The delimiter that occurs most often in a line, outside of quotes. */
function delimiterOf(line: string): string | undefined {
  const bare = line.replace(/"(?:[^"]|"")*"/g, '');
  let most = 0;
  let found: string | undefined;
  for (const delimiter of DELIMITERS) {
    const times = bare.split(delimiter).length - 1;
    if (times <= most) continue;
    most = times;
    found = delimiter;
  }
  return found;
}
