/**
 * Finds records by the hash of their request id, with linear hashing (Litwin 1980). The table grows and shrinks by one chain at a time,
 * so no insertion rehashes the whole table. Chains run through the records themselves; among equal hashes the newest comes first.
 */
import { give, sizeOf, take, widened } from './memory';

/** The first fields of every record in a table. */
@unmanaged
export class Chained {
  hash: u32;
  /** The next and the previous record of its chain; 0: none. */
  next: usize;
  before: usize;
}

/** Chains per part. The table grows by parts, so growing copies nothing. */
const PART_BITS: u32 = 12;
const PART_CHAINS: u32 = 1 << PART_BITS;
const LEAST_CHAINS: u32 = 16;

@unmanaged
export class RequestTable {
  /** Address of the u32 addresses of the parts. The first part grows up to PART_CHAINS. */
  parts: usize;
  count: u32;
  chains: u32;
  /** Number of chains at the start of this round of splits: a power of two, at most `chains`. */
  round: u32;
  /** Number of records. */
  size: u32;
}

export function newRequestTable(): RequestTable {
  const table = changetype<RequestTable>(take(offsetof<RequestTable>()));
  table.parts = take(64);
  const first = take(<usize>LEAST_CHAINS * 4);
  memory.fill(first, 0, sizeOf(first));
  store<u32>(table.parts, <u32>first);
  table.count = 1;
  table.chains = LEAST_CHAINS;
  table.round = LEAST_CHAINS;
  table.size = 0;
  return table;
}

/** Closes the table. The records belong to the owner. */
export function closeRequestTable(table: RequestTable): void {
  for (let part: u32 = 0; part < table.count; part++) give(partAt(table, part));
  give(table.parts);
  give(changetype<usize>(table));
}

export function record(at: usize): Chained {
  return changetype<Chained>(at);
}

function partAt(table: RequestTable, part: u32): usize {
  if (!ASC_NO_ASSERT) assert(part < table.count, 'a part of the table');
  return <usize>load<u32>(table.parts + <usize>part * 4);
}

/** The address that holds the address of the first record of a chain. */
function headOf(table: RequestTable, chain: u32): usize {
  return partAt(table, chain >>> PART_BITS) + <usize>(chain & (PART_CHAINS - 1)) * 4;
}

function chainOf(table: RequestTable, hash: u32): u32 {
  const chain = hash & (2 * table.round - 1);
  return chain < table.chains ? chain : hash & (table.round - 1);
}

/** First record of the chain for this hash; the chain may also hold other hashes. 0: none. */
export function firstOfChain(table: RequestTable, hash: u32): usize {
  return <usize>load<u32>(headOf(table, chainOf(table, hash)));
}

/** First record of the chain with this number, below `chains`, for an owner that visits all records. */
export function firstOfNumber(table: RequestTable, chain: u32): usize {
  return <usize>load<u32>(headOf(table, chain));
}

export function insert(table: RequestTable, at: usize): void {
  const head = headOf(table, chainOf(table, record(at).hash));
  const after = <usize>load<u32>(head);
  record(at).next = after;
  record(at).before = 0;
  if (after !== 0) record(after).before = at;
  store<u32>(head, <u32>at);
  if (++table.size > table.chains) grow(table);
}

export function remove(table: RequestTable, at: usize): void {
  const next = record(at).next;
  const before = record(at).before;
  if (before === 0) store<u32>(headOf(table, chainOf(table, record(at).hash)), <u32>next);
  else record(before).next = next;
  if (next !== 0) record(next).before = before;
  table.size--;
  // At most two chains per removal, so that a table which is being emptied catches up.
  for (let i = 0; i < 2 && table.size < table.chains >>> 1 && table.chains > LEAST_CHAINS; i++) shrink(table);
}

/** Makes room for one more chain at the end. */
function addChain(table: RequestTable): void {
  const added = table.chains++;
  const part = added >>> PART_BITS;
  if (part === 0) {
    if (<usize>added * 4 === sizeOf(partAt(table, 0))) store<u32>(table.parts, <u32>widened(partAt(table, 0)));
  } else if (part === table.count) {
    if (<usize>part * 4 === sizeOf(table.parts)) table.parts = widened(table.parts);
    store<u32>(table.parts + <usize>part * 4, <u32>take(<usize>PART_CHAINS * 4));
    table.count++;
  }
}

/** Prefetches the chains that `insertions` insertions will split, and returns some of the bytes read. */
export function touchSplits(table: RequestTable, insertions: u32): usize {
  if (table.size + insertions <= table.chains) return 0;
  const from = table.chains - table.round;
  const end = min(from + insertions, table.round);
  let sum: usize = 0;
  for (let chain = from; chain < end; chain++) {
    const at = <usize>load<u32>(headOf(table, chain));
    if (at !== 0) sum += record(at).next;
  }
  for (let chain = from; chain < end; chain++) {
    const at = <usize>load<u32>(headOf(table, chain));
    if (at !== 0 && record(at).next !== 0) sum += record(record(at).next).next;
  }
  return sum;
}

/** Splits the next chain of the round in two. Both keep the old order. */
function grow(table: RequestTable): void {
  const round = table.round;
  const added = table.chains;
  addChain(table);
  const from = added - round;
  const stays = headOf(table, from);
  const moves = headOf(table, added);
  let stay: usize = 0;
  let move: usize = 0;
  let at = <usize>load<u32>(stays);
  store<u32>(stays, 0);
  store<u32>(moves, 0);
  while (at !== 0) {
    const next = record(at).next;
    const isMoved = (record(at).hash & round) !== 0;
    const last = isMoved ? move : stay;
    record(at).next = 0;
    record(at).before = last;
    if (last !== 0) record(last).next = at;
    else store<u32>(isMoved ? moves : stays, <u32>at);
    if (isMoved) move = at;
    else stay = at;
    at = next;
  }
  if (table.chains === 2 * round) table.round = 2 * round;
}

/** Undoes the last split: appends the last chain to the one from which it was split. */
function shrink(table: RequestTable): void {
  if (table.chains === table.round) table.round >>>= 1;
  const last = --table.chains;
  const into = headOf(table, last - table.round);
  const moved = <usize>load<u32>(headOf(table, last));
  let at = <usize>load<u32>(into);
  if (at === 0) store<u32>(into, <u32>moved);
  else if (moved !== 0) {
    while (record(at).next !== 0) at = record(at).next;
    record(at).next = moved;
    record(moved).before = at;
  }
  removeChain(table, last);
}

function removeChain(table: RequestTable, last: u32): void {
  const part = last >>> PART_BITS;
  if (part > 0) {
    if ((last & (PART_CHAINS - 1)) !== 0) return;
    give(partAt(table, part));
    table.count--;
    return;
  }
  const old = partAt(table, 0);
  if (<usize>last * 8 !== sizeOf(old)) return;
  const half = take(<usize>last * 4);
  memory.copy(half, old, <usize>last * 4);
  give(old);
  store<u32>(table.parts, <u32>half);
}
