/** Detects the format of a file from its first bytes and lines, before its records are read. */
import { assertNever } from '../vocabulary/events.ts';
import { wideEncodingOf } from '../vocabulary/wide-encoding.ts';
import { type HeadedLines, headedLines } from './headed-lines.ts';
import { type RaggedLines, raggedLines } from './ragged-lines.ts';

type Compression = 'none' | 'gzip' | 'zstd';
export type Encoding = 'UTF-8' | 'UTF-8 with a byte order mark' | 'UTF-16' | 'UTF-32' | 'not UTF-8';
type LineEnds = 'LF' | 'CRLF' | 'CR' | 'mixed' | 'none';

/** `columns`: names in the header; undefined: there is no header. */
export interface Delimited {
  readonly kind: 'delimited';
  readonly delimiter: string;
  readonly columns: readonly string[] | undefined;
  readonly width: number;
  /** Whether a replay detects the delimiter by itself. */
  readonly isSeen: boolean;
}

export type Form =
  | { readonly kind: 'empty' | 'ndjson' | 'json-array' | 'json-object' }
  /** `json-behind`: each line has a prefix before its object, such as the time of syslog. `pairs`: name=value, as in logfmt. */
  | { readonly kind: 'unknown'; readonly lines?: 'json-behind' | 'pairs' | 'solr' | RaggedLines | HeadedLines }
  | { readonly kind: 'parquet' | 'avro' | 'orc' }
  | { readonly kind: 'trec-run' | 'trec-qrels' }
  | Delimited;

export interface FileFormat {
  readonly compression: Compression;
  /** undefined: the file is not text. */
  readonly encoding: Encoding | undefined;
  readonly lineEnds: LineEnds;
  readonly form: Form;
}

/** A form in a few words. */
export function formWords(form: Form): string {
  switch (form.kind) {
    case 'empty':
      return 'empty';
    case 'ndjson':
      return 'NDJSON';
    case 'json-array':
      return 'a JSON array';
    case 'json-object':
      return 'JSON over several lines';
    case 'delimited':
      return `${form.delimiter === '\t' ? 'TSV' : form.delimiter === ',' ? 'CSV' : `CSV with "${form.delimiter}"`}, ${form.width} columns`;
    case 'parquet':
      return 'Parquet';
    case 'avro':
      return 'Avro';
    case 'orc':
      return 'ORC';
    case 'trec-run':
      return 'a TREC run';
    case 'trec-qrels':
      return 'TREC qrels';
    case 'unknown':
      return 'in an unknown format';
    default:
      return assertNever(form);
  }
}

/** The form of a file that is not text, from its uncompressed bytes; undefined: it may be text. */
export function binaryFormOf(bytes: Uint8Array): Form | undefined {
  if (startsWith(bytes, ascii('PAR1'))) return { kind: 'parquet' };
  if (startsWith(bytes, [...ascii('Obj'), 1])) return { kind: 'avro' };
  return startsWith(bytes, ascii('ORC')) ? { kind: 'orc' } : undefined;
}

/** The encoding, from the byte order mark and the bytes. A piece that ends within a character is still UTF-8. */
export function encodingOf(bytes: Uint8Array): Encoding {
  const wide = wideEncodingOf(bytes);
  if (wide !== undefined) return wide;
  if (startsWith(bytes, [0xef, 0xbb, 0xbf])) return 'UTF-8 with a byte order mark';
  return isUtf8(bytes) ? 'UTF-8' : 'not UTF-8';
}

export function lineEndsOf(text: string): LineEnds {
  const crlf = text.split('\r\n').length - 1;
  const lf = text.split('\n').length - 1 - crlf;
  const cr = text.split('\r').length - 1 - crlf;
  const kinds = [crlf, lf, cr].filter((n) => n > 0).length;
  if (kinds > 1) return 'mixed';
  if (crlf > 0) return 'CRLF';
  if (lf > 0) return 'LF';
  return cr > 0 ? 'CR' : 'none';
}

/** Most lines that are examined. */
const LOOKED_AT = 60;
const DELIMITERS = [',', '\t', ';', '|'];

