/**
 * The bounded table of one unit and grouping set (specification: windows 4.1): cohorts are admitted in the order of closing; a
 * cohort that comes while the table is full is added to the rest; an entry is evicted with its last pane. Two rules keep
 * strangers from occupying all places (docs/decisions/0018-places-of-cohorts.md):
 *
 * - A cohort that the configuration names has a reserved place, an entry that is never evicted. None of its impressions are
 *   added to the rest, so it is shown by name whenever it appears.
 * - At the end of each hour, a cohort of the rest with many impressions takes the place of an admitted one with almost none.
 *
 * Eviction does not break the reader's rule below: the rule requires only that everything added to the rest ends at or before
 * `folded`, and evicting an entry adds nothing to the rest.
 */
import type { EpochMs } from '../vocabulary/events.ts';
import {
  type AdmissionEntry,
  type AdmissionState,
  type CompleteTable,
  MOST_IN_CHECKPOINT,
  PLACES_HEAD,
  placesHead,
  placeText,
} from './admission-state.ts';

/** When a cohort of the rest takes the place of another; decided at the end of every hour. */
export interface Takeover {
  /** Number of cohorts of the rest that are counted at the same time. */
  readonly candidates: number;
  /** The candidate's impressions in the hour must be at least this many times (the other's score + 1). */
  readonly ratio: number;
}

/** The limits of one table, and the cohorts with reserved places. */
export interface AdmissionSettings {
  /** Most cohorts kept by name at the same time, those of `reserved` included; more if `reserved` alone has more. */
  readonly limit: number;
  /** Cohorts that have entries from the start. */
  readonly reserved: ReadonlySet<string>;
  /** undefined: a cohort keeps its place until its last pane is deleted. */
  readonly takeover: Takeover | undefined;
  /** Tables with more entries are stored beside the checkpoint. Default: MOST_IN_CHECKPOINT. */
  readonly mostInCheckpoint?: number | undefined;
}

/** What a commit changes in the hash of a table that is stored beside the checkpoint. */
interface PlacesChanges {
  /** Fields to set. */
  readonly set: Map<string, string>;
  /** Fields to remove before others are set. */
  readonly gone: readonly string[];
  /** Whether to delete the hash, because the table is part of the checkpoint again. */
  readonly isDropped: boolean;
}

const NO_CHANGES: PlacesChanges = { set: new Map(), gone: [], isDropped: false };

/** The last pane of a reserved cohort that has not appeared yet. */
const NO_PANE: EpochMs = 0;

/** A cohort with a place. Only `set` changes it. */
class Entry {
  readonly values: string;
  readonly since: EpochMs;
  /** Number of cohorts that were admitted before it. */
  readonly number: number;
  #last: EpochMs;
  #score: number;
  /** The entry as JSON; undefined: it has changed since it was written. */
  #text: string | undefined;

  constructor([values, last, since, score = 0]: AdmissionEntry, number: number) {
    this.values = values;
    this.since = since;
    this.number = number;
    this.#last = last;
    this.#score = score;
  }

  get last(): EpochMs {
    return this.#last;
  }

  /** The impressions of the last hours, where each hour weighs half as much as the next. */
  get score(): number {
    return this.#score;
  }

  /** Returns whether this changed the entry. */
  set({ last = this.#last, score = this.#score }: { readonly last?: EpochMs; readonly score?: number }): boolean {
    if (last === this.#last && score === this.#score) return false;
    this.#last = last;
    this.#score = score;
    this.#text = undefined;
    return true;
  }

  get state(): AdmissionEntry {
    const { values, since } = this;
    return this.#score === 0 ? [values, this.#last, since] : [values, this.#last, since, this.#score];
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.state);
    return this.#text;
  }
}

/** Bytes of an entry: its place in the map, its object, its values and its text. */
const ENTRY_BYTES = 280;
/** Bytes of a candidate. */
const CANDIDATE_BYTES = 200;

export class Admission {
  readonly #by: readonly string[];
  readonly #reserved: ReadonlySet<string>;
  /** Number of places that are not reserved. */
  readonly #room: number;
  readonly #takeover: Takeover | undefined;
  readonly #mostInCheckpoint: number;
  readonly #entries = new Map<string, Entry>();
  /** Number of entries that are not reserved. */
  #others = 0;
  #folded: EpochMs = Number.NEGATIVE_INFINITY;
  /**
   * Frequent cohorts of the rest (Misra and Gries, 1982): with k counters none is ever too high, and each is too low by at
   * most a (k + 1)-th of all that were counted.
   */
  readonly #candidates = new Map<string, number>();
  /** The state as JSON; undefined: it has changed since it was written. */
  #text: string | undefined;
  /** Number of admissions so far. */
  #admitted = 0;
  /** The head of the hash that holds the entries; undefined: they are part of the checkpoint. */
  #head: string | undefined;
  /** Since the last commit: cohorts whose entries are new or changed, and cohorts whose entries were removed. */
  readonly #changed = new Set<string>();
  readonly #gone = new Set<string>();

