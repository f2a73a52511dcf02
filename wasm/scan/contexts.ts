/** Contexts that the host has read, by the bytes of their fields. Most impressions repeat one byte for byte. */
import { sameBytes } from '../text';
import { CELLS, CONTEXT_KEYS, CONTEXT_KEYS_END, CONTEXTS } from './layout';
import { begin, CONTEXT, contextEnd, end } from './spans';

export const UNKNOWN: i32 = -1;

/** Initial number of cells: small, because fewer pages of memory are faster. When half of them are taken, there will be more. */
const LEAST_CELLS: u32 = 4096;
/** Longer contexts are not kept. */
const MOST_KEY_BYTES: usize = 1036;
/** Cells that are probed. Choosing contexts that collide costs us no more than choosing contexts that are all new. */
const PROBES: u32 = 16;

/** Header of a context; the bytes of its fields follow, each preceded by a length. */
@unmanaged
class Key {
  hash: u32;
  number: u32;
  ignored: u32;
  scanner: u32;
}
const KEY_HEAD: usize = offsetof<Key>();

let cells: u32 = LEAST_CELLS;
let known: u32 = 0;
let top: usize = CONTEXT_KEYS;
let hash: u32 = 0;
/** How often all contexts were forgotten. After that their numbers mean other contexts. */
export let generation: u32 = 0;
/** Number of keys of the context found last that are no names of dimensions. */
export let ignoredKeys: u32 = 0;
/** True while records are being read ahead, whose contexts must keep their numbers. */
let areInHand: bool = false;

/** 2^64 divided by the golden ratio, in halves: JavaScript has no literal for the whole. */
const FACTOR: u64 = (u64(0x9e3779b9) << 32) | 0x7f4a7c15;

function mix(state: u64, word: u64): u64 {
  const h = (state ^ word) * FACTOR;
  return h ^ (h >> 29);
}

function hashContext(scanner: u32): u32 {
  let h = mix(FACTOR, <u64>scanner);
  for (let field = CONTEXT; field < contextEnd; field++) {
    const to = end(field);
    let at = begin(field);
    h = mix(h, <u64>(to - at));
    for (; at + 8 <= to; at += 8) h = mix(h, load<u64>(at));
    if (at < to) h = mix(h, load<u64>(at) & ((u64(1) << (8 * u64(to - at))) - 1));
  }
  return <u32>(h >> 32);
}

function isKey(key: Key, scanner: u32): bool {
  if (key.hash !== hash || key.scanner !== scanner) return false;
  let k = changetype<usize>(key) + KEY_HEAD;
  for (let field = CONTEXT; field < contextEnd; field++) {
    const from = begin(field);
    const size = end(field) - from;
    if (<usize>load<u32>(k) !== size || !sameBytes(k + 4, from, size)) return false;
    k += 4 + size;
  }
  return true;
}

function cellAt(probe: u32): usize {
  return CONTEXTS + 4 * <usize>((hash + probe) & (cells - 1));
}

/** Number of the current record's context; UNKNOWN: it is not kept. */
export function findContext(scanner: u32): i32 {
  hash = hashContext(scanner);
  for (let probe: u32 = 0; probe < PROBES; probe++) {
    const at = <usize>load<u32>(cellAt(probe));
    if (at === 0) return UNKNOWN;
    const key = changetype<Key>(at);
    if (!isKey(key, scanner)) continue;
    ignoredKeys = key.ignored;
    return key.number;
  }
  return UNKNOWN;
}

/** Keeps all contexts until `letGo`, so that the numbers returned in between stay valid. */
export function takeInHand(): void {
  if (isFull(MOST_KEY_BYTES)) forgetAll();
  areInHand = true;
}

export function letGo(): void {
  areInHand = false;
}

/** Whether there is no room for a key of `bytes` bytes. Reads may go 16 bytes beyond a key. */
function isFull(bytes: usize): bool {
  return known * 2 >= cells || top + bytes + 16 > CONTEXT_KEYS_END;
}

/** Forgets all contexts. They are soon known again, with more cells if there were too few. */
function forgetAll(): void {
  if (known * 2 >= cells && cells < CELLS) cells *= 4;
  memory.fill(CONTEXTS, 0, 4 * <usize>cells);
  known = 0;
  top = CONTEXT_KEYS;
  generation++;
}

/**
 * Keeps the context that `findContext` did not find. Returns its number (0: all others were forgotten); UNKNOWN: it is not kept, because
 * it is too long or there is no room at present.
 * @param ignored number of its keys that are no names of dimensions
 */
export function keepContext(scanner: u32, ignored: u32): i32 {
  let bytes = KEY_HEAD;
  for (let field = CONTEXT; field < contextEnd; field++) bytes += 4 + end(field) - begin(field);
  if (bytes > MOST_KEY_BYTES) return UNKNOWN;
  if (isFull(bytes)) {
    if (areInHand) return UNKNOWN;
    forgetAll();
  }
  let cell = cellAt(0);
  for (let probe: u32 = 0; probe < PROBES; probe++) {
    if (load<u32>(cellAt(probe)) !== 0) continue;
    cell = cellAt(probe);
    break;
  }
  store<u32>(cell, <u32>top);
  const key = changetype<Key>(top);
  key.hash = hash;
  key.number = known;
  key.ignored = ignored;
  key.scanner = scanner;
  top += KEY_HEAD;
  for (let field = CONTEXT; field < contextEnd; field++) {
    const from = begin(field);
    const size = end(field) - from;
    store<u32>(top, <u32>size);
    memory.copy(top + 4, from, size);
    top += 4 + size;
  }
  known++;
  return <i32>known - 1;
}
