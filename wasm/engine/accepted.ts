/**
 * Accepted impressions by request. A lookup finds the one that makes a record a duplicate, and those that feedback can be attributed to
 * (specification: join 3). Results are addresses of entries; 0 is none.
 */
import { entry, isOfRequest } from './entries';
import { FeedbackEvent } from './events';
import { closeList, itemOf, List, newList, push } from './list';
import { addLong, closeLongRequests, dropIfMostIsGone, dropLong, longOf } from './long-request';
import { give, take } from './memory';
import { addPage, firstPageFor, hasAnyPage, lastPageNear } from './pages';
import {
  closeRequestTable,
  firstOfChain,
  insert,
  newRequestTable,
  RequestTable,
  record,
  remove,
} from './request-table';
import { covers } from './time-trees';
import { walk } from './work';

@unmanaged
export class Accepted {
  keys: usize;
  requests: RequestTable;
  /** Indexes of the requests that have many impressions. */
  long: RequestTable;
  /** The longest horizon. */
  attribution: f64;
  backward: f64;
  /** Up to this many impressions of a request are searched one by one; for more an index is made. */
  searchUpTo: u32;
}

export function newAccepted(keys: usize, attribution: f64, backward: f64, searchUpTo: u32): Accepted {
  const all = changetype<Accepted>(take(offsetof<Accepted>()));
  all.keys = keys;
  all.requests = newRequestTable();
  all.long = newRequestTable();
  all.attribution = attribution;
  all.backward = backward;
  all.searchUpTo = searchUpTo;
  return all;
}

export function closeAccepted(all: Accepted): void {
  closeLongRequests(all.long);
  closeRequestTable(all.requests);
  give(changetype<usize>(all));
}

/** Must be called in the order of the log. */
export function addAccepted(all: Accepted, at: usize): void {
  insert(all.requests, at);
  const index = longOf(all.long, entry(at).hash, entry(at).request());
  if (index === null) return;
  if (covers(index.trees, entry(at).ts())) addPage(index, at);
  else dropLong(all.long, index);
}

export function removeAccepted(all: Accepted, at: usize): void {
  remove(all.requests, at);
  const index = longOf(all.long, entry(at).hash, entry(at).request());
  if (index === null) return;
  index.live--;
  dropIfMostIsGone(all.long, index);
}

/** The last impression that makes one with this request, page and time a duplicate; 0: none. */
export function predecessorOf(all: Accepted, hash: u32, request: usize, page: u32, ts: f64): usize {
  const index = longOf(all.long, hash, request);
  if (index !== null) return lastPageNear(index, page, ts, all.attribution);
  let steps: u32 = 0;
  let ofRequest: u32 = 0;
  let at = firstOfChain(all.requests, hash);
  for (; at !== 0; at = record(at).next) {
    steps++;
    if (record(at).hash !== hash || !isOfRequest(at, request)) continue;
    ofRequest++;
    if (entry(at).page() !== page) continue;
    if (Math.abs(ts - entry(at).ts()) < all.attribution) break;
  }
  walked(all, steps, ofRequest, request, hash);
  return at;
}

/**
 * Adds to `found` the impressions that the feedback can be attributed to, newest first. If the request has an index, adds only the one
 * that decides.
 */
export function fitting(all: Accepted, event: FeedbackEvent, hash: u32, watermark: f64, found: List): void {
  const ts = event.ts;
  const index = longOf(all.long, hash, event.request);
  if (index !== null) {
    const from = ts - all.attribution + 1;
    const to = ts + all.backward + 1;
    const decisive = firstPageFor(index, event.item, from, to, watermark - all.attribution + 1);
    if (decisive !== 0) push(found, decisive);
    return;
  }
  let steps: u32 = 0;
  let ofRequest: u32 = 0;
  for (let at = firstOfChain(all.requests, hash); at !== 0; at = record(at).next) {
    steps++;
    if (record(at).hash !== hash || !isOfRequest(at, event.request)) continue;
    ofRequest++;
    const lag = ts - entry(at).ts();
    if (lag >= -all.backward && lag < all.attribution) push(found, at);
  }
  walked(all, steps, ofRequest, event.request, hash);
}

/**
 * Whether feedback with this time can be attributed to any impression of the request. No such impression is removed before the feedback's
 * deadline.
 */
export function anyFits(all: Accepted, request: usize, hash: u32, ts: f64): bool {
  const index = longOf(all.long, hash, request);
  if (index !== null) return hasAnyPage(index, ts - all.attribution + 1, ts + all.backward + 1);
  let steps: u32 = 0;
  let ofRequest: u32 = 0;
  let at = firstOfChain(all.requests, hash);
  for (; at !== 0; at = record(at).next) {
    steps++;
    if (record(at).hash !== hash || !isOfRequest(at, request)) continue;
    ofRequest++;
    const apart = ts - entry(at).ts();
    if (apart >= -all.backward && apart < all.attribution) break;
  }
  walked(all, steps, ofRequest, request, hash);
  return at !== 0;
}

/**
 * Called after a walk through a chain that met `ofRequest` impressions of the request. Makes an index for the next search if they are
 * many.
 */
function walked(all: Accepted, steps: u32, ofRequest: u32, request: usize, hash: u32): void {
  walk(steps);
  if (ofRequest > all.searchUpTo) makePages(all, request, hash);
}

function makePages(all: Accepted, request: usize, hash: u32): void {
  const entries = newList();
  let least = Infinity;
  let most = -Infinity;
  for (let at = firstOfChain(all.requests, hash); at !== 0; at = record(at).next) {
    if (record(at).hash !== hash || !isOfRequest(at, request)) continue;
    push(entries, at);
    least = Math.min(least, entry(at).ts());
    most = Math.max(most, entry(at).ts());
  }
  const margin = 4 * all.attribution + 2 * all.backward;
  const index = addLong(all.long, all.keys, hash, request, least, most, margin, true);
  // A chain begins with its newest record.
  for (let i = entries.count; i > 0; i--) addPage(index, itemOf(entries, i - 1));
  closeList(entries);
}
