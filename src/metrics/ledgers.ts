/**
 * Counters that never decrease, computed from the totals of units that come and go. All lists of one ledger have the same
 * length and meaning.
 */

/** Counts, from totals since a unit's first record, which are passed from owner to owner, only what was added while the unit was ours. */
export class LifetimeLedger {
  readonly #sums: number[];
  /** The highest totals seen of each unit. */
  readonly #marks = new Map<number, number[]>();
  #present: ReadonlySet<number> = new Set();

  constructor(width: number) {
    this.#sums = new Array<number>(width).fill(0);
  }

  get sums(): readonly number[] {
    return this.#sums;
  }

  /** Called when the unit was claimed with these totals, which others have counted. */
  claimed(unit: number, totals: readonly number[]): void {
    this.#raise(unit, totals, false);
    this.#present = new Set([...this.#present, unit]);
  }

  /**
   * Updates from the totals of all units that are ours. A total below the highest one seen adds nothing until it exceeds that again,
   * because after a rollback the same records are counted again. A unit that comes back starts from what others have counted.
   */
  update(units: ReadonlyMap<number, readonly number[]>): void {
    for (const [unit, totals] of units) this.#raise(unit, totals, this.#present.has(unit) || !this.#marks.has(unit));
    this.#present = new Set(units.keys());
  }

  #raise(unit: number, totals: readonly number[], counts: boolean): void {
    const marks = this.#marks.get(unit) ?? new Array<number>(this.#sums.length).fill(0);
    this.#marks.set(unit, marks);
    for (const [i, total] of totals.entries()) {
      if (total <= marks[i]) continue;
      if (counts) this.#sums[i] += total - marks[i];
      marks[i] = total;
    }
  }
}

/** Counts from totals since this process claimed a unit. A total that decreases has restarted from 0. */
export class ClaimLedger {
  readonly #sums: number[];
  #last: ReadonlyMap<number, readonly number[]> = new Map();

  constructor(width: number) {
    this.#sums = new Array<number>(width).fill(0);
  }

  get sums(): readonly number[] {
    return this.#sums;
  }

  /** Updates from the totals of all units that are ours. */
  update(units: ReadonlyMap<number, readonly number[]>): void {
    for (const [unit, totals] of units) {
      const last = this.#last.get(unit);
      for (const [i, total] of totals.entries()) {
        const before = last?.[i] ?? 0;
        this.#sums[i] += total < before ? total : total - before;
      }
    }
    this.#last = new Map([...units].map(([unit, totals]) => [unit, [...totals]] as const));
  }
}
