/** The items of a list as packed texts: their common prefix, then the rest of each item. */

import { sameBytes, writeText } from '../text';
import { addBytes, ByteTable, findBytes, newByteTable } from './byte-table';
import { ImpressionEvent } from './events';
import { giveShared, sizeOf, takeShared } from './memory';
import { addItem, beginRepeats } from './repeats';
import { commonBytes, copyText, isNarrow, sameText, textEnd, textStart } from './texts';
import { walk } from './work';

/** The rest, as a text, of the item being searched for. */
let rest: usize = 0;
const LEAST_REST: usize = 512;
const HEADER_BYTES: usize = 5;
const UUID_UNITS: usize = 36;

/** Must be called once, before anything else in this file. */
export function openItems(): void {
  rest = takeShared(LEAST_REST);
}

/** Number of units in the common prefix of all items; 0 if there are fewer than two items, or if an item is not narrow. */
export function commonPrefix(list: ImpressionEvent): usize {
  if (list.length < 2) return 0;
  const first = textStart(list.item(0));
  let shared = textEnd(list.item(0)) - first;
  for (let slot: usize = 0; slot < <usize>list.length; slot++) {
    const item = list.item(slot);
    if (!isNarrow(item)) return 0;
    const start = textStart(item);
    shared = commonBytes(first, start, min(shared, textEnd(item) - start));
  }
  // A prefix as long as a UUID could be packed as one, so it is cut by one unit.
  return shared === UUID_UNITS ? UUID_UNITS - 1 : shared;
}

/** Writes the list, records items that repeat (repeats.ts), and returns the end. */
export function writeItems(keys: usize, to: usize, list: ImpressionEvent, prefix: usize): usize {
  beginRepeats(<usize>list.length);
  let at = to + 1;
  if (prefix === 0) store<u8>(to, 0);
  else {
    const first = textStart(list.item(0));
    at = writeText(to, first, first + prefix);
  }
  for (let slot: usize = 0; slot < <usize>list.length; slot++) {
    const item = list.item(slot);
    const end = prefix === 0 ? copyText(at, item) : writeText(at, textStart(item) + prefix, textEnd(item));
    addItem(keys, at, end, slot);
    at = end;
  }
  return at;
}

/** The text that the list holds for the item: what follows the prefix. 0: the item does not begin with the prefix. */
export function withoutPrefix(list: usize, item: usize): usize {
  if (load<u8>(list) === 0) return item;
  // All items of a list with a prefix are narrow.
  if (!isNarrow(item)) return 0;
  const prefix = textStart(list);
  const length = textEnd(list) - prefix;
  const start = textStart(item);
  const end = textEnd(item);
  if (end - start < length || !sameBytes(prefix, start, length)) return 0;
  if (end - start + HEADER_BYTES + 16 > sizeOf(rest)) {
    giveShared(rest);
    rest = takeShared(2 * (end - start + HEADER_BYTES + 16));
  }
  writeText(rest, start + length, end);
  return rest;
}

/** First slot of the list that holds the text from `withoutPrefix`; -1: none. */
export function slotOf(list: usize, length: u32, item: usize): i32 {
  let at = textEnd(list);
  for (let slot: u32 = 0; slot < length; slot++) {
    if (sameText(at, item)) {
      walk(slot + 1);
      return slot;
    }
    at = textEnd(at);
  }
  walk(length);
  return -1;
}

/** An index for `indexedSlotOf`, which avoids comparing all items of the list. */
export function indexSlots(keys: usize, list: usize, length: u32): ByteTable {
  const table = newByteTable(keys, length);
  let at = textEnd(list);
  for (let slot: u32 = 0; slot < length; slot++) {
    const end = textEnd(at);
    if (findBytes(table, at, end) === null) addBytes(table, at, end).value = slot;
    at = end;
  }
  return table;
}

/** Like `slotOf`, with the index of the list. */
export function indexedSlotOf(table: ByteTable, item: usize): i32 {
  walk(1);
  const found = findBytes(table, item, textEnd(item));
  return found === null ? -1 : <i32>found.value;
}
