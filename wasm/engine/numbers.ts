/**
 * Lists whose items differ by a number alone, as most do: `itm_4190616`, `product-9`, `12345`. What they begin with is kept once, and
 * each item as 32 bits, which are compared four at a time.
 *
 * As it lies in a body: what all items begin with as a text | u8 digits of each (0: as many as the number has) | u32 by slot.
 */
import { sameBytes, writeText } from '../text';
import { Shown } from './events';
import { sizeOf, takeShared, widenedShared } from './memory';
import { copyBytes, isNarrow, textEnd, textStart } from './texts';
import { walk } from './work';

/** Of longer lists each item is kept as a text, and found by an index. */
const MOST_SLOTS: usize = 128;
/** So that a number is below 2^32. */
const MOST_DIGITS: usize = 9;
/** Texts of this length may be UUIDs, which are written in another form. */
const UUID_UNITS: usize = 36;
/** So many numbers are compared in the time in which a text is. */
const PER_STEP: usize = 16;

/** Of the list that was read last: u32 by slot, how many digits each has, and what all begin with. */
export let numbers: usize = 0;
let digits: usize = 0;
let prefixFrom: usize = 0;
let prefixUnits: usize = 0;
/** The place of the number that `readNumber` has read. */
let number: u32 = 0;

/** Before all else. */
export function openNumbers(): void {
  numbers = takeShared(1024);
}

/** Whether the items of the list differ by a number alone; then they are read. */
export function readNumbers(list: Shown): bool {
  const length = <usize>list.length;
  if (length === 0 || length > MOST_SLOTS) return false;
  if (list.ids === 0 && !isNarrow(list.item(0))) return false;
  while (sizeOf(numbers) < 4 * length + 16) numbers = widenedShared(numbers);
  const from = fromOf(list, 0);
  const end = endOf(list, 0);
  let begin = end;
  while (begin > from && end - begin < MOST_DIGITS && isDigit(load<u8>(begin - 1))) begin--;
  prefixFrom = from;
  prefixUnits = begin - from;
  if (prefixUnits === UUID_UNITS) return false;
  digits = end - begin;
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
  }
  return digits !== 0 || !hasLeadingZero;
}

function fromOf(list: Shown, slot: usize): usize {
  return list.ids !== 0 ? <usize>load<u32>(list.ids + 8 * slot) : textStart(list.item(slot));
}

function endOf(list: Shown, slot: usize): usize {
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
 * Reads the `count` digits before `end`, 1 to 9, eight at a time (Lemire, Quickly parsing eight digits, 2018). False: one is no digit.
 * Reads up to 8 bytes before `end`.
 */
function readNumber(end: usize, count: usize): bool {
  let word = load<u64>(end - 8);
  if (count < 8) {
    // What stands before them are noughts.
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

/** Bytes that `writeNumbers` takes at most. */
export function bytesOfNumbers(length: usize): usize {
  return prefixUnits + 4 * length + 24;
}

/** Writes the list that was read last, and returns the place behind it. */
export function writeNumbers(to: usize, length: usize): usize {
  let at = to + 1;
  if (prefixUnits === 0) store<u8>(to, 0);
  else at = writeText(to, prefixFrom, prefixFrom + prefixUnits);
  store<u8>(at, <u8>digits);
  return copyBytes(at + 1, numbers, 4 * length);
}

/** Where the numbers of a list stand. */
function numbersOf(list: usize): usize {
  return textEnd(list) + 1;
}

export function numbersEnd(list: usize, length: usize): usize {
  return numbersOf(list) + 4 * length;
}

/** First slot of the list that holds the item at `text`; -1: none. */
export function slotOfNumber(list: usize, length: u32, text: usize): i32 {
  if (!isNarrow(text)) return -1;
  const from = textStart(text);
  const end = textEnd(text);
  const prefix = textStart(list);
  const units = textEnd(list) - prefix;
  if (end - from <= units || !sameBytes(prefix, from, units)) return -1;
  const rest = end - from - units;
  const all = <usize>load<u8>(textEnd(list));
  if (rest > MOST_DIGITS || (all !== 0 ? rest !== all : rest > 1 && load<u8>(from + units) === 0x30)) return -1;
  return readNumber(end, rest) ? slotOf(numbersOf(list), <usize>length, number) : -1;
}

function slotOf(at: usize, length: usize, wanted: u32): i32 {
  const four = i32x4.splat(wanted);
  for (let slot: usize = 0; slot < length; slot += 4) {
    const same = i32x4.bitmask(i32x4.eq(v128.load(at + 4 * slot), four));
    if (same === 0) continue;
    const found = slot + <usize>ctz(same);
    walk(<u32>(found / PER_STEP) + 1);
    // What stands behind the list may look like its number.
    return found < length ? <i32>found : -1;
  }
  walk(<u32>(length / PER_STEP) + 1);
  return -1;
}

/** Writes the units of the item of a slot, and returns the place behind them. */
export function writeUnits(to: usize, list: usize, slot: usize): usize {
  const behind = copyBytes(to, textStart(list), textEnd(list) - textStart(list));
  let value = load<u32>(numbersOf(list) + 4 * slot);
  let count = <usize>load<u8>(textEnd(list));
  if (count === 0)
    for (let rest = value; ; rest /= 10) {
      count++;
      if (rest < 10) break;
    }
  for (let at = behind + count; at > behind; value /= 10) store<u8>(--at, <u8>(0x30 + (value % 10)));
  return behind + count;
}

/** Units of the longest item that `writeUnits` writes of this list. */
export function mostUnits(list: usize): usize {
  return textEnd(list) - textStart(list) + MOST_DIGITS;
}
