import { Buffer } from 'node:buffer';

/**
 * Memory for packed records, outside the garbage-collected heap: segments that are filled from the front and used again when
 * the last record in them is freed. The records of one arena live about equally long, so segments empty in the order in
 * which they were filled. A new segment is as large as those in use together, up to 1 MiB: a worker may own hundreds of
 * units with little in each, and what is open comes and goes.
 *
 * A handle is a place in units of 8 bytes: segment * 2^17 + unit. 0 is no place.
 */
const LEAST_BYTES = 1 << 13;
const MOST_BYTES = 1 << 20;
const UNIT_BITS = 17;
const UNIT_MASK = (1 << UNIT_BITS) - 1;

/** Three views of one piece of memory. */
export interface Segment {
  readonly u32: Uint32Array;
  readonly f64: Float64Array;
  readonly u8: Buffer;
}

/** So that no handle is 0. */
const FIRST_BYTE = 8;

const NO_SEGMENT: Segment = { u32: new Uint32Array(0), f64: new Float64Array(0), u8: Buffer.alloc(0) };

export class Arena {
  readonly #segments: Segment[] = [];
  /** Live records by segment; the current segment counts one more, so that it never looks empty. */
  readonly #live: number[] = [];
  readonly #empty: number[] = [];
  /** The segment that emptied last, for the next records. */
  #spare: Segment = NO_SEGMENT;
  #current = -1;
  #free = 0;
  /** Between `reserve` and `commit`. */
  #isReserved = false;
  /** Bytes of the segments in use. */
  #used = 0;

  /** Bytes of all segments. */
  get bytes(): number {
    return this.#used + this.#spare.u8.length;
  }

  segment(handle: number): Segment {
    return this.#segments[handle >>> UNIT_BITS];
  }

  /** The record's first index in `f64`; twice that in `u32`, eight times in `u8`. */
  unit(handle: number): number {
    return handle & UNIT_MASK;
  }

  /** Reserves space for a record of at most `bytes` and returns its handle. `commit` must follow before the next `reserve`. */
  reserve(bytes: number): number {
    // Behind a record of more than that no place has a handle.
    const isFull = this.#free >= MOST_BYTES;
    if (this.#current < 0 || isFull || this.#free + bytes > this.#segments[this.#current].u8.length) this.#open(bytes);
    this.#isReserved = true;
    return ((this.#current << UNIT_BITS) | (this.#free >>> 3)) >>> 0;
  }

  /** Keeps the first `bytes` of the record reserved last. */
  commit(bytes: number): void {
    this.#free += (bytes + 7) & ~7;
    this.#live[this.#current]++;
    this.#isReserved = false;
  }

  free(handle: number): void {
    const at = handle >>> UNIT_BITS;
    if (--this.#live[at] === 0) this.#close(at);
    else if (at === this.#current && this.#live[at] === 1 && !this.#isReserved) this.#leaveEmpty();
  }

  /** The current segment holds no record: the next ones begin at its front, or in a smaller one. */
  #leaveEmpty(): void {
    this.#free = FIRST_BYTE;
    if (this.#segments[this.#current].u8.length === LEAST_BYTES) return;
    const at = this.#current;
    this.#current = -1;
    this.#close(at);
  }

  #open(bytes: number): void {
    const left = this.#current;
    const at = this.#empty.pop() ?? this.#segments.length;
    const size = Math.max(this.#next, (bytes + 16) & ~7);
    if (this.#spare.u8.length === size) {
      this.#segments[at] = this.#spare;
      this.#spare = NO_SEGMENT;
    } else {
      this.#segments[at] = newSegment(size);
    }
    this.#used += size;
    this.#live[at] = 1;
    this.#current = at;
    this.#free = FIRST_BYTE;
    if (left >= 0 && --this.#live[left] === 0) this.#close(left);
  }

  #close(at: number): void {
    const segment = this.#segments[at];
    this.#used -= segment.u8.length;
    if (segment.u8.length <= MOST_BYTES) this.#spare = segment;
    // It would lie there for nothing until there is as much again.
    if (this.#spare.u8.length > this.#next) this.#spare = NO_SEGMENT;
    this.#segments[at] = NO_SEGMENT;
    this.#empty.push(at);
  }

  /** Size of the next segment, unless a record needs more. */
  get #next(): number {
    if (this.#used >= MOST_BYTES) return MOST_BYTES;
    return Math.max(LEAST_BYTES, 2 ** Math.floor(Math.log2(this.#used)));
  }
}

function newSegment(bytes: number): Segment {
  const buffer = new ArrayBuffer(bytes);
  return { u32: new Uint32Array(buffer), f64: new Float64Array(buffer), u8: Buffer.from(buffer) };
}
