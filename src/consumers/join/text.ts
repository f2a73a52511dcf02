/**
 * Text inside packed records, lossless for any JavaScript string: a header (LEB128 of 2 * bytes + wide), then one byte per
 * UTF-16 unit, or two where a unit is above 255. One text has one form, so equal bytes mean equal texts.
 */

/** Most bytes that `writeText` may need. */
export function textBound(text: string): number {
  return 2 * text.length + 5;
}

/** Writes at `at` and answers the place behind it. */
export function writeText(u8: Uint8Array, at: number, text: string): number {
  const length = text.length;
  let to = writeHeader(u8, at, length * 2);
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 255) return writeWide(u8, at, text);
    u8[to++] = unit;
  }
  return to;
}

/** The place behind the text at `at`. */
export function textEnd(u8: Uint8Array, at: number): number {
  const first = u8[at];
  if (first < 0x80) return at + 1 + (first >>> 1);
  const [header, from] = readHeader(u8, at);
  return from + (header >>> 1);
}

export function textEquals(u8: Uint8Array, at: number, text: string): boolean {
  const length = text.length;
  const first = u8[at];
  if (first < 0x80 && (first & 1) === 0) {
    if (first >>> 1 !== length) return false;
    for (let i = length; i > 0; i--) if (u8[at + i] !== text.charCodeAt(i - 1)) return false;
    return true;
  }
  return (first >= 0x80 || first >>> 2 === length) && readText(u8, at) === text;
}

export function readText(u8: Uint8Array, at: number): string {
  const [header, from] = readHeader(u8, at);
  const end = from + (header >>> 1);
  let text = '';
  if ((header & 1) === 0) for (let i = from; i < end; i++) text += String.fromCharCode(u8[i]);
  else for (let i = from; i < end; i += 2) text += String.fromCharCode(u8[i] | (u8[i + 1] << 8));
  return text;
}

/** 32-bit hash: FNV-1a over the UTF-16 units, then MurmurHash3's finaliser. `seed` keeps chosen ids from colliding. */
export function hashText(text: string, seed: number): number {
  let h = (0x811c9dc5 ^ seed) | 0;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function writeWide(u8: Uint8Array, at: number, text: string): number {
  let to = writeHeader(u8, at, text.length * 4 + 1);
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

function readHeader(u8: Uint8Array, at: number): [header: number, from: number] {
  let header = 0;
  let from = at;
  for (let shift = 0; ; shift += 7) {
    const byte = u8[from++];
    header |= (byte & 0x7f) << shift;
    if (byte < 0x80) return [header >>> 0, from];
  }
}
