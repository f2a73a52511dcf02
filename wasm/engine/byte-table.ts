/**
 * A hash table from bytes to numbers, made late, for what has become slow to search. It has chains and a keyed hash. Each entry refers to
 * its bytes, which must stay in place, or to a copy that the table owns.
 */

import { sameBytes } from '../text';
import { hashBytes } from './hash';
import { give, sizeOf, take, widened } from './memory';
import { copyBytes } from './texts';
import { walk } from './work';

const LEAST_ENTRIES: u32 = 32;
const LEAST_COPIES: usize = 1024;

@unmanaged
export class ByteEntry {
  /** Index + 1 of the next entry of its chain; 0: none. */
  next: u32;
  hash: u32;
  bytes: usize;
  size: usize;
  value: u32;
  /** A second number, for the owner's use. */
  more: u32;
}
const ENTRY_BYTES: usize = offsetof<ByteEntry>();

@unmanaged
export class ByteTable {
  keys: usize;
  size: u32;
  room: u32;
  /** u32 by chain: index + 1 of its first entry. There are as many chains as entries that fit. */
  chains: usize;
  entries: usize;
  /** The block being filled with copies of bytes, which begins with the address of the previous block; 0: none. */
  copies: usize;
  copied: usize;
}

export function newByteTable(keys: usize, entries: u32): ByteTable {
  const table = changetype<ByteTable>(take(offsetof<ByteTable>()));
  table.keys = keys;
  table.size = 0;
  table.room = LEAST_ENTRIES;
  while (table.room < entries) table.room *= 2;
  table.chains = take(<usize>table.room * 4);
  memory.fill(table.chains, 0, <usize>table.room * 4);
  table.entries = take(ENTRY_BYTES * <usize>table.room);
  table.copies = 0;
  table.copied = 0;
  return table;
}

export function closeByteTable(table: ByteTable): void {
  for (let at = table.copies; at !== 0; ) {
    const before = load<usize>(at);
    give(at);
    at = before;
  }
  give(table.chains);
  give(table.entries);
  give(changetype<usize>(table));
}

function entryAt(table: ByteTable, index: u32): ByteEntry {
  return changetype<ByteEntry>(table.entries + ENTRY_BYTES * <usize>index);
}

function chainOf(table: ByteTable, hash: u32): usize {
  return table.chains + <usize>(hash & (table.room - 1)) * 4;
}

/** The entry of the bytes in [from, end), valid until the next one is added; null: none. */
export function findBytes(table: ByteTable, from: usize, end: usize): ByteEntry | null {
  const hash = hashBytes(table.keys, from, end);
  let steps: u32 = 0;
  let found: ByteEntry | null = null;
  for (let next = load<u32>(chainOf(table, hash)); next !== 0; ) {
    steps++;
    const entry = entryAt(table, next - 1);
    if (entry.hash === hash && entry.size === end - from && sameBytes(entry.bytes, from, end - from)) {
      found = entry;
      break;
    }
    next = entry.next;
  }
  walk(steps);
  return found;
}

/** Adds bytes that `findBytes` did not find, with both numbers 0. The bytes must stay in place. */
export function addBytes(table: ByteTable, from: usize, end: usize): ByteEntry {
  if (table.size === table.room) widen(table);
  const index = table.size++;
  const entry = entryAt(table, index);
  entry.hash = hashBytes(table.keys, from, end);
  entry.bytes = from;
  entry.size = end - from;
  entry.value = 0;
  entry.more = 0;
  link(table, index, entry);
  return entry;
}

/** Like `addBytes`, with a copy of the bytes. */
export function addCopy(table: ByteTable, from: usize, end: usize): ByteEntry {
  const size = end - from;
  if (table.copies === 0 || table.copied + size > table.copies + sizeOf(table.copies)) {
    const before = table.copies;
    const least = before === 0 ? LEAST_COPIES : min<usize>(2 * sizeOf(before), 65536);
    table.copies = take(max<usize>(least, size + sizeof<usize>()));
    store<usize>(table.copies, before);
    table.copied = table.copies + sizeof<usize>();
  }
  const copy = table.copied;
  table.copied = copyBytes(copy, from, size);
  return addBytes(table, copy, table.copied);
}

/** The entry of these bytes. If there is none, adds one with a copy of them. */
export function findOrCopy(table: ByteTable, from: usize, end: usize): ByteEntry {
  const found = findBytes(table, from, end);
  return found === null ? addCopy(table, from, end) : found;
}

function link(table: ByteTable, index: u32, entry: ByteEntry): void {
  const chain = chainOf(table, entry.hash);
  entry.next = load<u32>(chain);
  store<u32>(chain, index + 1);
}

function widen(table: ByteTable): void {
  give(table.chains);
  table.entries = widened(table.entries);
  table.room *= 2;
  table.chains = take(<usize>table.room * 4);
  memory.fill(table.chains, 0, <usize>table.room * 4);
  for (let index: u32 = 0; index < table.size; index++) link(table, index, entryAt(table, index));
}
