/**
 * The rules of the join (specification: join 3), in their order. They apply when an impression arrives, when feedback arrives, and when
 * the combined watermark moves. After a restart, records from before the checkpoint are judged again but not counted again: `isReplayed`.
 * A verdict on feedback and an impression is a replay if both records are.
 */
import { addAccepted, anyFits, fitting, predecessorOf, removeAccepted } from './accepted';
import { addClosing, beginAdding, dropTag, flush } from './adding';
import { free } from './arena';
import { addBody, body, freeBody, slotIn } from './bodies';
import { putClosing, putFeedback, queueClosing, queueUnref } from './closing';
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
import { Due, dueAt, findDue } from './due';
import { addDuplicate, duplicateHash, lastDuplicate, removeDuplicate } from './duplicates';
import { addEntry, entry } from './entries';
import { FeedbackEvent, feedbackEvent, impressionEvent } from './events';
import { addFeedback, append, countOf, freeFeedback } from './feedback';
import { hashBytes } from './hash';
import { accepted, closed, dropped, found, strayed, unref } from './host';
import { itemOf, List, newList } from './list';
import { firstOfChain, record } from './request-table';
import { holdTag, NO_TAG } from './tags';
import { sameText, textEnd } from './texts';
import { countOfOldest, dropOldest, entryOfOldest, isOldestPast, remember, seek } from './timeline';
import { consume } from './touch';
import { actionsOf, countsOf, delayBoundsOf, horizonOf, Unit } from './unit';
import { addWaiting, findWaiting, readWaiting, removeWaiting, waiting } from './waiting';

/** What became of an impression. */
export const IS_LATE: i32 = 0;
export const IS_DUPLICATE: i32 = 1;
export const IS_ACCEPTED: i32 = 2;

/** Stands for an entry where there is none. */
const NO_LIST: usize = 0;

/** Entries that feedback fits, or feedback that waits for a list. */
let candidates: List = changetype<List>(0);

/** Must be called once, before anything else in this file. */
export function openRules(): void {
  candidates = newList();
}

/** The hash of a request id. */
export function hashOf(unit: Unit, request: usize): u32 {
  return hashBytes(unit.keys, request, textEnd(request));
}

/** Judges `impressionEvent`. If it already has a body, the body is used or freed. `hash` is that of its request. */
export function judgeImpression(unit: Unit, topic: u32, hash: u32, offset: f64, watermark: f64, isReplayed: bool): i32 {
  const ts = impressionEvent.ts;
  const counts = countsOf(unit, topic);
  if (watermark >= ts + unit.attribution) {
    if (!isReplayed) countImpression(counts, LATE);
    dropBody(unit);
    return IS_LATE;
  }
  const predecessor = lastPredecessor(unit, hash);
  if (predecessor !== 0) {
    if (!isReplayed) countImpression(counts, DUPLICATE);
    dropBody(unit);
    unit.predecessorOffset = entry(predecessor).offset();
    unit.predecessorWatermark = entry(predecessor).watermark();
    const own = duplicateHash(unit.duplicates, hash);
    const duplicate = addEntry(unit.entries, own, offset, watermark, 0, 0, isReplayed, unit.sequence++);
    addDuplicate(unit.duplicates, duplicate, hash);
    remember(unit.timeline, ts, duplicate, 0);
    return IS_DUPLICATE;
  }
  const missed = missedBy(unit, ts, watermark);
  if (!isReplayed) {
    countImpression(counts, ACCEPTED);
    countLateImpression(counts, missed);
  }
  const bodyAt = impressionEvent.body !== 0 ? impressionEvent.body : newBody(unit);
  body(bodyAt).tag = tagOf(unit);
  if (missed !== 0) body(bodyAt).setMisses();
  const entryAt = addEntry(unit.entries, hash, offset, watermark, bodyAt, missed, isReplayed, unit.sequence++);
  addAccepted(unit.accepted, entryAt);
  remember(unit.timeline, ts, entryAt, bodyAt);
  unit.open++;
  const closes = ts + unit.attribution;
  candidates.count = 0;
  findWaiting(unit.waiting, impressionEvent, bodyAt, hash, ts - unit.backward, closes, closes, candidates);
  for (let i: u32 = 0; i < candidates.count; i++) meetWaiting(unit, itemOf(candidates, i), entryAt, bodyAt, isReplayed);
  return IS_ACCEPTED;
}

