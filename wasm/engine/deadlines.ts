/** Waiting feedback by deadline, in a binary heap: finds what is due without examining the rest. */
import { give, sizeOf, take, widened } from './memory';
import { Timed } from './timed';

@unmanaged
class Due {
  deadline: f64;
  record: usize;
}
/** The fields take 12 bytes; entries are aligned to 8. */
const DUE_BYTES: usize = 16;
const LEAST: usize = 64;

@unmanaged
export class Deadlines {
  heap: usize;
  count: u32;
}

export function newDeadlines(): Deadlines {
  const deadlines = changetype<Deadlines>(take(offsetof<Deadlines>()));
  deadlines.heap = take(DUE_BYTES * LEAST);
  deadlines.count = 0;
  return deadlines;
}

export function closeDeadlines(deadlines: Deadlines): void {
  give(deadlines.heap);
  give(changetype<usize>(deadlines));
}

function dueAt(deadlines: Deadlines, place: u32): Due {
  if (!ASC_NO_ASSERT) assert(DUE_BYTES * (<usize>place + 1) <= sizeOf(deadlines.heap), 'a place of the heap');
  return changetype<Due>(deadlines.heap + DUE_BYTES * <usize>place);
}

/** The least deadline; Infinity: nothing waits. */
export function leastDeadline(deadlines: Deadlines): f64 {
  return deadlines.count === 0 ? Infinity : dueAt(deadlines, 0).deadline;
}

/** A record with the least deadline. Something must be waiting. */
export function firstDue(deadlines: Deadlines): usize {
  return dueAt(deadlines, 0).record;
}

export function addDeadline(deadlines: Deadlines, deadline: f64, record: usize): void {
  if (DUE_BYTES * <usize>deadlines.count === sizeOf(deadlines.heap)) deadlines.heap = widened(deadlines.heap);
  up(deadlines, deadlines.count++, deadline, record);
}

/** Removes the record at an index of the heap. */
export function removeDeadline(deadlines: Deadlines, place: u32): void {
  const last = --deadlines.count;
  if (place < last) {
    const deadline = dueAt(deadlines, last).deadline;
    const record = dueAt(deadlines, last).record;
    if (place > 0 && deadline < dueAt(deadlines, (place - 1) >>> 1).deadline) up(deadlines, place, deadline, record);
    else down(deadlines, place, deadline, record);
  }
  const size = sizeOf(deadlines.heap);
  if (size > DUE_BYTES * LEAST && DUE_BYTES * 4 * <usize>last < size) halve(deadlines, size);
}

function up(deadlines: Deadlines, from: u32, deadline: f64, record: usize): void {
  let place = from;
  while (place > 0) {
    const parent = (place - 1) >>> 1;
    const above = dueAt(deadlines, parent);
    if (!(deadline < above.deadline)) break;
    put(deadlines, place, above.deadline, above.record);
    place = parent;
  }
  put(deadlines, place, deadline, record);
}

function down(deadlines: Deadlines, from: u32, deadline: f64, record: usize): void {
  const count = deadlines.count;
  let place = from;
  while (true) {
    let child = place * 2 + 1;
    if (child >= count) break;
    if (child + 1 < count && dueAt(deadlines, child + 1).deadline < dueAt(deadlines, child).deadline) child++;
    const below = dueAt(deadlines, child);
    if (!(below.deadline < deadline)) break;
    put(deadlines, place, below.deadline, below.record);
    place = child;
  }
  put(deadlines, place, deadline, record);
}

function put(deadlines: Deadlines, place: u32, deadline: f64, record: usize): void {
  const due = dueAt(deadlines, place);
  due.deadline = deadline;
  due.record = record;
  changetype<Timed>(record).place = place;
}

function halve(deadlines: Deadlines, size: usize): void {
  const heap = take(size / 2);
  memory.copy(heap, deadlines.heap, DUE_BYTES * <usize>deadlines.count);
  give(deadlines.heap);
  deadlines.heap = heap;
}
