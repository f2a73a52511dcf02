/**
 * Remembered impressions by event time. Every horizon adds the same length to all of them, so one order by (time, log order) serves all
 * horizons. A slice of time is sorted when it is first read, and each horizon moves a cursor over it.
 */
import { logOrder } from './entries';
import { give, givePieces, giveShared, sizeOf, take, takeShared, trim } from './memory';
import { sortNumbers } from './sort';

/** The longest slice. Offsets in a slice fit 16 bits. */
const LONGEST_SLICE_MS: f64 = 1000;
const LEAST_RECORDS: u32 = 4;
/** Bytes of a record in a slice: u32 entry, u32 body, u16 milliseconds since the beginning of the slice, each in an array of its own. */
const RECORD_BYTES: usize = 10;

@unmanaged
class Slice {
  /** Its beginning, in units of slices. */
  key: f64;
  records: usize;
  count: u32;
  room: u32;
  /** The first `ordered` records are sorted. */
  ordered: u32;
}
const SLICE_BYTES: usize = offsetof<Slice>();

/** The cursor of one horizon: the horizon's length, the cursor's position, the record there, and when that record closes. */
@unmanaged
class Cursor {
  horizon: f64;
  at: f64;
  place: u32;
  index: u32;
  entry: usize;
  body: usize;
}
const CURSOR_BYTES: usize = offsetof<Cursor>();

@unmanaged
export class Timeline {
  sliceMs: f64;
  horizons: u32;
  cursors: usize;
  /** The slices, ascending. The first is at `first`. */
  slices: usize;
  first: u32;
  end: u32;
}

/** The result of `nextClosing`. */
export let closingBody: usize = 0;
export let closingEntry: usize = 0;
export let closingHorizon: u32 = 0;
export let closingAt: f64 = 0;

/** @param horizons f64 each, ascending */
export function newTimeline(horizons: usize, count: u32): Timeline {
  const timeline = changetype<Timeline>(take(offsetof<Timeline>()));
  timeline.horizons = count;
  timeline.cursors = take(CURSOR_BYTES * <usize>count);
  for (let h: u32 = 0; h < count; h++) cursorOf(timeline, h).horizon = load<f64>(horizons + <usize>h * 8);
  const longest = cursorOf(timeline, count - 1).horizon;
  timeline.sliceMs = Math.min(LONGEST_SLICE_MS, Math.max(1, Math.floor(longest / 256)));
  timeline.slices = take(SLICE_BYTES * 8);
  timeline.first = 0;
  timeline.end = 0;
  return timeline;
}

export function closeTimeline(timeline: Timeline): void {
  for (let place = timeline.first; place < timeline.end; place++)
    givePieces(sliceAt(timeline, place).records, bytesOf(sliceAt(timeline, place)));
  give(timeline.slices);
  give(timeline.cursors);
  give(changetype<usize>(timeline));
}

function cursorOf(timeline: Timeline, h: u32): Cursor {
  if (!ASC_NO_ASSERT) assert(h < timeline.horizons, 'a horizon of the unit');
  return changetype<Cursor>(timeline.cursors + CURSOR_BYTES * <usize>h);
}

function sliceAt(timeline: Timeline, place: u32): Slice {
  if (!ASC_NO_ASSERT) assert(place >= timeline.first && place < timeline.end, 'a slice of the timeline');
  return changetype<Slice>(timeline.slices + SLICE_BYTES * <usize>place);
}

function bodiesOf(slice: Slice): usize {
  return slice.records + <usize>slice.room * 4;
}

function timesOf(slice: Slice): usize {
  return slice.records + <usize>slice.room * 8;
}

/** Beginning of the oldest slice; NaN: nothing is remembered. */
export function oldest(timeline: Timeline): f64 {
  return timeline.first === timeline.end ? NaN : sliceAt(timeline, timeline.first).key * timeline.sliceMs;
}

/** Must be called in log order. `body` is returned when the list closes; 0: a duplicate. */
export function remember(timeline: Timeline, ts: f64, entry: usize, body: usize): void {
  const key = Math.floor(ts / timeline.sliceMs);
  const slice = sliceOf(timeline, key);
  const count = slice.count;
  if (count === slice.room) widen(slice);
  const time = <u32>(ts - key * timeline.sliceMs);
  if (!ASC_NO_ASSERT) assert(count < slice.room && time < 0x10000, 'room in the slice, and a time within it');
  store<u32>(slice.records + <usize>count * 4, <u32>entry);
  store<u32>(bodiesOf(slice) + <usize>count * 4, <u32>body);
  store<u16>(timesOf(slice) + <usize>count * 2, <u16>time);
  if (slice.ordered === count && (count === 0 || time >= <u32>load<u16>(timesOf(slice) + <usize>(count - 1) * 2))) {
    slice.ordered = count + 1;
  }
  slice.count = count + 1;
}

