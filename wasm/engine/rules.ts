/**
 * The rules of the join (specification: join 3), in their order. They apply at three moments: an impression comes, feedback
 * comes, the combined watermark moves. Each verdict may be silent: what was decided before the checkpoint is decided again by a
 * replay, but not counted again.
 */
import { addAccepted, anyFits, fitting, removeAccepted, witnessOf } from './accepted';
import { free } from './arena';
import { addBody, body, freeBody, slotIn } from './bodies';
import { flushQueue, putClosing, putFeedback, queueClosing, queueRelease } from './closing';
import {
  ACCEPTED,
  ATTRIBUTED,
  CAPPED,
  countFeedback,
  countImpression,
  countLateFeedback,
  countLateImpression,
  DUPLICATE,
  FEEDBACK_DUPLICATE,
  FEEDBACK_LATE,
  LATE,
  NOT_IN_LIST,
  ORPHAN,
} from './counts';
import { firstDue, leastDeadline } from './deadlines';
import { addDelay } from './delays';
import { addEntry, entry, isOfRequest, logOrder } from './entries';
import { shown, Told, told } from './events';
import { addFeedback, append, countOf, freeFeedback } from './feedback';
import { finalised, hashBytes } from './hash';
import { accepted, closed, dropped, found as foundByHost, released, strayed } from './host';
import { itemOf, List, newList } from './list';
import { firstOfChain, insert, record, remove } from './request-table';
import { sameText, textEnd } from './texts';
import {
  closingAt,
  closingBody,
  closingEntry,
  closingHorizon,
  countOfOldest,
  dropOldest,
  entryOfOldest,
  isOldestPast,
  nextClosing,
  remember,
  seek,
} from './timeline';
import { passed } from './touch';
import { actionsOf, countsOf, delayBoundsOf, horizonOf, Unit } from './unit';
import { addWaiting, findWaiting, readWaiting, removeWaiting, waiting } from './waiting';
import { walk } from './work';

/** What became of an impression. */
export const IS_LATE: i32 = 0;
export const IS_DUPLICATE: i32 = 1;
export const IS_ACCEPTED: i32 = 2;

/** Instead of an entry: there is none. */
const NO_LIST: usize = 0;

/** Entries that feedback fits, or feedback that waits for a list. */
let found: List = changetype<List>(0);

/** Before all else. */
export function openRules(): void {
  found = newList();
}

/** The hash of a request id. */
export function hashOf(unit: Unit, request: usize): u32 {
  return hashBytes(unit.keys, request, textEnd(request));
}

/** `shown` comes. If it has a body, that becomes its own or is freed. `hash`: of its request. */
export function judgeImpression(unit: Unit, topic: u32, hash: u32, offset: f64, watermark: f64, silent: bool): i32 {
  const ts = shown.ts;
  const counts = countsOf(unit, topic);
  if (watermark >= ts + unit.attribution) {
    if (!silent) countImpression(counts, LATE);
    dropBody(unit);
    return IS_LATE;
  }
  const witness = lastWitness(unit, hash);
  if (witness !== 0) {
    if (!silent) countImpression(counts, DUPLICATE);
    dropBody(unit);
    unit.witnessOffset = entry(witness).offset();
    unit.witnessWatermark = entry(witness).watermark();
    const own = pageHash(hash, shown.page, sliceOf(unit, ts));
    const again = addEntry(unit.entries, own, offset, watermark, 0, 0, silent, unit.sequence++);
    insert(unit.again, again);
    remember(unit.timeline, ts, again, 0);
    return IS_DUPLICATE;
  }
  const missed = missedBy(unit, ts, watermark);
  if (!silent) {
    countImpression(counts, ACCEPTED);
    countLateImpression(counts, missed);
  }
  const bodyAt = shown.body !== 0 ? shown.body : newBody(unit);
  body(bodyAt).tag = accepted(changetype<usize>(shown));
  if (missed !== 0) body(bodyAt).setMisses();
  const entryAt = addEntry(unit.entries, hash, offset, watermark, bodyAt, missed, silent, unit.sequence++);
  addAccepted(unit.accepted, entryAt);
  remember(unit.timeline, ts, entryAt, bodyAt);
  unit.open++;
  const closes = ts + unit.attribution;
  found.count = 0;
  findWaiting(unit.waiting, shown, bodyAt, hash, ts - unit.backward, closes, closes, found);
  for (let i: u32 = 0; i < found.count; i++) meetWaiting(unit, itemOf(found, i), entryAt, bodyAt, silent);
  return IS_ACCEPTED;
}

