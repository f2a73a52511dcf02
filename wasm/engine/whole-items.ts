/** The items of a body, one after the other, each as the text that feedback names it by, prefix included. */
import { writeText } from '../text';
import { body } from './bodies';
import { giveShared, sizeOf, takeShared } from './memory';
import { mostUnits, writeUnits } from './numbers';
import { copyBytes, isNarrow, textEnd, textStart } from './texts';

/** The list being read, the length of the common prefix in units, and the rest of the next item. */
let shared: usize = 0;
let sharedUnits: usize = 0;
let next: usize = 0;
let isNumeric: bool = false;
let length: usize = 0;
/** A whole item: its text, and in the upper half of the block its units. */
let whole: usize = 0;
const LEAST_WHOLE: usize = 512;
/** Bytes for the header of an item, and for what `writeText` may write beyond its text. */
const BESIDE: usize = 24;
const UUID_UNITS: usize = 36;

/** Must be called once, before anything else in this file. */
export function openWholeItems(): void {
  whole = takeShared(LEAST_WHOLE);
}

/** Begins to read the items of this body. */
export function beginItems(bodyAt: usize): void {
  shared = body(bodyAt).items();
  isNumeric = body(bodyAt).isNumeric();
  length = <usize>body(bodyAt).length();
  // The next slot of a list of numbers.
  next = isNumeric ? 0 : textEnd(shared);
  if (isNumeric) return;
  sharedUnits = next - textStart(shared);
}

/** The next item, valid until the next call. */
export function nextItem(): usize {
  const rest = next;
  if (isNumeric) {
    next++;
    const at = roomFor(mostUnits(shared));
    writeText(whole, at, writeUnits(at, shared, length, rest));
    return whole;
  }
  next = textEnd(rest);
  if (sharedUnits === 0) return rest;
  const units = isNarrow(rest) ? next - textStart(rest) : UUID_UNITS;
  const at = roomFor(sharedUnits + units);
  const behind = copyBytes(at, textStart(shared), sharedUnits);
  const end = isNarrow(rest) ? copyBytes(behind, textStart(rest), units) : copyUuid(behind, rest);
  writeText(whole, at, end);
  return whole;
}

/** Where `units` units of an item may be written: the upper half of the block. */
function roomFor(units: usize): usize {
  const bytes = units + BESIDE;
  if (bytes * 2 > sizeOf(whole)) {
    giveShared(whole);
    whole = takeShared(bytes * 4);
  }
  return whole + sizeOf(whole) / 2;
}

/** Writes the 36 units of a UUID. */
function copyUuid(to: usize, text: usize): usize {
  let at = to;
  for (let i: usize = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) store<u8>(at++, 0x2d);
    const byte = load<u8>(text + 1 + i);
    store<u8>(at++, hexadecimal(byte >> 4));
    store<u8>(at++, hexadecimal(byte & 15));
  }
  return at;
}

function hexadecimal(value: u8): u8 {
  return value < 10 ? 0x30 + value : 0x57 + value;
}
