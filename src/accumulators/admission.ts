import type { EpochMs } from '../events.ts';
import { keysOf, listOf, textOf, timeOf, whole } from './store/json.ts';

/** An admitted cohort: its values, the end of its last pane, and `folded` as it was when the cohort was admitted. */
export type AdmissionEntry = readonly [values: string, last: EpochMs, since: EpochMs];

/** One table, for the checkpoint. -Infinity, which JSON writes as null: nothing was folded yet. */
export interface AdmissionState {
  readonly by: readonly string[];
  /** End of the latest pane into which something was added to the rest. */
  readonly folded: EpochMs;
  /** In the order of admission. */
  readonly entries: readonly AdmissionEntry[];
}

/** An entry of the map, its object and its text. */
const ENTRY_BYTES = 200;

/**
 * The bounded table of one unit and grouping set (semantics.md section 2): first come, first admitted, in the order of
 * closing; who comes while it is full is added to the rest; an entry leaves with its last pane.
 */
export class Admission {
  readonly #by: readonly string[];
  readonly #limit: number;
  readonly #entries = new Map<string, { last: EpochMs; readonly since: EpochMs }>();
  #folded: EpochMs = Number.NEGATIVE_INFINITY;

  constructor(by: readonly string[], limit: number, state?: AdmissionState) {
    this.#by = by;
    this.#limit = limit;
    if (state === undefined) return;
    this.#folded = state.folded;
    for (const [values, last, since] of state.entries) this.#entries.set(values, { last, since });
  }

  /** Judges one addition to the pane that ends at `end`: true: by name; false: to the rest. */
  admit(values: string, end: EpochMs): boolean {
    const entry = this.#entries.get(values);
    if (entry !== undefined) {
      if (end > entry.last) entry.last = end;
      return true;
    }
    if (this.#entries.size < this.#limit) {
      this.#entries.set(values, { last: end, since: this.#folded });
      return true;
    }
    if (end > this.#folded) this.#folded = end;
    return false;
  }

  /** The panes that end at or before `end` are gone: answers whether an entry left with them. */
  expire(end: EpochMs): boolean {
    const before = this.#entries.size;
    for (const [values, entry] of this.#entries) if (entry.last <= end) this.#entries.delete(values);
    return this.#entries.size < before;
  }

  /** Bytes in memory, about. */
  get bytes(): number {
    return ENTRY_BYTES * this.#entries.size;
  }

  has(values: string): boolean {
    return this.#entries.has(values);
  }

  state(): AdmissionState {
    return {
      by: this.#by,
      folded: this.#folded,
      entries: [...this.#entries].map(([values, { last, since }]) => [values, last, since] as const),
    };
  }
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

/** Reads what JSON gave for an `AdmissionState`. Throws an Error that names the part that is wrong. */
export function parseAdmission(json: unknown, where: string): AdmissionState {
  const state = keysOf(json, where);
  return {
    by: listOf(state['by'], `${where}.by`, textOf),
    folded: timeOf(state['folded'], `${where}.folded`),
    entries: listOf(state['entries'], `${where}.entries`, (entry, at) => {
      const parts = listOf(entry, at, (part) => part);
      return [textOf(parts[0], `${at}[0]`), whole(parts[1], `${at}[1]`), timeOf(parts[2], `${at}[2]`)] as const;
    }),
  };
}
