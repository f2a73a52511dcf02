/**
 * Closings that are added up here, without the host: of a list of a pattern whose sums the host has kept, in a cell that it has opened
 * and goes on adding to (src/accumulators/pending-sums.ts). Of all others the host is told.
 */
import { body } from './bodies';
import { flushQueue, forgetQueue } from './closing';
import { feedback, firstOf, nextOf } from './feedback';
import { unref } from './host';
import { takeShared } from './memory';
import { NEXT_LINE } from './touch';

/** Where the closings of a unit are added, as the host has laid it out. Behind the fields: an `AdderPane` for each horizon. */
@unmanaged
export class Adder {
  /** At this time the host has something to do before anything is added that closes then, or later. */
  due: f64;
  /** A `KeptTable`. */
  kept: usize;
  /** u32 by tag: how many hold it, and how often it was freed. */
  holders: usize;
  versions: usize;
  /** Room for contexts; a `TagOfContext` for each (tags.ts); and when the scanner had those. */
  contexts: u32;
  tags: usize;
  generation: u32;
  /** Column of a cell that counts lists without a user. */
  userless: u32;
  /** Columns of a bucket. */
  bucketWidth: u32;
}
const ADDER_BYTES: usize = offsetof<Adder>();

/** What one horizon adds to. */
@unmanaged
export class AdderPane {
  /** Of the impressions: from <= time < to. */
  from: f64;
  to: f64;
  /** u32 by tag: the place of its cell; 0: the host adds to it. Tags from `tags` on have none. */
  cells: usize;
  tags: u32;
}
const PANE_BYTES: usize = offsetof<AdderPane>();

/** Behind the fields: f64 by column. */
@unmanaged
export class Cell {
  /** Number of vectors, and their places. */
  vectors: u32;
  first: usize;
  second: usize;
  third: usize;
  /** Its rows are known to have changed: the host has added a list to them. */
  isTouched: u32;
  /** As columns begin at a multiple of 8 bytes. */
  reserved: u32;
}
export const CELL_HEAD: usize = offsetof<Cell>();
export const MOST_VECTORS: u32 = 3;

/** Sums by user bucket. Behind the fields: f64 by bucket, then column; then u16 buckets that were added to. */
@unmanaged
export class PendingBuckets {
  /** Number of buckets, a power of two, and of those that were added to. */
  buckets: u32;
  changed: u32;
}
export const BUCKETS_HEAD: usize = offsetof<PendingBuckets>();

/** The first columns of a cell, and of a bucket. */
export const LISTS: usize = 0;
export const POSITIVES: usize = 8;

/** With so many lists a cell is folded, and a bucket takes no more until it is, so that doubles add exactly. */
export const MOST_LISTS: f64 = 4096;

/** Behind the fields: a `KeptPlace` for each place, `ActionCodes` by action, then u32 codes, room for those of a list. */
@unmanaged
export class KeptTable {
  /** Number of codes of a slot, and of actions. */
  width: u32;
  actions: u32;
  /** Lists of so many slots have no pattern, nor have those with more events that differ (src/measures/patterns.ts). */
  lengths: u32;
  mostEvents: u32;
}
export const KEPT_HEAD: usize = offsetof<KeptTable>();

@unmanaged
export class KeptPlace {
  pattern: f64;
  /** What lists of the pattern add; 0: that is not kept. */
  sums: usize;
  reserved: u32;
}
const KEPT_BYTES: usize = offsetof<KeptPlace>();
export const PLACE_BITS: u32 = 15;

/** As in src/measures/patterns.ts. */
@unmanaged
export class ActionCodes {
  first: u32;
  behind: u32;
  readsValue: u32;
  addsUp: u32;
}
const CODES_BYTES: usize = offsetof<ActionCodes>();

/** Behind the fields: f64 amounts, f64 ranks of positives, then u32 columns. */
@unmanaged
export class KeptSums {
  isPositive: u32;
  /** Number of amounts that buckets have a column for, which come first, and of all. */
  shared: u32;
  all: u32;
  /** Of positives. */
  ranks: u32;
}
export const SUMS_HEAD: usize = offsetof<KeptSums>();

/** Numbers below are exact. */
const LIMIT: f64 = 9007199254740992;
/** Below that of any list. */
export const NO_PATTERN: f64 = -1;

