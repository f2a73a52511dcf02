/**
 * Adds closings up without calling the host: those of lists with a pattern whose sums the host has kept, in a cell that the host has
 * opened and also adds to (src/accumulators/pending-sums.ts). All other closings are passed to the host.
 */
import { body } from './bodies';
import { flushQueue, forgetQueue } from './closing';
import { feedback, firstOf, nextOf } from './feedback';
import { unref } from './host';
import { takeShared } from './memory';
import { NEXT_LINE } from './touch';

/** Where the closings of a unit are added; the host lays it out. An `AdderPane` for each horizon follows the fields. */
@unmanaged
export class Adder {
  /** The host has work to do before anything that closes at this time or later is added. */
  due: f64;
  /** Address of a `KeptTable`. */
  kept: usize;
  /** u32 by tag: how many lists hold it, and how often it was freed. */
  holders: usize;
  versions: usize;
  /** Number of contexts there is room for, a `TagOfContext` for each (tags.ts), and the scanner's generation that they belong to. */
  contexts: u32;
  tags: usize;
  generation: u32;
  /** The column of a cell that counts lists without a user. */
  userless: u32;
  /** Number of columns of a bucket. */
  bucketWidth: u32;
}
const ADDER_BYTES: usize = offsetof<Adder>();

/** What one horizon adds to. */
@unmanaged
export class AdderPane {
  /** Times of the impressions that belong to it: from <= time < to. */
  from: f64;
  to: f64;
  /** u32 by tag: the address of its cell; 0: the host adds to it. Tags from `tags` on have no cell. */
  cells: usize;
  tags: u32;
}
const PANE_BYTES: usize = offsetof<AdderPane>();

/** The sums of one tag in one pane. f64 by column follow the fields. */
@unmanaged
export class Cell {
  /** Number of vectors, and their addresses. */
  vectors: u32;
  first: usize;
  second: usize;
  third: usize;
  /** 1 if its rows are already marked as changed, because the host has added a list to them. */
  isTouched: u32;
  /** Aligns the columns to 8 bytes. */
  reserved: u32;
}
export const CELL_HEAD: usize = offsetof<Cell>();
export const MOST_VECTORS: u32 = 3;

/** Sums by user bucket. After the fields come f64 by bucket and column, then the u16 numbers of the buckets that were added to. */
@unmanaged
export class PendingBuckets {
  /** Number of buckets, a power of two, and number of those that were added to. */
  buckets: u32;
  changed: u32;
}
export const BUCKETS_HEAD: usize = offsetof<PendingBuckets>();

/** The first columns of a cell, and of a bucket. */
export const LISTS: usize = 0;
export const POSITIVES: usize = 8;

/** A cell is folded at this many lists, and a bucket accepts no more until then, so that sums of doubles stay exact. */
export const MOST_LISTS: f64 = 4096;

/**
 * The sums that the host keeps. After the fields come its `KeptPlace`s, an `ActionCodes` for each action, then room for the u32 codes of
 * one list.
 */
@unmanaged
export class KeptTable {
  /** Number of codes of a slot, and number of actions. */
  width: u32;
  actions: u32;
  /**
   * Lists of at least `lengths` slots have no pattern, nor have those with more than `mostEvents` distinct events
   * (src/measures/patterns.ts).
   */
  lengths: u32;
  mostEvents: u32;
}
export const KEPT_HEAD: usize = offsetof<KeptTable>();

@unmanaged
export class KeptPlace {
  pattern: f64;
  /** Address of what lists of the pattern add; 0: not kept. */
  sums: usize;
  reserved: u32;
}
const KEPT_BYTES: usize = offsetof<KeptPlace>();
export const PLACE_BITS: u32 = 15;

/** The codes of an action, as in src/measures/patterns.ts. */
@unmanaged
export class ActionCodes {
  first: u32;
  behind: u32;
  readsValue: u32;
  addsUp: u32;
}
const CODES_BYTES: usize = offsetof<ActionCodes>();

/** What a list of one pattern adds. After the fields come f64 amounts, f64 ranks of positives, then u32 columns. */
@unmanaged
export class KeptSums {
  isPositive: u32;
  /** Number of amounts that buckets have a column for, which come first, and number of all amounts. */
  shared: u32;
  all: u32;
  /** Number of ranks of positives. */
  ranks: u32;
}
export const SUMS_HEAD: usize = offsetof<KeptSums>();

/** Whole numbers below this one are exact. */
const LIMIT: f64 = 9007199254740992;
/** Less than the pattern of any list. */
export const NO_PATTERN: f64 = -1;

