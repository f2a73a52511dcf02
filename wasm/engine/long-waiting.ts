/** The feedback that waits for one request, if there is much of it, by item and time, and by watermark and time. */
import { addCopy, ByteTable, closeByteTable, findBytes, newByteTable } from './byte-table';
import { Shown } from './events';
import { List, push } from './list';
import { give, sizeOf, take, takeShared, widenedShared } from './memory';
import { Chained } from './request-table';
import { sortNumbers } from './sort';
import { copyText, sameText, textEnd } from './texts';
import { addTo, closeTimeTrees, covers, firstIn, newTimeTrees, nodeOf, removeFrom, TimeTrees } from './time-trees';

@unmanaged
export class LongWaiting extends Chained {
  request: usize;
  live: u32;
  added: u32;
  trees: TimeTrees;
  /** By item: the root of its tree. */
  items: ByteTable;
  /** By descending watermark. */
  byWatermark: u32;
}

/** u64 by what is taken: when it began to wait, then its place. */
let order: usize = 0;

/** Before all else. */
export function openLongWaiting(): void {
  order = takeShared(512);
}

export function longWaiting(at: usize): LongWaiting {
  return changetype<LongWaiting>(at);
}

export function newLongWaiting(
  keys: usize,
  hash: u32,
  request: usize,
  least: f64,
  most: f64,
  margin: f64,
): LongWaiting {
  const made = longWaiting(take(offsetof<LongWaiting>()));
  made.hash = hash;
  made.request = take(textEnd(request) - request);
  copyText(made.request, request);
  made.live = 0;
  made.added = 0;
  made.trees = newTimeTrees(least, most, margin, false);
  made.items = newByteTable(keys, 0);
  made.byWatermark = 0;
  return made;
}

export function closeLongWaiting(index: LongWaiting): void {
  give(index.request);
  closeTimeTrees(index.trees);
  closeByteTable(index.items);
  give(changetype<usize>(index));
}

export function isWaitingFor(index: LongWaiting, hash: u32, request: usize): bool {
  return index.hash === hash && sameText(index.request, request);
}

export function waitingCovers(index: LongWaiting, ts: f64): bool {
  return covers(index.trees, ts);
}

/** To be called in the order in which the feedback began to wait. */
export function addLong(index: LongWaiting, at: usize, ts: f64, watermark: f64, item: usize): void {
  index.byWatermark = addTo(index.trees, index.byWatermark, ts, -watermark, <u32>at);
  let name = findBytes(index.items, item, textEnd(item));
  if (name === null) name = addCopy(index.items, item, textEnd(item));
  name.value = addTo(index.trees, name.value, ts, <f64>index.added, <u32>at);
  index.added++;
  index.live++;
}

export function removeLong(index: LongWaiting, at: usize, ts: f64, item: usize): void {
  index.byWatermark = removeFrom(index.trees, index.byWatermark, ts, <u32>at);
  const name = findBytes(index.items, item, textEnd(item));
  if (name !== null) name.value = removeFrom(index.trees, name.value, ts, <u32>at);
  index.live--;
}

/** One with from <= time < to whose watermark is at or above `closed`; 0: none. */
export function lateFor(index: LongWaiting, from: f64, to: f64, closed: f64): usize {
  const node = firstIn(index.trees, index.byWatermark, from, to);
  if (node === 0 || -nodeOf(index.trees, node).order < closed) return 0;
  return <usize>nodeOf(index.trees, node).value;
}

/**
 * Adds all with from <= time < to that wait for an item of this list, oldest first. The caller must remove them: they can no
 * longer be found by their items.
 */
export function takeFor(index: LongWaiting, list: Shown, from: f64, to: f64, found: List): void {
  let count: usize = 0;
  for (let slot: usize = 0; slot < <usize>list.length; slot++) {
    const item = list.item(slot);
    const name = findBytes(index.items, item, textEnd(item));
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