/** The body of `shown`. */
export function newBody(unit: Unit): usize {
  return addBody(unit.bodies, unit.keys, unit.longBytes);
}

/** `shown` needs its body no longer, if it has one. */
export function dropBody(unit: Unit): void {
  if (shown.body !== 0) free(unit.bodies, shown.body);
}

/** The last earlier record that makes `shown` a duplicate; 0: none. */
function lastWitness(unit: Unit, hash: u32): usize {
  const among = witnessOf(unit.accepted, hash, shown.request(), shown.page, shown.ts);
  if (unit.again.size === 0) return among;
  // A record less than H away is in the same slice of time, or in one next to it.
  const slice = sliceOf(unit, shown.ts);
  let last = laterAgain(unit, hash, slice, among);
  last = laterAgain(unit, hash, slice - 1, last);
  return laterAgain(unit, hash, slice + 1, last);
}

function sliceOf(unit: Unit, ts: f64): f64 {
  return Math.floor(ts / unit.attribution);
}

/**
 * The last duplicate in the slice that makes `shown` a duplicate, if it is later than `last`; else `last`. Examines only those later
 * than `last`: each is examined at most once from either neighbouring slice, since `shown` then becomes a later one of its own slice.
 */
function laterAgain(unit: Unit, hash: u32, slice: f64, last: usize): usize {
  const own = pageHash(hash, shown.page, slice);
  let steps: u32 = 0;
  let later = last;
  for (let at = firstOfChain(unit.again, own); at !== 0; at = record(at).next) {
    steps++;
    if (record(at).hash !== own || !isOfRequest(at, shown.request())) continue;
    if (last !== 0 && logOrder(at, last) < 0) break;
    const apart = Math.abs(shown.ts - entry(at).ts());
    if (entry(at).page() !== shown.page || apart >= unit.attribution) continue;
    later = at;
    break;
  }
  walk(steps);
  return later;
}

/** Loads what `laterAgain` will look at for `shown`, and returns something of it. */
export function touchAgain(unit: Unit, hash: u32): usize {
  const slice = sliceOf(unit, shown.ts);
  let sum: usize = 0;
  for (let near = slice - 1; near <= slice + 1; near++) {
    const at = firstOfChain(unit.again, pageHash(hash, shown.page, near));
    if (at !== 0) sum += <usize>record(at).hash;
  }
  return sum;
}

/** Hash of a page of a request in a slice of time. */
function pageHash(hash: u32, page: u32, slice: f64): u32 {
  return finalised(finalised(hash ^ (page * 0x9e3779b1)) ^ (<u32>(<i64>slice) * 0x85ebca6b));
}

/** An impression came for which feedback may be waiting. */
function meetWaiting(unit: Unit, at: usize, entryAt: usize, bodyAt: usize, silentImpression: bool): void {
  const known = waiting(at);
  const lag = known.ts - entry(entryAt).ts();
  if (lag < -unit.backward || lag >= unit.attribution) return;
  const topic = known.topic();
  const watermark = known.watermark;
  const silent = silentImpression && known.isBelow();
  const event = readWaiting(at);
  if (isLateFor(unit, entryAt, watermark)) {
    drop(unit, topic, FEEDBACK_LATE, silent, entryAt, event);
    removeWaiting(unit.waiting, at);
    return;
  }
  const slot = slotIn(unit.keys, indexesPlace(unit), bodyAt, event.item);
  if (slot < 0) {
    stray(unit, entryAt, event);
    return;
  }
  if (unit.hasWitness) foundByHost(changetype<usize>(event));
  attribute(unit, topic, event, watermark, entryAt, bodyAt, slot, silent);
  removeWaiting(unit.waiting, at);
}

