import type { Buffer } from 'node:buffer';

/**
 * Text in packed records, lossless for any JavaScript string: a header (LEB128 of 4 * bytes + form), then the bytes. Forms: one
 * byte per UTF-16 unit; two, where a unit is above 255; 16 bytes for a lower-case UUID with its hyphens. Each text has exactly
 * one form, so equal bytes mean equal texts. A place is the index of a header; functions that write return the place after the
 * text.
 */
const NARROW = 0;
const WIDE = 1;
const UUID = 2;
const FORM_MASK = 3;

const UUID_LENGTH = 36;
const UUID_BYTES = 16;
const HYPHEN = 45;
/** Positions of the two digits of each byte of a UUID. */
const DIGITS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
/** Value of a lower-case hexadecimal digit by its byte; above 15 for other bytes. */
const HEX = new Uint8Array(256).fill(255);
for (let i = 0; i < 16; i++) HEX[i.toString(16).charCodeAt(0)] = i;

/** Most bytes that a text of `length` UTF-16 units can need. */
export function textBound(length: number): number {
  return 2 * length + 5;
}

export function writeText(u8: Uint8Array, at: number, text: string): number {
  const { length } = text;
  let to = writeHeader(u8, at, length * 4 + NARROW);
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 255) return writeWide(u8, at, text);
    u8[to++] = unit;
  }
  // The digits of a UUID are read before the bytes that replace them are written.
  return length === UUID_LENGTH && writeUuid(u8, at, to - length) ? at + 1 + UUID_BYTES : to;
}

/** The place of the first byte after the header. */
function textStart(u8: Uint8Array, at: number): number {
  let start = at;
  while (u8[start] >= 0x80) start++;
  return start + 1;
}

/** The place after the text at `at`. */
export function textEnd(u8: Uint8Array, at: number): number {
  const first = u8[at];
  if (first < 0x80) return at + 1 + (first >>> 2);
  return textStart(u8, at) + (headerOf(u8, at) >>> 2);
}

export function readText(u8: Buffer, at: number): string {
  const header = headerOf(u8, at);
  const start = textStart(u8, at);
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

/**
 * 32-bit hash of the packed bytes of the text at `at`: HalfSipHash-1-3 (Aumasson and Bernstein 2012; Linux uses it for hash
 * tables), keyed by the seed. Without the seed nobody can choose texts that collide.
 *
 * @param seed a non-negative integer
 */
export function hashText(u8: Uint8Array, at: number, seed: number): number {
  const end = textEnd(u8, at);
  const key0 = seed | 0;
  const key1 = (seed / 2 ** 32) | 0;
  let v0 = key0;
  let v1 = key1;
  let v2 = key0 ^ 0x6c796765;
  let v3 = key1 ^ 0x74656462;
  // Whole words, then the rest with the length in its highest byte, then three final rounds.
  let finishing = 0;
  for (let i = at; finishing < 4; i += 4) {
    let word = 0;
    if (i + 4 <= end) word = u8[i] | (u8[i + 1] << 8) | (u8[i + 2] << 16) | (u8[i + 3] << 24);
    else if (finishing++ === 0) {
      word = (end - at) << 24;
      for (let b = i, shift = 0; b < end; b++, shift += 8) word |= u8[b] << shift;
    } else if (finishing === 2) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = (v1 << 5) | (v1 >>> 27);
    v1 ^= v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = (v3 << 8) | (v3 >>> 24);
    v3 ^= v2;
    v0 = (v0 + v3) | 0;
    v3 = (v3 << 7) | (v3 >>> 25);
    v3 ^= v0;
    v2 = (v2 + v1) | 0;
    v1 = (v1 << 13) | (v1 >>> 19);
    v1 ^= v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return (v1 ^ v3) >>> 0;
}

/** Returns false, without changing anything, if the 36 bytes from `from` on are not a UUID. */
function writeUuid(u8: Uint8Array, at: number, from: number): boolean {
  if (u8[from + 8] !== HYPHEN || u8[from + 13] !== HYPHEN) return false;
  if (u8[from + 18] !== HYPHEN || u8[from + 23] !== HYPHEN) return false;
  for (let i = 0; i < UUID_BYTES; i++) {
    const digit = from + DIGITS[i];
    if ((HEX[u8[digit]] | HEX[u8[digit + 1]]) > 15) return false;
  }
  for (let i = 0; i < UUID_BYTES; i++) {
    const digit = from + DIGITS[i];
    u8[at + 1 + i] = (HEX[u8[digit]] << 4) | HEX[u8[digit + 1]];
  }
  u8[at] = UUID_BYTES * 4 + UUID;
  return true;
}

function writeWide(u8: Uint8Array, at: number, text: string): number {
  let to = writeHeader(u8, at, text.length * 8 + WIDE);
  for (let i = 0; i < text.length; i++) {
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

function headerOf(u8: Uint8Array, at: number): number {
  let header = 0;
  for (let i = at, shift = 0; ; i++, shift += 7) {
    header |= (u8[i] & 0x7f) << shift;
    if (u8[i] < 0x80) return header >>> 0;
  }
}