  constructor(
    by: readonly string[],
    { limit, reserved, takeover, mostInCheckpoint = MOST_IN_CHECKPOINT }: AdmissionSettings,
    state?: AdmissionState | CompleteTable,
  ) {
    this.#by = by;
    this.#reserved = reserved;
    this.#room = Math.max(0, limit - reserved.size);
    this.#takeover = takeover;
    this.#mostInCheckpoint = mostInCheckpoint;
    if (state !== undefined) this.#restore(state);
    for (const values of reserved) if (!this.#entries.has(values)) this.#enter([values, NO_PANE, this.#folded]);
  }

  #restore(state: AdmissionState | CompleteTable): void {
    this.#folded = state.folded;
    const isBeside = 'places' in state;
    for (const [i, entry] of state.entries.entries()) this.#enter(entry, isBeside ? state.numbers[i] : i);
    if (isBeside) {
      [, this.#admitted] = state.places;
      this.#head = placesHead(state.folded, this.#admitted);
    }
    for (const [values, impressions] of state.candidates ?? [])
      if (!this.#reserved.has(values)) this.#candidates.set(values, impressions);
    // The configuration has changed: there are fewer places, or it names others.
    for (const values of this.#quietest()) if (this.#others > this.#room) this.#evict(values);
  }

  /** Admits one addition to the pane that ends at `end`. Returns true if it is added by name, false if to the rest. */
  admit(values: string, end: EpochMs): boolean {
    const entry = this.#entries.get(values);
    if (entry !== undefined) {
      if (end > entry.last) this.#change(entry, { last: end });
      return true;
    }
    if (this.#others < this.#room) {
      this.#enter([values, end, this.#folded]);
      this.#candidates.delete(values);
      return true;
    }
    if (end > this.#folded) {
      this.#folded = end;
      this.#text = undefined;
    }
    return false;
  }

  /** Counts one impression of a cohort that is added to the rest; ignores others. */
  count(values: string): void {
    if (this.#takeover === undefined || this.#entries.has(values)) return;
    this.#text = undefined;
    const known = this.#candidates.get(values);
    if (known !== undefined || this.#candidates.size < this.#takeover.candidates) {
      this.#candidates.set(values, (known ?? 0) + 1);
      return;
    }
    // Each round removes as many counts as earlier calls have added, so the average cost of a call is constant.
    for (const [other, impressions] of this.#candidates) {
      if (impressions === 1) this.#candidates.delete(other);
      else this.#candidates.set(other, impressions - 1);
    }
  }

  /**
   * Must be called when an hour has ended. `impressionsOf`: the impressions that were added under a cohort's name in that hour.
   * Gives the places of cohorts with almost none to candidates with many, and returns whether it gave any. A new entry starts
   * with the last pane of the entry that it replaced, so a candidate that never comes back loses the place when that one would
   * have.
   */
  review(impressionsOf: (values: string) => number): boolean {
    if (this.#takeover === undefined) return false;
    for (const [values, entry] of this.#entries) {
      this.#change(entry, { score: Math.floor(entry.score / 2) + impressionsOf(values) });
    }
    this.#text = undefined;
    const busiest = [...this.#candidates].sort(([, a], [, b]) => b - a);
    this.#candidates.clear();
    if (this.#others < this.#room) return false;
    const quietest = this.#quietest();
    let given = 0;
    for (const [values, impressions] of busiest) {
      const other = this.#entries.get(quietest[given]);
      if (other === undefined || impressions < this.#takeover.ratio * (other.score + 1)) break;
      this.#evict(quietest[given]);
      this.#enter([values, other.last, this.#folded, impressions]);
      given++;
    }
    return given > 0;
  }

  /** Must be called when `hours` more hours have ended in which nothing closed. */
  decay(hours: number): void {
    for (const entry of this.#entries.values()) this.#change(entry, { score: Math.floor(entry.score / 2 ** hours) });
  }

  /** Must be called when panes that end at or before `end` were deleted. Returns whether an entry was evicted with them. */
  expire(end: EpochMs): boolean {
    const before = this.#entries.size;
    for (const [values, { last }] of this.#entries) if (last <= end && !this.#reserved.has(values)) this.#leave(values);
    return this.#entries.size < before;
  }

  /** Approximate bytes in memory. */
  get bytes(): number {
    return ENTRY_BYTES * this.#entries.size + CANDIDATE_BYTES * this.#candidates.size;
  }

  has(values: string): boolean {
    return this.#entries.has(values);
  }

  /**
   * The `AdmissionState` as JSON. Entries that did not change since the last call are not written again: a table may hold many
   * thousands.
   */
  stateText(): string {
    this.#text ??= this.#write();
    return this.#text;
  }

  /** Whether the entries are stored beside the checkpoint, which then has only `stateText`. */
  get isBeside(): boolean {
    return this.#entries.size > this.#mostInCheckpoint;
  }

  /** What a commit must change beside the checkpoint that has `stateText`. */
  takePlaces(): PlacesChanges {
    const stored = this.#head;
    this.#head = this.isBeside ? placesHead(this.#folded, this.#admitted) : undefined;
    if (this.#head === undefined && stored === undefined) return NO_CHANGES;
    const changed = [...(stored === undefined ? this.#entries.keys() : this.#changed)];
    const gone = [...this.#gone];
    this.#changed.clear();
    this.#gone.clear();
    if (this.#head === undefined) return { ...NO_CHANGES, isDropped: true };
    const set = new Map<string, string>();
    for (const values of changed) {
      const entry = this.#entries.get(values);
      if (entry !== undefined) set.set(values, placeText(entry.state, entry.number));
    }
    if (this.#head !== stored) set.set(PLACES_HEAD, this.#head);
    return { set, gone, isDropped: false };
  }

  #write(): string {
    const start = `{"by":${JSON.stringify(this.#by)},"folded":${JSON.stringify(this.#folded)}`;
    const candidates = this.#candidates.size === 0 ? '' : `,"candidates":${JSON.stringify([...this.#candidates])}`;
    if (this.isBeside) return `${start},"places":[${this.#entries.size},${this.#admitted}]${candidates}}`;
    const entries = Array.from(this.#entries.values(), (entry) => entry.text).join(',');
    return `${start},"entries":[${entries}]${candidates}}`;
  }

  #change(entry: Entry, to: Parameters<Entry['set']>[0]): void {
    if (!entry.set(to)) return;
    this.#text = undefined;
    if (this.#head !== undefined) this.#changed.add(entry.values);
  }

  #enter(entry: AdmissionEntry, number = this.#admitted): void {
    const [values] = entry;
    this.#entries.set(values, new Entry(entry, number));
    this.#admitted = number + 1;
    this.#text = undefined;
    if (!this.#reserved.has(values)) this.#others++;
    if (this.#head !== undefined) this.#changed.add(values);
  }

  #leave(values: string): void {
    this.#entries.delete(values);
    this.#text = undefined;
    if (this.#head !== undefined) {
      this.#changed.delete(values);
      this.#gone.add(values);
    }
    if (!this.#reserved.has(values)) this.#others--;
  }

  /** Evicts an entry whose panes still exist. Windows that contain one of these panes do not show the cohort: they could show too many otherwise. */
  #evict(values: string): void {
    const last = this.#entries.get(values)?.last ?? this.#folded;
    if (last > this.#folded) this.#folded = last;
    this.#leave(values);
  }

  /** Entries that may lose their places, lowest score first, then in the order of admission. */
  #quietest(): readonly string[] {
    return [...this.#entries]
      .filter(([values]) => !this.#reserved.has(values))
      .sort(([, a], [, b]) => a.score - b.score)
      .map(([values]) => values);
  }
}

/**
 * The cohorts of a set with reserved places: those whose values are all named by the configuration. For a set with one
 * dimension these are its named values, however many; for a set with several dimensions all combinations, if they take at most
 * half of the places, else none. `named`: values by dimension.
 */
export function reservedCohorts(
  by: readonly string[],
  named: ReadonlyMap<string, readonly string[]>,
  limit: number,
): ReadonlySet<string> {
  const lists = by.map((dimension) => [...new Set(named.get(dimension))]);
  const size = lists.reduce((product, values) => product * values.length, 1);
  if (by.length === 0 || size === 0 || (by.length > 1 && size > limit / 2)) return new Set();
  const combine = (tuples: readonly string[], values: readonly string[]): readonly string[] =>
    tuples.flatMap((tuple) => values.map((value) => (tuple === '' ? value : `${tuple},${value}`)));
  return new Set(lists.reduce(combine, ['']));
}

/**
 * The reader's rule: a cohort is shown by name in a window iff in every unit its `since` (without an entry: the unit's
 * `folded`) is at or before the window's start. `tables` holds each unit's table; undefined: the unit has none.
 */
export function shownByName(
  tables: readonly (AdmissionState | undefined)[],
  start: EpochMs,
): (values: string) => boolean {
  const late = new Set<string>();
  const early: Set<string>[] = [];
  for (const table of tables) {
    if (table === undefined) continue;
    const known = new Set<string>();
    for (const [values, , since] of table.entries) (since <= start ? known : late).add(values);
    if (table.folded > start) early.push(known);
  }
  return (values) => !late.has(values) && early.every((known) => known.has(values));
}
