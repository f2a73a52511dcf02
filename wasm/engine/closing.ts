/** Writes the list that closes, with the feedback that counts at its horizon, to where the host reads it. */
import { body } from './bodies';
import { entry } from './entries';
import { Feedback, feedback, firstOf, nextOf } from './feedback';
import { closings } from './host';
import { CLOSES } from './layout';
import { giveShared, sizeOf, takeShared } from './memory';
import { copyBytes } from './texts';

/** The fields that all closings have, as the host reads them (src/consumers/join/closings.ts). */
@unmanaged
export class Closing {
  at: f64;
  ts: f64;
  /** CLOSES_LIST, UNREFS_TAG, or both; the list closes first. */
  kind: u32;
  horizon: u32;
  tag: u32;
  isUserless: u32;
  userWord: u32;
  /** Number of slots, of slots before this page, and of events. */
  length: u32;
  page: u32;
  events: u32;

  setUp(bodyAt: usize, horizon: u32, at: f64, ts: f64): void {
    const list = body(bodyAt);
    this.at = at;
    this.ts = ts;
    this.kind = CLOSES_LIST;
    this.horizon = horizon;
    this.tag = list.tag;
    this.isUserless = list.isUserless() ? 1 : 0;
    this.userWord = <u32>list.userWord;
    this.length = list.length();
    this.page = list.page();
    this.events = 0;
  }
}
export const CLOSES_LIST: u32 = 1;
export const UNREFS_TAG: u32 = 2;

/** A closing that is passed to the host by itself. */
@unmanaged
export class Closes extends Closing {
  entry: usize;
  /** Address of its request id. */
  request: usize;
  /** Addresses of its items and its categories; 0: it has none. */
  items: usize;
  categories: usize;
  /** Whether it has i32 ranks, u32 first slots, f64 scores, by slot; 0 or 1 each. */
  hasRanks: u32;
  hasFirstSlots: u32;
  hasScores: u32;
  /**
   * Addresses of the arrays, and how many elements they hold. By event: f64 time, f64 value, i32 slot, i32 action. By slot: f64 scores,
   * i32 ranks, u32 first slots.
   */
  eventArrays: usize;
  eventRoom: u32;
  slotArrays: usize;
  slotRoom: u32;
  /** Whether its items are stored as numbers (numbers.ts). */
  isNumeric: u32;
}
const closes = changetype<Closes>(CLOSES);
const BYTES_PER_EVENT: usize = 24;
const BYTES_PER_SLOT: usize = 16;
const LEAST: u32 = 128;

/** Must be called once, before anything else in this file. */
export function openClosing(): void {
  closes.eventArrays = takeShared(BYTES_PER_EVENT * <usize>LEAST);
  closes.eventRoom = LEAST;
  closes.slotArrays = takeShared(BYTES_PER_SLOT * <usize>LEAST);
  closes.slotRoom = LEAST;
}

export function putClosing(bodyAt: usize, entryAt: usize, horizon: u32, at: f64, length: f64): void {
  closes.setUp(bodyAt, horizon, at, at - length);
  closes.entry = entryAt;
  closes.request = entry(entryAt).request();
  putSlots(bodyAt);
}

function putSlots(bodyAt: usize): void {
  const list = body(bodyAt);
  closes.items = list.items();
  closes.isNumeric = list.isNumeric() ? 1 : 0;
  closes.categories = list.categories();
  const scores = list.scores();
  const ranks = list.ranks();
  const firstSlots = list.firstSlots();
  closes.hasScores = scores === 0 ? 0 : 1;
  closes.hasRanks = ranks === 0 ? 0 : 1;
  closes.hasFirstSlots = firstSlots === 0 ? 0 : 1;
  if ((scores | ranks | firstSlots) === 0) return;
  const length = <usize>list.length();
  if (list.length() > closes.slotRoom) {
    giveShared(closes.slotArrays);
    closes.slotArrays = takeShared(BYTES_PER_SLOT * length);
    closes.slotRoom = <u32>(sizeOf(closes.slotArrays) / BYTES_PER_SLOT);
  }
  const room = <usize>closes.slotRoom;
  if (scores !== 0) copyBytes(closes.slotArrays, scores, 8 * length);
  if (ranks !== 0) copyBytes(closes.slotArrays + 8 * room, ranks, 4 * length);
  if (firstSlots !== 0) copyBytes(closes.slotArrays + 12 * room, firstSlots, 4 * length);
}

function misses(event: Feedback, horizon: u32): bool {
  return (event.missed() & (1 << horizon)) !== 0;
}

/**
 * Adds the feedback of one topic (-1: all) that counts at the horizon, in the order of attribution. Within a topic that is the order of
 * its log.
 */
