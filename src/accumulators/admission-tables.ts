import type { EpochMs } from '../vocabulary/events.ts';
import { Admission, reservedCohorts } from './admission.ts';
import { isLarge, wholeTable } from './admission-state.ts';
import type { PaneChanges, PanesSettings, RestoredPanes } from './panes-settings.ts';
import { otherValues, parseField, placesKey, setText } from './store/layout.ts';

/**
 * The admission tables of one unit, one for each grouping set. They are reviewed when event time passes the end of an hour by
 * the shortest horizon: every impression of that hour has closed at that horizon by then, and none of the next hour has.
 */
export class AdmissionTables {
  readonly #settings: Pick<PanesSettings, 'hour' | 'horizons'>;
  readonly #tables: readonly Admission[];
  readonly #sets: readonly { readonly by: string; readonly other: string; readonly key: string }[];
  /** Keys of stored tables whose grouping sets are no longer configured. */
  #unused: readonly string[];
  /** -Infinity: event time has not begun; Infinity: reviews are off. */
  #nextReview: EpochMs;

  constructor(settings: PanesSettings, restored: RestoredPanes | undefined) {
    const { owner, sets, cohortsPerSet: limit, named, takeover, mostInCheckpoint } = settings;
    this.#settings = settings;
    this.#sets = sets.map((by) => ({ by: setText(by), other: otherValues(by), key: placesKey(owner, by) }));
    const stored = restored?.state.admission ?? [];
    this.#tables = this.#sets.map(({ by, key }, s) => {
      const reserved = reservedCohorts(sets[s], named ?? new Map(), limit);
      const table = stored.find((one) => setText(one.by) === by);
      const state = table && wholeTable(table, restored?.rows.get(key));
      if (table !== undefined && state === undefined) {
        throw new Error(`places of ${key} are missing: read all of liveKeys before restoring`);
      }
      return new Admission(sets[s], { limit, reserved, takeover, mostInCheckpoint }, state);
    });
    this.#unused = stored
      .filter((table) => isLarge(table) && !this.#sets.some(({ by }) => by === setText(table.by)))
      .map(({ by }) => placesKey(owner, by));
    this.#nextReview = takeover === undefined ? Number.POSITIVE_INFINITY : this.#reviewAfter(settings.closedUpTo);
  }

  get nextReview(): EpochMs {
    return this.#nextReview;
  }

  /** Approximate bytes in memory. */
  get bytes(): number {
    return this.#tables.reduce((bytes, table) => bytes + table.bytes, 0);
  }

  /** Admits one addition of a set's cohort to the pane that ends at `end`. Returns true if it is added by name, false if to the rest. */
  admit(set: number, values: string, end: EpochMs): boolean {
    return this.#tables[set].admit(values, end);
  }

  /**
   * Counts one impression that closes at the shortest horizon for those of its cohorts that are added to the rest. `keys`: one
   * for each set.
   */
  count(keys: readonly string[]): void {
    for (let s = 0; s < this.#tables.length; s++) this.#tables[s].count(keys[s]);
  }

  /**
   * Runs the reviews that are due by `at`; at least one must be. `impressionsOf`: the impressions that were added to a cohort of
   * a set in the hour pane of this number, at the shortest horizon. Returns whether any place was given to another cohort.
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
    // Nothing has closed in the hours since then.
    const more = Math.round((this.#nextReview - first) / hour) - 1;
    if (more > 0) for (const table of this.#tables) table.decay(more);
    return given;
  }

  /** Must be called when panes that end at or before `end` were deleted. Returns whether an entry was evicted with them. */
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

  /** Whether any table is stored beside the checkpoint. */
  get hasBeside(): boolean {
    return this.#tables.some((table) => table.isBeside);
  }

  /** Adds what a commit must change beside the checkpoint that has `stateTexts`. */
  takeChanges({ rows, removes, deletes }: PaneChanges): void {
    deletes.push(...this.#unused);
    this.#unused = [];
    for (const [s, table] of this.#tables.entries()) {
      const { key } = this.#sets[s];
      const { set, gone, isDropped } = table.takePlaces();
      if (isDropped) deletes.push(key);
      if (set.size > 0) rows.set(key, set);
      if (gone.length > 0) removes.set(key, gone);
    }
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
