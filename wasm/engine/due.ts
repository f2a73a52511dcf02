/**
 * Closes lists in batches. It finds some lists that are due, prefetches what closing them will read, then closes them one by one, in
 * order. Nothing that decides which is next, or what counts in a list, changes in between.
 */
import { hasCell, NO_PATTERN, patternOf, touchBuckets, touchKept, touchSums } from './adding';
import { body } from './bodies';
import { feedback, firstOf } from './feedback';
import { takeShared } from './memory';
import { closingAt, closingBody, closingEntry, closingHorizon, nextClosing } from './timeline';
import { consume } from './touch';
import { Unit } from './unit';

@unmanaged
export class Due {
  at: f64;
  /** Pattern of the list at this horizon; NO_PATTERN: it has none, or the engine may not add it. */
  pattern: f64;
  body: usize;
  entry: usize;
  horizon: u32;
  /** Address of what is prefetched next; 0: nothing. */
  step: usize;
}
const DUE_BYTES: usize = offsetof<Due>();
/** The most lists of a batch. */
const MOST: u32 = 32;
/** Number of events of a list that are prefetched after the first. Few lists have more. */
const TOUCHED_EVENTS: u32 = 2;

let all: usize = 0;

/** Must be called once, before anything else in this file. */
export function openDue(): void {
  all = takeShared(DUE_BYTES * <usize>MOST);
}

export function dueAt(i: u32): Due {
  if (!ASC_NO_ASSERT) assert(i < MOST, 'a closing that was found ahead');
  return changetype<Due>(all + DUE_BYTES * <usize>i);
}

/** Finds the next lists that close at or before `to`, and returns their number. */
export function findDue(unit: Unit, to: f64): u32 {
  let count: u32 = 0;
  while (count < MOST && nextClosing(unit.timeline, to)) {
    if (closingBody === 0) continue; // a duplicate
    const due = dueAt(count);
    due.at = closingAt;
    due.pattern = NO_PATTERN;
    due.body = closingBody;
    due.entry = closingEntry;
    due.horizon = closingHorizon;
    count++;
  }
  touchFeedback(count);
  if (unit.adder !== 0) touchSumsOf(unit, count);
  return count;
}

/** Prefetches the lists and their feedback, following one pointer of every list at a time. */
function touchFeedback(count: u32): void {
  let sum: usize = 0;
  for (let i: u32 = 0; i < count; i++) dueAt(i).step = body(dueAt(i).body).lastFeedback();
  for (let i: u32 = 0; i < count; i++) if (dueAt(i).step !== 0) dueAt(i).step = firstOf(dueAt(i).body);
  for (let n: u32 = 0; n < TOUCHED_EVENTS; n++) {
    for (let i: u32 = 0; i < count; i++) if (dueAt(i).step !== 0) dueAt(i).step = feedback(dueAt(i).step).next;
  }
  for (let i: u32 = 0; i < count; i++) if (dueAt(i).step !== 0) sum += <usize>feedback(dueAt(i).step).kind;
  consume(sum);
}

/** Prefetches the sums kept for their patterns, and the buckets that these are added to. */
function touchSumsOf(unit: Unit, count: u32): void {
  const adder = unit.adder;
  let sum: usize = 0;
  for (let i: u32 = 0; i < count; i++) {
    const due = dueAt(i);
    if (due.at <= unit.decidedUpTo || !hasCell(adder, due.body, due.horizon)) continue;
    if (body(due.body).isPlain()) due.pattern = patternOf(adder, due.body, due.horizon);
  }
  for (let i: u32 = 0; i < count; i++) dueAt(i).step = touchKept(adder, dueAt(i).pattern);
  for (let i: u32 = 0; i < count; i++) {
    if (dueAt(i).step === 0) continue;
    sum += touchSums(dueAt(i).step) + touchBuckets(adder, dueAt(i).body, dueAt(i).horizon);
  }
  consume(sum);
}
