/**
 * How often, or how prominently, each item was shown: exact whole numbers, which merge by addition. They are bounded: above
 * `limit` items all are dropped (`isOver`), never only some. So whether they are over the limit depends on the set of items
 * alone, not on their order.
 *
 * Exposure `count`: 1 for each slot. Exposure `log2`: 1 / log2(rank + 1), in whole multiples of 1e-9: 1000000000 at rank
 * 1, 630929754 at rank 2, 500000000 at rank 3.
 */

import type { Measure } from './definition.ts';
import { worded } from './grammar/phrases.ts';
import { type Exact, PER_ONE } from './sums.ts';

export type ExposureKind = 'count' | 'log2';

/** What one slot of this rank adds. */
export function exposureOf(kind: ExposureKind, rank: number): number {
  return kind === 'count' ? 1 : Math.round(PER_ONE / Math.log2(rank + 1));
}

/** The parameter `exposure` of a measure in words; '' for the default. */
export function exposureWords(measure: Measure): string {
  return worded(measure, 'exposure', { log2: '; a slot counts 1 / log2(rank + 1)' });
}

/** A map entry and the header of its string. */
const ENTRY_BYTES = 72;

export class Exposures {
  /** Most items that are counted. */
  readonly limit: number;
  readonly #amounts = new Map<string, Exact>();
  #isOver = false;
  /** Characters of all items. */
  #characters = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Whether there were more items than the limit, so that all were dropped. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Number of different items. */
  get size(): number {
    return this.#amounts.size;
  }

  /** Approximate bytes in memory. */
  get bytes(): number {
    return ENTRY_BYTES * this.#amounts.size + this.#characters;
  }

  /** Amounts by item, none of them 0. */
  get amounts(): ReadonlyMap<string, Exact> {
    return this.#amounts;
  }

  /** Adds a whole amount above 0. */
  add(item: string, amount: Exact): void {
    if (this.#isOver) return;
    const known = this.#amounts.get(item);
    if (known !== undefined) this.#amounts.set(item, sum(known, amount));
    else if (this.#amounts.size === this.limit) this.exceed();
    else {
      this.#amounts.set(item, amount);
      this.#characters += item.length;
    }
  }

  /** Drops all items and all further ones, as if there were too many. */
  exceed(): void {
    this.#isOver = true;
    this.#amounts.clear();
    this.#characters = 0;
  }

  merge(other: Exposures): void {
    if (other.isOver) this.exceed();
    for (const [item, amount] of other.#amounts) this.add(item, amount);
  }

  /** The amounts without their items, ascending: all that gini and entropy need. */
  ascending(): readonly number[] {
    return [...this.#amounts.values()].map(Number).sort((a, b) => a - b);
  }
}

function sum(a: Exact, b: Exact): Exact {
  if (typeof a === 'number' && typeof b === 'number') {
    const both = a + b;
    if (Number.isSafeInteger(both)) return both;
  }
  return BigInt(a) + BigInt(b);
}
