/**
 * Memory for records that live about equally long. Segments are filled from the front and given back when their last record is freed, so
 * they empty in the order in which they were filled. A record too large for a segment has its own block.
 */
import { give, shrink, sizeOf, take } from './memory';

const SEGMENT_BYTES: usize = 16384;

/** Header of each block. A block begins at a multiple of SEGMENT_BYTES, and a record begins less than SEGMENT_BYTES after it. */
@unmanaged
class Segment {
  /** Number of records in it; the segment being filled counts one more. */
  live: u32;
  next: usize;
  previous: usize;
}
const HEADER: usize = 16;

@unmanaged
export class Arena {
  /** The segment being filled; 0: none. */
  current: usize;
  /** Where its next record begins. */
  free: usize;
  /** The block of the record reserved last. */
  block: usize;
  /** All blocks. */
  first: usize;
  /** With assertions only: end of the last reservation; 0: nothing is reserved. */
  end: usize;
}

export function newArena(): Arena {
  const arena = changetype<Arena>(take(offsetof<Arena>()));
  arena.current = 0;
  arena.free = 0;
  arena.block = 0;
  arena.first = 0;
  arena.end = 0;
  return arena;
}

function segmentAt(at: usize): Segment {
  return changetype<Segment>(at);
}

function open(arena: Arena, bytes: usize): usize {
  const at = take(bytes);
  const segment = segmentAt(at);
  segment.live = 0;
  segment.previous = 0;
  segment.next = arena.first;
  if (arena.first !== 0) segmentAt(arena.first).previous = at;
  arena.first = at;
  return at;
}

function close(arena: Arena, at: usize): void {
  const next = segmentAt(at).next;
  const previous = segmentAt(at).previous;
  if (next !== 0) segmentAt(next).previous = previous;
  if (previous !== 0) segmentAt(previous).next = next;
  else arena.first = next;
  give(at);
}

/** Reserves room for a record of up to `bytes` bytes. `commit` must follow before the next `reserve`. */
export function reserve(arena: Arena, bytes: usize): usize {
  const at = roomFor(arena, bytes);
  if (!ASC_NO_ASSERT) {
    assert(arena.end === 0, 'what was reserved before is kept');
    arena.end = at + bytes;
    assert(arena.end <= arena.block + sizeOf(arena.block), 'what is reserved lies in its block');
  }
  return at;
}

function roomFor(arena: Arena, bytes: usize): usize {
  if (bytes > SEGMENT_BYTES - HEADER) {
    arena.block = open(arena, bytes + HEADER);
    return arena.block + HEADER;
  }
  if (arena.current === 0 || arena.free + bytes > arena.current + SEGMENT_BYTES) {
    const left = arena.current;
    arena.current = open(arena, SEGMENT_BYTES);
    segmentAt(arena.current).live = 1;
    arena.free = arena.current + HEADER;
    if (left !== 0 && --segmentAt(left).live === 0) close(arena, left);
  }
  arena.block = arena.current;
  return arena.free;
}

/** Keeps the record reserved last, up to `end`. */
export function commit(arena: Arena, end: usize): void {
  if (!ASC_NO_ASSERT) {
    assert(end <= arena.end, 'a record ends in what was reserved for it');
    arena.end = 0;
  }
  segmentAt(arena.block).live++;
  if (arena.block === arena.current) arena.free = (end + 1) & ~1;
  else shrink(arena.block, max(end - arena.block, SEGMENT_BYTES));
}

export function free(arena: Arena, record: usize): void {
  assertRecord(record);
  const at = record & ~(SEGMENT_BYTES - 1);
  const left = --segmentAt(at).live;
  if (left === 0) close(arena, at);
  else if (at === arena.current && left === 1) arena.free = at + HEADER;
}

/** Asserts that the segment at this address holds a record that was not freed. */
export function assertRecord(at: usize): void {
  if (ASC_NO_ASSERT) return;
  const block = at & ~(SEGMENT_BYTES - 1);
  assert(at - block >= HEADER && sizeOf(block) >= SEGMENT_BYTES, 'a record begins behind the header of a segment');
  // The block of a large record counts it only after the commit.
  assert(segmentAt(block).live > 0 || sizeOf(block) > SEGMENT_BYTES, 'a segment has records');
}

/** Gives back the arena and all its blocks. */
export function closeArena(arena: Arena): void {
  for (let at = arena.first; at !== 0; ) {
    const next = segmentAt(at).next;
    give(at);
    at = next;
  }
  give(changetype<usize>(arena));
}
