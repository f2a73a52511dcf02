/** Looks up the keys of objects in a list of names. Objects of one producer have their keys in the same order, so it tries that first. */
import { COLON, skipBlank, stringEnd } from './json';
import { KEY_BYTES, PLACES } from './layout';

export const OTHER_NAME: i32 = -1;
export const NOT_PLAIN: i32 = -2;

const MASK: usize = 16;
const LENGTH: usize = 20;
const MOST_LENGTH: u32 = 16;

/** Address of the value of the key read last. */
export let keyValue: usize = 0;

/** Bit mask of the equal bytes among the 16 at `a` and `b`. */
function equalBytes(a: usize, b: usize): u32 {
  return i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b)));
}

/**
 * Index of the name of the key at `at`, the `nth` of its object.
 * @param keys names in the form of layout.ts, `count` of them
 * @param hints one byte per position: the name that stood there last
 */
export function readKey(at: usize, nth: usize, keys: usize, count: i32, hints: usize): i32 {
  const hint = hints + (nth & (PLACES - 1));
  const expected = <i32>load<i8>(hint);
  if (expected >= 0) {
    const key = keys + KEY_BYTES * <usize>expected;
    const mask = load<u32>(key, MASK);
    if ((equalBytes(at, key) & mask) === mask) {
      keyValue = skipBlank(at + <usize>load<u32>(key, LENGTH));
      return expected;
    }
  }
  return searchKey(at, keys, count, hint);
}

function searchKey(at: usize, keys: usize, count: i32, hint: usize): i32 {
  const end = stringEnd(at);
  if (end === 0) return NOT_PLAIN;
  const colon = skipBlank(end);
  if (load<u8>(colon) !== COLON) return NOT_PLAIN;
  keyValue = skipBlank(colon + 1);
  // With quotes, without the colon, since blanks may precede it.
  const length = <u32>(end - at);
  let found = OTHER_NAME;
  if (length < MOST_LENGTH) {
    const mask: u32 = (1 << length) - 1;
    for (let k = 0; k < count; k++) {
      const key = keys + KEY_BYTES * <usize>k;
      if (load<u32>(key, LENGTH) === length + 1 && (equalBytes(at, key) & mask) === mask) {
        found = k;
        break;
      }
    }
  }
  store<i8>(hint, <i8>found);
  return found;
}
