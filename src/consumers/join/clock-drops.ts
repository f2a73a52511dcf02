import { CLOCK_BLOCK, type ClockBlocks, type OffsetRanges } from '../../vocabulary/checkpoint.ts';
import type { Offset } from '../../vocabulary/events.ts';
import { countBefore, Ranges } from '../../vocabulary/ranges.ts';

/** One bit for each offset of a block, four in a digit. */
const DIGITS = CLOCK_BLOCK / 4;
/** With more ranges than this, some must be in full blocks. */
const MOST_RANGES = CLOCK_BLOCK / 2;
/** Bytes in memory of a range, and of a block besides its text. */
const RANGE_BYTES = 64;
const BLOCK_BYTES = 100;

/**
 * The records of a topic that the wall clock judged to be `future`, as offsets that are added in ascending order. They are kept as
 * ranges. When there are more than `MOST_RANGES`, those in full blocks of offsets become bits of their block, which never change again.
 * So what changes between two checkpoints is bounded for any input, and the total is at most one bit per record.
 *
 * Example, with blocks of 4 and so at most 2 ranges: 1, 3, 5 are ranges 1-2, 3-4, 5-6, one too many. Block 0 is full and becomes the
 * digit a (bits 1 and 3); 5-6 stays a range.
 */
export class ClockDrops {
  readonly #ranges: Ranges;
  /** Blocks in ascending order. */
  readonly #blocks: (readonly [block: number, bits: string])[];

  constructor(ranges: OffsetRanges = [], blocks: ClockBlocks = []) {
    this.#ranges = new Ranges(ranges);
    this.#blocks = [...blocks];
    // Earlier releases had no blocks and stored any number of ranges.
    const last = ranges.at(-1);
    if (last !== undefined) this.#bound(last[1] - 1);
  }

  add(offset: Offset): void {
    this.#ranges.add(offset, offset + 1);
    this.#bound(offset);
  }

  has(offset: Offset): boolean {
    const block = Math.floor(offset / CLOCK_BLOCK);
    const at = this.#firstFrom(block);
    if (at === this.#blocks.length || this.#blocks[at][0] !== block) return this.#ranges.has(offset);
    const place = offset - block * CLOCK_BLOCK;
    const isIn = (Number.parseInt(this.#blocks[at][1][place >> 2], 16) >> (place & 3)) & 1;
    return isIn === 1 || this.#ranges.has(offset);
  }

  /** Drops what is below `bound`; a block is dropped only as a whole. */
  cutBelow(bound: Offset): void {
    this.#ranges.cutBelow(bound);
    this.#blocks.splice(0, this.#firstFrom(Math.floor(bound / CLOCK_BLOCK)));
  }

  /** The ranges at or above `bound` that are in no block. */
  ranges(bound: Offset): OffsetRanges {
    const ranges = new Ranges(this.#ranges.toJSON());
    ranges.cutBelow(bound);
    return ranges.toJSON();
  }

  /** The blocks that end above `bound`. */
  blocks(bound: Offset): ClockBlocks {
    return this.#blocks.slice(this.#firstFrom(Math.floor(bound / CLOCK_BLOCK)));
  }

  get bytes(): number {
    return RANGE_BYTES * this.#ranges.size + (BLOCK_BYTES + DIGITS) * this.#blocks.length;
  }

  /** Turns ranges into bits if there are too many. Only the block of the last offset is not full. */
  #bound(last: Offset): void {
    if (this.#ranges.size > MOST_RANGES) this.#fill(Math.floor(last / CLOCK_BLOCK));
  }

  /** Turns the ranges in blocks before this one into bits. */
  #fill(end: number): void {
    const bound = end * CLOCK_BLOCK;
    let block = Number.NEGATIVE_INFINITY;
    let digits = new Uint8Array(DIGITS);
    const done = (): void => {
      if (digits.some((digit) => digit > 0)) this.#blocks.push([block, Array.from(digits, hex).join('')]);
      digits = new Uint8Array(DIGITS);
    };
    for (const [from, to] of this.#ranges.toJSON()) {
      for (let offset = from; offset < Math.min(to, bound); offset++) {
        const of = Math.floor(offset / CLOCK_BLOCK);
        if (of !== block) done();
        block = of;
        const place = offset - block * CLOCK_BLOCK;
        digits[place >> 2] |= 1 << (place & 3);
      }
    }
    done();
    this.#ranges.cutBelow(bound);
  }

  /** Index of the first block at or after `block`. */
  #firstFrom(block: number): number {
    const blocks = this.#blocks;
    return countBefore(blocks.length, (index) => blocks[index][0] < block);
  }
}

function hex(digit: number): string {
  return digit.toString(16);
}
