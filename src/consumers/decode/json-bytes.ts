/**
 * The grammar of JSON (RFC 8259) over bytes, as far as it is plain: ASCII, strings without escapes, no deep nesting. Each
 * function takes the place where its thing begins and answers the place behind it, or -1 where the text is not JSON or
 * not plain. Behind the text there must stand a few zeros, which end every loop: a read out of bounds would be slow.
 */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const MINUS = 0x2d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
const BACKSLASH = 0x5c;
const POINT = 0x2e;
const ZERO = 0x30;
const NULL = 'null';

const MOST_DEPTH = 16;

/** 1 for the bytes that may stand in a plain string. */
export const PLAIN = new Uint8Array(256).fill(1, 0x20, 0x80);
PLAIN[QUOTE] = 0;
PLAIN[BACKSLASH] = 0;
const DIGIT = new Uint8Array(256).fill(1, ZERO, ZERO + 10);

/** The first place from `at` on that holds no blank. */
export function skipBlank(u8: Uint8Array, at: number): number {
  let i = at;
  while (u8[i] <= 0x20 && (u8[i] === 0x20 || u8[i] === 0x0a || u8[i] === 0x0d || u8[i] === 0x09)) i++;
  return i;
}

/** `at`: its first quote. The text stands between `at + 1` and the answer less 1. */
export function stringEnd(u8: Uint8Array, at: number): number {
  if (u8[at] !== QUOTE) return -1;
  let i = at + 1;
  while (PLAIN[u8[i]] === 1) i++;
  return u8[i] === QUOTE ? i + 1 : -1;
}

/** A number without exponent; of at most 30 bytes, so that it is below LARGEST_VALUE. */
export function decimalEnd(u8: Uint8Array, at: number): number {
  const end = plainNumberEnd(u8, at);
  return end < 0 || end - at > 30 || (u8[end] | 0x20) === 0x65 ? -1 : end;
}

function plainNumberEnd(u8: Uint8Array, at: number): number {
  let i = u8[at] === MINUS ? at + 1 : at;
  if (u8[i] === ZERO) i++;
  else {
    const first = i;
    while (DIGIT[u8[i]] === 1) i++;
    if (i === first) return -1;
  }
  if (u8[i] !== POINT) return i;
  const first = ++i;
  while (DIGIT[u8[i]] === 1) i++;
  return i === first ? -1 : i;
}

function numberEnd(u8: Uint8Array, at: number): number {
  let i = plainNumberEnd(u8, at);
  if (i < 0 || (u8[i] | 0x20) !== 0x65) return i;
  i++;
  if (u8[i] === 0x2b || u8[i] === MINUS) i++;
  const first = i;
  while (DIGIT[u8[i]] === 1) i++;
  return i === first ? -1 : i;
}

export function nullEnd(u8: Uint8Array, at: number): number {
  return literalEnd(u8, at, NULL);
}

function literalEnd(u8: Uint8Array, at: number, literal: string): number {
  for (let i = 0; i < literal.length; i++) if (u8[at + i] !== literal.charCodeAt(i)) return -1;
  return at + literal.length;
}

/** Any plain value. */
export function valueEnd(u8: Uint8Array, at: number, depth = 0): number {
  switch (u8[at]) {
    case QUOTE:
      return stringEnd(u8, at);
    case OPEN_BRACE:
    case OPEN_BRACKET:
      return depth === MOST_DEPTH ? -1 : membersEnd(u8, at, depth + 1);
    case 0x74:
      return literalEnd(u8, at, 'true');
    case 0x66:
      return literalEnd(u8, at, 'false');
    case 0x6e:
      return nullEnd(u8, at);
    default:
      return numberEnd(u8, at);
  }
}

/** An object or an array. */
function membersEnd(u8: Uint8Array, at: number, depth: number): number {
  const isObject = u8[at] === OPEN_BRACE;
  const close = isObject ? CLOSE_BRACE : CLOSE_BRACKET;
  let i = skipBlank(u8, at + 1);
  if (u8[i] === close) return i + 1;
  for (;;) {
    if (isObject) {
      i = stringEnd(u8, i);
      if (i < 0) return -1;
      i = skipBlank(u8, i);
      if (u8[i] !== COLON) return -1;
      i = skipBlank(u8, i + 1);
    }
    i = valueEnd(u8, i, depth);
    if (i < 0) return -1;
    i = skipBlank(u8, i);
    if (u8[i] === close) return i + 1;
    if (u8[i] !== COMMA) return -1;
    i = skipBlank(u8, i + 1);
  }
}

/** The value of a JSON number of at most 15 digits and nothing else; NaN: it is something else. */
export function wholeNumber(u8: Uint8Array, from: number, to: number): number {
  if (to <= from || to > from + 15) return Number.NaN;
  let value = 0;
  for (let i = from; i < to; i++) {
    const digit = u8[i] - 0x30;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}
