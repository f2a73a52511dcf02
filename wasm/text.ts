/** Packed texts as in src/consumers/packed/text.ts, for the scanner and the engine: narrow ones, and UUIDs. */

const UUID: u8 = 2;
const UUID_LENGTH: usize = 36;
const UUID_BYTES: usize = 16;
const HYPHEN: u8 = 0x2d;

/** Packs the bytes in [from, to), one per unit, at `at`. Returns the end; may write 15 bytes beyond it. */
export function writeText(at: usize, from: usize, to: usize): usize {
  const length = to - from;
  if (length === UUID_LENGTH && writeUuid(at, from)) return at + 1 + UUID_BYTES;
  let rest = <u32>length * 4;
  let start = at;
  while (rest >= 0x80) {
    store<u8>(start++, <u8>((rest & 0x7f) | 0x80));
    rest >>>= 7;
  }
  store<u8>(start++, <u8>rest);
  for (let i: usize = 0; i < length; i += 16) v128.store(start + i, v128.load(from + i));
  return start + length;
}

function isHexadecimal(digits: v128): bool {
  const isDigit = i8x16.lt_u(i8x16.sub(digits, i8x16.splat(0x30)), i8x16.splat(10));
  const isLetter = i8x16.lt_u(i8x16.sub(digits, i8x16.splat(0x61)), i8x16.splat(6));
  return i8x16.all_true(v128.or(isDigit, isLetter));
}

/** Turns 16 digits into 8 values of 8 bits, each in 16. */
function bytesOf(digits: v128): v128 {
  const isLetter = i8x16.gt_u(digits, i8x16.splat(0x39));
  const values = i8x16.add(v128.and(digits, i8x16.splat(15)), v128.and(isLetter, i8x16.splat(9)));
  // The first digit of each pair is in the lower byte and is the higher half.
  return v128.and(v128.or(i16x8.shl(values, 4), i16x8.shr_u(values, 8)), i16x8.splat(0xff));
}

/** False, with nothing written, if the 36 bytes from `from` on are no lower-case UUID. */
function writeUuid(at: usize, from: usize): bool {
  if (load<u8>(from, 8) !== HYPHEN || load<u8>(from, 13) !== HYPHEN) return false;
  if (load<u8>(from, 18) !== HYPHEN || load<u8>(from, 23) !== HYPHEN) return false;
  // The first register has groups 8-4-4-, the second -4-12.
  const first = v128.load(from);
  const middle = v128.load(from, 8);
  const last = v128.load(from, 20);
  const head = v128.shuffle<i8>(first, middle, 0, 1, 2, 3, 4, 5, 6, 7, 17, 18, 19, 20, 22, 23, 24, 25);
  const tail = v128.shuffle<i8>(v128.load(from, 19), last, 0, 1, 2, 3, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
  if (!isHexadecimal(head) || !isHexadecimal(tail)) return false;
  store<u8>(at, <u8>UUID_BYTES * 4 + UUID);
  v128.store(at + 1, i8x16.narrow_i16x8_u(bytesOf(head), bytesOf(tail)));
  return true;
}

/** Whether `count` bytes are equal. Reads up to 15 bytes beyond. */
export function sameBytes(a: usize, b: usize, count: usize): bool {
  let i: usize = 0;
  for (; i + 16 <= count; i += 16) {
    if (!i8x16.all_true(i8x16.eq(v128.load(a + i), v128.load(b + i)))) return false;
  }
  if (i === count) return true;
  const others = ~i8x16.bitmask(i8x16.eq(v128.load(a + i), v128.load(b + i)));
  return (others & ((1 << (<i32>(count - i))) - 1)) === 0;
}