export function putFeedback(bodyAt: usize, topic: i32, horizon: u32): void {
  for (let at = firstOf(bodyAt); at !== 0; at = nextOf(bodyAt, at)) {
    const event = feedback(at);
    if ((topic >= 0 && event.topic() !== <u32>topic) || misses(event, horizon)) continue;
    if (closes.events === closes.eventRoom) widen();
    const n = <usize>closes.events;
    const room = <usize>closes.eventRoom;
    store<f64>(closes.eventArrays + 8 * n, closes.ts + event.lag());
    store<f64>(closes.eventArrays + 8 * room + 8 * n, event.value());
    store<u32>(closes.eventArrays + 16 * room + 4 * n, event.slot());
    store<i32>(closes.eventArrays + 20 * room + 4 * n, event.action());
    closes.events++;
  }
}

function widen(): void {
  const room = <usize>closes.eventRoom;
  const old = closes.eventArrays;
  const wider = takeShared(2 * BYTES_PER_EVENT * room);
  memory.copy(wider, old, 8 * room);
  memory.copy(wider + 16 * room, old + 8 * room, 8 * room);
  memory.copy(wider + 32 * room, old + 16 * room, 4 * room);
  memory.copy(wider + 40 * room, old + 20 * room, 4 * room);
  giveShared(old);
  closes.eventArrays = wider;
  closes.eventRoom *= 2;
}

/**
 * Queues closings, in order, so that the host takes many at once. Only plain lists with few events are queued, which most are, and only
 * when the host does not ask for names. Tags that are released meanwhile are queued too, unless the engine counts the holders of tags
 * (adding.ts).
 */
export const MOST_QUEUED_EVENTS: usize = 3;

/** An event of a queued closing; it follows the closing. */
@unmanaged
export class QueuedEvent {
  ts: f64;
  value: f64;
  slot: u32;
  action: i32;
}
const QUEUED_HEAD: usize = offsetof<Closing>();
const QUEUED_BYTES: usize = QUEUED_HEAD + offsetof<QueuedEvent>() * MOST_QUEUED_EVENTS;
const MOST_QUEUED: u32 = 64;

let queue: usize = 0;
let queued: u32 = 0;

/** Must be called once, before anything else in this section. */
export function openQueue(): void {
  queue = takeShared(QUEUED_BYTES * <usize>MOST_QUEUED);
}

/** Discards the queue: a failed unit reports nothing. */
export function forgetQueue(): void {
  queued = 0;
}

/** Passes all queued closings to the host. */
export function flushQueue(): void {
  if (queued === 0) return;
  const count = queued;
  queued = 0;
  closings(queue, count);
}

function nextQueued(): Closing {
  if (queued === MOST_QUEUED) flushQueue();
  if (!ASC_NO_ASSERT) assert(queued < MOST_QUEUED, 'room in the queue');
  return changetype<Closing>(queue + QUEUED_BYTES * <usize>queued);
}

/**
 * Queues a closing; `topics` is the number of topics that carry feedback. False: the list is not simple enough; then the queue has been
 * passed to the host.
 */
export function queueClosing(bodyAt: usize, horizon: u32, at: f64, length: f64, topics: u32): bool {
  const list = body(bodyAt);
  const made = nextQueued();
  const events = list.isPlain() ? queueFeedback(changetype<usize>(made), bodyAt, at - length, horizon, topics) : -1;
  if (events < 0) {
    flushQueue();
    return false;
  }
  made.setUp(bodyAt, horizon, at, at - length);
  made.events = <u32>events;
  queued++;
  return true;
}

/** Writes the events that count and returns their number; -1: there are too many, or they may be of several topics, whose order matters. */
function queueFeedback(made: usize, bodyAt: usize, listTs: f64, horizon: u32, topics: u32): i32 {
  let n: usize = 0;
  for (let at = firstOf(bodyAt); at !== 0; at = nextOf(bodyAt, at)) {
    const event = feedback(at);
    if (misses(event, horizon)) continue;
    if (n === MOST_QUEUED_EVENTS || (n > 0 && topics > 1)) return -1;
    const to = changetype<QueuedEvent>(made + QUEUED_HEAD + offsetof<QueuedEvent>() * n);
    to.ts = listTs + event.lag();
    to.value = event.value();
    to.slot = event.slot();
    to.action = event.action();
    n++;
  }
  return <i32>n;
}

/** Releases a tag after everything in the queue. `isOfLast`: it belongs to the last closing in the queue. */
export function queueUnref(tag: u32, isOfLast: bool): void {
  if (isOfLast) {
    changetype<Closing>(queue + QUEUED_BYTES * <usize>(queued - 1)).kind |= UNREFS_TAG;
    return;
  }
  const made = nextQueued();
  made.kind = UNREFS_TAG;
  made.tag = tag;
  queued++;
}
