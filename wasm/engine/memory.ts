/**
 * Blocks of memory: a buddy system (Knowlton 1965; Knuth, The Art of Computer Programming 1, 2.5). The size of a block is a power of two
 * in bytes, and its address a multiple of its size. The memory never grows, so the host's views of it stay valid.
 */
import { outOfMemory } from './host';
import { FREE, MAP } from './layout';

const LEAST_ORDER: u32 = 6;
const LEAST_BYTES: usize = (<usize>1) << LEAST_ORDER;
const MOST_ORDER: u32 = 31;

/**
 * Flag of a byte of the map: a free block begins here; the other bits are its order. A taken block has its order without the flag; 0: no
 * block begins here.
 */
const IS_FREE: u8 = 0x80;

/** Bytes of all blocks that are taken, and of those among them that belong to no unit. */
export let taken: usize = 0;
export let shared: usize = 0;
/** Bit n is set if a block of order n is free. */
let orders: u32 = 0;
let heapBegin: usize = 0;
let heapEnd: usize = 0;

/** A free block, linked in the list of its order. */
@unmanaged
class FreeBlock {
  next: usize;
  previous: usize;
}

function freeBlock(at: usize): FreeBlock {
  return changetype<FreeBlock>(at);
}

function mapOf(at: usize): usize {
  return MAP + (at >>> LEAST_ORDER);
}

function firstOf(order: u32): usize {
  return <usize>load<u32>(FREE + <usize>order * 4);
}

function setFirst(order: u32, at: usize): void {
  store<u32>(FREE + <usize>order * 4, <u32>at);
  if (at === 0) orders &= ~(1 << order);
  else orders |= 1 << order;
}

function push(at: usize, order: u32): void {
  const next = firstOf(order);
  freeBlock(at).next = next;
  freeBlock(at).previous = 0;
  if (next !== 0) freeBlock(next).previous = at;
  setFirst(order, at);
  store<u8>(mapOf(at), IS_FREE | <u8>order);
}

function unlink(at: usize, order: u32): void {
  const next = freeBlock(at).next;
  const previous = freeBlock(at).previous;
  if (next !== 0) freeBlock(next).previous = previous;
  if (previous !== 0) freeBlock(previous).next = next;
  else setFirst(order, next);
}

/**
 * Addresses from here on are used last: the host cannot hold them as signed 32-bit integers, with which V8 computes fastest and which it
 * does not allocate.
 */
const HIGH: usize = 0x80000000;
let isHighFree: bool = false;

/**
 * Must be called once, before anything else. Frees all of the memory behind the map; it is `bytes` long. High addresses are opened only
 * when the rest does not suffice.
 */
export function openMemory(bytes: usize): void {
  const blocks = bytes >>> LEAST_ORDER;
  heapBegin = (MAP + blocks + 63) & ~63;
  // Reads of 16 bytes, and of a next line (touch.ts), may go beyond the end of what they need.
  heapEnd = (bytes - 64) & ~63;
  isHighFree = heapEnd <= HIGH;
  pushAll(heapBegin, min(heapEnd, HIGH));
}

function pushAll(from: usize, end: usize): void {
  for (let at = from; at < end; ) {
    let order = <u32>ctz(at);
    while (end - at < (<usize>1) << order) order--;
    push(at, order);
    at += (<usize>1) << order;
  }
}

/** Bit n is set if a block of order n is free and large enough for this order. */
function fitting(order: u32): u32 {
  if (order > MOST_ORDER) return 0;
  const least = ~((1 << order) - 1);
  if ((orders & least) === 0 && !isHighFree) {
    isHighFree = true;
    pushAll(HIGH, heapEnd);
  }
  return orders & least;
}

/** A block of at least `bytes` bytes. Its content is undefined. */
export function take(bytes: usize): usize {
  const order = bytes <= 64 ? LEAST_ORDER : 32 - <u32>clz(<u32>bytes - 1);
  const fits = fitting(order);
  if (fits === 0) outOfMemory(<f64>bytes, <f64>taken);
  let split = <u32>ctz(fits);
  const at = firstOf(split);
  if (!ASC_NO_ASSERT) assert(at >= heapBegin && at < heapEnd, 'a free block lies in the heap');
  unlink(at, split);
  while (split > order) {
    split--;
    push(at + ((<usize>1) << split), split);
  }
  store<u8>(mapOf(at), <u8>order);
  taken += (<usize>1) << order;
  return at;
}

