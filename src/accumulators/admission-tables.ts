import type { EpochMs } from '../vocabulary/events.ts';
import { Admission, type AdmissionState, reservedCohorts } from './admission.ts';
import type { PanesSettings } from './panes-settings.ts';
import { otherValues, parseField, setText } from './store/layout.ts';

/**
 * The admission tables of one unit, one for each grouping set. They are reviewed when event time passes the end of an hour by
 * the shortest horizon: every impression of that hour has closed at that horizon by then, and none of the next hour has.
 */
export class AdmissionTables {
  readonly #settings: Pick<PanesSettings, 'hour' | 'horizons'>;
  readonly #tables: readonly Admission[];
  readonly #sets: readonly { readonly by: string; readonly other: string }[];
  /** -Infinity: event time has not begun; Infinity: there are no reviews. */
  #nextReview: EpochMs;

  constructor(settings: PanesSettings, stored: readonly AdmissionState[]) {
    const { sets, cohortsPerSet: limit, named, takeover } = settings;
    this.#settings = settings;
    this.#sets = sets.map((by) => ({ by: setText(by), other: otherValues(by) }));
    this.#tables = sets.map((by) => {
      const reserved = reservedCohorts(by, named ?? new Map(), limit);
      const state = stored.find((table) => setText(table.by) === setText(by));
      return new Admission(by, { limit, reserved, takeover }, state);
    });
    this.#nextReview = takeover === undefined ? Number.POSITIVE_INFINITY : this.#reviewAfter(settings.closedUpTo);
  }

  get nextReview(): EpochMs {
    return this.#nextReview;
  }

  /** Bytes in memory, about. */
  get bytes(): number {
    return this.#tables.reduce((bytes, table) => bytes + table.bytes, 0);
  }

  /** Admits one addition of a set's cohort to the pane that ends at `end`. Returns true if it is added by name, false if to the rest. */
  admit(set: number, values: string, end: EpochMs): boolean {
    return this.#tables[set].admit(values, end);
  }

  /** Counts one impression, as it closes at the shortest horizon, where its cohorts are added to the rest. `keys`: by set. */
  count(keys: readonly string[]): void {
    for (let s = 0; s < this.#tables.length; s++) this.#tables[s].count(keys[s]);
  }

  /**
   * Runs the reviews that are due by `at`; at least one must be. `impressionsOf`: the impressions that were added to a cohort of
   * a set, by its index, in the hour pane with this number, at the shortest horizon. Returns whether a place was given to another cohort.
   */
  review(at: EpochMs, impressionsOf: (hour: number, set: number, values: string) => number): boolean {
    const { hour, horizons } = this.#settings;
    const first = this.#nextReview;
    this.#nextReview = this.#reviewAfter(at);
    if (!Number.isFinite(first)) return false;
    const ended = Math.round((first - horizons[0].ms) / hour) - 1;
    let given = false;
    for (const [s, table] of this.#tables.entries()) {
      given = table.review((values) => impressionsOf(ended, s, values)) || given;
    }
    // Nothing has closed since then.
    const more = Math.round((this.#nextReview - first) / hour) - 1;
    if (more > 0) for (const table of this.#tables) table.decay(more);
    return given;
  }

  /** The panes that end at or before `end` were deleted. Returns whether an entry was evicted with them. */
  expire(end: EpochMs): boolean {
    let left = false;
    for (const table of this.#tables) left = table.expire(end) || left;
    return left;
  }

  /** Whether a field belongs to a rest, or to a cohort that has a place. */
  holds(field: string): boolean {
    const name = parseField(field);
    const set = this.#sets.findIndex(({ by }) => by === name?.by);
    return name !== undefined && (name.values === this.#sets[set].other || this.#tables[set].has(name.values));
  }

  /** The state of each table, as JSON. */
  stateTexts(): readonly string[] {
    return this.#tables.map((table) => table.stateText());
  }

  /** The first end of an hour at the shortest horizon after `at`. */
  #reviewAfter(at: EpochMs): EpochMs {
    const { hour, horizons } = this.#settings;
    return (Math.floor((at - horizons[0].ms) / hour) + 1) * hour + horizons[0].ms;
  }
}