/** The tag of `impressionEvent`, which has been accepted. */
function tagOf(unit: Unit): u32 {
  const context = impressionEvent.context;
  const known = unit.adder === 0 || context === 0 ? NO_TAG : holdTag(unit.adder, context - 1);
  return known === NO_TAG ? accepted(changetype<usize>(impressionEvent)) : <u32>known;
}

/** Makes the body of `impressionEvent`. */
export function newBody(unit: Unit): usize {
  return addBody(unit.bodies, unit.keys, unit.longBytes);
}

/** Frees the body of `impressionEvent`, if it has one. */
export function dropBody(unit: Unit): void {
  if (impressionEvent.body !== 0) free(unit.bodies, impressionEvent.body);
}

/** The last earlier record that makes `impressionEvent` a duplicate; 0: none. */
function lastPredecessor(unit: Unit, hash: u32): usize {
  const among = predecessorOf(unit.accepted, hash, impressionEvent.request(), impressionEvent.page, impressionEvent.ts);
  return lastDuplicate(unit.duplicates, hash, among);
}

/** Judges feedback that waits at `at` against an impression that has just arrived. */
function meetWaiting(unit: Unit, at: usize, entryAt: usize, bodyAt: usize, isImpressionReplayed: bool): void {
  const known = waiting(at);
  const lag = known.ts - entry(entryAt).ts();
  if (lag < -unit.backward || lag >= unit.attribution) return;
  const topic = known.topic();
  const watermark = known.watermark;
  const isReplayed = isImpressionReplayed && known.isReplayed();
  const event = readWaiting(at);
  if (isLateFor(unit, entryAt, watermark)) {
    drop(unit, topic, FEEDBACK_LATE, isReplayed, entryAt, event);
    removeWaiting(unit.waiting, at);
    return;
  }
  const slot = slotIn(unit.keys, indexesPlace(unit), bodyAt, event.item);
  if (slot < 0) {
    stray(unit, entryAt, event);
    return;
  }
  if (unit.hasObserver) found(changetype<usize>(event));
  attribute(unit, topic, event, watermark, entryAt, bodyAt, slot, isReplayed);
  removeWaiting(unit.waiting, at);
}

/** Judges `feedbackEvent`. Returns whether its record is still needed. `hash` is that of its request. */
export function judgeFeedback(unit: Unit, topic: u32, hash: u32, watermark: f64, isReplayed: bool): bool {
  const ts = feedbackEvent.ts;
  const deadline = ts + unit.backward + unit.attribution;
  if (watermark >= deadline) {
    drop(unit, topic, FEEDBACK_LATE, isReplayed, NO_LIST, feedbackEvent);
    return false;
  }
  candidates.count = 0;
  fitting(unit.accepted, feedbackEvent, hash, watermark, candidates);
  // Candidates are ordered newest first; the rules examine them in the order of the log.
  for (let i = candidates.count; i > 0; i--) {
    const entryAt = itemOf(candidates, i - 1);
    const areBothReplayed = isReplayed && entry(entryAt).isReplayed();
    if (isLateFor(unit, entryAt, watermark)) {
      drop(unit, topic, FEEDBACK_LATE, areBothReplayed, entryAt, feedbackEvent);
      return true;
    }
    const bodyAt = entry(entryAt).body;
    const slot = slotIn(unit.keys, indexesPlace(unit), bodyAt, feedbackEvent.item);
    if (slot >= 0) {
      attribute(unit, topic, feedbackEvent, watermark, entryAt, bodyAt, slot, areBothReplayed);
      return true;
    }
  }
  if (candidates.count > 0) stray(unit, itemOf(candidates, candidates.count - 1), feedbackEvent);
  addWaiting(unit.waiting, feedbackEvent, hash, topic, watermark, deadline, isReplayed);
  return true;
}

