/**
 * The accepted impressions by request: finds the one that makes a record a duplicate, and those that feedback can be attributed
 * to (specification: join 3). Results are places of entries; 0: none.
 */
import { entry, isOfRequest } from './entries';
import { Told } from './events';
import { closeList, itemOf, List, newList, push } from './list';
import { give, take } from './memory';
import {
  addPage,
  closePages,
  firstPageFor,
  hasAnyPage,
  isPagesOf,
  lastPageNear,
  newPages,
  Pages,
  pages,
  pagesCover,
} from './pages';
import {
  closeRequestTable as closeTable,
  firstOfChain,
  firstOfNumber,
  insert,
  newRequestTable,
  RequestTable,
  record,
  remove,
} from './request-table';
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
  closeLong(all.long);
  closeTable(all.requests);
  give(changetype<usize>(all));
}

function closeLong(long: RequestTable): void {
  for (let chain: u32 = 0; chain < long.chains; chain++) {
    for (let at = firstOfNumber(long, chain); at !== 0; ) {
      const next = record(at).next;
      closePages(pages(at));
      at = next;
    }
  }
  closeTable(long);
}

/** The index of a request; null: it has none. */
function pagesOf(all: Accepted, hash: u32, request: usize): Pages | null {
  if (all.long.size === 0) return null;
  for (let at = firstOfChain(all.long, hash); at !== 0; at = record(at).next) {
    if (isPagesOf(pages(at), hash, request)) return pages(at);
  }
  return null;
}

function dropPages(all: Accepted, index: Pages): void {
  remove(all.long, changetype<usize>(index));
  closePages(index);
}

/** To be called in the order of the log. */
export function addAccepted(all: Accepted, at: usize): void {
  insert(all.requests, at);
  const index = pagesOf(all, entry(at).hash, entry(at).request());
  if (index === null) return;
  if (pagesCover(index, entry(at).ts)) addPage(index, at);
  else dropPages(all, index);
}

export function removeAccepted(all: Accepted, at: usize): void {
  remove(all.requests, at);
  const index = pagesOf(all, entry(at).hash, entry(at).request());
  if (index === null) return;
  // Most have been forgotten: the next search that needs an index makes a new one.
  if (--index.live * 2 < index.added) dropPages(all, index);
}

/** The last that makes the impression of this request, page and time a duplicate. */
export function witnessOf(all: Accepted, hash: u32, request: usize, page: u32, ts: f64): usize {
  const index = pagesOf(all, hash, request);
  if (index !== null) return lastPageNear(index, page, ts, all.attribution);
  let steps: u32 = 0;
  let ofRequest: u32 = 0;
  let at = firstOfChain(all.requests, hash);
  for (; at !== 0; at = record(at).next) {
    steps++;
    if (record(at).hash !== hash || !isOfRequest(at, request)) continue;
    ofRequest++;
    if (entry(at).page !== page) continue;
    if (Math.abs(ts - entry(at).ts) < all.attribution) break;
  }
  walked(all, steps, ofRequest, request, hash);
  return at;
}

/**
 * Adds those that the feedback can be attributed to, newest first. If the request has an index, only the one that decides is
 * added.
 */
export function fitting(all: Accepted, event: Told, hash: u32, watermark: f64, found: List): void {
  const ts = event.ts;
  const index = pagesOf(all, hash, event.request);
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
    const lag = ts - entry(at).ts;
    if (lag >= -all.backward && lag < all.attribution) push(found, at);
  }
  walked(all, steps, ofRequest, event.request, hash);
}

/**
 * Whether feedback of this time can be attributed to any impression of the request. None of these is removed before the
 * feedback's deadline.
 */
export function anyFits(all: Accepted, request: usize, hash: u32, ts: f64): bool {
  const index = pagesOf(all, hash, request);
  if (index !== null) return hasAnyPage(index, ts - all.attribution + 1, ts + all.backward + 1);
  let steps: u32 = 0;
  let ofRequest: u32 = 0;
  let at = firstOfChain(all.requests, hash);
  for (; at !== 0; at = record(at).next) {
    steps++;
    if (record(at).hash !== hash || !isOfRequest(at, request)) continue;
    ofRequest++;
    const apart = ts - entry(at).ts;
    if (apart >= -all.backward && apart < all.attribution) break;
  }
  walked(all, steps, ofRequest, request, hash);
  return at !== 0;
}

/** A walk through a chain has met so many impressions of the request. If they are many, an index is made for the next search. */
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
    least = Math.min(least, entry(at).ts);
    most = Math.max(most, entry(at).ts);
  }
  const index = newPages(all.keys, hash, request, least, most, 4 * all.attribution + 2 * all.backward);
  // In their chain the newest comes first.
  for (let i = entries.count; i > 0; i--) addPage(index, itemOf(entries, i - 1));
  closeList(entries);
  insert(all.long, changetype<usize>(index));
}
