/** Finds items that a list repeats, by their packed bytes, in linear time whatever the ids are. */

import { sameBytes } from '../text';
import { hashBytes } from './hash';
import { giveShared, sizeOf, takeShared } from './memory';
import { walk } from './work';

/** The list that was read last, by slot: u32 first slot with the same item. */
export let firstSlots: usize = 0;
/** Whether any item repeats. */
export let hasRepeats: bool = false;

/** A slot: the beginning and end of its item, the item's hash, and the previous slot in the same cell (+ 1). */
@unmanaged
class Seen {
  from: usize;
  end: usize;
  hash: u32;
  before: u32;
}
const SEEN_BYTES: usize = offsetof<Seen>();
const LEAST_CELLS: usize = 64;

let seen: usize = 0;
/** u32 by cell: its latest slot (+ 1). */
let cells: usize = 0;
let cellMask: u32 = 0;

function seenAt(slot: usize): Seen {
  return changetype<Seen>(seen + SEEN_BYTES * slot);
}

/** Must be called once, before anything else in this file. */
export function openRepeats(): void {
  seen = takeShared(SEEN_BYTES * LEAST_CELLS);
  cells = takeShared(8 * LEAST_CELLS);
  firstSlots = takeShared(4 * LEAST_CELLS);
}

/** Makes room for a list of `slots` items. */
export function beginRepeats(slots: usize): void {
  hasRepeats = false;
  if (SEEN_BYTES * slots > sizeOf(seen)) {
    giveShared(seen);
    giveShared(cells);
    giveShared(firstSlots);
    seen = takeShared(SEEN_BYTES * slots);
    cells = takeShared(8 * slots);
    firstSlots = takeShared(4 * slots);
  }
  let count = LEAST_CELLS;
  while (count < 2 * slots) count *= 2;
  // The number of cells is a power of two, limited by the room.
  count = min(count, sizeOf(cells) / 4);
  cellMask = <u32>count - 1;
  memory.fill(cells, 0, 4 * count);
}

/** Adds the item of the slot, whose bytes are [from, end). */
export function addItem(keys: usize, from: usize, end: usize, slot: usize): void {
  const hash = hashBytes(keys, from, end);
  const cell = cells + <usize>(hash & cellMask) * 4;
  const size = end - from;
  let steps: u32 = 0;
  for (let other = load<u32>(cell); other !== 0; ) {
    const known = seenAt(other - 1);
    steps++;
    if (known.hash === hash && known.end - known.from === size && sameBytes(known.from, from, size)) {
      hasRepeats = true;
      store<u32>(firstSlots + 4 * slot, other - 1);
      walk(steps);
      return;
    }
    other = known.before;
  }
  if (steps !== 0) walk(steps);
  const item = seenAt(slot);
  item.from = from;
  item.end = end;
  item.hash = hash;
  item.before = load<u32>(cell);
  store<u32>(cell, <u32>slot + 1);
  store<u32>(firstSlots + 4 * slot, <u32>slot);
}

/** Up to this many numbers are compared pairwise. */
const FEW: usize = 32;

/** Like `addItem`, for all items of a list at once, given as u32 numbers. */
export function findRepeats(keys: usize, numbers: usize, count: usize): void {
  if (count > FEW) {
    beginRepeats(count);
    for (let slot: usize = 0; slot < count; slot++) {
      addItem(keys, numbers + 4 * slot, numbers + 4 * slot + 4, slot);
    }
    return;
  }
  hasRepeats = false;
  for (let slot: usize = 0; slot < count; slot++) {
    store<u32>(firstSlots + 4 * slot, <u32>slot);
    const four = i32x4.splat(load<u32>(numbers + 4 * slot));
    for (let before: usize = 0; before < slot; before += 4) {
      const same = i32x4.bitmask(i32x4.eq(v128.load(numbers + 4 * before), four));
      if (same === 0) continue;
      const first = before + <usize>ctz(same);
      if (first >= slot) break;
      store<u32>(firstSlots + 4 * slot, <u32>first);
      hasRepeats = true;
      break;
    }
  }
}
