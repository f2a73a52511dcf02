import { Buffer, isUtf8 } from 'node:buffer';
import { splitRow } from '../consumers/decode/csv-line.ts';

/** The most fields of a line that can be read. More are counted, up to a number that no file of rows has. */
export const MOST_FIELDS = 64;
export const MOST_COUNTED = 1000;

export const NEWLINE = 10;
const TAB = 9;
const SPACE = 32;
const QUOTE = 34;

const OUTER_BLANKS = /^[ \t-\r]+|[ \t-\r]+$/g;

const HASH_START = 0x811c9dc5 | 0;
const HASH_PRIME = 0x01000193;

/** Separators of fields. A blank stands for any number of blanks and tabs, the others for one each. */
export const SEPARATORS = ['\t', ',', ';', ' '] as const;
export type Separator = (typeof SEPARATORS)[number];

/**
 * The fields of one line at a time: field f is bytes[starts[f], ends[f]). `bytes` are those of the block, or, for a line
 * with quotes, of a copy without them.
 */
export class Fields {
  bytes: Uint8Array = new Uint8Array(0);
  readonly starts = new Int32Array(MOST_FIELDS);
  readonly ends = new Int32Array(MOST_FIELDS);
  /** 0 for a line of nothing but blanks. Any other line is a row, since ids may begin with any sign. */
  count = 0;

  text(field: number): string {
    return textOf(this.bytes, this.starts[field], this.ends[field]);
  }
}

/** Splits the line at `at` and returns where the next one begins. */
export type Splitter = (fields: Fields, bytes: Uint8Array, at: number) => number;

/**
 * A splitter.
 * @param hasQuotes whether fields may be in double quotes, as in CSV; for trec_eval quotes are part of ids. Never at blanks
 */
export function splitterOf(separator: Separator, hasQuotes = true): Splitter {
  return separator === ' ' ? splitBlanks : splitAt(separator, hasQuotes);
}

/**
 * Whether it separates columns for trec_eval (C's isspace): a blank, or 9 to 13, which are tabs, line ends and page ends. Other control
 * characters are part of ids.
 */
function isBlank(byte: number): boolean {
  return byte === SPACE || (byte >= 9 && byte <= 13);
}

const splitBlanks: Splitter = (fields, bytes, from) => {
  const { starts, ends } = fields;
  fields.bytes = bytes;
  let at = from;
  let count = 0;
  let byte = bytes[at];
  while (byte !== NEWLINE && count < MOST_FIELDS) {
    while (byte !== NEWLINE && isBlank(byte)) byte = bytes[++at];
    if (byte === NEWLINE) break;
    starts[count] = at;
    while (byte > SPACE || !isBlank(byte)) byte = bytes[++at];
    ends[count++] = at;
  }
  while (bytes[at] !== NEWLINE) at++;
  fields.count = count;
  return at + 1;
};

/** Splits fields as in RFC 4180, one row per line, without blanks around them. */
function splitAt(separator: Separator, hasQuotes: boolean): Splitter {
  const mark = separator.charCodeAt(0);
  return (fields, bytes, from) => {
    const { starts, ends } = fields;
    fields.bytes = bytes;
    let count = 0;
    let start = from;
    for (let at = from; ; at++) {
      const byte = bytes[at];
      if (byte === QUOTE && hasQuotes) return splitQuoted(fields, bytes, from, separator);
      if (byte !== mark && byte !== NEWLINE) continue;
      if (count < MOST_FIELDS) {
        starts[count] = start;
        ends[count] = at;
        trim(fields, count);
      }
      count++;
      start = at + 1;
      if (byte === NEWLINE) break;
    }
    // Tabs are blanks, but a line of commas is a row without values.
    fields.count = (count === 1 || mark === TAB) && holdsNothing(fields, count) ? 0 : count;
    return start;
  };
}