/** Like `take`, filled with zeros. */
export function takeZeros(bytes: usize): usize {
  const at = take(bytes);
  memory.fill(at, 0, sizeOf(at));
  return at;
}

/** Size in bytes of a taken block. */
export function sizeOf(at: usize): usize {
  assertTaken(at);
  return (<usize>1) << load<u8>(mapOf(at));
}

/**
 * With assertions only, blocks that are given back are filled with this byte, which forms no valid address. (wasm/compile.ts: an
 * assertion's condition would be evaluated even in a build without assertions, hence ASC_NO_ASSERT.)
 */
const GONE: u8 = 0xee;
const MOST_GONE: usize = 65536;

function assertTaken(at: usize): void {
  if (ASC_NO_ASSERT) return;
  assert(at >= heapBegin && at < heapEnd && (at & (LEAST_BYTES - 1)) === 0, 'a block lies in the heap');
  assert(load<u8>(mapOf(at)) >= LEAST_ORDER && load<u8>(mapOf(at)) <= MOST_ORDER, 'a block is taken');
}

/** Gives a block back, and merges it with its other half while that is free too. */
export function give(at: usize): void {
  assertTaken(at);
  if (!ASC_NO_ASSERT) memory.fill(at, GONE, min(sizeOf(at), MOST_GONE));
  let order = <u32>load<u8>(mapOf(at));
  let block = at;
  taken -= (<usize>1) << order;
  store<u8>(mapOf(at), 0);
  while (order < MOST_ORDER) {
    const buddy = block ^ ((<usize>1) << order);
    if (buddy < heapBegin || buddy >= heapEnd || load<u8>(mapOf(buddy)) !== (IS_FREE | <u8>order)) break;
    unlink(buddy, order);
    store<u8>(mapOf(buddy), 0);
    block &= buddy;
    order++;
  }
  push(block, order);
}

/** Shrinks a block to what `bytes` bytes need. */
export function shrink(at: usize, bytes: usize): void {
  if (!ASC_NO_ASSERT) assert(bytes <= sizeOf(at), 'a block shrinks');
  let order = <u32>load<u8>(mapOf(at));
  while (order > LEAST_ORDER && bytes <= (<usize>1) << (order - 1)) {
    order--;
    taken -= (<usize>1) << order;
    push(at + ((<usize>1) << order), order);
  }
  store<u8>(mapOf(at), <u8>order);
}

/**
 * Shrinks a block to `bytes` bytes, rounded up to a multiple of the least block. What is left may be several adjacent blocks; it must be
 * given back with `givePieces`, and has no `sizeOf`.
 */
export function trim(at: usize, bytes: usize): void {
  if (!ASC_NO_ASSERT) assert(bytes > 0 && bytes <= sizeOf(at), 'something is left of a block that is trimmed');
  const end = at + ((bytes + LEAST_BYTES - 1) & ~(LEAST_BYTES - 1));
  let order = <u32>load<u8>(mapOf(at));
  let from = at;
  while (from + ((<usize>1) << order) !== end) {
    order--;
    const middle = from + ((<usize>1) << order);
    store<u8>(mapOf(from), <u8>order);
    if (middle < end) {
      store<u8>(mapOf(middle), <u8>order);
      from = middle;
    } else {
      taken -= (<usize>1) << order;
      push(middle, order);
    }
  }
}

/** Gives back the `bytes` bytes at `at`, trimmed or not. */
export function givePieces(at: usize, bytes: usize): void {
  for (let from = at; from < at + bytes; ) {
    const next = from + sizeOf(from);
    give(from);
    from = next;
  }
}

/** A block of twice the size with the same content. The old block is given back. */
export function widened(at: usize): usize {
  const size = sizeOf(at);
  const wider = take(2 * size);
  memory.copy(wider, at, size);
  give(at);
  return wider;
}

/** A block that belongs to no unit, for data that all units use in turn. */
export function takeShared(bytes: usize): usize {
  const at = take(bytes);
  shared += sizeOf(at);
  return at;
}

export function giveShared(at: usize): void {
  shared -= sizeOf(at);
  give(at);
}

export function shrinkShared(at: usize, bytes: usize): void {
  const before = sizeOf(at);
  shrink(at, bytes);
  shared -= before - sizeOf(at);
}

export function widenedShared(at: usize): usize {
  shared += sizeOf(at);
  return widened(at);
}