/** Adds the closing of a list of a pattern at one horizon. False: the host must do that. */
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
  // The first one changes rows, and the last one is folded with all before.
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

/** The place of the cell of a tag; 0: the host adds to it. */
function cellOf(pane: AdderPane, tag: u32): usize {
  return tag < pane.tags ? <usize>load<u32>(pane.cells + 4 * <usize>tag) : 0;
}

/** Whether the list's cohorts have a cell here. */
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

/** Whether each of its vectors can take one more list of this user. */
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

/** Adds one list: the first `count` amounts, each to its column. */
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

/** The place of what lists of a pattern add; 0: that is not kept. */
function sumsOf(tableAt: usize, pattern: f64): usize {
  const place = changetype<KeptPlace>(tableAt + KEPT_HEAD + KEPT_BYTES * placeOf(pattern));
  return place.pattern === pattern ? place.sums : 0;
}

/** Loads the place of a pattern. Returns that of what is kept of it; 0: nothing is. */
export function touchKept(at: usize, pattern: f64): usize {
  return pattern < 0 ? 0 : sumsOf(changetype<Adder>(at).kept, pattern);
}

/** Loads what is kept of a pattern, and returns something of it. */
export function touchSums(sums: usize): usize {
  const bytes = SUMS_HEAD + 12 * <usize>changetype<KeptSums>(sums).all;
  let sum: usize = 0;
  for (let line: usize = NEXT_LINE; line < bytes; line += NEXT_LINE) sum += <usize>load<u32>(sums + line);
  return sum;
}

/** Loads the buckets of the user of a list that has a cell, and returns something of them. */
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

/** Puts the codes of the events that count in order. Returns how many they are; -1: they belong to no pattern. */
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
    // One value follows another of the same slot and action.
    if (to > codesAt && !isAgain && load<u32>(to - 4) >= ofSlot + codes.first) return -1;
    if (to < end && load<u32>(to) < ofSlot + codes.behind) return -1;
    if (end === codesAt + 4 * <usize>table.mostEvents) return -1;
    for (let from = end; from > to; from -= 4) store<u32>(from, load<u32>(from - 4));
    store<u32>(to, code);
    end += 4;
  }
  return <i32>((end - codesAt) / 4);
}

/** Ratings have a class each, and so has an event without a value. Below 0: any other value. */
function classOf(value: f64, classes: u32): f64 {
  if (isNaN(value)) return 0;
  const halves = 2 * value;
  return Math.floor(halves) === halves && halves > 0 && halves < <f64>classes ? halves : -1;
}

/** As in src/accumulators/kept-lists.ts. */
function placeOf(pattern: f64): usize {
  const whole = <u64>pattern;
  const mixed = <u32>whole * 0x9e3779b1 + <u32>(whole >> 31) * 0x85ebca6b;
  return <usize>(mixed >>> (32 - PLACE_BITS));
}

/** Tags that lists hold no longer, until what waits for the host has been told: it may be about such a list. */
let droppedAt: usize = 0;
let drops: u32 = 0;
const MOST_DROPS: u32 = 256;

/** To be called once, before anything else of this file. */
export function openAdding(): void {
  droppedAt = takeShared(4 * <usize>MOST_DROPS);
}

/** Before anything closes: forgets what waits of a unit that has failed. */
export function beginAdding(): void {
  forgetQueue();
  drops = 0;
}

/** The list that has closed for good holds its tag no longer. */
export function dropTag(at: usize, tag: u32): void {
  store<u32>(droppedAt + 4 * <usize>drops, tag);
  drops++;
  if (drops === MOST_DROPS) flush(at);
}

/** Gives the host what waits, then drops holders of tags. */
export function flush(at: usize): void {
  flushQueue();
  const holders = at === 0 ? 0 : changetype<Adder>(at).holders;
  const count = drops;
  drops = 0;
  for (let i: u32 = 0; i < count; i++) {
    const tag = load<u32>(droppedAt + 4 * <usize>i);
    const holder = holders + 4 * <usize>tag;
    // The last one is for the host, which forgets the tag.
    if (load<u32>(holder) > 1) store<u32>(holder, load<u32>(holder) - 1);
    else unref(tag);
  }
}
