import type { EpochMs } from '../events.ts';
import { Admission } from './admission.ts';
import { Cohorts } from './cohorts.ts';
import { PaneNumbers } from './pane-numbers.ts';
import { checkSettings, longest, type PanesSettings, type PanesState, type RestoredPanes } from './panes-settings.ts';
import type { Row } from './row.ts';
import { type RowCodec, rowCodec } from './row-codec.ts';
import { type LiveRow, Sheet } from './sheet.ts';
import { NAMED, Slice } from './slice.ts';
import {
  otherValues,
  type PaneSize,
  paneKey,
  parseField,
  rowField,
  SINCE_START,
  setText,
  totalKey,
} from './store/layout.ts';

/** What changed since the last call: absolute rows by key and field, and keys to delete before they are set. */
export interface PaneChanges {
  readonly rows: Map<string, Map<string, string>>;
  readonly deletes: string[];
}

/**
 * The live rows of one unit. Every closing is added to the minute pane and the hour pane of its impression's time and to
 * the totals, for its cohort of every grouping set. A pane is deleted when event time reaches its end + keep, before
 * what closes at the same time is added. What comes out does not depend on how often changes are taken.
 */
export class Panes {
  /** The tags under which cohorts are added. */
  readonly cohorts: Cohorts;
  readonly #settings: PanesSettings;
  readonly #window: number;
  readonly #codec: RowCodec;
  readonly #admission: readonly Admission[];
  readonly #sets: readonly { readonly by: string; readonly other: string }[];
  readonly #minutes: PaneNumbers;
  readonly #hours: PaneNumbers;
  /** By pane number; only those that can still change, or were not taken yet. */
  readonly #minuteSheets = new Map<number, Sheet>();
  readonly #hourSheets = new Map<number, Sheet>();
  readonly #totals: readonly Sheet[];
  /** What was added since this object was made: for counters that begin with the process. */
  readonly #scored: Sheet;
  readonly #slices: readonly Slice[];
  /** Grows whenever a place in an admission table became free. */
  #epoch = 0;
  #clock: EpochMs;
  #nextDeletion: EpochMs;
  #deletes: string[] = [];

