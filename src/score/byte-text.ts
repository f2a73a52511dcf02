import { Buffer, isUtf8 } from 'node:buffer';

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