/** Adds the closing of a list with a pattern at one horizon. False: the host must add it. */
export function addClosing(at: usize, bodyAt: usize, horizon: u32, time: f64, length: f64, pattern: f64): bool {
  const adder = changetype<Adder>(at);
  if (pattern < 0 || time >= adder.due) return false;
  const pane = paneOf(at, horizon);
  const ts = time - length;
  if (!(ts >= pane.from && ts < pane.to)) return false;
  const list = body(bodyAt);
  const cellAt = cellOf(pane, list.tag);
  if (cellAt === 0) return false;
  const cell = changetype<Cell>(cellAt);
  // The host adds the first list of a cell, which marks its rows as changed, and the last one before the cell is folded.
  if (cell.isTouched === 0 || load<f64>(cellAt + CELL_HEAD + LISTS) >= MOST_LISTS - 1) return false;
  const sums = sumsOf(adder.kept, pattern);
  if (sums === 0) return false;
  const user = <u32>list.userWord;
  const width = adder.bucketWidth;
  if (!hasRoom(cell, user, width)) return false;
  const kept = changetype<KeptSums>(sums);
  addTo(cellAt + CELL_HEAD, kept, kept.all);
  if (list.isUserless()) increase(cellAt + CELL_HEAD + 8 * <usize>adder.userless);
  for (let v: u32 = 0; v < cell.vectors; v++) {
    const vector = changetype<PendingBuckets>(vectorOf(cell, v));
    const bucket = user & (vector.buckets - 1);
    const to = bucketAt(vector, bucket, width);
    if (load<f64>(to + LISTS) === 0) {
      const changed = bucketAt(vector, vector.buckets, width);
      store<u16>(changed + 2 * <usize>vector.changed, <u16>bucket);
      vector.changed++;
    }
    addTo(to, kept, kept.shared);
  }
  return true;
}

function paneOf(at: usize, horizon: u32): AdderPane {
  return changetype<AdderPane>(at + ADDER_BYTES + PANE_BYTES * <usize>horizon);
}

/** Address of the cell of a tag; 0: the host adds to it. */
function cellOf(pane: AdderPane, tag: u32): usize {
  return tag < pane.tags ? <usize>load<u32>(pane.cells + 4 * <usize>tag) : 0;
}

/** Whether the list's tag has a cell here. */
export function hasCell(at: usize, bodyAt: usize, horizon: u32): bool {
  return cellOf(paneOf(at, horizon), body(bodyAt).tag) !== 0;
}

function vectorOf(cell: Cell, v: u32): usize {
  return v === 0 ? cell.first : v === 1 ? cell.second : cell.third;
}

function bucketAt(vector: PendingBuckets, bucket: u32, width: u32): usize {
  return changetype<usize>(vector) + BUCKETS_HEAD + 8 * <usize>(bucket * width);
}

function bucketOf(vector: PendingBuckets, user: u32, width: u32): usize {
  return bucketAt(vector, user & (vector.buckets - 1), width);
}

/** Whether every vector of the cell can take one more list of this user. */
function hasRoom(cell: Cell, user: u32, width: u32): bool {
  for (let v: u32 = 0; v < cell.vectors; v++) {
    const vector = changetype<PendingBuckets>(vectorOf(cell, v));
    if (load<f64>(bucketOf(vector, user, width) + LISTS) >= MOST_LISTS) return false;
  }
  return true;
}

function increase(at: usize): void {
  store<f64>(at, load<f64>(at) + 1);
}

/** Adds one list: the first `count` amounts, each to its own column. */
function addTo(to: usize, kept: KeptSums, count: u32): void {
  increase(to + LISTS);
  if (kept.isPositive !== 0) increase(to + POSITIVES);
  const amounts = changetype<usize>(kept) + SUMS_HEAD;
  const columns = amounts + 8 * <usize>(kept.all + kept.ranks);
  for (let i: usize = 0; i < <usize>count; i++) {
    const at = to + 8 * <usize>load<u32>(columns + 4 * i);
    store<f64>(at, load<f64>(at) + load<f64>(amounts + 8 * i));
  }
}

/** Address of what lists of a pattern add; 0: not kept. */
function sumsOf(tableAt: usize, pattern: f64): usize {
  const place = changetype<KeptPlace>(tableAt + KEPT_HEAD + KEPT_BYTES * placeOf(pattern));
  return place.pattern === pattern ? place.sums : 0;
}

/** Prefetches the entry of a pattern in the table. Returns the address of its sums; 0: none. */
export function touchKept(at: usize, pattern: f64): usize {
  return pattern < 0 ? 0 : sumsOf(changetype<Adder>(at).kept, pattern);
}

/** Prefetches the sums of a pattern, and returns some of the bytes read. */
export function touchSums(sums: usize): usize {
  const bytes = SUMS_HEAD + 12 * <usize>changetype<KeptSums>(sums).all;
  let sum: usize = 0;
  for (let line: usize = NEXT_LINE; line < bytes; line += NEXT_LINE) sum += <usize>load<u32>(sums + line);
  return sum;
}

/** Prefetches the buckets of the user of a list that has a cell, and returns some of the bytes read. */
export function touchBuckets(at: usize, bodyAt: usize, horizon: u32): usize {
  const list = body(bodyAt);
  const cell = changetype<Cell>(cellOf(paneOf(at, horizon), list.tag));
  const width = changetype<Adder>(at).bucketWidth;
  let sum: usize = 0;
  for (let v: u32 = 0; v < cell.vectors; v++) {
    const vector = changetype<PendingBuckets>(vectorOf(cell, v));
    const to = bucketOf(vector, <u32>list.userWord, width);
    sum += <usize>load<u32>(to) + <usize>load<u32>(to, NEXT_LINE);
  }
  return sum;
}

