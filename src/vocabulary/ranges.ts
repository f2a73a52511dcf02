/** A set of whole numbers as half-open ranges [from, to), ascending and disjoint. It is small if its members cluster. */
export class Ranges {
  readonly #ranges: [from: number, to: number][];

  constructor(ranges: Iterable<readonly [number, number]> = []) {
    this.#ranges = [];
    for (const [from, to] of ranges) this.add(from, to);
  }

  /** Adds [from, to). */
  add(from: number, to: number): void {
    if (from >= to) return;
    const all = this.#ranges;
    const last = all.length === 0 ? undefined : all[all.length - 1];
    if (last === undefined || from > last[1]) {
      all.push([from, to]);
      return;
    }
    let first = this.#firstEndingAt(from);
    let end = first;
    let low = from;
    let high = to;
    while (end < all.length && all[end][0] <= high) {
      low = Math.min(low, all[end][0]);
      high = Math.max(high, all[end][1]);
      end++;
    }
    first = Math.min(first, end);
    all.splice(first, end - first, [low, high]);
  }

  /** Removes everything below `bound`. */
  cutBelow(bound: number): void {
    const all = this.#ranges;
    let gone = 0;
    while (gone < all.length && all[gone][1] <= bound) gone++;
    if (gone > 0) all.splice(0, gone);
    if (all.length > 0 && all[0][0] < bound) all[0][0] = bound;
  }

  has(value: number): boolean {
    return this.covers(value, value + 1);
  }

  /** Whether all of [from, to), which must not be empty, is in the set. */
  covers(from: number, to: number): boolean {
    const i = this.#firstEndingAt(to);
    return i < this.#ranges.length && this.#ranges[i][0] <= from;
  }

  /** Number of ranges, not of members. */
  get size(): number {
    return this.#ranges.length;
  }

  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  /** Smallest member; undefined: none. */
  get least(): number | undefined {
    return this.#ranges.length === 0 ? undefined : this.#ranges[0][0];
  }

  toJSON(): [number, number][] {
    return this.#ranges.map(([from, to]) => [from, to]);
  }

  /** Index of the first range whose end is at or after `value`. */
  #firstEndingAt(value: number): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ranges[middle][1] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * How many of `length` ascending entries precede something.
 * @param isBefore whether the entry with this index does
 */
export function countBefore(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