/** `told` comes. Returns whether its record is still needed. `hash`: of its request. */
export function judgeFeedback(unit: Unit, topic: u32, hash: u32, watermark: f64, silent: bool): bool {
  const ts = told.ts;
  const deadline = ts + unit.backward + unit.attribution;
  if (watermark >= deadline) {
    drop(unit, topic, FEEDBACK_LATE, silent, NO_LIST, told);
    return false;
  }
  found.count = 0;
  fitting(unit.accepted, told, hash, watermark, found);
  // Newest first; the log's first comes last.
  for (let i = found.count; i > 0; i--) {
    const entryAt = itemOf(found, i - 1);
    const silentMeeting = silent && entry(entryAt).isBelow();
    if (isLateFor(unit, entryAt, watermark)) {
      drop(unit, topic, FEEDBACK_LATE, silentMeeting, entryAt, told);
      return true;
    }
    const bodyAt = entry(entryAt).body;
    const slot = slotIn(unit.keys, indexesPlace(unit), bodyAt, told.item);
    if (slot >= 0) {
      attribute(unit, topic, told, watermark, entryAt, bodyAt, slot, silentMeeting);
      return true;
    }
  }
  if (found.count > 0) stray(unit, itemOf(found, found.count - 1), told);
  addWaiting(unit.waiting, told, hash, topic, watermark, deadline, silent);
  return true;
}

/** The feedback names no item of the list. Nobody is told of a list whose closing a replay repeats: nobody is told of that either. */
function stray(unit: Unit, entryAt: usize, event: Told): void {
  if (!unit.hasWitness || entry(entryAt).ts() + unit.attribution <= unit.decidedUpTo) return;
  strayed(entryAt, changetype<usize>(event));
}

function indexesPlace(unit: Unit): usize {
  return changetype<usize>(unit) + offsetof<Unit>('indexes');
}

function isLateFor(unit: Unit, entryAt: usize, watermark: f64): bool {
  return watermark >= entry(entryAt).ts() + unit.attribution;
}

function attribute(
  unit: Unit,
  topic: u32,
  event: Told,
  watermark: f64,
  entryAt: usize,
  bodyAt: usize,
  slot: i32,
  silent: bool,
): void {
  const action = actionOf(unit, event.action);
  const shownAt = entry(entryAt).ts();
  const ofTopic = countOf(unit.keys, indexesPlace(unit), unit.longChain, bodyAt, topic, event, action, slot, shownAt);
  if (ofTopic < 0) {
    drop(unit, topic, FEEDBACK_DUPLICATE, silent, entryAt, event);
    return;
  }
  if (<u32>ofTopic >= unit.feedbackLimit) {
    drop(unit, topic, CAPPED, silent, entryAt, event);
    return;
  }
  const lag = event.ts - shownAt;
  const late = missedBy(unit, shownAt, watermark);
  const out = beyond(unit, lag);
  if (!silent) {
    countFeedback(countsOf(unit, topic), unit.horizons, ATTRIBUTED);
    addDelay(unit.delays, delayBoundsOf(unit), unit.delayBounds, lag);
    countLateFeedback(countsOf(unit, topic), unit.horizons, late & ~out);
  }
  append(bodyAt, addFeedback(unit.attributed, event, topic, action, slot, lag, late | out), shownAt);
}

/** Index of the action; -1: it is not listed. They are few, so a linear search is faster than a table. */
function actionOf(unit: Unit, name: usize): i32 {
  let at = actionsOf(unit);
  for (let i: u32 = 0; i < unit.actions; i++) {
    if (sameText(at, name)) return i;
    at = textEnd(at);
  }
  return -1;
}

function drop(unit: Unit, topic: u32, reason: usize, silent: bool, entryAt: usize, event: Told): void {
  if (silent) return;
  countFeedback(countsOf(unit, topic), unit.horizons, reason);
  if (!unit.hasWitness) return;
  const isOpen = entryAt !== NO_LIST && entry(entryAt).body !== 0;
  dropped(<u32>reason, isOpen ? entryAt : NO_LIST, changetype<usize>(event));
}

/** One bit for each horizon of an impression at `ts` that this watermark has passed. */
function missedBy(unit: Unit, ts: f64, watermark: f64): u32 {
  let bits: u32 = 0;
  for (let h: u32 = 0; h < unit.horizons && watermark >= ts + horizonOf(unit, h); h++) bits |= 1 << h;
  return bits;
}

