/**
 * The packed items of the rows of panes. A window keeps those of each pane until the pane leaves it, up to a day later. An exposure takes
 * 8 bytes, or 12 if an amount has more than 32 bits; in one Map per pane it took 37 (measured with 3,200 items in each of 1,440 panes).
 */
import type { ItemSums, ItemsShape } from '../accumulators/item-sums.ts';
import { Exposures } from '../measures/exposures.ts';
import { Registers } from '../measures/registers.ts';
import type { Exact } from '../measures/sums.ts';

const MOST_OF_32_BITS = 0xffff_ffff;

/** Exposures that no longer change. */
class PackedExposures {
  /** Whether there were more than the limit, so that all were dropped. */
  readonly isOver: boolean;
  readonly #table: ItemNumbers;
  readonly #items: Uint32Array;
  readonly #amounts: ArrayLike<Exact>;

  constructor({ amounts, isOver }: Exposures, table: ItemNumbers) {
    this.isOver = isOver;
    this.#table = table;
    this.#items = Uint32Array.from(amounts.keys(), (item) => table.ref(item));
    this.#amounts = packed([...amounts.values()]);
  }

  each(visit: (item: string, amount: Exact) => void): void {
    for (let i = 0; i < this.#items.length; i++) visit(this.#table.item(this.#items[i]), this.#amounts[i]);
  }

  addTo(exposures: Exposures): void {
    if (this.isOver) exposures.exceed();
    else this.each((item, amount) => exposures.add(item, amount));
  }

  unref(): void {
    for (const item of this.#items) this.#table.unref(item);
  }
}

/** An immutable copy of the items of a row, part by part. */
export class PackedItems {
  readonly shape: ItemsShape;
  /** Number of lists with a slot of rank <= k, by part. */
  readonly lists: readonly number[];
  /** Sketches by part. */
  readonly sketches: readonly (Registers | PackedExposures)[];

  /** Takes ownership of the registers. */
  constructor({ shape, lists, sketches }: ItemSums, table: ItemNumbers) {
    this.shape = shape;
    this.lists = lists;
    this.sketches = sketches.map((sketch) =>
      sketch instanceof Registers ? sketch : new PackedExposures(sketch, table),
    );
  }

  /** Adds these items to `sums`, which must have the same shape. */
  addTo(sums: ItemSums): void {
    for (const [p, into] of sums.sketches.entries()) {
      const own = this.sketches[p];
      sums.lists[p] += this.lists[p];
      if (into instanceof Registers && own instanceof Registers) into.merge(own);
      else if (into instanceof Exposures && own instanceof PackedExposures) own.addTo(into);
    }
  }

  /** Drops its references to items; it must not be used afterwards. */
  unref(): void {
    for (const sketch of this.sketches) if (!(sketch instanceof Registers)) sketch.unref();
  }
}

function packed(amounts: readonly Exact[]): ArrayLike<Exact> {
  const numbers = amounts.filter((amount) => typeof amount === 'number');
  if (numbers.length < amounts.length) return amounts;
  const isSmall = numbers.every((amount) => amount <= MOST_OF_32_BITS);
  return isSmall ? Uint32Array.from(numbers) : Float64Array.from(numbers);
}

/** Numbers for items, with reference counts: a number without references is reused for another item. */
export class ItemNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #items: string[] = [];
  readonly #refs: number[] = [];
  readonly #free: number[] = [];

  /** Number of items that are referenced. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Returns the number of an item and adds one reference to it. */
  ref(item: string): number {
    const known = this.#numbers.get(item);
    if (known !== undefined) {
      this.#refs[known]++;
      return known;
    }
    const number = this.#free.pop() ?? this.#items.length;
    this.#numbers.set(item, number);
    this.#items[number] = item;
    this.#refs[number] = 1;
    return number;
  }

  /** The item of a referenced number. */
  item(number: number): string {
    return this.#items[number];
  }

  /** Drops one reference. */
  unref(number: number): void {
    this.#refs[number]--;
    if (this.#refs[number] > 0) return;
    this.#numbers.delete(this.#items[number]);
    this.#items[number] = '';
    this.#free.push(number);
  }
}