  constructor(settings: PanesSettings, restored?: RestoredPanes) {
    checkSettings(settings);
    this.#settings = settings;
    this.#window = longest(settings);
    this.#codec = rowCodec(settings.shape);
    this.cohorts = new Cohorts(settings.dimensions, settings.sets);
    this.#sets = settings.sets.map((by) => ({ by: setText(by), other: otherValues(by) }));
    this.#admission = settings.sets.map((by) => {
      const state = restored?.state.admission.find((table) => setText(table.by) === setText(by));
      return new Admission(by, settings.cohortsPerSet, state);
    });
    this.#minutes = new PaneNumbers(settings.paneSize, settings.keepMinutes, restored?.state.minutes);
    this.#hours = new PaneNumbers(settings.hour, settings.keepHours, restored?.state.hours);
    this.#totals = settings.totals.map((name) => this.#restored(totalKey(settings.owner, name, SINCE_START), restored));
    this.#scored = new Sheet('', Number.POSITIVE_INFINITY, settings.shape);
    this.#slices = settings.horizons.map(() => new Slice(settings.shape, this.cohorts));
    this.#clock = settings.settledUpTo;
    const settled = this.#clock - this.#window;
    for (const n of this.#minutes.endingAfter(settled)) {
      this.#minuteSheets.set(n, this.#restored(this.#paneKey('m', n), restored, (n + 1) * settings.paneSize));
    }
    for (const n of this.#hours.endingAfter(settled)) {
      this.#hourSheets.set(n, this.#restored(this.#paneKey('h', n), restored, (n + 1) * settings.hour));
    }
    this.#nextDeletion = Math.min(this.#minutes.nextDeletion, this.#hours.nextDeletion);
  }

  /**
   * Adds one scored list that closed at `at`; times ascend from call to call. `ts`: time of the impression; `horizon`:
   * index; `out`: as in `Scorer.score`.
   */
  add(
    at: EpochMs,
    ts: EpochMs,
    horizon: number,
    tag: number,
    userless: boolean,
    positive: boolean,
    out: Float64Array,
  ): void {
    if (at >= this.#nextDeletion) this.#deleteUpTo(at);
    if (at > this.#clock) this.#clock = at;
    const slice = this.#slices[horizon];
    if (ts < slice.from || ts >= slice.to) this.#turn(slice, ts);
    let cell = slice.find(tag);
    if (cell < 0) {
      cell = slice.open(tag);
      this.#judge(slice, horizon, cell, tag, ts);
    } else if (slice.judgedAt[cell] !== NAMED && slice.judgedAt[cell] !== this.#epoch) {
      this.#judge(slice, horizon, cell, tag, ts);
    }
    slice.add(cell, userless, positive, out);
  }

  /** Everything up to `watermark` has been added: deletes what ends there. */
  advance(watermark: EpochMs): void {
    if (watermark >= this.#nextDeletion) this.#deleteUpTo(watermark);
    if (watermark > this.#clock) this.#clock = watermark;
  }

  /** Takes what changed since the last call, and forgets the rows that can change no more. */
  takeChanges(): PaneChanges {
    const settled = this.#clock - this.#window;
    for (const slice of this.#slices) {
      if (slice.to <= settled) slice.clear();
      else slice.fold();
    }
    const rows = new Map<string, Map<string, string>>();
    for (const sheets of [this.#minuteSheets, this.#hourSheets]) {
      for (const [n, sheet] of sheets) {
        if (sheet.changed.length > 0) rows.set(sheet.key, sheet.take(this.#codec));
        if (sheet.end <= settled) sheets.delete(n);
      }
    }
    for (const sheet of this.#totals) if (sheet.changed.length > 0) rows.set(sheet.key, sheet.take(this.#codec));
    const deletes = this.#deletes;
    this.#deletes = [];
    return { rows, deletes };
  }

  /**
   * Everything added since this object was made, by field, as of the last `takeChanges`. A cohort that lost its place
   * begins anew when it comes back.
   */
  scored(): ReadonlyMap<string, Row> {
    return this.#scored.copies();
  }

  /** What the checkpoint keeps beside the rows. */
  state(): PanesState {
    return {
      minutes: this.#minutes.toJSON(),
      hours: this.#hours.toJSON(),
      admission: this.#admission.map((table) => table.state()),
    };
  }

  /** Moves a slice, which goes on at the pane of `ts`. */
  #turn(slice: Slice, ts: EpochMs): void {
    slice.clear();
    const { paneSize, hour } = this.#settings;
    const minute = this.#sheet('m', this.#minutes, this.#minuteSheets, ts);
    const hourly = this.#sheet('h', this.#hours, this.#hourSheets, ts);
    slice.from = Math.max(minute.end - paneSize, hourly.end - hour);
    slice.to = Math.min(minute.end, hourly.end);
    slice.sheets = [minute, hourly, ...this.#totals, this.#scored];
  }

  /** The sheet of a pane, which from now on exists. */
  #sheet(size: PaneSize, numbers: PaneNumbers, sheets: Map<number, Sheet>, ts: EpochMs): Sheet {
    const n = numbers.of(ts);
    let sheet = sheets.get(n);
    if (sheet !== undefined) return sheet;
    const end = (n + 1) * numbers.size;
    if (end + this.#window <= this.#clock) {
      throw new Error(`an impression of ${ts} closed out of order: event time had reached ${this.#clock}`);
    }
    sheet = new Sheet(this.#paneKey(size, n), end, this.#settings.shape);
    sheets.set(n, sheet);
    numbers.add(n);
    this.#nextDeletion = Math.min(this.#nextDeletion, numbers.nextDeletion);
    return sheet;
  }

  /** Asks the admission tables where a cell goes, in the order of closing: when it begins and after a place became free. */
  #judge(slice: Slice, horizon: number, cell: number, tag: number, ts: EpochMs): void {
    const end = (this.#minutes.of(ts) + 1) * this.#settings.paneSize;
    const text = this.#settings.horizons[horizon].text;
    const keys = this.cohorts.keys(tag);
    const rows: LiveRow[] = [];
    let judgedAt = NAMED;
    for (let s = 0; s < keys.length; s++) {
      const named = this.#admission[s].admit(keys[s], end);
      if (!named) judgedAt = this.#epoch;
      const field = rowField(text, this.#sets[s].by, named ? keys[s] : this.#sets[s].other);
      for (const sheet of slice.sheets) rows.push(sheet.row(field));
    }
    slice.direct(cell, rows, judgedAt);
  }

  #deleteUpTo(at: EpochMs): void {
    const { paneSize } = this.#settings;
    const minutes = this.#minutes.deleteUpTo(at);
    for (const n of minutes) this.#deletes.push(this.#paneKey('m', n));
    for (const n of minutes) this.#minuteSheets.delete(n);
    if (minutes.length > 0) {
      const end = (minutes[minutes.length - 1] + 1) * paneSize;
      let freed = false;
      for (const table of this.#admission) freed = table.expire(end) || freed;
      if (freed) {
        this.#epoch++;
        this.#scored.retain((field) => this.#isKept(field));
      }
    }
    for (const n of this.#hours.deleteUpTo(at)) {
      this.#deletes.push(this.#paneKey('h', n));
      this.#hourSheets.delete(n);
    }
    this.#nextDeletion = Math.min(this.#minutes.nextDeletion, this.#hours.nextDeletion);
  }

  /** Whether the cohort of a field still has its place. */
  #isKept(field: string): boolean {
    const name = parseField(field);
    const set = this.#sets.findIndex(({ by }) => by === name?.by);
    return name !== undefined && (name.values === this.#sets[set].other || this.#admission[set].has(name.values));
  }

  #paneKey(size: PaneSize, n: number): string {
    return paneKey(this.#settings.owner, size, n * (size === 'm' ? this.#settings.paneSize : this.#settings.hour));
  }

  #restored(key: string, restored: RestoredPanes | undefined, end: EpochMs = Number.POSITIVE_INFINITY): Sheet {
    const sheet = new Sheet(key, end, this.#settings.shape);
    if (restored === undefined) return sheet;
    const fields = restored.rows.get(key);
    if (fields === undefined) throw new Error(`rows of ${key} are missing: read all of liveKeys before restoring`);
    sheet.restore(fields, this.#codec);
    return sheet;
  }
}
