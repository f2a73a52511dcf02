/**
 * The bounded table of one unit and grouping set (specification: windows 4.1): first come, first admitted, in the order of
 * closing; who comes while it is full is added to the rest; an entry leaves with its last pane. Two rules keep strangers
 * from holding all places (docs/decisions/0018-places-of-cohorts.md):
 *
 * - What the configuration names has a place of its own, an entry that never leaves. From then on nothing of it is added to
 *   the rest, so it is shown by name whenever it comes.
 * - With each hour that has ended, a cohort of the rest with many impressions takes the place of one with almost none.
 *
 * Whoever loses its place does so without harm to the reader's rule below: that asks only that all which was added to the
 * rest lies before `folded`, and an entry's end adds nothing to it.
 */
import type { EpochMs } from '../vocabulary/events.ts';
import { keysOf, listOf, textOf, timeOf, whole } from './store/json.ts';

/**
 * An admitted cohort: its values, the end of its last pane, `folded` as it was when the cohort was admitted, and its score;
 * left out: 0.
 */
export type AdmissionEntry = readonly [values: string, last: EpochMs, since: EpochMs, score?: number];

/** One table, for the checkpoint. -Infinity, which JSON writes as null: nothing was folded yet. */
export interface AdmissionState {
  readonly by: readonly string[];
  /** End of the latest pane into which something was added to the rest. */
  readonly folded: EpochMs;
  /** In the order of admission. */
  readonly entries: readonly AdmissionEntry[];
  /** Cohorts of the rest, with how many impressions they have had this hour at least; left out: none. */
  readonly candidates?: readonly (readonly [values: string, impressions: number])[];
}

/** When a cohort of the rest takes the place of another: what is asked for at the end of every hour. */
export interface Takeover {
  /** Cohorts of the rest that are counted at a time. */
  readonly candidates: number;
  /** The impressions of its hour must be this many times the other's score and one. */
  readonly ratio: number;
}

/** Who has a place in one table. */
export interface Places {
  /** Cohorts by name at a time, those of `reserved` among them; more if `reserved` alone is more. */
  readonly limit: number;
  /** They have their entries from the start. */
  readonly reserved: ReadonlySet<string>;
  /** undefined: who has a place keeps it until its last pane goes. */
  readonly takeover: Takeover | undefined;
}

/** Of a reserved cohort that has not come yet. */
const NO_PANE: EpochMs = 0;

/** A cohort with a place. It changes by `set` alone. */
class Entry {
  readonly values: string;
  readonly since: EpochMs;
  #last: EpochMs;
  #score: number;
  /** As JSON; undefined: to be written anew. */
  #text: string | undefined;

  constructor([values, last, since, score = 0]: AdmissionEntry) {
    this.values = values;
    this.since = since;
    this.#last = last;
    this.#score = score;
  }

  get last(): EpochMs {
    return this.#last;
  }

  /** Impressions of the last hours: each hour counts half of the one after it. */
  get score(): number {
    return this.#score;
  }

  /** Answers whether it was another. */
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

/** An entry of the map, its object, its values and its text. */
const ENTRY_BYTES = 280;
/** An entry of the candidates. */
const CANDIDATE_BYTES = 200;

export class Admission {
  readonly #by: readonly string[];
  readonly #reserved: ReadonlySet<string>;
  /** Places of those that are not reserved. */
  readonly #room: number;
  readonly #takeover: Takeover | undefined;
  readonly #entries = new Map<string, Entry>();
  /** Entries that are not reserved. */
  #others = 0;
  #folded: EpochMs = Number.NEGATIVE_INFINITY;
  /**
   * Frequent cohorts of the rest (Misra and Gries, 1982): with k counters none is ever too high, and each is too low by at
   * most a (k + 1)-th of all that were counted.
   */
  readonly #candidates = new Map<string, number>();
  /** `state` as JSON; undefined: something has changed. */
  #text: string | undefined;

