import { Buffer } from 'node:buffer';
import { splitRow } from '../consumers/decode/csv.ts';
import { COMMA, HASH, NEWLINE, QUOTE, SPACE, textOf } from './bytes.ts';

/** Most fields that are split; the rest of the line is ignored. */
const MOST_FIELDS = 16;

/**
 * The fields of one line at a time: field f is bytes[starts[f], ends[f]). `bytes` are those of the block, or, for a line
 * with quotes, of a copy without them.
 */
export class Fields {
  bytes: Uint8Array = new Uint8Array(0);
  readonly starts = new Int32Array(MOST_FIELDS);
  readonly ends = new Int32Array(MOST_FIELDS);
  /** 0: a blank line, or a comment. */
  count = 0;

  text(field: number): string {
    return textOf(this.bytes, this.starts[field], this.ends[field]);
  }
}

/** Splits the line at `at` and returns where the next one begins. */
export type Splitter = (fields: Fields, bytes: Uint8Array, at: number) => number;

/** Fields separated by blanks or tabs; lines that start with # are comments. At most six are split. */
export const splitBlanks: Splitter = (fields, bytes, from) => {
  const { starts, ends } = fields;
  fields.bytes = bytes;
  let at = from;
  let count = 0;
  let byte = bytes[at];
  while (byte !== NEWLINE && count < 6) {
    while (byte <= SPACE && byte !== NEWLINE) byte = bytes[++at];
    if (byte === NEWLINE || (byte === HASH && count === 0)) break;
    starts[count] = at;
    while (byte > SPACE) byte = bytes[++at];
    ends[count++] = at;
  }
  while (bytes[at] !== NEWLINE) at++;
  fields.count = count;
  return at + 1;
};

/** Fields separated by commas (RFC 4180, one line each), blanks around them dropped; lines that begin with # are comments. */
export const splitCommas: Splitter = (fields, bytes, from) => {
  const { starts, ends } = fields;
  fields.bytes = bytes;
  let count = 0;
  let start = from;
  for (let at = from; ; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return splitQuoted(fields, bytes, from);
    if (byte !== COMMA && byte !== NEWLINE) continue;
    if (count < MOST_FIELDS) {
      starts[count] = start;
      ends[count++] = at;
      trim(fields, count - 1);
    }
    start = at + 1;
    if (byte === NEWLINE) break;
  }
  const isBlank = count === 1 && starts[0] === ends[0];
  fields.count = isBlank || bytes[starts[0]] === HASH ? 0 : count;
  return start;
};

function splitQuoted(fields: Fields, bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(NEWLINE, from);
  const line = textOf(bytes, from, end);
  const cells = splitRow(line) ?? line.split(',');
  fields.count = Math.min(cells.length, MOST_FIELDS);
  fields.bytes = Buffer.from(cells.join(''), 'utf8');
  let at = 0;
  for (let f = 0; f < fields.count; f++) {
    fields.starts[f] = at;
    at += Buffer.byteLength(cells[f], 'utf8');
    fields.ends[f] = at;
  }
  if (line.trimStart().startsWith('#')) fields.count = 0;
  return end + 1;
}

function trim({ bytes, starts, ends }: Fields, f: number): void {
  while (starts[f] < ends[f] && bytes[starts[f]] <= SPACE) starts[f]++;
  while (ends[f] > starts[f] && bytes[ends[f] - 1] <= SPACE) ends[f]--;
}
