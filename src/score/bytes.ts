import { Buffer } from 'node:buffer';

export const NEWLINE = 10;
export const SPACE = 32;
export const QUOTE = 34;
export const HASH = 35;
export const COMMA = 44;

export function textOf(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8');
}

/** Whether a[aFrom, aFrom + length) holds the same bytes as b[bFrom, bFrom + length). */
export function isSame(a: Uint8Array, aFrom: number, b: Uint8Array, bFrom: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a[aFrom + i] !== b[bFrom + i]) return false;
  return true;
}

/** Below 0 if [aFrom, aTo) comes before [bFrom, bTo) byte by byte, as strcmp orders; UTF-8 thus orders by code point. */
export function compareSpans(bytes: Uint8Array, aFrom: number, aTo: number, bFrom: number, bTo: number): number {
  const length = Math.min(aTo - aFrom, bTo - bFrom);
  for (let i = 0; i < length; i++) {
    const difference = bytes[aFrom + i] - bytes[bFrom + i];
    if (difference !== 0) return difference;
  }
  return aTo - aFrom - (bTo - bFrom);
}

const HASH_START = 0x811c9dc5 | 0;
const HASH_PRIME = 0x01000193;

/** FNV-1a, 32 bit, not finished: `mixed` spreads it over a table. */
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
