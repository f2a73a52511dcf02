/**
 * Blocks of memory: a buddy system (Knowlton 1965; Knuth, The Art of Computer Programming 1, 2.5). A block is a power of two
 * of bytes long and begins at a multiple of its length. The memory never grows, so that the host's views of it stay good.
 */
import { outOfMemory } from './host';
import { FREE, MAP } from './layout';

const LEAST_ORDER: u32 = 6;
const LEAST_BYTES: usize = (<usize>1) << LEAST_ORDER;
const MOST_ORDER: u32 = 31;

/** In the map: a free block of the order in the other bits begins here. A taken one has its order alone; 0: no block begins. */
const IS_FREE: u8 = 0x80;

/** Bytes of all blocks that are taken, and of those among them that belong to no unit. */
export let taken: usize = 0;
export let shared: usize = 0;
/** Bit n is set: a block of order n is free. */
let orders: u32 = 0;
let heapBegin: usize = 0;
let heapEnd: usize = 0;

/** A free block, in the list of its order. */
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
 * Places from here on are opened last: in the host they are no whole numbers of 32 bits with a sign, with which V8 computes fastest, and
 * takes memory for none.
 */
const HIGH: usize = 0x80000000;
let isHighFree: bool = false;

/** To be called once, before anything else: all of the memory, `bytes` long, behind the map is free, what is high when the rest does not suffice. */
export function openMemory(bytes: usize): void {
  const blocks = bytes >>> LEAST_ORDER;
  heapBegin = (MAP + blocks + 63) & ~63;
  // Reads of 16 bytes go beyond what is asked for, and so do those of a next line (touch.ts).
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

/** The orders of which a block is free that can hold one of this order: a bit each. */
function fitting(order: u32): u32 {
  if (order > MOST_ORDER) return 0;
  const least = ~((1 << order) - 1);
  if ((orders & least) === 0 && !isHighFree) {
    isHighFree = true;
    pushAll(HIGH, heapEnd);
  }
  return orders & least;
}

/** A block of at least so many bytes; what is in it is left over from before. */
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

/** The same, with zeros in it. */
export function takeZeros(bytes: usize): usize {
  const at = take(bytes);
  memory.fill(at, 0, sizeOf(at));
  return at;
}

/** Bytes of a block that is taken. */
export function sizeOf(at: usize): usize {
  assertTaken(at);
  return (<usize>1) << load<u8>(mapOf(at));
}

/**
 * Where there are assertions (wasm/compile.ts: what they state would be evaluated even without them, hence ASC_NO_ASSERT), what was
 * given back has this in each byte at its beginning, so that it is no place of anything.
 */
const GONE: u8 = 0xee;
const MOST_GONE: usize = 65536;

function assertTaken(at: usize): void {
  if (ASC_NO_ASSERT) return;
  assert(at >= heapBegin && at < heapEnd && (at & (LEAST_BYTES - 1)) === 0, 'a block lies in the heap');
  assert(load<u8>(mapOf(at)) >= LEAST_ORDER && load<u8>(mapOf(at)) <= MOST_ORDER, 'a block is taken');
}

/** Gives a block back. It joins its other half while that is free, too. */
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

/** Gives back what a block needs no longer for so many bytes. */
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
 * Gives back the end of a block that needs only so many bytes from now on, to the next multiple of the least block. What is left may be
 * several blocks, one behind the other: it is to be given back by `givePieces`, and has no `sizeOf`.
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

/** Gives back so many bytes at `at`, whether they were trimmed or not. */
export function givePieces(at: usize, bytes: usize): void {
  for (let from = at; from < at + bytes; ) {
    const next = from + sizeOf(from);
    give(from);
    from = next;
  }
}

/** A block of twice the size with the same content; the old one is given back. */
export function widened(at: usize): usize {
  const size = sizeOf(at);
  const wider = take(2 * size);
  memory.copy(wider, at, size);
  give(at);
  return wider;
}

/** A block that belongs to no unit: what each uses in turn. */
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