/** @param text the beginning of a file, without its byte order mark; its last line may have been cut off */
export function textFormOf(text: string): Form {
  const head = text.trimStart();
  if (head === '') return { kind: 'empty' };
  if (head.startsWith('[')) return { kind: 'json-array' };
  if (head.startsWith('{')) return { kind: isJson(firstLine(head)) ? 'ndjson' : 'json-object' };
  const lines = text
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, LOOKED_AT);
  if (most(lines, isRunLine) && isRunLine(lines[0]) && isOneTag(lines)) return { kind: 'trec-run' };
  if (most(lines, isQrelsLine) && isQrelsLine(lines[0])) return { kind: 'trec-qrels' };
  if (most(lines, isSolrLine)) return { kind: 'unknown', lines: 'solr' };
  if (most(lines, isJsonBehind)) return { kind: 'unknown', lines: 'json-behind' };
  if (most(lines, arePairs)) return { kind: 'unknown', lines: 'pairs' };
  const delimited = delimitedForm(text);
  if (delimited !== undefined) return delimited;
  const ragged = raggedLines(text) ?? headedLines(text);
  return ragged === undefined ? { kind: 'unknown' } : { kind: 'unknown', lines: ragged };
}

/**
 * Matches lines such as: 2026-11-21 08:00:00.123 INFO (qtp1-20) [c:shop] o.a.s.c.S.Request webapp=/solr path=/select
 * params={q=shoe} hits=3 status=0 QTime=5.
 */
function isSolrLine(line: string): boolean {
  return /\bwebapp=\/\S+ path=\/\S+ params=\{.*\} .*\bQTime=\d+/.test(line);
}

/** Matches lines such as: Nov 21 08:00:00 web-1 shop[812]: {"id":1}. After a delimiter, the object may be a column. */
function isJsonBehind(line: string): boolean {
  const at = line.indexOf('{');
  return at > 0 && !/[,;|\t"]/.test(line.slice(0, at)) && isJson(line.slice(at));
}

/** Matches lines such as: time=2026-11-21T08:00:00Z msg="list shown" id=1. */
function arePairs(line: string): boolean {
  return /^\s*(?:[\w.-]+=(?:"[^"]*"|[^\s"]*)(?:\s+|$)){3,}$/.test(line);
}

/** The format of the records of a topic, which have no file. */
export const TOPIC: FileFormat = {
  compression: 'none',
  encoding: undefined,
  lineEnds: 'none',
  form: { kind: 'ndjson' },
};

/**
 * The delimiter that splits every row into as many columns as the first row. If there are several, the outer one: a list inside a
 * column may use another, which then appears in fewer columns than the outer one would in the columns made by the inner.
 */
function delimitedForm(text: string): Delimited | undefined {
  const fitting = DELIMITERS.flatMap((delimiter) => {
    const rows = delimitedRows(text, delimiter, LOOKED_AT);
    const width = rows[0]?.length ?? 0;
    const same = rows.filter((row) => row.length === width).length;
    return width < 2 || same < 0.9 * rows.length ? [] : [{ delimiter, rows, width }];
  });
  const others = ({ delimiter, rows, width }: (typeof fitting)[number]): number =>
    Array.from({ length: width }, (_, column) => column).filter((column) =>
      rows.some((row) =>
        fitting.some((other) => other.delimiter !== delimiter && row[column]?.includes(other.delimiter)),
      ),
    ).length;
  // The elements of a list look alike, but the columns of a row do not.
  const mixed = ({ delimiter, rows }: (typeof fitting)[number]): number =>
    rows
      .flat()
      .filter((cell) =>
        fitting.some(
          (other) => other.delimiter !== delimiter && new Set(cell.split(other.delimiter).map(shapeOf)).size > 1,
        ),
      ).length;
  const [best] = fitting.sort((a, b) => others(a) - others(b) || mixed(a) - mixed(b));
  if (best === undefined) return undefined;
  const { delimiter, rows, width } = best;
  return { kind: 'delimited', delimiter, columns: headerOf(rows), width, isSeen: true };
}

/** The text with each run of letters as `a` and each run of digits as `9`: `p-107` becomes `a-9`. */
function shapeOf(text: string): string {
  return text
    .trim()
    .replace(/\p{L}+/gu, 'a')
    .replace(/\d+/g, '9');
}

