import { otherValues, setText } from '../accumulators/store/layout.ts';
import type { LeftOpen } from '../unit/unit-contract.ts';
import type { EpochMs } from '../vocabulary/events.ts';

/** Lists that are open at one horizon when the files end. */
export interface Open {
  readonly lists: number;
  /** The watermarks from which on the first of them, and all of them, would be known. */
  readonly first: EpochMs;
  readonly last: EpochMs;
}

/**
 * Counts what is still open when the files end (specification: join 4.1), by horizon and cohort. Memory grows with the cohorts, not with
 * the lists.
 */
export class OpenLists {
  readonly #sets: readonly (readonly string[])[];
  /** For each horizon and grouping set, the counts by cohort. */
  readonly #open = new Map<string, Map<string, Open>>();
  readonly #totals: number[] = [];

  constructor(sets: readonly (readonly string[])[]) {
    this.#sets = sets;
  }

  readonly add: LeftOpen = ({ horizon, at }, cohorts) => {
    this.#totals[horizon] = this.total(horizon) + 1;
    for (let s = 0; s < this.#sets.length; s++) {
      const key = `${horizon}|${setText(this.#sets[s])}`;
      const ofSet = this.#open.get(key) ?? new Map<string, Open>();
      this.#open.set(key, ofSet);
      ofSet.set(cohorts[s], together(ofSet.get(cohorts[s]), { lists: 1, first: at, last: at }));
    }
  };

  total(horizon: number): number {
    return this.#totals[horizon] ?? 0;
  }

  /**
   * Counts of one horizon and set by cohort, whose values are joined by ','.
   * @param horizon its index
   * @param isNamed the other cohorts of the set are added to its rest
   */
  of(horizon: number, by: readonly string[], isNamed: (values: string) => boolean): ReadonlyMap<string, Open> {
    const found = new Map<string, Open>();
    for (const [values, open] of this.#open.get(`${horizon}|${setText(by)}`) ?? []) {
      const shown = isNamed(values) ? values : otherValues(by);
      found.set(shown, together(found.get(shown), open));
    }
    return found;
  }
}

/** The sum of two counts, in any order. */
function together(one: Open | undefined, other: Open): Open {
  if (one === undefined) return other;
  return {
    lists: one.lists + other.lists,
    first: Math.min(one.first, other.first),
    last: Math.max(one.last, other.last),
  };
}