function holdsNothing({ starts, ends }: Fields, count: number): boolean {
  for (let f = 0; f < Math.min(count, MOST_FIELDS); f++) if (starts[f] < ends[f]) return false;
  return true;
}

function splitQuoted(fields: Fields, bytes: Uint8Array, from: number, separator: Separator): number {
  const end = bytes.indexOf(NEWLINE, from);
  const line = textOf(bytes, from, end);
  const cells =
    splitRow(line, separator) ?? line.split(separator, MOST_COUNTED).map((cell) => cell.replace(OUTER_BLANKS, ''));
  fields.count = cells.length;
  const parts = cells.slice(0, MOST_FIELDS).map(bytesOf);
  fields.bytes = Buffer.concat(parts);
  let at = 0;
  for (let f = 0; f < parts.length; f++) {
    fields.starts[f] = at;
    at += parts[f].length;
    fields.ends[f] = at;
  }
  return end + 1;
}

function trim({ bytes, starts, ends }: Fields, f: number): void {
  while (starts[f] < ends[f] && isBlank(bytes[starts[f]])) starts[f]++;
  while (ends[f] > starts[f] && isBlank(bytes[ends[f] - 1])) ends[f]--;
}

/** Whether a[aFrom, aFrom + length) has the same bytes as b[bFrom, bFrom + length). */
export function isSame(a: Uint8Array, aFrom: number, b: Uint8Array, bFrom: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a[aFrom + i] !== b[bFrom + i]) return false;
  return true;
}

/** Negative if [aFrom, aTo) precedes [bFrom, bTo) byte by byte, as with strcmp; UTF-8 is thus ordered by code point. */
export function compareSpans(bytes: Uint8Array, aFrom: number, aTo: number, bFrom: number, bTo: number): number {
  const length = Math.min(aTo - aFrom, bTo - bFrom);
  for (let i = 0; i < length; i++) {
    const difference = bytes[aFrom + i] - bytes[bFrom + i];
    if (difference !== 0) return difference;
  }
  return aTo - aFrom - (bTo - bFrom);
}

/** FNV-1a, 32 bit, without a finaliser: `mixed` spreads it over a table. */
export function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = HASH_START;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i], HASH_PRIME);
  return hash;
}

/** A hash spread over all of its bits, for tables whose size is a power of two. */
export function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return half ^ (half >>> 15);
}

/**
 * Parses decimal numbers from bytes, without a string for each: a run of a million lines has a million scores.
 *
 * Measured (Node 20, one busy core, the whole command on a million lines): scores of 17 digits by way of a string and `Number` took 1.00
 * s of CPU, this way 0.66 s; scores of 8 digits 0.60 s.
 */

/** Powers of ten that a double represents exactly. */
const POWERS = Float64Array.from({ length: 23 }, (_, n) => 10 ** n);
/** This many digits always fit into 53 bits. */
const EXACT_DIGITS = 15;
/** Number of further digits that a second number holds. */
const MORE_DIGITS = 4;

const PLUS = 43;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;

/**
 * The double nearest to a decimal number; NaN: the bytes are not a number. Up to 15 digits without an exponent are one division
 * of two exact doubles (W. D. Clinger, "How to read floating point numbers accurately", PLDI 1990), up to 19 need a correction;
 * the rest goes to the engine. `inf`, `-inf`, `Infinity` are numbers, as for C's strtod; `nan` is not.
 */
