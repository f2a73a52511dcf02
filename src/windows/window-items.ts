/**
 * The items of one row of a window that moves: the same as merging those of its panes. Exposures are kept up by adding and
 * subtracting panes, since a window of a day has many more items than a pane; registers, whose maximum cannot be undone,
 * are merged anew: 4 us a pane.
 */

import { addExact } from '../accumulators/exact.ts';
import { ItemSums, type ItemsShape } from '../accumulators/item-sums.ts';
import { Exposures } from '../measures/exposures.ts';
import { Registers } from '../measures/registers.ts';
import type { Exact } from '../measures/sums.ts';
import type { PackedItems } from './packed-items.ts';

/** The exposures of the panes of a window. */
interface Moving {
  readonly amounts: Map<string, Exact>;
  /** Panes of which nothing is known, since they are over the limit. */
  over: number;
}

export class WindowItems {
  readonly #shape: ItemsShape;
  readonly #panes = new Set<PackedItems>();
  /** By part; of registers nothing. */
  readonly #moving: readonly Moving[];
  #sum: ItemSums | undefined;

  constructor(shape: ItemsShape) {
    this.#shape = shape;
    this.#moving = shape.parts.map(() => ({ amounts: new Map(), over: 0 }));
  }

  /** Takes a pane in. */
  add(items: PackedItems): void {
    this.#panes.add(items);
    this.#move(items, 1);
  }

  /** Lets a pane go. */
  subtract(items: PackedItems): void {
    this.#panes.delete(items);
    this.#move(items, -1);
  }

  get isEmpty(): boolean {
    return this.#panes.size === 0;
  }

  /** Those of all panes together. Not to be changed. */
  sum(): ItemSums {
    this.#sum ??= this.#merged();
    return this.#sum;
  }

  #move({ sketches }: PackedItems, sign: 1 | -1): void {
    this.#sum = undefined;
    for (const [p, sketch] of sketches.entries()) {
      if (sketch instanceof Registers) continue;
      const moving = this.#moving[p];
      if (sketch.isOver) moving.over += sign;
      sketch.each((item, amount) => put(moving.amounts, item, sign === 1 ? amount : -amount));
    }
  }

  #merged(): ItemSums {
    const sum = new ItemSums(this.#shape);
    for (const [p, sketch] of sum.sketches.entries()) {
      for (const items of this.#panes) {
        sum.lists[p] += items.lists[p];
        const own = items.sketches[p];
        if (sketch instanceof Registers && own instanceof Registers) sketch.merge(own);
      }
      if (sketch instanceof Exposures) fill(sketch, this.#moving[p]);
    }
    return sum;
  }
}

function put(amounts: Map<string, Exact>, item: string, change: Exact): void {
  const sum = addExact(amounts.get(item) ?? 0, change);
  if (sum === 0) amounts.delete(item);
  else amounts.set(item, sum);
}

function fill(into: Exposures, { amounts, over }: Moving): void {
  if (over > 0 || amounts.size > into.limit) into.exceed();
  else for (const [item, amount] of amounts) into.add(item, amount);
}
