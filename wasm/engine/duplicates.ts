/**
 * Duplicates by request, page and slice of time of length H. They can make further records duplicates, but feedback is not attributed to
 * them. Every impression is looked up here and few are found, so a small table of counts by a few bits of the hash is asked first.
 */
import { entry, isOfRequest, logOrder } from './entries';
import { impressionEvent } from './events';
import { finalised, hashBytes } from './hash';
import { give, take, takeZeros } from './memory';
import {
  closeRequestTable,
  firstOfChain,
  insert,
  newRequestTable,
  RequestTable,
  record,
  remove,
} from './request-table';
import { textEnd } from './texts';
import { walk } from './work';

@unmanaged
export class Duplicates {
  /** Keys of the hash of ids. */
  keys: usize;
  attribution: f64;
  table: RequestTable;
  /** u8 by the lowest bits of a request's hash: number of duplicates; MANY: that many or more. Address 0: there was none yet. */
  counts: usize;
}
const COUNT_BITS: u32 = 13;
const MANY: u8 = 255;

export function newDuplicates(keys: usize, attribution: f64): Duplicates {
  const duplicates = changetype<Duplicates>(take(offsetof<Duplicates>()));
  duplicates.keys = keys;
  duplicates.attribution = attribution;
  duplicates.table = newRequestTable();
  duplicates.counts = 0;
  return duplicates;
}

/** Closes the tables. The entries belong to the owner. */
export function closeDuplicates(duplicates: Duplicates): void {
  if (duplicates.counts !== 0) give(duplicates.counts);
  closeRequestTable(duplicates.table);
  give(changetype<usize>(duplicates));
}

function countAt(duplicates: Duplicates, hash: u32): usize {
  return duplicates.counts + <usize>(hash & ((1 << COUNT_BITS) - 1));
}

/** Adds an entry of `impressionEvent`, made with the hash from `duplicateHash`. `hash` is that of its request. */
export function addDuplicate(duplicates: Duplicates, at: usize, hash: u32): void {
  if (duplicates.counts === 0) duplicates.counts = takeZeros(1 << COUNT_BITS);
  insert(duplicates.table, at);
  const count = countAt(duplicates, hash);
  if (load<u8>(count) < MANY) store<u8>(count, load<u8>(count) + 1);
}

export function removeDuplicate(duplicates: Duplicates, at: usize): void {
  remove(duplicates.table, at);
  if (duplicates.table.size === 0) {
    give(duplicates.counts);
    duplicates.counts = 0;
    return;
  }
  const request = entry(at).request();
  const count = countAt(duplicates, hashBytes(duplicates.keys, request, textEnd(request)));
  // A count that has reached MANY is not known exactly, so it stays.
  if (load<u8>(count) < MANY) store<u8>(count, load<u8>(count) - 1);
}

/** Whether there may be a duplicate whose request has this hash. */
function mayHave(duplicates: Duplicates, hash: u32): bool {
  return duplicates.counts !== 0 && load<u8>(countAt(duplicates, hash)) !== 0;
}

/** The hash that `impressionEvent` has as a duplicate. */
export function duplicateHash(duplicates: Duplicates, hash: u32): u32 {
  return pageHash(hash, impressionEvent.page, sliceOf(duplicates, impressionEvent.ts));
}

/**
 * The last duplicate that makes `impressionEvent` another one, if it is later than `among`; else `among`. `hash` is that of its request.
 */
export function lastDuplicate(duplicates: Duplicates, hash: u32, among: usize): usize {
  if (!mayHave(duplicates, hash)) return among;
  // A record less than H away is in the same slice of time or in an adjacent one.
  const slice = sliceOf(duplicates, impressionEvent.ts);
  let last = laterDuplicate(duplicates, hash, slice, among);
  last = laterDuplicate(duplicates, hash, slice - 1, last);
  return laterDuplicate(duplicates, hash, slice + 1, last);
}

function sliceOf(duplicates: Duplicates, ts: f64): f64 {
  return Math.floor(ts / duplicates.attribution);
}

/**
 * The last duplicate in the slice that makes `impressionEvent` a duplicate, if it is later than `last`; else `last`. It examines only
 * records later than `last`. Each is examined at most once from either adjacent slice, because `impressionEvent` then becomes a later
 * record of its own slice.
 */
function laterDuplicate(duplicates: Duplicates, hash: u32, slice: f64, last: usize): usize {
  const own = pageHash(hash, impressionEvent.page, slice);
  let steps: u32 = 0;
  let later = last;
  for (let at = firstOfChain(duplicates.table, own); at !== 0; at = record(at).next) {
    steps++;
    if (record(at).hash !== own || !isOfRequest(at, impressionEvent.request())) continue;
    if (last !== 0 && logOrder(at, last) < 0) break;
    const apart = Math.abs(impressionEvent.ts - entry(at).ts());
    if (entry(at).page() !== impressionEvent.page || apart >= duplicates.attribution) continue;
    later = at;
    break;
  }
  walk(steps);
  return later;
}

/** Prefetches what `lastDuplicate` will read for `impressionEvent`, and returns some of the bytes read. */
export function touchDuplicates(duplicates: Duplicates, hash: u32): usize {
  if (!mayHave(duplicates, hash)) return 0;
  const slice = sliceOf(duplicates, impressionEvent.ts);
  let sum: usize = 0;
  for (let near = slice - 1; near <= slice + 1; near++) {
    const at = firstOfChain(duplicates.table, pageHash(hash, impressionEvent.page, near));
    if (at !== 0) sum += <usize>record(at).hash;
  }
  return sum;
}

/** Hash of a page of a request in a slice of time. */
function pageHash(hash: u32, page: u32, slice: f64): u32 {
  return finalised(finalised(hash ^ (page * 0x9e3779b1)) ^ (<u32>(<i64>slice) * 0x85ebca6b));
}
