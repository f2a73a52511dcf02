/** Feedback that has not been attributed yet, by request id and by deadline. */
import { Arena, assertRecord, closeArena, commit, free, newArena, reserve } from './arena';
import { addDeadline, closeDeadlines, Deadlines, newDeadlines, removeDeadline } from './deadlines';
import { FeedbackEvent, ImpressionEvent, waitingEvent } from './events';
import { itemOf, List, push, reverse } from './list';
import { addLong, closeLongRequests, dropIfMostIsGone, dropLong, LongRequest, longOf } from './long-request';
import { addToLong, lateFor, removeFromLong, takeFor } from './long-waiting';
import { give, take } from './memory';
import {
  closeRequestTable,
  firstOfChain,
  insert,
  newRequestTable,
  RequestTable,
  record,
  remove,
} from './request-table';
import { copyText, sameText, textEnd } from './texts';
import { covers } from './time-trees';
import { Timed } from './timed';
import { walk } from './work';

const TOPIC_MASK: u32 = 0xff;
/** It is in the index of its request. */
const INDEXED: u32 = 0x100;
const REPLAYED: u32 = 0x200;
const HAS_EVENT_ID: u32 = 0x400;

/** After the fields: request id, item, action, event id? */
@unmanaged
export class Waiting extends Timed {
  flags: u32;
  ts: f64;
  watermark: f64;
  value: f64;

  topic(): u32 {
    return this.flags & TOPIC_MASK;
  }

  /** Whether its record was judged before the checkpoint and is read again by a replay. */
  isReplayed(): bool {
    return (this.flags & REPLAYED) !== 0;
  }

  request(): usize {
    return changetype<usize>(this) + TEXTS;
  }

  item(): usize {
    return textEnd(this.request());
  }
}
const TEXTS: usize = offsetof<Waiting>();

@unmanaged
export class WaitingFeedback {
  keys: usize;
  arena: Arena;
  table: RequestTable;
  /** Indexes of the requests for which much feedback waits. */
  long: RequestTable;
  deadlines: Deadlines;
  searchUpTo: u32;
  count: u32;
  /** The times of feedback that waits for one request are mostly within this span, in ms. */
  reach: f64;
}

export function waiting(at: usize): Waiting {
  assertRecord(at);
  return changetype<Waiting>(at);
}

export function newWaitingFeedback(keys: usize, searchUpTo: u32, reach: f64): WaitingFeedback {
  const all = changetype<WaitingFeedback>(take(offsetof<WaitingFeedback>()));
  all.keys = keys;
  all.arena = newArena();
  all.table = newRequestTable();
  all.long = newRequestTable();
  all.deadlines = newDeadlines();
  all.searchUpTo = searchUpTo;
  all.count = 0;
  all.reach = reach;
  return all;
}

export function closeWaitingFeedback(all: WaitingFeedback): void {
  closeLongRequests(all.long);
  closeRequestTable(all.table);
  closeDeadlines(all.deadlines);
  closeArena(all.arena);
  give(changetype<usize>(all));
}

/** Adds feedback. `isReplayed`: its record was judged before the checkpoint. */
export function addWaiting(
  all: WaitingFeedback,
  event: FeedbackEvent,
  hash: u32,
  topic: u32,
  watermark: f64,
  deadline: f64,
  isReplayed: bool,
): void {
  const hasEventId = event.eventId !== 0;
  let texts = textEnd(event.request) - event.request + (textEnd(event.item) - event.item);
  texts += textEnd(event.action) - event.action;
  if (hasEventId) texts += textEnd(event.eventId) - event.eventId;
  const at = reserve(all.arena, TEXTS + texts);
  const made = waiting(at);
  made.hash = hash;
  made.next = 0;
  made.before = 0;
  made.flags = topic | (isReplayed ? REPLAYED : 0) | (hasEventId ? HAS_EVENT_ID : 0);
  made.ts = event.ts;
  made.watermark = watermark;
  made.value = event.value;
  let end = copyText(at + TEXTS, event.request);
  end = copyText(end, event.item);
  end = copyText(end, event.action);
  if (hasEventId) end = copyText(end, event.eventId);
  commit(all.arena, end);
  insert(all.table, at);
  addDeadline(all.deadlines, deadline, at);
  all.count++;
  const index = longOf(all.long, hash, event.request);
  if (index === null) return;
  if (covers(index.trees, event.ts)) indexWaiting(index, at);
  else dropLong(all.long, index);
}

