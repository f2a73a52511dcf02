/**
 * The accepted impressions of one request that has many, by time, by item and time, and by page and time. Forgotten impressions
 * stay in the trees, as no search reaches times that old.
 */

import { writeText } from '../text';
import { body } from './bodies';
import { ByteEntry, findBytes, findOrCopy } from './byte-table';
import { Entry, entry } from './entries';
import { LongRequest } from './long-request';
import { give, take, takeShared } from './memory';
import { copyBytes, isNarrow, textEnd, textStart } from './texts';
import { addAll, addTo, firstIn, nodeOf, postpone } from './time-trees';

/** No packed text begins with this byte, so the number of a page cannot be an item. */
const PAGE_TAG: u8 = 3;
const PAGE_BYTES: usize = 5;

let page: usize = 0;
/** What a whole item of a list with a prefix needs beside its units: a header, and what `writeText` may write more. */
const BESIDE: usize = 24;

/** Before all else. */
export function openPages(): void {
  page = takeShared(PAGE_BYTES);
}

/** To be called in the order of the log. Its items are added while it has a body. */
export function addPage(index: LongRequest, at: usize): void {
  const shown = entry(at);
  const order = <f64>index.added;
  index.added++;
  index.live++;
  index.all = addTo(index.trees, index.all, shown.ts, order, <u32>at);
  addName(index, pageKey(shown.page), page + PAGE_BYTES, shown, order);
  if (shown.body !== 0) addItems(index, shown, order);
}

function addItems(index: LongRequest, shown: Entry, order: f64): void {
  const list = body(shown.body);
  const shared = list.items();
  const length = textEnd(shared) - textStart(shared);
  let at = textEnd(shared);
  let whole: usize = 0;
  let wholeBytes: usize = 0;
  for (let slot: u32 = 0; slot < list.length; slot++) {
    const end = textEnd(at);
    if (length === 0) addName(index, at, end, shown, order);
    else {
      const units = isNarrow(at) ? end - textStart(at) : UUID_UNITS;
      if (length + units + BESIDE > wholeBytes) {
        if (whole !== 0) give(whole);
        wholeBytes = 2 * (length + units + BESIDE);
        whole = take(2 * wholeBytes);
      }
      const text = wholeItem(whole, wholeBytes, shared, length, at);
      addName(index, text, textEnd(text), shown, order);
    }
    at = end;
  }
  if (whole !== 0) give(whole);
}
const UUID_UNITS: usize = 36;

/** Puts prefix and rest together in the upper half of `room`, and returns the text of both, which is in the lower. */
function wholeItem(room: usize, half: usize, shared: usize, length: usize, rest: usize): usize {
  const units = room + half;
  const behind = copyBytes(units, textStart(shared), length);
  const end = isNarrow(rest)
    ? copyBytes(behind, textStart(rest), textEnd(rest) - textStart(rest))
    : copyUuid(behind, rest);
  writeText(room, units, end);
  return room;
}

/** The 36 units of a UUID. */
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

function addName(index: LongRequest, from: usize, end: usize, shown: Entry, order: f64): void {
  const name = findOrCopy(index.names, from, end);
  name.more = postpone(index.trees, name.more, shown.ts, order, <u32>changetype<usize>(shown));
}

function pageKey(number: u32): usize {
  store<u8>(page, PAGE_TAG);
  store<u32>(page, number, 1);
  return page;
}

function rootOf(index: LongRequest, name: ByteEntry): u32 {
  if (name.more !== 0) {
    name.value = addAll(index.trees, name.value, name.more);
    name.more = 0;
  }
  return name.value;
}

/** Whether one has from <= time < to. */
export function hasAnyPage(index: LongRequest, from: f64, to: f64): bool {
  return firstIn(index.trees, index.all, from, to) !== 0;
}

/** The first in the log with from <= time < to that holds the item or has a time below `closed`; 0: none. */
export function firstPageFor(index: LongRequest, item: usize, from: f64, to: f64, closed: f64): usize {
  const late = firstIn(index.trees, index.all, from, Math.min(to, closed));
  const name = findBytes(index.names, item, textEnd(item));
  const holder = name === null ? 0 : firstIn(index.trees, rootOf(index, name), from, to);
  if (late === 0 || holder === 0) return entryOf(index, late + holder);
  return entryOf(index, nodeOf(index.trees, late).order <= nodeOf(index.trees, holder).order ? late : holder);
}

/** The last in the log of this page that is less than `apart` from `ts`; 0: none. Accepted impressions of one page are at least that far apart. */
export function lastPageNear(index: LongRequest, number: u32, ts: f64, apart: f64): usize {
  const name = findBytes(index.names, pageKey(number), page + PAGE_BYTES);
  if (name === null) return 0;
  const root = rootOf(index, name);
  const before = firstIn(index.trees, root, ts - apart + 1, ts + 1);
  const after = firstIn(index.trees, root, ts + 1, ts + apart);
  if (before === 0 || after === 0) return entryOf(index, before + after);
  return entryOf(index, nodeOf(index.trees, before).order < nodeOf(index.trees, after).order ? after : before);
}

function entryOf(index: LongRequest, node: u32): usize {
  return node === 0 ? 0 : <usize>nodeOf(index.trees, node).value;
}
