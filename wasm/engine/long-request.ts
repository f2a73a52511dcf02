/**
 * An index of one request with so many records that a linear search would be slow: one tree by time of all its records, and one for each
 * name. Most requests have none.
 */
import { ByteTable, closeByteTable, newByteTable } from './byte-table';
import { give, take } from './memory';
import {
  Chained,
  closeRequestTable,
  firstOfChain,
  firstOfNumber,
  insert,
  RequestTable,
  record,
  remove,
} from './request-table';
import { copyText, sameText, textEnd } from './texts';
import { closeTimeTrees, newTimeTrees, TimeTrees } from './time-trees';

@unmanaged
export class LongRequest extends Chained {
  request: usize;
  /** Records that were added and not removed. */
  live: u32;
  added: u32;
  trees: TimeTrees;
  /** For each name, the root of its tree and a list of entries still to be added to it (`more`). */
  names: ByteTable;
  /** The root of the tree of all records. */
  all: u32;
}

function longRequest(at: usize): LongRequest {
  return changetype<LongRequest>(at);
}

/** The index of a request; null: it has none. */
export function longOf(table: RequestTable, hash: u32, request: usize): LongRequest | null {
  if (table.size === 0) return null;
  for (let at = firstOfChain(table, hash); at !== 0; at = record(at).next) {
    if (record(at).hash === hash && sameText(longRequest(at).request, request)) return longRequest(at);
  }
  return null;
}

/** Adds an empty index to the table. The other parameters are those of `newTimeTrees`. */
export function addLong(
  table: RequestTable,
  keys: usize,
  hash: u32,
  request: usize,
  least: f64,
  most: f64,
  margin: f64,
  isOnePerTime: bool,
): LongRequest {
  const index = longRequest(take(offsetof<LongRequest>()));
  index.hash = hash;
  index.request = take(textEnd(request) - request);
  copyText(index.request, request);
  index.live = 0;
  index.added = 0;
  index.trees = newTimeTrees(least, most, margin, isOnePerTime);
  index.names = newByteTable(keys, 0);
  index.all = 0;
  insert(table, changetype<usize>(index));
  return index;
}

export function dropLong(table: RequestTable, index: LongRequest): void {
  remove(table, changetype<usize>(index));
  close(index);
}

/**
 * Drops an index most of whose records were removed, because they still take memory. The next search that needs an index makes a new one.
 */
export function dropIfMostIsGone(table: RequestTable, index: LongRequest): void {
  if (index.live * 2 < index.added) dropLong(table, index);
}

/** Closes the table and all indexes in it. */
export function closeLongRequests(table: RequestTable): void {
  for (let chain: u32 = 0; chain < table.chains; chain++) {
    for (let at = firstOfNumber(table, chain); at !== 0; ) {
      const next = record(at).next;
      close(longRequest(at));
      at = next;
    }
  }
  closeRequestTable(table);
}

function close(index: LongRequest): void {
  give(index.request);
  closeTimeTrees(index.trees);
  closeByteTable(index.names);
  give(changetype<usize>(index));
}
