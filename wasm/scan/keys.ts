/** Looks up the keys of objects in those of a node. Objects of one producer have their keys in the same order, so it tries that first. */
import { sameBytes } from '../text';
import { COLON, skipBlank, stringEnd } from './json';
import { HINTS, KEY_BYTES, Key, Node, PLACES } from './program';

/** A name that nothing is looked for under. */
export const OTHER_NAME: usize = 0;
export const NOT_PLAIN: usize = 1;

const FIRST: usize = 16;
const MASK: usize = offsetof<Key>('mask');
const LENGTH: usize = offsetof<Key>('length');

/** Address of the value of the key read last. */
export let keyValue: usize = 0;

/** Bit mask of the equal bytes among the 16 at `a` and `b`. */
function equalBytes(a: usize, b: usize): u32 {
  return i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b)));
}

/** Whether the bytes behind the first 16 are those of the key, too; `length` bytes in all. */
function isRestSame(at: usize, key: usize, length: usize): bool {
  return length <= FIRST || sameBytes(at + FIRST, changetype<Key>(key).rest, length - FIRST);
}

/** Address of the `Key` of the node at `at`, the `nth` of its object; OTHER_NAME; NOT_PLAIN. */
export function readKey(at: usize, nth: usize, node: Node): usize {
  const hint = changetype<usize>(node) + HINTS + (nth & (PLACES - 1));
  const expected = <i32>load<i8>(hint);
  if (expected >= 0) {
    const key = node.keys + KEY_BYTES * <usize>expected;
    const mask = load<u32>(key, MASK);
    const length = <usize>load<u32>(key, LENGTH);
    if ((equalBytes(at, key) & mask) === mask && isRestSame(at, key, length)) {
      keyValue = skipBlank(at + length);
      return key;
    }
  }
  return searchKey(at, node, hint);
}

function searchKey(at: usize, node: Node, hint: usize): usize {
  const end = stringEnd(at);
  if (end === 0) return NOT_PLAIN;
  const colon = skipBlank(end);
  if (load<u8>(colon) !== COLON) return NOT_PLAIN;
  keyValue = skipBlank(colon + 1);
  // With quotes, without the colon, since blanks may precede it.
  const length = end - at;
  const mask: u32 = length >= FIRST ? 0xffff : (1 << (<i32>length)) - 1;
  let key = node.keys;
  for (let k = 0; k < node.count; k++, key += KEY_BYTES) {
    const isSame = load<u32>(key, LENGTH) === <u32>length + 1 && (equalBytes(at, key) & mask) === mask;
    if (!isSame || !isRestSame(at, key, length)) continue;
    store<i8>(hint, <i8>k);
    return key;
  }
  store<i8>(hint, -1);
  return OTHER_NAME;
}
