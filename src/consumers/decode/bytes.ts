import { Buffer, isUtf8 } from 'node:buffer';
import type { InvalidCode } from '../../vocabulary/drops.ts';

/** A first byte of 0 is the mark of a schema registry; four bytes with the schema's number follow. */
const REGISTRY_PREFIX = 5;

export type TextOrCode = { readonly text: string } | InvalidCode;

/** The text of a record of at most `limit` bytes, without registry prefix and byte order mark; else why there is none. */
export function textOf(value: Uint8Array, limit: number): TextOrCode {
  if (value.byteLength > limit) return 'too_large';
  let start = value.byteLength > 0 && value[0] === 0 ? Math.min(REGISTRY_PREFIX, value.byteLength) : 0;
  if (value[start] === 0xef && value[start + 1] === 0xbb && value[start + 2] === 0xbf) start += 3;
  const bytes = Buffer.from(value.buffer, value.byteOffset + start, value.byteLength - start);
  return isUtf8(bytes) ? { text: bytes.toString('utf8') } : 'not_utf8';
}
