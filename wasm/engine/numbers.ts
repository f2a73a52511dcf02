/**
 * Lists whose items differ only by a number, as most do: `itm_4190616`, `product-9`, `12345`. The common prefix is stored once, and each
 * item as the distance of its number from the least, in as few bytes as the largest distance needs.
 *
 * In a body: the common prefix as a text | u8, digits of each number (0: no leading zeros) plus WIDTH times the bytes of a distance | u32
 * least number | u16 by slot, the lower half of its distance | u8 or u16 by slot, the rest of it, if any.
 */
import { sameBytes, writeText } from '../text';
import { ImpressionEvent } from './events';
import { sizeOf, takeShared, widenedShared } from './memory';
import { copyBytes, isNarrow, textEnd, textStart } from './texts';
import { walk } from './work';

/** Longer lists are stored as texts and found by an index. */
const MOST_SLOTS: usize = 128;
/** Keeps numbers below 2^32. */
const MOST_DIGITS: usize = 9;
/** Texts of this length may be UUIDs, which have another form. */
const UUID_UNITS: usize = 36;
/** Numbers that are compared in the time of one comparison of texts. */
const PER_STEP: usize = 16;
const WIDTH: u8 = 16;
const LEAST_WIDTH: usize = 2;
/** The most bytes read or written beyond a list: eight distances are written at a time. */
const BEYOND: usize = 32;

/** The list that was read last: u32 numbers by slot, the least and the greatest, the digits of each, and the common prefix. */
export let numbers: usize = 0;
let least: u32 = 0;
let most: u32 = 0;
let digits: usize = 0;
let prefixFrom: usize = 0;
let prefixUnits: usize = 0;
/** The number that `readNumber` has read. */
let number: u32 = 0;

/** Must be called once, before anything else in this file. */
export function openNumbers(): void {
  numbers = takeShared(1024);
}

/** Whether the items of the list differ only by a number. Reads them if so. */
export function readNumbers(list: ImpressionEvent): bool {
  const length = <usize>list.length;
  if (length === 0 || length > MOST_SLOTS) return false;
  if (list.ids === 0 && !isNarrow(list.item(0))) return false;
  while (sizeOf(numbers) < 4 * length + BEYOND) numbers = widenedShared(numbers);
  const from = fromOf(list, 0);
  const end = endOf(list, 0);
  let begin = end;
  while (begin > from && end - begin < MOST_DIGITS && isDigit(load<u8>(begin - 1))) begin--;
  prefixFrom = from;
  prefixUnits = begin - from;
  if (prefixUnits === UUID_UNITS) return false;
  digits = end - begin;
  least = 0xffffffff;
  most = 0;
  let hasLeadingZero = false;
  for (let slot: usize = 0; slot < length; slot++) {
    if (list.ids === 0 && !isNarrow(list.item(slot))) return false;
    const at = fromOf(list, slot);
    const to = endOf(list, slot);
    const units = to - at;
    if (units <= prefixUnits || units === UUID_UNITS || !sameBytes(at, prefixFrom, prefixUnits)) return false;
    const rest = units - prefixUnits;
    if (rest > MOST_DIGITS || !readNumber(to, rest)) return false;
    if (rest !== end - begin) digits = 0;
    if (rest > 1 && load<u8>(at + prefixUnits) === 0x30) hasLeadingZero = true;
    store<u32>(numbers + 4 * slot, number);
    least = min(least, number);
    most = max(most, number);
  }
  return digits !== 0 || !hasLeadingZero;
}

function fromOf(list: ImpressionEvent, slot: usize): usize {
  return list.ids !== 0 ? <usize>load<u32>(list.ids + 8 * slot) : textStart(list.item(slot));
}

function endOf(list: ImpressionEvent, slot: usize): usize {
  return list.ids !== 0 ? <usize>load<u32>(list.ids + 8 * slot, 4) : textEnd(list.item(slot));
}

function isDigit(byte: u8): bool {
  return <u32>byte - 0x30 <= 9;
}

const ZEROS: u64 = (u64(0x30303030) << 32) | 0x30303030;
const ABOVE_NINE: u64 = (u64(0x76767676) << 32) | 0x76767676;
const HIGH_BITS: u64 = (u64(0x80808080) << 32) | 0x80808080;
const PAIRS: u64 = (u64(0x000000ff) << 32) | 0x000000ff;
const FIRST_FACTORS: u64 = (u64(0x000f4240) << 32) | 0x00000064;
const SECOND_FACTORS: u64 = (u64(0x00002710) << 32) | 0x00000001;

/**
 * Reads the `count` digits before `end`, 1 to 9, eight at a time (Lemire, Quickly parsing eight digits, 2018). False: one of them is no
 * digit. Reads up to 8 bytes before `end`.
 */
function readNumber(end: usize, count: usize): bool {
  let word = load<u64>(end - 8);
  if (count < 8) {
    // Replaces the bytes before the digits by zeros.
    const shift = 8 * (8 - <u64>count);
    word = ((word >> shift) << shift) | (ZEROS & ((u64(1) << shift) - 1));
  }
  const values = word - ZEROS;
  if ((((values + ABOVE_NINE) | values | word) & HIGH_BITS) !== 0) return false;
  const pairs = values * 10 + (values >> 8);
  number = <u32>(((pairs & PAIRS) * FIRST_FACTORS + ((pairs >> 16) & PAIRS) * SECOND_FACTORS) >> 32);
  if (count < MOST_DIGITS) return true;
  const ninth = load<u8>(end - MOST_DIGITS);
  number += (<u32>ninth - 0x30) * 100000000;
  return isDigit(ninth);
}

