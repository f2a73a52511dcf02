import type { Joined } from '../vocabulary/events.ts';
import type { Measure } from './definition.ts';
import type { ItemCatalogue } from './item-catalogue.ts';
import { emptySketch, type ItemPart, itemValue, type Sketch } from './item-part.ts';
import { ShownItems } from './shown-items.ts';

/** A measure of items over plain lists, without a limit on the number of items. */
export class PlainItems {
  readonly #measure: Measure;
  readonly #part: ItemPart;
  readonly #catalogue: ItemCatalogue;
  readonly #shown: ShownItems;
  readonly #sketch: Sketch;
  #lists = 0;

  constructor(measure: Measure, part: ItemPart, catalogue: ItemCatalogue) {
    this.#measure = measure;
    this.#part = part;
    this.#catalogue = catalogue;
    this.#shown = new ShownItems([part], catalogue);
    this.#sketch = emptySketch(part, Number.POSITIVE_INFINITY);
  }

  /** @throws RangeError for a list without items */
  add(list: Joined): void {
    if (list.items === undefined) {
      throw new RangeError(`${this.#measure.name} needs the items of a list: write {items, positives}`);
    }
    this.#shown.load(list);
    if (this.#shown.addTo(this.#sketch, this.#part)) this.#lists++;
  }

  /** undefined: no list has a slot of rank <= k, or the measure has no value for a single item. */
  value(): number | undefined {
    return this.#lists === 0 ? undefined : itemValue(this.#measure, this.#sketch, this.#catalogue.size);
  }
}
