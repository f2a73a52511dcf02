import { Buffer } from 'node:buffer';
import { textBound, textEnd, writeText } from '../../../src/consumers/packed/text.ts';

/** The form with one byte per UTF-16 unit (`src/consumers/packed/text.ts`), in the two lowest bits of the first byte. */
const NARROW = 0;
const FORM_MASK = 3;

/** Writes the text whose UTF-16 units are the bytes [from, to) of `source`, and returns the place after it. */
export function writeNarrow(u8: Uint8Array, at: number, source: Uint8Array, from: number, to: number): number {
  const text = Buffer.from(source.subarray(from, to)).toString('latin1');
  // A UUID needs more room while it is written than afterwards.
  const packed = new Uint8Array(textBound(text.length));
  const length = writeText(packed, 0, text);
  u8.set(packed.subarray(0, length), at);
  return at + length;
}

/** Copies the text at `from` of `source`, and returns the place after the copy. */
export function copyText(u8: Uint8Array, at: number, source: Uint8Array, from: number): number {
  const length = textEnd(source, from) - from;
  for (let i = 0; i < length; i++) u8[at + i] = source[from + i];
  return at + length;
}

/** Whether the text has one byte per UTF-16 unit: what `writeNarrow` writes, except UUIDs. */
export function isNarrow(u8: Uint8Array, at: number): boolean {
  return (u8[at] & FORM_MASK) === NARROW;
}

export function sameText(a: Uint8Array, at: number, b: Uint8Array, bt: number): boolean {
  const length = textEnd(a, at) - at;
  for (let i = 0; i < length; i++) if (a[at + i] !== b[bt + i]) return false;
  return true;
}