export function numberAt(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  const sign = bytes[at];
  if (sign === MINUS || sign === PLUS) at++;
  let value = 0;
  let more = 0;
  let digits = 0;
  let seen = 0;
  let point = -1;
  for (; at < to; at++) {
    const digit = bytes[at] - ZERO;
    if (digit >= 0 && digit <= 9) {
      seen++;
      if (digits > 0 || digit > 0) digits++;
      if (digits <= EXACT_DIGITS) value = value * 10 + digit;
      else more = more * 10 + digit;
    } else if (bytes[at] === POINT && point < 0) {
      point = seen;
    } else {
      return slowNumber(bytes, from, to);
    }
  }
  const fraction = point < 0 ? 0 : seen - point;
  if (seen === 0 || fraction >= POWERS.length || digits > EXACT_DIGITS + MORE_DIGITS) {
    return slowNumber(bytes, from, to);
  }
  let size = value;
  if (digits > EXACT_DIGITS) size = quotient(value, more, digits - EXACT_DIGITS, fraction);
  else if (fraction > 0) size = value / POWERS[fraction];
  if (Number.isNaN(size)) return slowNumber(bytes, from, to);
  return sign === MINUS ? -size : size;
}

/** 2^27 + 1: splits a double into two of 26 bits (T. J. Dekker, "A floating-point technique for extending the available precision", 1971). */
const SPLIT = 134217729;
/** A relative bound far above the error of the correction. */
const DOUBT = 2 ** -40;

/**
 * (value 10^digits + more) / 10^fraction, rounded once: the quotient of the rounded numbers, corrected by its remainder, which is known
 * to twice the precision. NaN: too close to the middle between two doubles to decide.
 * @param value below 10^15
 * @param more below 10^digits
 * @param digits up to 4
 */
function quotient(value: number, more: number, digits: number, fraction: number): number {
  const power = POWERS[digits];
  const low = value % 67108864;
  // The numerator is high + rest, both exact.
  const high = (value - low) * power;
  const rest = low * power + more;
  const divisor = POWERS[fraction];
  const first = (high + rest) / divisor;
  const product = first * divisor;
  const a = SPLIT * first;
  const a1 = a - (a - first);
  const a2 = first - a1;
  const b = SPLIT * divisor;
  const b1 = b - (b - divisor);
  const b2 = divisor - b1;
  // first x divisor is product + lost, exactly.
  const lost = a2 * b2 - (product - a1 * b1 - a2 * b1 - a1 * b2);
  const correction = (high - product + (rest - lost)) / divisor;
  const least = first + correction * (1 - DOUBT);
  return least === first + correction * (1 + DOUBT) ? least : Number.NaN;
}

function slowNumber(bytes: Uint8Array, from: number, to: number): number {
  const text = textOf(bytes, from, to);
  if (DECIMAL.test(text)) return Number(text);
  const infinite = INFINITE.exec(text);
  if (infinite === null) return Number.NaN;
  return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/**
 * Converts any bytes to text, and back. Files of runs are not always UTF-8, and ids that differ must stay different: a byte that is not
 * UTF-8 becomes a lone surrogate, U+DC80 to U+DCFF, which no UTF-8 contains (Python's `surrogateescape`).
 */

const ESCAPE = 0xdc00;
const REPLACED = '\ufffd';
/** With the `u` flag, pairs of surrogates do not match. */
const ESCAPED = /([\udc80-\udcff])/u;

export function textOf(bytes: Uint8Array, from: number, to: number): string {
  const own = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
  const text = own.toString('utf8');
  return text.includes(REPLACED) && !isUtf8(own) ? escapedText(own) : text;
}

export function bytesOf(text: string): Buffer {
  if (!ESCAPED.test(text)) return Buffer.from(text, 'utf8');
  return Buffer.concat(
    text
      .split(ESCAPED)
      .map((part, i) => (i % 2 === 0 ? Buffer.from(part, 'utf8') : Buffer.of(part.charCodeAt(0) - ESCAPE))),
  );
}

function escapedText(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const character = bytes.subarray(at, at + characterLength(bytes[at]));
    const isValid = isUtf8(character);
    text += isValid ? character.toString('utf8') : String.fromCharCode(ESCAPE + bytes[at]);
    at += isValid ? character.length : 1;
  }
  return text;
}

/** Bytes of the character that would begin with this byte. */
function characterLength(first: number): number {
  return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