/** One bit for each horizon that ends at or before this lag. */
function beyond(unit: Unit, lag: f64): u32 {
  let bits: u32 = 0;
  for (let h: u32 = 0; h < unit.horizons && lag >= horizonOf(unit, h); h++) bits |= 1 << h;
  return bits;
}

/** The combined watermark moves. */
export function moveOn(unit: Unit, from: f64, to: f64): void {
  seek(unit.timeline, from);
  while (nextClosing(unit.timeline, to)) close(unit, closingBody, closingHorizon, closingAt, closingEntry);
  flushQueue();
  settle(unit, to);
  const until = to - 2 * unit.attribution - unit.backward;
  while (isOldestPast(unit.timeline, until)) forgetOldest(unit);
}

function close(unit: Unit, bodyAt: usize, horizon: u32, at: f64, entryAt: usize): void {
  if (bodyAt === 0) return; // a duplicate
  const tag = body(bodyAt).tag;
  let waits = false;
  if (at > unit.decidedUpTo && !missed(bodyAt, entryAt, horizon)) {
    const length = horizonOf(unit, horizon);
    waits = !unit.hasNames && queueClosing(bodyAt, horizon, at, length, unit.feedbackTopics);
    if (!waits) {
      putClosing(bodyAt, entryAt, horizon, at, length);
      if (unit.feedbackTopics === 1) putFeedback(bodyAt, -1, horizon);
      else for (let topic: u32 = 0; topic < unit.topics; topic++) putFeedback(bodyAt, topic, horizon);
      closed();
    }
  }
  if (horizon < unit.horizons - 1) return;
  freeFeedback(unit.attributed, bodyAt);
  freeBody(unit.bodies, indexesPlace(unit), bodyAt);
  entry(entryAt).body = 0;
  unit.open--;
  if (unit.hasNames) released(tag);
  else queueRelease(tag, waits);
}

/** Whether the impression came too late for the horizon. */
function missed(bodyAt: usize, entryAt: usize, horizon: u32): bool {
  return body(bodyAt).misses() && (entry(entryAt).missed() & (1 << horizon)) !== 0;
}

/** Drops all feedback whose deadline is at or below `until`. */
function settle(unit: Unit, until: f64): void {
  const deadlines = unit.waiting.deadlines;
  for (let deadline = leastDeadline(deadlines); deadline <= until; deadline = leastDeadline(deadlines)) {
    const at = firstDue(deadlines);
    if (deadline > unit.decidedUpTo) {
      const known = waiting(at);
      const met = anyFits(unit.accepted, known.request(), known.hash, known.ts);
      drop(unit, known.topic(), met ? NOT_IN_LIST : ORPHAN, false, NO_LIST, readWaiting(at));
    }
    removeWaiting(unit.waiting, at);
  }
}

/** So many of the oldest are touched together. */
const TOUCHED: u32 = 32;

function forgetOldest(unit: Unit): void {
  const count = countOfOldest(unit.timeline);
  for (let i: u32 = 0; i < count; i++) {
    if (i % TOUCHED === 0) touchOldest(unit, i, min(count, i + TOUCHED));
    const at = entryOfOldest(unit.timeline, i);
    if (entry(at).isAccepted()) removeAccepted(unit.accepted, at);
    else remove(unit.again, at);
    free(unit.entries, at);
  }
  dropOldest(unit.timeline);
}

/** Loads what removing them will look at: what stands beside each in its chain. */
function touchOldest(unit: Unit, from: u32, end: u32): void {
  let sum: usize = 0;
  for (let i = from; i < end; i++) {
    const at = entryOfOldest(unit.timeline, i);
    if (entry(at).isAccepted()) sum += firstOfChain(unit.accepted.requests, record(at).hash);
  }
  for (let i = from; i < end; i++) {
    const at = entryOfOldest(unit.timeline, i);
    if (record(at).next !== 0) sum += record(record(at).next).before;
    if (record(at).before !== 0) sum += record(record(at).before).next;
  }
  passed(sum);
}
