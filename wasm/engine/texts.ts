/**
 * Reads and copies the texts that wasm/text.ts writes, in the forms of src/consumers/packed/text.ts. The address of a text is that of its
 * header.
 */
import { sameBytes } from '../text';

const FORM_MASK: u8 = 3;

/** Address of the first byte after the header. */
export function textStart(at: usize): usize {
  let start = at;
  while (load<u8>(start) >= 0x80) start++;
  return start + 1;
}

/** The end of the text. */
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

/** Whether the text has one byte per unit and is no UUID. */
export function isNarrow(at: usize): bool {
  return (load<u8>(at) & FORM_MASK) === 0;
}

export function sameText(a: usize, b: usize): bool {
  if (load<u8>(a) !== load<u8>(b)) return false;
  return sameBytes(a, b, textEnd(a) - a);
}

/** Number of leading bytes that the two have in common, up to `most`. Reads up to 7 bytes beyond. */
export function commonBytes(a: usize, b: usize, most: usize): usize {
  for (let i: usize = 0; i < most; i += 8) {
    const differ = load<u64>(a + i) ^ load<u64>(b + i);
    if (differ !== 0) return min(most, i + <usize>(ctz(differ) >>> 3));
  }
  return most;
}

/** Copies `count` bytes and returns the end of the copy. */
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