/** The pattern of a plain list at a horizon, as in src/measures/patterns.ts; NO_PATTERN: it has none. */
export function patternOf(at: usize, bodyAt: usize, horizon: u32): f64 {
  const tableAt = changetype<Adder>(at).kept;
  const table = changetype<KeptTable>(tableAt);
  const length = body(bodyAt).length();
  if (length >= table.lengths) return NO_PATTERN;
  const actionsAt = tableAt + KEPT_HEAD + (KEPT_BYTES << PLACE_BITS);
  const codesAt = actionsAt + CODES_BYTES * <usize>table.actions;
  const count = sortCodes(table, actionsAt, codesAt, bodyAt, horizon);
  if (count < 0) return NO_PATTERN;
  let pattern = <f64>body(bodyAt).page();
  for (let n = 0; n < count; n++) {
    pattern = pattern * <f64>length * <f64>table.width + <f64>load<u32>(codesAt + 4 * <usize>n);
  }
  pattern = (pattern * <f64>table.lengths + <f64>length) * <f64>(table.mostEvents + 1) + <f64>count;
  return pattern < LIMIT ? pattern : NO_PATTERN;
}

/** Writes the codes of the events that count, in order. Returns their number; -1: they belong to no pattern. */
function sortCodes(table: KeptTable, actionsAt: usize, codesAt: usize, bodyAt: usize, horizon: u32): i32 {
  let end = codesAt;
  for (let at = firstOf(bodyAt); at !== 0; at = nextOf(bodyAt, at)) {
    const event = feedback(at);
    const action = event.action();
    if ((event.missed() & (1 << horizon)) !== 0 || action < 0) continue;
    const codes = changetype<ActionCodes>(actionsAt + CODES_BYTES * <usize>action);
    const value = codes.readsValue === 0 ? 0 : classOf(event.value(), codes.behind - codes.first);
    if (value < 0) return -1;
    const ofSlot = event.slot() * table.width;
    const code = ofSlot + codes.first + <u32>value;
    let to = end;
    while (to > codesAt && load<u32>(to - 4) > code) to -= 4;
    const isAgain = to > codesAt && load<u32>(to - 4) === code;
    if (isAgain && codes.addsUp === 0) continue;
    // The same slot and action has events with different values.
    if (to > codesAt && !isAgain && load<u32>(to - 4) >= ofSlot + codes.first) return -1;
    if (to < end && load<u32>(to) < ofSlot + codes.behind) return -1;
    if (end === codesAt + 4 * <usize>table.mostEvents) return -1;
    for (let from = end; from > to; from -= 4) store<u32>(from, load<u32>(from - 4));
    store<u32>(to, code);
    end += 4;
  }
  return <i32>((end - codesAt) / 4);
}

/** Class of a value: 0 for an event without a value, one for each rating; below 0 for any other value. */
function classOf(value: f64, classes: u32): f64 {
  if (isNaN(value)) return 0;
  const halves = 2 * value;
  return Math.floor(halves) === halves && halves > 0 && halves < <f64>classes ? halves : -1;
}

/** The same hash as in src/accumulators/kept-lists.ts. */
function placeOf(pattern: f64): usize {
  const whole = <u64>pattern;
  const mixed = <u32>whole * 0x9e3779b1 + <u32>(whole >> 31) * 0x85ebca6b;
  return <usize>(mixed >>> (32 - PLACE_BITS));
}

/**
 * Tags that lists have released. They are freed after the queued closings were passed to the host, because those may concern the same
 * lists.
 */
let droppedAt: usize = 0;
let drops: u32 = 0;
const MOST_DROPS: u32 = 256;

/** Must be called once, before anything else in this file. */
export function openAdding(): void {
  droppedAt = takeShared(4 * <usize>MOST_DROPS);
}

/** Called before anything closes. Discards what a failed unit left in the queue. */
export function beginAdding(): void {
  forgetQueue();
  drops = 0;
}

/** Releases the tag of a list that has closed for good. */
export function dropTag(at: usize, tag: u32): void {
  store<u32>(droppedAt + 4 * <usize>drops, tag);
  drops++;
  if (drops === MOST_DROPS) flush(at);
}

/** Passes the queued closings to the host, then decrements the holders of the released tags. */
export function flush(at: usize): void {
  flushQueue();
  const holders = at === 0 ? 0 : changetype<Adder>(at).holders;
  const count = drops;
  drops = 0;
  for (let i: u32 = 0; i < count; i++) {
    const tag = load<u32>(droppedAt + 4 * <usize>i);
    const holder = holders + 4 * <usize>tag;
    // The host releases the last holder, since it forgets the tag then.
    if (load<u32>(holder) > 1) store<u32>(holder, load<u32>(holder) - 1);
    else unref(tag);
  }
}
