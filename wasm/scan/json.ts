/**
 * The grammar of JSON (RFC 8259) over bytes, restricted to plain texts: ASCII, strings without escapes, no deep nesting. Each function
 * takes the address where its construct begins and returns the end, or 0 if the text is not JSON or not plain. The zeros behind a record
 * end every loop.
 */
export const QUOTE: u8 = 0x22;
export const COMMA: u8 = 0x2c;
export const COLON: u8 = 0x3a;
export const OPEN_BRACKET: u8 = 0x5b;
export const CLOSE_BRACKET: u8 = 0x5d;
export const OPEN_BRACE: u8 = 0x7b;
export const CLOSE_BRACE: u8 = 0x7d;
const PLUS: u8 = 0x2b;
const MINUS: u8 = 0x2d;
const POINT: u8 = 0x2e;
const ZERO: u8 = 0x30;
const LOWER_E: u8 = 0x65;
/** `null`, `true` and `alse` as words. */
const NULL: u32 = 0x6c6c756e;
const TRUE: u32 = 0x65757274;
const ALSE: u32 = 0x65736c61;

const MOST_DEPTH: u32 = 16;
/** Digits that a double holds exactly. */
const WHOLE_DIGITS: usize = 15;
/** The most bytes of a decimal, which keep it below LARGEST_VALUE (src/vocabulary/events.ts). */
const DECIMAL_BYTES: usize = 30;

function isBlank(byte: u8): bool {
  return byte <= 0x20 && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
}

/** The first address from `at` on that holds no blank. */
export function skipBlank(at: usize): usize {
  let i = at;
  while (isBlank(load<u8>(i))) i++;
  return i;
}

/** The end of a string. `at` is the address after its opening quote. */
export function behindQuote(at: usize): usize {
  let i = at;
  while (true) {
    const bytes = v128.load(i);
    const isQuote = i8x16.eq(bytes, i8x16.splat(0x22));
    const isBackslash = i8x16.eq(bytes, i8x16.splat(0x5c));
    // The comparison is signed, so bytes above 0x7f are below 0x20 too.
    const isOdd = i8x16.lt_s(bytes, i8x16.splat(0x20));
    const ends = i8x16.bitmask(v128.or(v128.or(isQuote, isBackslash), isOdd));
    if (ends !== 0) {
      i += <usize>ctz(ends);
      return load<u8>(i) === QUOTE ? i + 1 : 0;
    }
    i += 16;
  }
}

/** The end of a string. */
export function stringEnd(at: usize): usize {
  return load<u8>(at) === QUOTE ? behindQuote(at + 1) : 0;
}

/** The end of the digits from `at` on; `at` if there are none. */
function digitsEnd(at: usize): usize {
  let i = at;
  while (true) {
    const isDigit = i8x16.lt_u(i8x16.sub(v128.load(i), i8x16.splat(0x30)), i8x16.splat(10));
    const others = ~i8x16.bitmask(isDigit) & 0xffff;
    if (others !== 0) return i + <usize>ctz(others);
    i += 16;
  }
}

function plainNumberEnd(at: usize): usize {
  let i = load<u8>(at) === MINUS ? at + 1 : at;
  if (load<u8>(i) === ZERO) i++;
  else {
    const first = i;
    i = digitsEnd(i);
    if (i === first) return 0;
  }
  if (load<u8>(i) !== POINT) return i;
  const first = i + 1;
  i = digitsEnd(first);
  return i === first ? 0 : i;
}

function hasExponent(at: usize): bool {
  return (load<u8>(at) | 0x20) === LOWER_E;
}

function numberEnd(at: usize): usize {
  let i = plainNumberEnd(at);
  if (i === 0 || !hasExponent(i)) return i;
  i++;
  if (load<u8>(i) === PLUS || load<u8>(i) === MINUS) i++;
  const first = i;
  i = digitsEnd(first);
  return i === first ? 0 : i;
}

/** The end of a number without exponent, of at most DECIMAL_BYTES. */
export function decimalEnd(at: usize): usize {
  const end = plainNumberEnd(at);
  return end === 0 || end - at > DECIMAL_BYTES || hasExponent(end) ? 0 : end;
}

export function isNull(at: usize): bool {
  return load<u32>(at) === NULL;
}

/** The end of any plain value. */
export function valueEnd(at: usize, depth: u32): usize {
  const first = load<u8>(at);
  if (first === QUOTE) return behindQuote(at + 1);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return depth === MOST_DEPTH ? 0 : membersEnd(at, depth + 1);
  if (isNull(at) || load<u32>(at) === TRUE) return at + 4;
  if (first === 0x66 && load<u32>(at + 1) === ALSE) return at + 5;
  return numberEnd(at);
}

/** The end of an object or an array. */
function membersEnd(at: usize, depth: u32): usize {
  const isObject = load<u8>(at) === OPEN_BRACE;
  const close = isObject ? CLOSE_BRACE : CLOSE_BRACKET;
  let i = skipBlank(at + 1);
  if (load<u8>(i) === close) return i + 1;
  while (true) {
    if (isObject) {
      i = stringEnd(i);
      if (i === 0) return 0;
      i = skipBlank(i);
      if (load<u8>(i) !== COLON) return 0;
      i = skipBlank(i + 1);
    }
    i = valueEnd(i, depth);
    if (i === 0) return 0;
    i = skipBlank(i);
    if (load<u8>(i) === close) return i + 1;
    if (load<u8>(i) !== COMMA) return 0;
    i = skipBlank(i + 1);
  }
}

/** The value of a JSON number of at most 15 digits and nothing else; NaN: it is something else. */
export function wholeNumber(from: usize, to: usize): f64 {
  if (to <= from || to > from + WHOLE_DIGITS) return NaN;
  let value: u64 = 0;
  for (let i = from; i < to; i++) {
    const digit = <u32>load<u8>(i) - 0x30;
    if (digit > 9) return NaN;
    value = value * 10 + <u64>digit;
  }
  return <f64>value;
}
