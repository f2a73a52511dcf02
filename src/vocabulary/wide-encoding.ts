/**
 * The encoding of text whose units are wider than a byte, by its byte order mark; undefined: it has no such mark. One mark of UTF-32
 * begins with one of UTF-16.
 */
export function wideEncodingOf([a, b, c, d]: Uint8Array): 'UTF-16' | 'UTF-32' | undefined {
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? 'UTF-32' : 'UTF-16';
  if (a === 0xfe && b === 0xff) return 'UTF-16';
  return a === 0 && b === 0 && c === 0xfe && d === 0xff ? 'UTF-32' : undefined;
}