function indexWaiting(index: LongRequest, at: usize): void {
  const known = waiting(at);
  addToLong(index, at, known.ts, known.watermark, known.item());
  known.flags |= INDEXED;
}

/**
 * Adds to `found` the feedback that waits for the request of `list`, oldest first. `bodyAt` is the body of `list`. It finds all with from
 * <= time < to that an impression which closes at `closed` decides: those that name one of its items, or are late for it. The caller must
 * remove them before the next call.
 */
export function findWaiting(
  all: WaitingFeedback,
  list: ImpressionEvent,
  bodyAt: usize,
  hash: u32,
  from: f64,
  to: f64,
  closed: f64,
  found: List,
): void {
  if (all.count === 0) return;
  const index = longOf(all.long, hash, list.request());
  if (index !== null) {
    findInLong(all, index, bodyAt, from, to, closed, found);
    return;
  }
  let steps: u32 = 0;
  for (let at = firstOfChain(all.table, hash); at !== 0; at = record(at).next) {
    steps++;
    if (record(at).hash === hash && sameText(waiting(at).request(), list.request())) push(found, at);
  }
  walk(steps);
  reverse(found);
  if (found.count > all.searchUpTo) makeLong(all, list, hash, found);
}

function findInLong(
  all: WaitingFeedback,
  index: LongRequest,
  bodyAt: usize,
  from: f64,
  to: f64,
  closed: f64,
  found: List,
): void {
  for (let late = lateFor(index, from, to, closed); late !== 0; late = lateFor(index, from, to, closed)) {
    removeFromLong(index, late, waiting(late).ts, waiting(late).item());
    waiting(late).flags &= ~INDEXED;
    push(found, late);
  }
  takeFor(index, bodyAt, from, to, found);
  dropIfMostIsGone(all.long, index);
}

function makeLong(all: WaitingFeedback, list: ImpressionEvent, hash: u32, found: List): void {
  let least = Infinity;
  let most = -Infinity;
  for (let i: u32 = 0; i < found.count; i++) {
    const ts = waiting(itemOf(found, i)).ts;
    least = Math.min(least, ts);
    most = Math.max(most, ts);
  }
  const index = addLong(all.long, all.keys, hash, list.request(), least, most, all.reach, false);
  for (let i: u32 = 0; i < found.count; i++) indexWaiting(index, itemOf(found, i));
}

/** Copies the record into `waitingEvent`. The copy is valid until the record is removed. */
export function readWaiting(at: usize): FeedbackEvent {
  const known = waiting(at);
  waitingEvent.ts = known.ts;
  waitingEvent.value = known.value;
  waitingEvent.request = known.request();
  waitingEvent.item = textEnd(waitingEvent.request);
  waitingEvent.action = textEnd(waitingEvent.item);
  waitingEvent.eventId = (known.flags & HAS_EVENT_ID) === 0 ? 0 : textEnd(waitingEvent.action);
  return waitingEvent;
}

export function removeWaiting(all: WaitingFeedback, at: usize): void {
  const known = waiting(at);
  if ((known.flags & INDEXED) !== 0) {
    const index = longOf(all.long, known.hash, known.request());
    if (index !== null) {
      removeFromLong(index, at, known.ts, known.item());
      dropIfMostIsGone(all.long, index);
    }
  }
  remove(all.table, at);
  removeDeadline(all.deadlines, known.place);
  free(all.arena, at);
  all.count--;
}