function roomFor(records: usize): u32 {
  return <u32>(sizeOf(records) / RECORD_BYTES);
}

function bytesOf(slice: Slice): usize {
  return RECORD_BYTES * <usize>slice.room;
}

function widen(slice: Slice): void {
  const wider = take(2 * bytesOf(slice));
  const room = roomFor(wider);
  moveColumns(slice, wider, room);
  givePieces(slice.records, bytesOf(slice));
  slice.records = wider;
  slice.room = room;
}

/** Gives back the unused room of a slice. Few records are added after its first closings. */
function narrow(slice: Slice): void {
  if (slice.room === slice.count) return;
  moveColumns(slice, slice.records, slice.count);
  slice.room = slice.count;
  trim(slice.records, bytesOf(slice));
}

/** Moves the arrays to their positions in a slice with this room. In place, the room may only shrink. */
function moveColumns(slice: Slice, to: usize, room: u32): void {
  const count = <usize>slice.count;
  if (to !== slice.records) memory.copy(to, slice.records, 4 * count);
  memory.copy(to + <usize>room * 4, bodiesOf(slice), 4 * count);
  memory.copy(to + <usize>room * 8, timesOf(slice), 2 * count);
}

/** The slice of a key; makes it if it is missing. */
function sliceOf(timeline: Timeline, key: f64): Slice {
  if (timeline.first < timeline.end) {
    const last = sliceAt(timeline, timeline.end - 1);
    if (last.key === key) return last;
  }
  const place = lowerBound(timeline, key);
  if (place < timeline.end && sliceAt(timeline, place).key === key) return sliceAt(timeline, place);
  return insertSlice(timeline, place, key);
}

function insertSlice(timeline: Timeline, at: u32, key: f64): Slice {
  let place = at;
  if (SLICE_BYTES * <usize>(timeline.end + 1) > sizeOf(timeline.slices)) {
    place -= timeline.first;
    makeRoom(timeline);
  }
  const from = timeline.slices + SLICE_BYTES * <usize>place;
  memory.copy(from + SLICE_BYTES, from, SLICE_BYTES * <usize>(timeline.end - place));
  timeline.end++;
  const slice = sliceAt(timeline, place);
  slice.key = key;
  slice.records = take(RECORD_BYTES * <usize>LEAST_RECORDS);
  slice.room = roomFor(slice.records);
  slice.count = 0;
  slice.ordered = 0;
  return slice;
}

/** Moves all slices to the front, in a block of twice the size if they fill more than half of this one. */
function makeRoom(timeline: Timeline): void {
  const count = timeline.end - timeline.first;
  const used = SLICE_BYTES * <usize>count;
  const from = timeline.slices + SLICE_BYTES * <usize>timeline.first;
  if (used * 2 > sizeOf(timeline.slices)) {
    const wider = take(2 * sizeOf(timeline.slices));
    memory.copy(wider, from, used);
    give(timeline.slices);
    timeline.slices = wider;
  } else memory.copy(timeline.slices, from, used);
  timeline.first = 0;
  timeline.end = count;
}

/** Index of the first slice whose key is at least `key`. */
function lowerBound(timeline: Timeline, key: f64): u32 {
  let low = timeline.first;
  let high = timeline.end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sliceAt(timeline, middle).key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Moves the cursor of each horizon to the first record that closes after `from`. */
export function seek(timeline: Timeline, from: f64): void {
  for (let h: u32 = 0; h < timeline.horizons; h++) seekOne(timeline, cursorOf(timeline, h), from);
}

function seekOne(timeline: Timeline, cursor: Cursor, from: f64): void {
  const after = from - cursor.horizon;
  const key = Math.floor(after / timeline.sliceMs);
  cursor.place = lowerBound(timeline, key);
  cursor.index = 0;
  if (cursor.place < timeline.end && sliceAt(timeline, cursor.place).key === key) {
    const slice = sorted(timeline, cursor.place);
    const time = <u32>(after - key * timeline.sliceMs);
    let low: u32 = 0;
    let high = slice.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (<u32>load<u16>(timesOf(slice) + <usize>middle * 2) <= time) low = middle + 1;
      else high = middle;
    }
    cursor.index = low;
  }
  read(timeline, cursor);
}

