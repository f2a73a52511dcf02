/**
 * The feedback waiting for one request, if there is much: all of it by descending watermark, and by item in the order in which it began
 * to wait.
 */
import { body } from './bodies';
import { findBytes, findOrCopy } from './byte-table';
import { List, push } from './list';
import { LongRequest } from './long-request';
import { sizeOf, takeShared, widenedShared } from './memory';
import { sortNumbers } from './sort';
import { textEnd } from './texts';
import { addTo, firstIn, nodeOf, removeFrom } from './time-trees';
import { beginItems, nextItem } from './whole-items';

/** u64 by element of the result: its order of arrival, then its address. */
let order: usize = 0;

/** Must be called once, before anything else in this file. */
export function openLongWaiting(): void {
  order = takeShared(512);
}

/** Must be called in the order in which the feedback began to wait. */
export function addToLong(index: LongRequest, at: usize, ts: f64, watermark: f64, item: usize): void {
  index.all = addTo(index.trees, index.all, ts, -watermark, <u32>at);
  const name = findOrCopy(index.names, item, textEnd(item));
  name.value = addTo(index.trees, name.value, ts, <f64>index.added, <u32>at);
  index.added++;
  index.live++;
}

export function removeFromLong(index: LongRequest, at: usize, ts: f64, item: usize): void {
  index.all = removeFrom(index.trees, index.all, ts, <u32>at);
  const name = findBytes(index.names, item, textEnd(item));
  if (name !== null) name.value = removeFrom(index.trees, name.value, ts, <u32>at);
  index.live--;
}

/** One with from <= time < to whose watermark is at least `closed`; 0: none. */
export function lateFor(index: LongRequest, from: f64, to: f64, closed: f64): usize {
  const node = firstIn(index.trees, index.all, from, to);
  if (node === 0 || -nodeOf(index.trees, node).order < closed) return 0;
  return <usize>nodeOf(index.trees, node).value;
}

/**
 * Adds to `found` all feedback with from <= time < to that waits for an item of this body, oldest first. The caller must remove it,
 * because it can no longer be found by item.
 */
export function takeFor(index: LongRequest, bodyAt: usize, from: f64, to: f64, found: List): void {
  let count: usize = 0;
  beginItems(bodyAt);
  for (let left = body(bodyAt).length(); left > 0; left--) {
    const item = nextItem();
    const name = findBytes(index.names, item, textEnd(item));
    if (name === null) continue;
    while (true) {
      const at = firstIn(index.trees, name.value, from, to);
      if (at === 0) break;
      const node = nodeOf(index.trees, at);
      if (count * 8 === sizeOf(order)) order = widenedShared(order);
      store<u64>(order + 8 * count, ((<u64>node.order) << 32) | <u64>node.value);
      count++;
      name.value = removeFrom(index.trees, name.value, node.time, node.value);
    }
  }
  sortNumbers(order, count);
  for (let i: usize = 0; i < count; i++) push(found, <usize>load<u32>(order + 8 * i));
}
