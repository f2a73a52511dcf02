import type { Buffer } from 'node:buffer';

/**
 * Text inside packed records, lossless for any JavaScript string: a header (LEB128 of 4 * bytes + form), then the bytes.
 * Forms: one byte per UTF-16 unit; two, where a unit is above 255; 16 bytes for a lower-case UUID with its hyphens. One text
 * has one form, so equal bytes mean equal texts. Functions with `from` take the text from that unit on.
 */
const NARROW = 0;
const WIDE = 1;
const UUID = 2;
const FORM_MASK = 3;

const UUID_LENGTH = 36;
const UUID_BYTES = 16;
const HYPHEN = 45;
/** Units of a UUID before which a hyphen stands. */
const HYPHENS = [8, 13, 18, 23];
/** Where the two digits of each byte of a UUID stand. */
const DIGITS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
/** By UTF-16 unit: the value of a lower-case hexadecimal digit; above 15: none. */
const HEX = new Uint8Array(256).fill(255);
for (let i = 0; i < 16; i++) HEX[i.toString(16).charCodeAt(0)] = i;

/** Most bytes that `writeText` may need. */
export function textBound(text: string): number {
  return 2 * text.length + 5;
}

/** Writes at `at` and answers the place behind it. */
export function writeText(u8: Uint8Array, at: number, text: string, from = 0): number {
  const length = text.length - from;
  if (length === UUID_LENGTH && writeUuid(u8, at, text, from)) return at + 1 + UUID_BYTES;
  let to = writeHeader(u8, at, length * 4 + NARROW);
  for (let i = from; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 255) return writeWide(u8, at, text, from);
    u8[to++] = unit;
  }
  return to;
}

/** The place behind the text at `at`. */
export function textEnd(u8: Uint8Array, at: number): number {
  const first = u8[at];
  if (first < 0x80) return at + 1 + (first >>> 2);
  const [header, start] = readHeader(u8, at);
  return start + (header >>> 2);
}

export function textEquals(u8: Buffer, at: number, text: string, from = 0): boolean {
  const first = u8[at];
  const form = first & FORM_MASK;
  const length = text.length - from;
  if (form === UUID) return length === UUID_LENGTH && equalsUuid(u8, at + 1, text, from);
  if (first < 0x80 && form === NARROW) {
    if (first >>> 2 !== length) return false;
    // From the end: ids differ there more often.
    for (let i = length; i > 0; i--) if (u8[at + i] !== text.charCodeAt(from + i - 1)) return false;
    return true;
  }
  return readText(u8, at) === text.slice(from);
}

/** Units of the text at `at` when `text` begins with it; -1: it does not. */
export function prefixOf(u8: Buffer, at: number, text: string): number {
  const first = u8[at];
  if (first < 0x80 && (first & FORM_MASK) === NARROW) {
    const length = first >>> 2;
    if (length > text.length) return -1;
    for (let i = 0; i < length; i++) if (u8[at + 1 + i] !== text.charCodeAt(i)) return -1;
    return length;
  }
  const prefix = readText(u8, at);
  return text.startsWith(prefix) ? prefix.length : -1;
}

export function readText(u8: Buffer, at: number): string {
  const [header, start] = readHeader(u8, at);
  const end = start + (header >>> 2);
  switch (header & FORM_MASK) {
    case NARROW:
      return u8.toString('latin1', start, end);
    case WIDE:
      return u8.toString('utf16le', start, end);
    default: {
      const hex = u8.toString('hex', start, end);
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    }
  }
}

/** 32-bit hash: FNV-1a over the UTF-16 units, then MurmurHash3's finaliser. `seed` keeps chosen ids from colliding. */
export function hashText(text: string, seed: number): number {
  let h = (0x811c9dc5 ^ seed) | 0;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Answers false, and leaves no trace that matters, when the text is no UUID. */
function writeUuid(u8: Uint8Array, at: number, text: string, from: number): boolean {
  for (const hyphen of HYPHENS) if (text.charCodeAt(from + hyphen) !== HYPHEN) return false;
  for (let i = 0; i < UUID_BYTES; i++) {
    const high = text.charCodeAt(from + DIGITS[i]);
    const low = text.charCodeAt(from + DIGITS[i] + 1);
    if (high > 255 || low > 255 || HEX[high] > 15 || HEX[low] > 15) return false;
    u8[at + 1 + i] = (HEX[high] << 4) | HEX[low];
  }
  u8[at] = UUID_BYTES * 4 + UUID;
  return true;
}

function equalsUuid(u8: Uint8Array, start: number, text: string, from: number): boolean {
  for (let i = UUID_BYTES - 1; i >= 0; i--) {
    const high = text.charCodeAt(from + DIGITS[i]);
    const low = text.charCodeAt(from + DIGITS[i] + 1);
    if (high > 255 || low > 255 || HEX[high] > 15 || HEX[low] > 15) return false;
    if (u8[start + i] !== ((HEX[high] << 4) | HEX[low])) return false;
  }
  for (const hyphen of HYPHENS) if (text.charCodeAt(from + hyphen) !== HYPHEN) return false;
  return true;
}

function writeWide(u8: Uint8Array, at: number, text: string, from: number): number {
  let to = writeHeader(u8, at, (text.length - from) * 8 + WIDE);
  for (let i = from; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    u8[to++] = unit & 255;
    u8[to++] = unit >>> 8;
  }
  return to;
}

function writeHeader(u8: Uint8Array, at: number, header: number): number {
  let rest = header;
  let to = at;
  while (rest >= 0x80) {
    u8[to++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  u8[to++] = rest;
  return to;
}

function readHeader(u8: Uint8Array, at: number): [header: number, start: number] {
  let header = 0;
  let start = at;
  for (let shift = 0; ; shift += 7) {
    const byte = u8[start++];
    header |= (byte & 0x7f) << shift;
    if (byte < 0x80) return [header >>> 0, start];
  }
}
