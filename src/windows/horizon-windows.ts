import type { Horizon } from '../accumulators/panes-settings.ts';
import { PART } from '../accumulators/store/fingerprint-difference.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { Ranges } from '../vocabulary/ranges.ts';
import { RunningWindows } from './running-windows.ts';
import { partsLacking, type UnitState, type UnitStates, wholeFrom } from './unit-state.ts';
import { type CohortRow, cohortRows, cutOf, type Rows } from './windows.ts';

interface HorizonWindowsSettings {
  readonly paneSize: DurationMs;
  /** Lengths of the windows; each is a multiple of the pane size. */
  readonly windows: readonly Horizon[];
  readonly sets: readonly (readonly string[])[];
  readonly unitTimeout: DurationMs;
  /** A span before the cut whose panes can be read one by one, a multiple of the pane size; 0: none. */
  readonly watched: DurationMs;
}

/** One window, ready to be shown. */
interface HorizonWindow {
  readonly complete: boolean;
  /** Parts that some of its panes lack, such as `measure mrr`. The window has these only for its newest lists. */
  readonly lacks: readonly string[];
  /**
   * The watermark of all units at which the window becomes complete, as far as is known; undefined: a unit is missing, or lacks
   * something.
   */
  readonly completeAt: EpochMs | undefined;
  readonly rows: readonly CohortRow[];
}

/** Numbers of panes: [from, to). */
export interface PaneRange {
  readonly from: number;
  readonly to: number;
}

/** All windows of one horizon over all units, which move as the units advance. */
export class HorizonWindows {
  readonly horizon: Horizon;
  readonly #settings: HorizonWindowsSettings;
  /** Lengths in panes. */
  readonly #lengths: readonly number[];
  readonly #longest: number;
  /** The longest window or the watched span, in panes. */
  readonly #kept: number;
  readonly #sums: RunningWindows;
  /** The panes of each unit whose final rows are in `sums`. */
  readonly #read: readonly Ranges[];
  /** Number of the pane before which all windows end; -Infinity: there are no windows. */
  #end = Number.NEGATIVE_INFINITY;
  /** Identifies the input of `#shown`. */
  #made = '';
  #shown: readonly HorizonWindow[] = [];

  constructor(horizon: Horizon, units: number, settings: HorizonWindowsSettings) {
    this.horizon = horizon;
    this.#settings = settings;
    this.#lengths = settings.windows.map(({ ms }) => Math.round(ms / settings.paneSize));
    this.#longest = Math.max(0, ...this.#lengths);
    const watched = Math.round(settings.watched / settings.paneSize);
    this.#kept = Math.max(this.#longest, watched);
    // The watched span is one more window; its rows show which cohorts occur in it.
    this.#sums = new RunningWindows(watched === 0 ? this.#lengths : [...this.#lengths, watched], this.#lengths.length);
    this.#read = Array.from({ length: units }, () => new Ranges());
  }

