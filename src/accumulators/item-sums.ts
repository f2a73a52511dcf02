import { emptySketch, type ItemPart, type Sketch } from '../measures/item-part.ts';
import { Registers } from '../measures/registers.ts';
import type { ShownItems } from '../measures/shown-items.ts';

/** Which item parts a row keeps, and how many items each counts. */
export interface ItemsShape {
  readonly parts: readonly ItemPart[];
  /** Most items whose exposure is counted; above, nothing is known of them. */
  readonly limit: number;
}

/** The objects of a sketch, and its count of lists. */
const SKETCH_BYTES = 250;

/**
 * What a row keeps of items, part by part: the lists that were added, and their items. Registers merge by their maximum,
 * everything else by addition, so any split of a history gives the same (as of rows).
 */
export class ItemSums {
  readonly shape: ItemsShape;
  /** By part: lists with a slot of rank <= k. */
  readonly lists: number[];
  /** By part. */
  readonly sketches: readonly Sketch[];

  constructor(shape: ItemsShape) {
    this.shape = shape;
    this.lists = shape.parts.map(() => 0);
    this.sketches = shape.parts.map((part) => emptySketch(part, shape.limit));
  }

  /** Bytes in memory, about. */
  get bytes(): number {
    let bytes = SKETCH_BYTES * this.sketches.length;
    for (const sketch of this.sketches) bytes += sketch.bytes;
    return bytes;
  }

  /** Adds one list. */
  add(shown: ShownItems): void {
    const { parts } = this.shape;
    for (let p = 0; p < parts.length; p++) if (shown.addTo(this.sketches[p], parts[p])) this.lists[p]++;
  }

  /** Both must have one shape. */
  merge(other: ItemSums): void {
    if (other.sketches.length !== this.sketches.length) {
      throw new Error(
        `items of ${this.sketches.length} and ${other.sketches.length} parts cannot be merged: decode both by one shape`,
      );
    }
    for (const [p, sketch] of this.sketches.entries()) {
      this.lists[p] += other.lists[p];
      mergeSketch(sketch, other.sketches[p]);
    }
  }

  copy(): ItemSums {
    const copy = new ItemSums(this.shape);
    copy.merge(this);
    return copy;
  }
}

function mergeSketch(into: Sketch, sketch: Sketch): void {
  if (into instanceof Registers) {
    if (!(sketch instanceof Registers)) throw new Error('registers and exposures cannot be merged');
    into.merge(sketch);
  } else {
    if (sketch instanceof Registers) throw new Error('exposures and registers cannot be merged');
    into.merge(sketch);
  }
}

/** Adds `items` to `into` and answers it; none is neutral. */
export function addItems(into: ItemSums | undefined, items: ItemSums | undefined): ItemSums | undefined {
  if (into === undefined || items === undefined) return into ?? items?.copy();
  into.merge(items);
  return into;
}
