/**
 * The grammar of plain JSON (RFC 8259) over bytes: ASCII, strings without escapes, no deep nesting. Each function takes the
 * place where its construct starts and returns the place after it, or -1 if the text is not JSON or not plain. The text must be
 * followed by a few zeros, which end every loop, because a read out of bounds would be slow.
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

/** 1 for the bytes that are allowed in a plain string. */
export const PLAIN = new Uint8Array(256).fill(1, 0x20, 0x80);
PLAIN[QUOTE] = 0;
PLAIN[BACKSLASH] = 0;
const DIGIT = new Uint8Array(256).fill(1, ZERO, ZERO + 10);

const UNKNOWN = -1;
const NOT_PLAIN = -2;

/** Members of an object whose names are remembered by position. */
const PLACES = 32;

/** The first place from `at` on that is not a blank. */
export function skipBlank(u8: Uint8Array, at: number): number {
  let i = at;
  while (u8[i] <= 0x20 && (u8[i] === 0x20 || u8[i] === 0x0a || u8[i] === 0x0d || u8[i] === 0x09)) i++;
  return i;
}

/** `at`: its opening quote. The text is in [at + 1, result - 1). */
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

/** The value of a JSON number of at most 15 digits without sign, fraction or exponent; NaN: it is something else. */
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

/**
 * Recognises the keys of objects among some names. Objects of one producer have their keys in one order, so the name at the
 * same position in the last object is tried first.
 */
export class Keys {
  /** `"name":` as bytes. */
  readonly #keys: readonly Uint8Array[];
  /** By position in the object: the name that was there last. */
  readonly #last = new Int32Array(PLACES).fill(UNKNOWN);
  /** Start of the value whose key was read last. */
  value = 0;

  constructor(names: readonly string[]) {
    this.#keys = names.map((name) => Uint8Array.from(`"${name}":`, (unit) => unit.charCodeAt(0)));
  }

  /** Index of the name of the key at `at`, the `nth` of its object; -1: another name; -2: not a plain key and colon. */
  read(u8: Uint8Array, at: number, nth: number): number {
    const place = nth & (PLACES - 1);
    const expected = this.#last[place];
    if (expected >= 0) {
      const key = this.#keys[expected];
      const { length } = key;
      let i = 0;
      while (i < length && u8[at + i] === key[i]) i++;
      if (i === length) {
        this.value = skipBlank(u8, at + length);
        return expected;
      }
    }
    return this.#search(u8, at, place);
  }

  #search(u8: Uint8Array, at: number, place: number): number {
    const end = stringEnd(u8, at);
    if (end < 0) return NOT_PLAIN;
    const colon = skipBlank(u8, end);
    if (u8[colon] !== COLON) return NOT_PLAIN;
    this.value = skipBlank(u8, colon + 1);
    this.#last[place] = this.#keys.findIndex((key) => isKey(key, u8, at, end));
    return this.#last[place];
  }
}

/** Whether the text in [at, end), quotes included, is the key. */
function isKey(key: Uint8Array, u8: Uint8Array, at: number, end: number): boolean {
  if (end - at !== key.length - 1 || u8[end - 1] !== QUOTE) return false;
  for (let i = 0; i < end - at; i++) if (u8[at + i] !== key[i]) return false;
  return true;
}