const NAME = /^[\p{L}_$][\p{L}\p{Nd}_$ .:/()[\]-]*$/u;

/** The first row if it holds names: they are all different, and none is a value of its own column. */
function headerOf([first, ...rest]: readonly (readonly string[])[]): readonly string[] | undefined {
  const names = first.map((name) => name.trim());
  if (!names.every((name) => NAME.test(name)) || new Set(names).size < names.length) return undefined;
  const looksLikeData = names.some((name) => /\d{4}-\d\d-\d\d/.test(name));
  if (looksLikeData || rest.length === 0) return looksLikeData ? undefined : names;
  // A name has another length than the ids below it, or the column holds numbers or times.
  const isName = (name: string, column: number): boolean => {
    const below = rest.map((row) => row[column] ?? '').filter((cell) => cell !== '');
    if (below.length === 0) return true;
    return (
      !below.includes(name) &&
      (/^[-\d]/.test(below[0]) || /id|name|type|action|event|item|user|ts|time|rank|click/i.test(name))
    );
  };
  return names.some(isName) ? names : undefined;
}

/** Matches lines of the form: qid Q0 document rank score tag */
function isRunLine(line: string): boolean {
  return /^\S+\s+\S+\s+\S+\s+-?\d+\s+[-+]?[\d.]+(?:[eE][-+]?\d+)?\s+\S+\s*$/.test(line) && !line.includes(',');
}

/** In a run the second column is always Q0 and the last one its name; in a log neither column is constant. */
function isOneTag(lines: readonly string[]): boolean {
  const columns = lines.slice(0, -1).map((line) => line.trim().split(/\s+/));
  return [1, 5].some((column) => new Set(columns.map((row) => row[column])).size <= 1);
}

/** Matches lines of the form: qid 0 document grade */
function isQrelsLine(line: string): boolean {
  return /^\S+\s+(?:0|Q0)\s+\S+\s+-?\d+\s*$/.test(line) && !line.includes(',');
}

function most(lines: readonly string[], fits: (line: string) => boolean): boolean {
  const whole = lines.length > 1 ? lines.slice(0, -1) : lines;
  return whole.length > 0 && whole.filter(fits).length >= 0.9 * whole.length;
}

function firstLine(text: string): string {
  return text.split(/\r\n|\n|\r/, 1)[0];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The line may have been cut off, or be a broken one among lines of JSON: its brackets decide.
    return /^\{\s*".*[^,{[:]\s*$/.test(text) && !/^\{\s*$/.test(text);
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at];
    const more =
      byte < 0x80
        ? 0
        : byte >= 0xc2 && byte < 0xe0
          ? 1
          : byte >= 0xe0 && byte < 0xf0
            ? 2
            : byte >= 0xf0 && byte < 0xf5
              ? 3
              : -1;
    if (more < 0) return false;
    for (let i = 1; i <= more && at + i < bytes.length; i++) if ((bytes[at + i] & 0xc0) !== 0x80) return false;
    at += more + 1;
  }
  return true;
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return bytes.length >= start.length && start.every((byte, i) => bytes[i] === byte);
}

function ascii(text: string): readonly number[] {
  return [...text].map((sign) => sign.charCodeAt(0));
}

/** Rows of cells (RFC 4180 with any delimiter): quoted cells may hold line ends and doubled quotes. Blank lines are skipped. */
function delimitedRows(text: string, delimiter: string, limit: number): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  const endRow = (): void => {
    if (row.length > 1 || row[0].trim() !== '') rows.push(row);
    row = [];
  };
  while (at < text.length && rows.length < limit) {
    let cell = '';
    if (text[at] === '"') {
      for (;;) {
        const end = text.indexOf('"', at + 1);
        cell += text.slice(at + 1, end < 0 ? text.length : end);
        at = end < 0 ? text.length : end + 1;
        if (text[at] !== '"') break;
        cell += '"';
      }
    }
    const from = at;
    while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at++;
    row.push(cell + text.slice(from, at));
    const sign = text[at];
    if (sign === delimiter && at + 1 === text.length) row.push('');
    if (sign === '\r' && text[at + 1] === '\n') at++;
    at++;
    if (sign !== delimiter) endRow();
  }
  if (row.length > 0 && rows.length < limit) endRow();
  return rows;
}