  /** Panes of a unit that the windows need at the cut of `units`, that are final in the unit and have not been added. */
  missing(units: UnitStates, u: number): readonly PaneRange[] {
    return gaps(this.#read[u], this.#needed(this.#endOf(units), units[u]));
  }

  /** Adds the rows of a missing pane, and takes ownership of them. */
  add(pane: number, rows: Rows): void {
    this.#sums.add(pane, rows);
  }

  /** Records that all missing panes of a unit have been added, or never existed. */
  note(units: UnitStates, u: number): void {
    const { from, to } = this.#needed(this.#endOf(units), units[u]);
    this.#read[u].add(from, to);
  }

  /**
   * Moves the windows so that they end at the cut, and evicts what no later cut can need: as long as no unit goes back, a cut goes back
   * by at most `unitTimeout`. No pane may be missing. Yields after each pane; the windows may be used when it is done.
   */
  *moving(units: UnitStates): Generator<undefined, void> {
    const { paneSize, unitTimeout } = this.#settings;
    this.#end = this.#endOf(units);
    if (!Number.isFinite(this.#end)) return;
    yield* this.#sums.moving(this.#end);
    const bound = this.#end - this.#kept - Math.ceil(unitTimeout / paneSize) - 1;
    this.#sums.forget(bound);
    for (const ranges of this.#read) ranges.cutBelow(bound);
  }

  /** The windows in the order of the settings; the same object as long as nothing changed. */
  show(units: UnitStates): readonly HorizonWindow[] {
    const { paneSize, sets } = this.#settings;
    const lacks = this.#lengths.map((length) => partsLacking(units, (this.#end - length) * paneSize));
    const from = this.#settings.windows.map(({ text }) => wholeFrom(units, [PART.window(text)]));
    const complete = this.#lengths.map((length, w) => this.#isComplete(units, this.#end - length, from[w]));
    const admitted = units.map((unit) => unit?.admitted ?? '');
    const made = JSON.stringify([this.#end, this.#sums.version, complete, lacks, from.map(String), admitted]);
    if (made === this.#made) return this.#shown;
    const tables = units.map((unit) => unit?.admission);
    this.#made = made;
    this.#shown = this.#lengths.map((length, w) => ({
      complete: complete[w],
      lacks: lacks[w],
      completeAt: Number.isFinite(from[w])
        ? (Math.ceil(from[w] / paneSize) + length) * paneSize + this.horizon.ms
        : undefined,
      rows: cohortRows(this.#sums.rows(w), sets, tables, (this.#end - length) * paneSize),
    }));
    return this.#shown;
  }

  /** The time from the start of the longest window to the common end of all; undefined: there are no windows. */
  get span(): { readonly start: EpochMs; readonly end: EpochMs } | undefined {
    const { paneSize } = this.#settings;
    if (!Number.isFinite(this.#end)) return undefined;
    return { start: (this.#end - this.#longest) * paneSize, end: this.#end * paneSize };
  }

  /** Numbers of the panes before the cut that can be read one by one; undefined: there are none. */
  get reach(): PaneRange | undefined {
    return Number.isFinite(this.#end) ? { from: this.#end - this.#kept, to: this.#end } : undefined;
  }

  /** Fields of all rows in the watched span. */
  *watchedFields(): Iterable<string> {
    if (this.#settings.watched === 0) return;
    for (const [field] of this.#sums.rows(this.#lengths.length)) yield field;
  }

  /** Rows of all units in one pane before the cut, by field; undefined: none. Must not be changed. */
  pane(pane: number): Rows | undefined {
    return this.#sums.pane(pane);
  }

  /** End of the newest pane before the cut in which any unit has a result; undefined: none. */
  newest(units: UnitStates): EpochMs | undefined {
    let newest = Number.NEGATIVE_INFINITY;
    for (const unit of units) {
      for (const [from, to] of unit?.panes ?? [])
        if (from < this.#end) newest = Math.max(newest, Math.min(to, this.#end));
    }
    return Number.isFinite(newest) ? newest * this.#settings.paneSize : undefined;
  }

  #endOf(units: UnitStates): number {
    const { paneSize, unitTimeout } = this.#settings;
    return Math.floor(cutOf(units.map(watermarked), this.horizon, unitTimeout) / paneSize);
  }

  #needed(end: number, unit: UnitState | undefined): PaneRange {
    const from = end - this.#kept;
    const to = Math.floor((watermarked(unit).watermark - this.horizon.ms) / this.#settings.paneSize);
    return Number.isFinite(from) && from < to ? { from, to } : { from: 0, to: 0 };
  }

  #isComplete(units: UnitStates, start: number, from: EpochMs): boolean {
    const { paneSize } = this.#settings;
    const end = this.#end * paneSize;
    return (
      Number.isFinite(end) &&
      from <= start * paneSize &&
      units.every((unit) => watermarked(unit).watermark - this.horizon.ms >= end)
    );
  }
}

/** A unit that does not exist yet has no watermark: windows do not wait for it, but none is complete without it. */
function watermarked(unit: UnitState | undefined): { readonly watermark: EpochMs } {
  return unit ?? { watermark: Number.NEGATIVE_INFINITY };
}

/** The parts of a range that are not in the set. */
function gaps(set: Ranges, { from, to }: PaneRange): readonly PaneRange[] {
  const found: PaneRange[] = [];
  let next = from;
  for (const [first, end] of set.toJSON()) {
    if (first > next) found.push({ from: next, to: Math.min(first, to) });
    next = Math.max(next, end);
  }
  found.push({ from: next, to });
  return found.filter((gap) => gap.from < gap.to);
}
