/** Texts as src/consumers/packed/text.ts has them. A text is named by the place of its header. */

const FORM_MASK: u8 = 3;
const UUID: u8 = 2;
const UUID_LENGTH: usize = 36;
const UUID_BYTES: usize = 16;
const HYPHEN: u8 = 0x2d;

/** The place of the first byte behind the header. */
export function textStart(at: usize): usize {
  let start = at;
  while (load<u8>(start) >= 0x80) start++;
  return start + 1;
}

/** The place behind the text. */
export function textEnd(at: usize): usize {
  const first = <usize>load<u8>(at);
  return first < 0x80 ? at + 1 + (first >>> 2) : longTextEnd(at);
}

function longTextEnd(at: usize): usize {
  let header: usize = 0;
  let shift: usize = 0;
  let i = at;
  while (load<u8>(i) >= 0x80) {
    header |= (<usize>(load<u8>(i++) & 0x7f)) << shift;
    shift += 7;
  }
  header |= (<usize>load<u8>(i)) << shift;
  return i + 1 + (header >>> 2);
}

/** Whether it has one byte for each unit, and is no UUID. */
export function isNarrow(at: usize): bool {
  return (load<u8>(at) & FORM_MASK) === 0;
}

export function sameText(a: usize, b: usize): bool {
  if (load<u8>(a) !== load<u8>(b)) return false;
  return sameBytes(a, b, textEnd(a) - a);
}

/** Reads up to 15 bytes beyond. */
export function sameBytes(a: usize, b: usize, count: usize): bool {
  let i: usize = 0;
  for (; i + 16 <= count; i += 16) {
    if (!i8x16.all_true(i8x16.eq(v128.load(a + i), v128.load(b + i)))) return false;
  }
  if (i === count) return true;
  const others = ~i8x16.bitmask(i8x16.eq(v128.load(a + i), v128.load(b + i)));
  return (others & ((1 << (<i32>(count - i))) - 1)) === 0;
}

/** How many bytes the two have in common from their begin, up to `most`. Reads up to 7 bytes beyond. */
export function commonBytes(a: usize, b: usize, most: usize): usize {
  for (let i: usize = 0; i < most; i += 8) {
    const differ = load<u64>(a + i) ^ load<u64>(b + i);
    if (differ !== 0) return min(most, i + <usize>(ctz(differ) >>> 3));
  }
  return most;
}

/** Copies so many bytes and returns the place behind the copy. */
export function copyBytes(to: usize, from: usize, count: usize): usize {
  let i: usize = 0;
  for (; i + 16 <= count; i += 16) v128.store(to + i, v128.load(from + i));
  if ((count & 8) !== 0) {
    store<u64>(to + i, load<u64>(from + i));
    i += 8;
  }
  if ((count & 4) !== 0) {
    store<u32>(to + i, load<u32>(from + i));
    i += 4;
  }
  for (; i < count; i++) store<u8>(to + i, load<u8>(from + i));
  return to + count;
}

export function copyText(to: usize, from: usize): usize {
  return copyBytes(to, from, textEnd(from) - from);
}

/** Writes the bytes in [from, end) as a text of one byte for each unit, and returns the place behind it. */
export function writeNarrow(to: usize, from: usize, end: usize): usize {
  const length = end - from;
  if (length === UUID_LENGTH && writeUuid(to, from)) return to + 1 + UUID_BYTES;
  let rest = length * 4;
  let start = to;
  while (rest >= 0x80) {
    store<u8>(start++, <u8>((rest & 0x7f) | 0x80));
    rest >>>= 7;
  }
  store<u8>(start++, <u8>rest);
  return copyBytes(start, from, length);
}

/** The value of a lower-case hexadecimal digit; above 15: none. */
function digit(at: usize): u32 {
  const byte = <u32>load<u8>(at);
  if (byte - 0x30 < 10) return byte - 0x30;
  return byte - 0x61 < 6 ? byte - 0x57 : 255;
}

/** False where the 36 bytes are no lower-case UUID; a place that is not behind `from` may have been written. */
function writeUuid(to: usize, from: usize): bool {
  if (load<u8>(from, 8) !== HYPHEN || load<u8>(from, 13) !== HYPHEN) return false;
  if (load<u8>(from, 18) !== HYPHEN || load<u8>(from, 23) !== HYPHEN) return false;
  let i = from;
  for (let n: usize = 0; n < UUID_BYTES; n++) {
    if (load<u8>(i) === HYPHEN) i++;
    const high = digit(i);
    const low = digit(i + 1);
    if ((high | low) > 15) return false;
    store<u8>(to + 1 + n, <u8>((high << 4) | low));
    i += 2;
  }
  if (i !== from + UUID_LENGTH) return false;
  store<u8>(to, <u8>UUID_BYTES * 4 + UUID);
  return true;
}
