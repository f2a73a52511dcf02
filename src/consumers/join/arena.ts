import { Buffer } from 'node:buffer';

/**
 * Memory for packed records, outside the garbage-collected heap: segments of 1 MiB that are filled from the front and reused
 * when their last record is freed. The records of one arena live for about the same time, so segments become empty in the order
 * in which they were filled.
 *
 * A handle is a place in units of 8 bytes: segment * 2^17 + unit. 0 is no place.
 */
const SEGMENT_BYTES = 1 << 20;
const UNIT_BITS = 17;
const UNIT_MASK = (1 << UNIT_BITS) - 1;
/** Empty segments kept for the next records. */
const SPARE_SEGMENTS = 1;

/** Three views of one piece of memory. */
export interface Segment {
  readonly u32: Uint32Array;
  readonly f64: Float64Array;
  readonly u8: Buffer;
}

const NO_SEGMENT: Segment = { u32: new Uint32Array(0), f64: new Float64Array(0), u8: Buffer.alloc(0) };

export class Arena {
  readonly #segments: Segment[] = [];
  /** Live records by segment; the current segment counts one more, so that it never looks empty. */
  readonly #live: number[] = [];
  readonly #empty: number[] = [];
  readonly #spare: Segment[] = [];
  #current = -1;
  #free = SEGMENT_BYTES;
  #bytes = 0;

  /** Bytes of all segments. */
  get bytes(): number {
    return this.#bytes;
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
    if (this.#current < 0 || this.#free + bytes > this.#segments[this.#current].u8.length) this.#open(bytes);
    return ((this.#current << UNIT_BITS) | (this.#free >>> 3)) >>> 0;
  }

  /** Keeps the first `bytes` of the record reserved last. */
  commit(bytes: number): void {
    this.#free += (bytes + 7) & ~7;
    this.#live[this.#current]++;
  }

  free(handle: number): void {
    const at = handle >>> UNIT_BITS;
    if (--this.#live[at] === 0) this.#close(at);
  }

  #open(bytes: number): void {
    const left = this.#current;
    const at = this.#empty.pop() ?? this.#segments.length;
    const size = Math.max(SEGMENT_BYTES, (bytes + 16) & ~7);
    const spare = size === SEGMENT_BYTES ? this.#spare.pop() : undefined;
    this.#segments[at] = spare ?? newSegment(size);
    if (spare === undefined) this.#bytes += size;
    this.#live[at] = 1;
    this.#current = at;
    this.#free = 8; // so that no handle is 0
    if (left >= 0 && --this.#live[left] === 0) this.#close(left);
  }

  #close(at: number): void {
    const segment = this.#segments[at];
    if (segment.u8.length === SEGMENT_BYTES && this.#spare.length < SPARE_SEGMENTS) this.#spare.push(segment);
    else this.#bytes -= segment.u8.length;
    this.#segments[at] = NO_SEGMENT;
    this.#empty.push(at);
  }
}

function newSegment(bytes: number): Segment {
  const buffer = new ArrayBuffer(bytes);
  return { u32: new Uint32Array(buffer), f64: new Float64Array(buffer), u8: Buffer.from(buffer) };
}