/** Reads the record at the cursor, and moves on to the next slice at the end of one. */
function read(timeline: Timeline, cursor: Cursor): void {
  while (cursor.place < timeline.end) {
    const slice = sorted(timeline, cursor.place);
    const index = <usize>cursor.index;
    if (cursor.index < slice.count) {
      cursor.entry = <usize>load<u32>(slice.records + 4 * index);
      cursor.body = <usize>load<u32>(bodiesOf(slice) + 4 * index);
      cursor.at = slice.key * timeline.sliceMs + <f64>load<u16>(timesOf(slice) + 2 * index) + cursor.horizon;
      return;
    }
    narrow(slice);
    cursor.place++;
    cursor.index = 0;
  }
  cursor.at = Infinity;
}

/**
 * Finds the next (record, horizon) that closes at or before `to`, ordered by the time of closing, then by the log. False: there is none.
 */
export function nextClosing(timeline: Timeline, to: f64): bool {
  let h: u32 = 0;
  let next = cursorOf(timeline, 0);
  for (let other: u32 = 1; other < timeline.horizons; other++) {
    const cursor = cursorOf(timeline, other);
    const later = cursor.at - next.at;
    if (later < 0 || (later === 0 && logOrder(cursor.entry, next.entry) < 0)) {
      next = cursor;
      h = other;
    }
  }
  if (!(next.at <= to)) return false;
  closingAt = next.at;
  closingEntry = next.entry;
  closingBody = next.body;
  closingHorizon = h;
  next.index++;
  read(timeline, next);
  return true;
}

/** u64 by record: its time in the slice, then its index among the added ones. */
let keys: usize = 0;
const LEAST_KEYS: usize = 512;

/** Must be called once, before anything else in this section. */
export function openTimeline(): void {
  keys = takeShared(LEAST_KEYS);
}

/**
 * Sorts the records added since the last call and merges them from the end, so that a slice that is read often is not sorted anew each
 * time.
 */
function sorted(timeline: Timeline, place: u32): Slice {
  const slice = sliceAt(timeline, place);
  const count = slice.count;
  const ordered = slice.ordered;
  if (count !== ordered) sortAdded(slice, <usize>ordered, <usize>(count - ordered));
  return slice;
}

function sortAdded(slice: Slice, ordered: usize, added: usize): void {
  const times = timesOf(slice);
  const bodies = bodiesOf(slice);
  const entries = slice.records;
  if (added * 16 > sizeOf(keys)) {
    giveShared(keys);
    keys = takeShared(added * 16);
  }
  // Records with equal times stay in the order of the log, which is that of their indexes.
  for (let i: usize = 0; i < added; i++) {
    store<u64>(keys + 8 * i, ((<u64>load<u16>(times + 2 * (ordered + i))) << 32) | <u64>i);
  }
  sortNumbers(keys, added);
  const addedEntries = keys + 8 * added;
  const addedBodies = addedEntries + 4 * added;
  memory.copy(addedEntries, entries + 4 * ordered, 4 * added);
  memory.copy(addedBodies, bodies + 4 * ordered, 4 * added);
  let before = ordered;
  let last = added;
  for (let to = ordered + added; last > 0; to--) {
    const key = load<u64>(keys + 8 * (last - 1));
    const time = <u32>(key >> 32);
    if (before > 0 && <u32>load<u16>(times + 2 * (before - 1)) > time) {
      before--;
      store<u32>(entries + 4 * (to - 1), load<u32>(entries + 4 * before));
      store<u32>(bodies + 4 * (to - 1), load<u32>(bodies + 4 * before));
      store<u16>(times + 2 * (to - 1), load<u16>(times + 2 * before));
    } else {
      last--;
      const from = <usize>(<u32>key);
      store<u32>(entries + 4 * (to - 1), load<u32>(addedEntries + 4 * from));
      store<u32>(bodies + 4 * (to - 1), load<u32>(addedBodies + 4 * from));
      store<u16>(times + 2 * (to - 1), <u16>time);
    }
  }
  slice.ordered = slice.count;
}

/** Whether the oldest slice ends at or before `until`. */
export function isOldestPast(timeline: Timeline, until: f64): bool {
  if (timeline.first === timeline.end) return false;
  return (sliceAt(timeline, timeline.first).key + 1) * timeline.sliceMs <= until;
}

export function countOfOldest(timeline: Timeline): u32 {
  return sliceAt(timeline, timeline.first).count;
}

export function entryOfOldest(timeline: Timeline, index: u32): usize {
  return <usize>load<u32>(sliceAt(timeline, timeline.first).records + <usize>index * 4);
}

export function dropOldest(timeline: Timeline): void {
  const slice = sliceAt(timeline, timeline.first);
  givePieces(slice.records, bytesOf(slice));
  timeline.first++;
}