/** The most bytes that `writeNumbers` takes. */
export function bytesOfNumbers(length: usize): usize {
  return prefixUnits + 4 * length + 24 + BEYOND;
}

/** Writes the list that was read last, and returns the end. */
export function writeNumbers(to: usize, length: usize): usize {
  let at = to + 1;
  if (prefixUnits === 0) store<u8>(to, 0);
  else at = writeText(to, prefixFrom, prefixFrom + prefixUnits);
  const span = most - least;
  const width: usize = span < 0x10000 ? LEAST_WIDTH : span < 0x1000000 ? 3 : 4;
  store<u8>(at, <u8>digits | (<u8>width * WIDTH));
  store<u32>(at, least, 1);
  const lower = at + HEAD;
  const upper = lower + 2 * length;
  const leasts = i32x4.splat(least);
  // What this loop writes beyond the lower halves is overwritten by the upper ones.
  for (let slot: usize = 0; slot < length; slot += 8) {
    const first = i32x4.sub(v128.load(numbers + 4 * slot), leasts);
    const second = i32x4.sub(v128.load(numbers + 4 * slot + 16), leasts);
    v128.store(
      lower + 2 * slot,
      i8x16.shuffle(first, second, 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29),
    );
  }
  if (width === LEAST_WIDTH) return upper;
  for (let slot: usize = 0; slot < length; slot += 8) {
    const first = i32x4.sub(v128.load(numbers + 4 * slot), leasts);
    const second = i32x4.sub(v128.load(numbers + 4 * slot + 16), leasts);
    if (width === 4) {
      v128.store(
        upper + 2 * slot,
        i8x16.shuffle(first, second, 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31),
      );
    } else {
      v128.store(upper + slot, i8x16.shuffle(first, second, 2, 6, 10, 14, 18, 22, 26, 30, 0, 0, 0, 0, 0, 0, 0, 0));
    }
  }
  return upper + (width - LEAST_WIDTH) * length;
}

/** Bytes between the common prefix and the lower halves. */
const HEAD: usize = 5;

/** Bytes of a distance. `head` is the address of the digits, after the common prefix. */
function widthOf(head: usize): usize {
  return <usize>(load<u8>(head) / WIDTH);
}

function digitsOf(head: usize): usize {
  return <usize>(load<u8>(head) % WIDTH);
}

export function numbersEnd(list: usize, length: usize): usize {
  const head = textEnd(list);
  return head + HEAD + widthOf(head) * length;
}

/** First slot of the list that holds the item at `text`; -1: none. */
export function slotOfNumber(list: usize, length: u32, text: usize): i32 {
  if (!isNarrow(text)) return -1;
  const from = textStart(text);
  const end = textEnd(text);
  const prefix = textStart(list);
  const head = textEnd(list);
  const units = head - prefix;
  if (end - from <= units || !sameBytes(prefix, from, units)) return -1;
  const rest = end - from - units;
  const all = digitsOf(head);
  if (rest > MOST_DIGITS || (all !== 0 ? rest !== all : rest > 1 && load<u8>(from + units) === 0x30)) return -1;
  return readNumber(end, rest) ? slotOf(head, <usize>length, number) : -1;
}

function slotOf(head: usize, length: usize, wanted: u32): i32 {
  // For a number below the least, the difference wraps around and exceeds all distances.
  const distance = wanted - load<u32>(head, 1);
  const width = widthOf(head);
  const lower = head + HEAD;
  const upper = lower + 2 * length;
  const eight = i16x8.splat(<i16>distance);
  for (let slot: usize = 0; slot < length; slot += 8) {
    let same = i16x8.bitmask(i16x8.eq(v128.load(lower + 2 * slot), eight));
    for (; same !== 0; same &= same - 1) {
      const found = slot + <usize>ctz(same);
      // The bytes behind the list may look like the number.
      if (found >= length) break;
      if (upperOf(upper, width, found) !== distance >>> 16) continue;
      walk(<u32>(found / PER_STEP) + 1);
      return <i32>found;
    }
  }
  walk(<u32>(length / PER_STEP) + 1);
  return -1;
}

/** The upper half of the distance of a slot. */
function upperOf(upper: usize, width: usize, slot: usize): u32 {
  if (width === LEAST_WIDTH) return 0;
  return width === 4 ? <u32>load<u16>(upper + 2 * slot) : <u32>load<u8>(upper + slot);
}

/** The number of a slot. */
function numberOf(head: usize, length: usize, slot: usize): u32 {
  const lower = head + HEAD;
  const distance = <u32>load<u16>(lower + 2 * slot) | (upperOf(lower + 2 * length, widthOf(head), slot) << 16);
  return load<u32>(head, 1) + distance;
}

/** Writes the units of the item of a slot, and returns the end. */
export function writeUnits(to: usize, list: usize, length: usize, slot: usize): usize {
  const behind = copyBytes(to, textStart(list), textEnd(list) - textStart(list));
  let value = numberOf(textEnd(list), length, slot);
  let count = digitsOf(textEnd(list));
  if (count === 0)
    for (let rest = value; ; rest /= 10) {
      count++;
      if (rest < 10) break;
    }
  for (let at = behind + count; at > behind; value /= 10) store<u8>(--at, <u8>(0x30 + (value % 10)));
  return behind + count;
}

/** Upper limit of the units that `writeUnits` writes for an item of this list. */
export function mostUnits(list: usize): usize {
  return textEnd(list) - textStart(list) + MOST_DIGITS;
}
