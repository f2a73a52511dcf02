import { parseField, rowField } from './store/layout.ts';

/**
 * Numbers the pairs of horizon and grouping set, so that a row is found by this number, its place, and its cohort's values: the
 * text of its field is made only once.
 */
export class RowPlaces {
  readonly #horizons: readonly string[];
  readonly #sets: readonly string[];

  /** @param sets grouping sets, each as its names joined by ',' */
  constructor(horizons: readonly string[], sets: readonly string[]) {
    this.#horizons = horizons;
    this.#sets = sets;
  }

  /** Number of places. The last is for fields that belong to no pair of a horizon and a set. */
  get count(): number {
    return this.#horizons.length * this.#sets.length + 1;
  }

  /** The place of a pair, by indices of the horizon and the set. */
  at(horizon: number, set: number): number {
    return horizon * this.#sets.length + set;
  }

  field(place: number, values: string): string {
    const horizon = Math.floor(place / this.#sets.length);
    return rowField(this.#horizons[horizon], this.#sets[place - horizon * this.#sets.length], values);
  }

  /** The place of a row with this field, and its values. A field of no pair has its whole text as values. */
  of(field: string): { readonly place: number; readonly values: string } {
    const name = parseField(field);
    const horizon = name === undefined ? -1 : this.#horizons.indexOf(name.horizon);
    const set = name === undefined ? -1 : this.#sets.indexOf(name.by);
    if (name === undefined || horizon < 0 || set < 0) return { place: this.count - 1, values: field };
    return { place: this.at(horizon, set), values: name.values };
  }
}