/** Reports to the observer that the feedback names no item of the list, unless the last closing of that list is in the checkpoint. */
function stray(unit: Unit, entryAt: usize, event: FeedbackEvent): void {
  if (!unit.hasObserver || entry(entryAt).ts() + unit.attribution <= unit.decidedUpTo) return;
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
  event: FeedbackEvent,
  watermark: f64,
  entryAt: usize,
  bodyAt: usize,
  slot: i32,
  isReplayed: bool,
): void {
  const action = actionOf(unit, event.action);
  const listTs = entry(entryAt).ts();
  const ofTopic = countOf(unit.keys, indexesPlace(unit), unit.longChain, bodyAt, topic, event, action, slot, listTs);
  if (ofTopic < 0) {
    drop(unit, topic, FEEDBACK_DUPLICATE, isReplayed, entryAt, event);
    return;
  }
  if (<u32>ofTopic >= unit.feedbackLimit) {
    drop(unit, topic, CAPPED, isReplayed, entryAt, event);
    return;
  }
  const lag = event.ts - listTs;
  const late = missedBy(unit, listTs, watermark);
  const out = beyond(unit, lag);
  if (!isReplayed) {
    countFeedback(countsOf(unit, topic), unit.horizons, ATTRIBUTED);
    addDelay(unit.delays, delayBoundsOf(unit), unit.delayBounds, lag);
    countLateFeedback(countsOf(unit, topic), unit.horizons, late & ~out);
  }
  append(bodyAt, addFeedback(unit.attributed, event, topic, action, slot, lag, late | out), listTs);
}

/** Index of the action; -1: it is not listed. There are few, so a linear search is faster than a table. */
function actionOf(unit: Unit, name: usize): i32 {
  let at = actionsOf(unit);
  for (let i: u32 = 0; i < unit.actions; i++) {
    if (sameText(at, name)) return i;
    at = textEnd(at);
  }
  return -1;
}

function drop(unit: Unit, topic: u32, reason: usize, isReplayed: bool, entryAt: usize, event: FeedbackEvent): void {
  if (isReplayed) return;
  countFeedback(countsOf(unit, topic), unit.horizons, reason);
  if (!unit.hasObserver) return;
  const isOpen = entryAt !== NO_LIST && entry(entryAt).body !== 0;
  dropped(<u32>reason, isOpen ? entryAt : NO_LIST, changetype<usize>(event));
}

/** Bit h is set if this watermark has passed horizon h of an impression at `ts`. */
function missedBy(unit: Unit, ts: f64, watermark: f64): u32 {
  let bits: u32 = 0;
  for (let h: u32 = 0; h < unit.horizons && watermark >= ts + horizonOf(unit, h); h++) bits |= 1 << h;
  return bits;
}

/** Bit h is set if horizon h ends at or before this lag. */
function beyond(unit: Unit, lag: f64): u32 {
  let bits: u32 = 0;
  for (let h: u32 = 0; h < unit.horizons && lag >= horizonOf(unit, h); h++) bits |= 1 << h;
  return bits;
}

/** Moves the combined watermark from `from` to `to`. */
export function moveOn(unit: Unit, from: f64, to: f64): void {
  beginAdding();
  seek(unit.timeline, from);
  for (let count = findDue(unit, to); count > 0; count = findDue(unit, to)) {
    for (let i: u32 = 0; i < count; i++) close(unit, dueAt(i));
  }
  flush(unit.adder);
  settle(unit, to);
  const until = to - 2 * unit.attribution - unit.backward;
  while (isOldestPast(unit.timeline, until)) forgetOldest(unit);
}

function close(unit: Unit, due: Due): void {
  const at = due.at;
  const bodyAt = due.body;
  const entryAt = due.entry;
  const horizon = due.horizon;
  const tag = body(bodyAt).tag;
  let waits = false;
  if (at > unit.decidedUpTo && !missed(bodyAt, entryAt, horizon)) {
    const length = horizonOf(unit, horizon);
    const topics = unit.feedbackTopics;
    const isAdded = unit.adder !== 0 && addClosing(unit.adder, bodyAt, horizon, at, length, due.pattern);
    waits = !isAdded && !unit.hasNames && queueClosing(bodyAt, horizon, at, length, topics);
    if (!isAdded && !waits) {
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
  if (unit.adder !== 0) dropTag(unit.adder, tag);
  else if (unit.hasNames) unref(tag);
  else queueUnref(tag, waits);
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

/** Number of the oldest records that are prefetched together. */
const TOUCHED: u32 = 32;

function forgetOldest(unit: Unit): void {
  const count = countOfOldest(unit.timeline);
  for (let i: u32 = 0; i < count; i++) {
    if (i % TOUCHED === 0) touchOldest(unit, i, min(count, i + TOUCHED));
    const at = entryOfOldest(unit.timeline, i);
    if (entry(at).isAccepted()) removeAccepted(unit.accepted, at);
    else removeDuplicate(unit.duplicates, at);
    free(unit.entries, at);
  }
  dropOldest(unit.timeline);
}

/** Prefetches the chain neighbours that removing the records will read. */
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
  consume(sum);
}
