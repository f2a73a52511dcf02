/**
 * The accepted impressions of one request that has many, by time, by item and time, and by page and time. Forgotten impressions stay in
 * the trees, since no search reaches times that old.
 */

import { body } from './bodies';
import { ByteEntry, findBytes, findOrCopy } from './byte-table';
import { Entry, entry } from './entries';
import { LongRequest } from './long-request';
import { takeShared } from './memory';
import { textEnd } from './texts';
import { addAll, addTo, firstIn, nodeOf, postpone } from './time-trees';
import { beginItems, nextItem } from './whole-items';

/** No packed text begins with this byte, so the key of a page cannot equal an item. */
const PAGE_TAG: u8 = 3;
const PAGE_BYTES: usize = 5;

let page: usize = 0;

/** Must be called once, before anything else in this file. */
export function openPages(): void {
  page = takeShared(PAGE_BYTES);
}

/** Must be called in the order of the log. The items are added if the impression has a body. */
export function addPage(index: LongRequest, at: usize): void {
  const impression = entry(at);
  const order = <f64>index.added;
  index.added++;
  index.live++;
  index.all = addTo(index.trees, index.all, impression.ts(), order, <u32>at);
  addName(index, pageKey(impression.page()), page + PAGE_BYTES, impression, order);
  if (impression.body !== 0) addItems(index, impression, order);
}

function addItems(index: LongRequest, impression: Entry, order: f64): void {
  beginItems(impression.body);
  for (let left = body(impression.body).length(); left > 0; left--) {
    const item = nextItem();
    addName(index, item, textEnd(item), impression, order);
  }
}

function addName(index: LongRequest, from: usize, end: usize, impression: Entry, order: f64): void {
  const name = findOrCopy(index.names, from, end);
  name.more = postpone(index.trees, name.more, impression.ts(), order, <u32>changetype<usize>(impression));
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

/** Whether there is an impression with from <= time < to. */
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

/**
 * The last in the log of this page that is less than `apart` from `ts`; 0: none. Accepted impressions of one page are at least `apart`
 * from each other.
 */
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