  constructor(by: readonly string[], { limit, reserved, takeover }: Places, state?: AdmissionState) {
    this.#by = by;
    this.#reserved = reserved;
    this.#room = Math.max(0, limit - reserved.size);
    this.#takeover = takeover;
    if (state !== undefined) this.#restore(state);
    for (const values of reserved) if (!this.#entries.has(values)) this.#enter([values, NO_PANE, this.#folded]);
  }

  #restore(state: AdmissionState): void {
    this.#folded = state.folded;
    for (const entry of state.entries) this.#enter(entry);
    for (const [values, impressions] of state.candidates ?? [])
      if (!this.#reserved.has(values)) this.#candidates.set(values, impressions);
    // The configuration has changed: there are fewer places, or it names others.
    for (const values of this.#quietest()) if (this.#others > this.#room) this.#evict(values);
  }

  /** Judges one addition to the pane that ends at `end`: true: by name; false: to the rest. */
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

  /** Counts one impression of a cohort that is added to the rest; of any other it counts nothing. */
  count(values: string): void {
    if (this.#takeover === undefined || this.#entries.has(values)) return;
    this.#text = undefined;
    const known = this.#candidates.get(values);
    if (known !== undefined || this.#candidates.size < this.#takeover.candidates) {
      this.#candidates.set(values, (known ?? 0) + 1);
      return;
    }
    // Each round takes away what as many calls have added before: the cost of a call stays the same.
    for (const [other, impressions] of this.#candidates) {
      if (impressions === 1) this.#candidates.delete(other);
      else this.#candidates.set(other, impressions - 1);
    }
  }

  /**
   * An hour has ended. `impressionsOf`: what a cohort has had by name in it. Gives places of those with almost none to
   * candidates with many, and answers whether it gave any. Who never comes back loses the place when its last owner would have.
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

  /** So many more hours have ended in which nothing closed. */
  pass(hours: number): void {
    for (const entry of this.#entries.values()) this.#change(entry, { score: Math.floor(entry.score / 2 ** hours) });
  }

  /** The panes that end at or before `end` are gone: answers whether an entry left with them. */
  expire(end: EpochMs): boolean {
    const before = this.#entries.size;
    for (const [values, { last }] of this.#entries) if (last <= end && !this.#reserved.has(values)) this.#leave(values);
    return this.#entries.size < before;
  }

  /** Bytes in memory, about. */
  get bytes(): number {
    return ENTRY_BYTES * this.#entries.size + CANDIDATE_BYTES * this.#candidates.size;
  }

  has(values: string): boolean {
    return this.#entries.has(values);
  }

  state(): AdmissionState {
    return {
      by: this.#by,
      folded: this.#folded,
      entries: [...this.#entries.values()].map((entry) => entry.state),
      ...(this.#candidates.size === 0 ? {} : { candidates: [...this.#candidates] }),
    };
  }

  /** `state` as JSON. What did not change since the last call is not written anew: a table may hold many thousands. */
  stateText(): string {
    this.#text ??= this.#write();
    return this.#text;
  }

  #write(): string {
    const entries = Array.from(this.#entries.values(), (entry) => entry.text).join(',');
    const candidates = this.#candidates.size === 0 ? '' : `,"candidates":${JSON.stringify([...this.#candidates])}`;
    return `{"by":${JSON.stringify(this.#by)},"folded":${JSON.stringify(this.#folded)},"entries":[${entries}]${candidates}}`;
  }

  #change(entry: Entry, to: Parameters<Entry['set']>[0]): void {
    if (entry.set(to)) this.#text = undefined;
  }

  #enter(entry: AdmissionEntry): void {
    const [values] = entry;
    this.#entries.set(values, new Entry(entry));
    this.#text = undefined;
    if (!this.#reserved.has(values)) this.#others++;
  }

  #leave(values: string): void {
    this.#entries.delete(values);
    this.#text = undefined;
    if (!this.#reserved.has(values)) this.#others--;
  }

  /** Ends an entry whose panes are still there. Windows with one of them do not show it: else they could show too many. */
  #evict(values: string): void {
    const last = this.#entries.get(values)?.last ?? this.#folded;
    if (last > this.#folded) this.#folded = last;
    this.#leave(values);
  }

  /** Who may lose its place, least score first; of equals who came first. */
  #quietest(): readonly string[] {
    return [...this.#entries]
      .filter(([values]) => !this.#reserved.has(values))
      .sort(([, a], [, b]) => a.score - b.score)
      .map(([values]) => values);
  }
}

/**
 * The cohorts of a set that have places of their own: those whose every value the configuration names. Of a set with one
 * dimension that is each of its named values, however many; of a set with several every combination, if they take half of
 * the places at most, else none. `named`: by dimension.
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

/**
 * Reads what JSON gave for an `AdmissionState`; one from before there were scores and candidates has none. Throws an Error that names
 * the part that is wrong.
 */
export function parseAdmission(json: unknown, where: string): AdmissionState {
  const state = keysOf(json, where);
  const table = {
    by: listOf(state['by'], `${where}.by`, textOf),
    folded: timeOf(state['folded'], `${where}.folded`),
    entries: listOf(state['entries'], `${where}.entries`, (entry, at): AdmissionEntry => {
      const parts = listOf(entry, at, (part) => part);
      const [values, last] = [textOf(parts[0], `${at}[0]`), whole(parts[1], `${at}[1]`)];
      const since = timeOf(parts[2], `${at}[2]`);
      return parts[3] === undefined ? [values, last, since] : [values, last, since, whole(parts[3], `${at}[3]`)];
    }),
  };
  if (state['candidates'] === undefined) return table;
  const candidates = listOf(state['candidates'], `${where}.candidates`, (candidate, at) => {
    const parts = listOf(candidate, at, (part) => part);
    return [textOf(parts[0], `${at}[0]`), whole(parts[1], `${at}[1]`)] as const;
  });
  return { ...table, candidates };
}
