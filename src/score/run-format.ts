import { COMMA, HASH, NEWLINE, SPACE } from './bytes.ts';
import { markOf } from './line-blocks.ts';

export const FORMATS = ['trec', 'flagr', 'lists'] as const;
export type Format = (typeof FORMATS)[number];

/** Whether the line at `from` has a comma: then the file is CSV. undefined: a blank line or a comment, which does not tell. */
export function isCommas(bytes: Uint8Array, from: number): boolean | undefined {
  let at = from;
  while (at < bytes.length && bytes[at] !== NEWLINE && bytes[at] <= SPACE) at++;
  if (at >= bytes.length || bytes[at] === NEWLINE || bytes[at] === HASH) return undefined;
  for (; at < bytes.length && bytes[at] !== NEWLINE; at++) if (bytes[at] === COMMA) return true;
  return false;
}

/** The format of a run by its first line with data; undefined: the bytes, the first of the file, have none. */
export function formatOf(bytes: Uint8Array): 'trec' | 'flagr' | undefined {
  for (let at = markOf(bytes); at < bytes.length; ) {
    const commas = isCommas(bytes, at);
    if (commas !== undefined) return commas ? 'flagr' : 'trec';
    const end = bytes.indexOf(NEWLINE, at);
    if (end < 0) return undefined;
    at = end + 1;
  }
  return undefined;
}
