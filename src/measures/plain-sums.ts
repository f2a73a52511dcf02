import { assertNever, type Joined } from '../vocabulary/events.ts';
import { Clusters } from './clusters.ts';
import type { Measure } from './definition.ts';
import type { ItemCatalogue } from './item-catalogue.ts';
import { emptySketch, type ItemPart, itemValue, type Sketch } from './item-part.ts';
import { ShownItems } from './shown-items.ts';
import { SUMS, type SumsKind, WITH_POSITIVE } from './sums.ts';
import { classesOf, fractionOf, meanOf, ofMeans, sumsKind } from './value.ts';

/** Sums of one measure over plain lists: doubles that are not rounded. Rows keep whole numbers instead (row.ts). */
export class PlainSums {
  readonly #measure: Measure;
  readonly #kind: SumsKind;
  readonly #clusters = new Clusters();
  readonly #sums: number[];
  #n = 0;
  #positive = 0;

  constructor(measure: Measure) {
    this.#measure = measure;
    this.#kind = sumsKind(measure);
    this.#sums = SUMS[this.#kind].values.map(() => 0);
  }

  /**
   * Adds one list that is not left out.
   * @param out as `Scorer.score` wrote it, from index 0 on
   */
  add(out: Float64Array, cluster: string | number | undefined): void {
    const hasPositive = out[0] === WITH_POSITIVE;
    this.#n++;
    if (hasPositive) this.#positive++;
    for (let i = 0; i < this.#sums.length; i++) this.#sums[i] += out[1 + i];
    if (this.#kind === 'apart' && cluster !== undefined) this.#clusters.add(String(cluster), hasPositive, out[1]);
  }

  /** undefined: nothing was counted. */
  value(): number | undefined {
    const measure = this.#measure;
    const [a, b, c, d] = this.#sums;
    switch (this.#kind) {
      case 'mean':
      case 'pairMeans':
        return meanOf(measure, this.#n, this.#positive, a);
      case 'fraction':
      case 'pairs':
        return fractionOf(measure, a, b);
      case 'means':
        return ofMeans(measure, this.#n, this.#positive, a, b);
      case 'classes':
        return classesOf(measure, a, b, c, d);
      case 'apart': {
        const means = this.#clusters.means(measure);
        return means.length === 0 ? undefined : means.reduce((sum, mean) => sum + mean, 0) / means.length;
      }
      default:
        return assertNever(this.#kind);
    }
  }
}

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
