// Long because the panes, totals and tables of a unit change together, at one close time.
import { type Places, slotsUpTo } from '../measures/places.ts';
import type { ShownItems } from '../measures/shown-items.ts';
import { type Closed, type EpochMs, isEmptyList, type Joined } from '../vocabulary/events.ts';
import { BUCKETS } from '../vocabulary/user-words.ts';
import { Adder } from './adder.ts';
import { AdmissionTables } from './admission-tables.ts';
import { Cohorts } from './cohorts.ts';
import type { KeptList, KeptTable } from './kept-lists.ts';
import { CellColumns, ListSums } from './list-sums.ts';
import {
  checkSettings,
  longest,
  type PaneChanges,
  PaneNumbers,
  type PanesSettings,
  type RestoredPanes,
  setsWithItems,
  setsWithPositions,
} from './panes-settings.ts';
import { NAMED, PendingSums, Targets } from './pending-sums.ts';
import type { Row } from './row.ts';
import { rowCodec, rowText, vectorRowCodec } from './row-codec.ts';
import { type RowKind, RowMemory, RowPlaces, RowTable } from './row-table.ts';
import { RowTexts } from './row-texts.ts';
import { RunTotal } from './run-total.ts';
import { type ScoredChanges, ScoredDeltas } from './scored-rows.ts';
import { otherValues, paneKey, SINCE_START, setText, totalKey, vectorKey } from './store/layout.ts';

/** Buckets of the vectors of hour panes. */
export const HOUR_BUCKETS = 64;

/** `list`: the slots, if rows keep counts by rank. */
type ClosedList = Closed & { readonly list?: Joined };

/** What rows count of a scored list besides its sums: its items, and the ranks of its positives. */
export interface CountedParts {
  readonly items?: ShownItems | undefined;
  readonly positives?: Places | undefined;
}

const NONE: CountedParts = {};

/**
 * The live rows of one unit. Every closing is added to the minute pane and the hour pane of its impression's time and to the
 * totals, for its cohort of every grouping set; hour panes of some sets, and totals, also have sums by user bucket. A pane is
 * deleted when event time reaches its end + keep, before anything that closes at that time is added. The result does not depend
 * on how often changes are taken.
 */
export class Panes {
  /** The tags under which cohorts are added. */
  readonly cohorts: Cohorts;
  readonly #settings: PanesSettings;
  readonly #window: number;
  readonly #places: RowPlaces;
  readonly #admission: AdmissionTables;
  readonly #sets: readonly {
    readonly other: string;
    readonly clustered: boolean;
    readonly hasItems: boolean;
    readonly hasPositions: boolean;
  }[];
  readonly #minutes: PaneTables;
  readonly #hours: PaneTables;
  /** The sums by user bucket of hour panes. */
  readonly #vectors: PaneTables;
  /** The panes of `#vectors` that are stored, as far as is known. */
  readonly #listed: PaneNumbers;
  readonly #totals: readonly RowTable[];
  readonly #runs: readonly RunTotal[];
  /** What was added since this object was made, for counters that start with the process. */
  readonly #scored: ScoredDeltas;
  /** The columns of all rows. */
  readonly columns: CellColumns;
  readonly #adder: Adder;
  readonly #pending: readonly PendingSums[];
  /** The sums of the list that was added last, unless they come from a KeptTable. */
  readonly #list: ListSums;
  readonly #memory = new RowMemory();
  /** Grows when an entry leaves an admission table. */
  #epoch = 0;
  #clock: EpochMs;
  /** When the next deletion or review is due. */
  #due: EpochMs = Number.NEGATIVE_INFINITY;
  #deletes: string[] = [];

  constructor(settings: PanesSettings, restored?: RestoredPanes) {
    checkSettings(settings);
    this.#settings = settings;
    this.#window = longest(settings);
    this.#places = new RowPlaces(
      settings.horizons.map(({ text }) => text),
      settings.sets.map(setText),
    );
    const columns = new CellColumns(settings.shape);
    this.columns = columns;
    this.#list = new ListSums(columns);
    this.#adder = new Adder(settings.horizons.length, columns);
    const runSets = settings.runs.map(({ dimension }) => [dimension]);
    this.cohorts = new Cohorts(settings.dimensions, [...settings.sets, ...runSets], this.#adder.tags);
    const clustered = new Set(settings.clustered.map(setText));
    const withItems = setsWithItems(settings);
    const withPositions = setsWithPositions(settings);
    this.#sets = settings.sets.map((by) => ({
      other: otherValues(by),
      clustered: clustered.has(setText(by)),
      hasItems: withItems.has(setText(by)),
      hasPositions: withPositions.has(setText(by)),
    }));
    this.#admission = new AdmissionTables(settings, restored);
    const { owner, paneSize, hour, shape } = settings;
    this.#clock = settings.closedUpTo;
    const hours = new PaneNumbers(hour, settings.keepHours, restored?.state.hours);
    // The others were deleted when event time passed them.
    const vectors = hours.endingAfter(this.#clock - settings.keepVectors).map((n) => [n, n + 1] as const);
    const codec = rowCodec(shape);
    const texts = RowTexts.of(rowText(shape, columns), columns, this.#adder.blocks);
    const rows: RowKind = { places: this.#places, columns, codec, texts, buckets: 0 };
    const vectorRows: RowKind = {
      ...rows,
      codec: vectorRowCodec(shape),
      texts: undefined,
      buckets: HOUR_BUCKETS,
      isVectorOnly: true,
    };
    const totals: RowKind = { ...rows, texts: undefined, buckets: BUCKETS };
    const sinceStart = (name: string) =>
      new RowTable(totalKey(owner, name, SINCE_START), Number.POSITIVE_INFINITY, totals, this.#memory);
    this.#minutes = new PaneTables(
      new PaneNumbers(paneSize, settings.keepMinutes, restored?.state.minutes),
      (n) => new RowTable(paneKey(owner, 'm', n * paneSize), (n + 1) * paneSize, rows, this.#memory),
    );
    this.#hours = new PaneTables(
      hours,
      (n) => new RowTable(paneKey(owner, 'h', n * hour), (n + 1) * hour, rows, this.#memory),
    );
    this.#vectors = new PaneTables(
      new PaneNumbers(hour, settings.keepVectors, vectors),
      (n) => new RowTable(vectorKey(owner, n * hour), (n + 1) * hour, vectorRows, this.#memory),
    );
    const found = (n: number): boolean => (restored?.rows.get(vectorKey(owner, n * hour))?.size ?? 0) > 0;
    const live = hours.endingAfter(this.#clock - this.#window).filter(found);
    this.#listed = new PaneNumbers(
      hour,
      settings.keepVectors,
      restored?.state.vectors ?? live.map((n) => [n, n + 1] as const),
    );
    this.#totals = settings.totals.map(sinceStart);
    this.#runs = settings.runs.map((run) => new RunTotal(run, settings, { columns, codec }, this.#memory));
    this.#scored = new ScoredDeltas(this.#places, columns);
    this.#pending = this.#adder.panes.map((pane) => new PendingSums(columns, this.cohorts, pane));
    if (restored !== undefined) {
      const restore = (table: RowTable): void => restoreTable(table, restored);
      for (const panes of this.#kinds) {
        for (const n of panes.numbers.endingAfter(this.#clock - this.#window)) panes.restore(n, restore);
      }
      for (const total of this.#sinceStart) restore(total);
    }
    this.#setDue();
  }

  /**
   * Adds one scored list. Close times must not decrease from call to call. `positive` and `out`: as `Scorer.score` returns them.
   */
  add(closed: ClosedList, positive: boolean, out: Float64Array, { items, positives }: CountedParts = NONE): void {
    const { list } = closed;
    this.#list.load(positive, out, list !== undefined && isEmptyList(list.length, list.pageOffset));
    const cell = this.#add(closed, this.#list);
    this.#addPositions(cell, closed, positives);
    const { items: shape } = this.#settings.shape;
    if (items !== undefined && shape !== undefined) this.#pending[closed.horizon].addItems(cell, shape, items);
  }

  /** Adds a list whose sums are kept, and of which rows keep no items. */
  addKept(closed: ClosedList, { sums, positives }: KeptList): void {
    this.#addPositions(this.#add(closed, sums), closed, positives);
  }

  /** Returns the cell to which the list was added. */
  #add({ at, ts, horizon, tag, userless, bucket }: Closed, list: ListSums): number {
    if (at >= this.#due) this.#runDue(at);
    if (at > this.#clock) this.#clock = at;
    const pending = this.#pending[horizon];
    if (ts < pending.from || ts >= pending.to) this.#turn(pending, ts);
    let cell = pending.find(tag);
    if (cell < 0 || pending.admittedAt[cell] !== NAMED) cell = this.#admittedCell(pending, horizon, cell, tag, ts);
    pending.add(cell, userless, list, bucket);
    return cell;
  }

  #addPositions(cell: number, { horizon, list }: ClosedList, positives: Places | undefined): void {
    const { ranks } = this.#settings.shape;
    if (ranks === undefined || horizon !== this.#settings.positions?.horizon) return;
    if (list === undefined || positives === undefined || slotsUpTo(list, ranks) === 0) return;
    this.#pending[horizon].addPositions(cell, ranks, list, positives);
  }

  /**
   * Lets the engine add lists of the patterns in this table in place of calls of `addKept` (wasm/engine/adding.ts). Returns the
   * address of the adder. The table must be held as long as this object.
   */
  letEngineAdd({ at }: KeptTable): number {
    this.#adder.begin(at);
    return this.#adder.place;
  }

  /** Ends adding by the engine: all closings go to the host. */
  endEngineAdding(): void {
    this.#adder.setDue(Number.NEGATIVE_INFINITY);
  }

  /** Frees the memory of what was not taken. Nothing may be called after this. */
  close(): void {
    this.#adder.blocks.giveAll();
  }

  /** Deletes what expires by `watermark`. Everything that closes up to it must have been added. */
  advance(watermark: EpochMs): void {
    if (watermark >= this.#due) this.#runDue(watermark);
    if (watermark > this.#clock) this.#clock = watermark;
  }

  /** Returns what changed since the last call, and evicts the rows that can no longer change. */
  takeChanges(): PaneChanges {
    const finalUpTo = this.#clock - this.#window;
    for (const pending of this.#pending) {
      if (pending.to <= finalUpTo) pending.clear();
      else pending.fold();
    }
    const changes: PaneChanges = { rows: new Map(), stored: new Set(), deletes: this.#deletes, removes: new Map() };
    for (const panes of this.#kinds) panes.take(changes, finalUpTo);
    for (const table of this.#sinceStart) takeRows(table, changes);
    this.#deletes = [];
    this.#admission.takeChanges(changes);
    return changes;
  }

  /**
   * The additions since the last call, as of the last `takeChanges`, for `ScoredRows`. A cohort that lost its place starts from
   * zero when it is admitted again.
   */
  takeScored(): ScoredChanges {
    return this.#scored.take();
  }

  /** Copies of the rows of a since-start total, by field, with everything that was added so far. */
  total(name: string): ReadonlyMap<string, Row> {
    for (const pending of this.#pending) pending.fold();
    return this.#totals[this.#settings.totals.indexOf(name)].snapshot();
  }

  /** Copies of the rows of a run, by value of its dimension, with everything that was added so far. */
  runTotal(run: number): ReadonlyMap<string, Row> {
    for (const pending of this.#pending) pending.fold();
    return this.#runs[run].rows();
  }

  /** Number of lists in the totals of the runs, in the order of the settings, as of the last `takeChanges`. */
  get listsOfRuns(): readonly number[] {
    return this.#runs.map(({ lists }) => lists);
  }

  /** Approximate bytes in memory: rows, tags, cells and tables. Sums by bucket and items are counted as of the last `takeChanges`. */
  get bytes(): number {
    let bytes =
      this.cohorts.bytes +
      this.#adder.tags.contexts.bytes +
      this.#admission.bytes +
      this.#memory.bytes +
      this.#scored.bytes;
    for (const pending of this.#pending) bytes += pending.bytes;
    return bytes;
  }

  /** Approximate bytes of the rows that the next `takeChanges` will take. The cost of preparing a commit grows with them. */
  get changedBytes(): number {
    return this.#memory.changed;
  }

  /** Whether an admission table is stored beside the checkpoint, among the changed rows. */
  get hasPlacesBeside(): boolean {
    return this.#admission.hasBeside;
  }

  /** The `PanesState` as JSON. Only entries of the admission tables that changed since the last call are written again. */
  stateText(): string {
    const { numbers: minutes } = this.#minutes;
    const { numbers: hours } = this.#hours;
    const vectors = JSON.stringify(this.#listed);
    const admission = this.#admission.stateTexts().join(',');
    return `{"minutes":${JSON.stringify(minutes)},"hours":${JSON.stringify(hours)},"vectors":${vectors},"admission":[${admission}]}`;
  }

  /** Moves pending sums from their pane to the pane of `ts`. */
  #turn(pending: PendingSums, ts: EpochMs): void {
    pending.clear();
    const { paneSize, hour } = this.#settings;
    const finalUpTo = this.#clock - this.#window;
    const minute = this.#minutes.of(ts, finalUpTo);
    const hourly = this.#hours.of(ts, finalUpTo);
    pending.setTimes(Math.max(minute.end - paneSize, hourly.end - hour), Math.min(minute.end, hourly.end));
    pending.tables = [minute, hourly, ...this.#totals];
    pending.tablesOfItems = this.#settings.items?.inTotals === true ? [minute, ...this.#totals] : [minute];
    pending.tablesOfPositions = this.#settings.positions?.inTotals === true ? [minute, ...this.#totals] : [minute];
    pending.vectors = this.#vectors.of(ts, finalUpTo);
    if (this.#settings.clustered.length > 0) this.#listed.add(this.#listed.of(ts));
    this.#setDue();
  }

  /**
   * The cell of a tag that has none yet (`found` is -1), or of which a cohort counts in the rest. Admits it at this time, and
   * counts it there.
   */
  #admittedCell(pending: PendingSums, horizon: number, found: number, tag: number, ts: EpochMs): number {
    const cell = found < 0 ? pending.open(tag) : found;
    if (found < 0 || pending.admittedAt[cell] !== this.#epoch) this.#admit(pending, horizon, cell, tag, ts);
    if (horizon === 0 && pending.admittedAt[cell] !== NAMED) this.#admission.count(this.cohorts.keys(tag));
    return cell;
  }

  /**
   * Asks the admission tables which rows a cell is added to: when the cell is opened, and after a place became free. Must be
   * called in the order of closing.
   */
  #admit(pending: PendingSums, horizon: number, cell: number, tag: number, ts: EpochMs): void {
    const end = (this.#minutes.numbers.of(ts) + 1) * this.#settings.paneSize;
    const keys = this.cohorts.keys(tag);
    const { tables, tablesOfItems, tablesOfPositions, vectors } = pending;
    const targets = new Targets();
    let admittedAt = NAMED;
    for (let s = 0; s < this.#sets.length; s++) {
      const set = this.#sets[s];
      const named = this.#admission.admit(s, keys[s], end);
      if (!named) admittedAt = this.#epoch;
      const place = this.#places.at(horizon, s);
      const values = named ? keys[s] : set.other;
      const scored = this.#scored.row(place, values);
      targets.rows.push(scored);
      for (let t = 0; t < tables.length; t++) targets.put(tables[t].row(place, values, scored.field));
      if (set.hasItems) for (const table of tablesOfItems) targets.items.push(table.row(place, values));
      if (set.hasPositions) for (const table of tablesOfPositions) targets.positions.push(table.row(place, values));
      if (set.clustered && vectors !== undefined) targets.vectors.push(vectors.row(place, values));
    }
    const leftOut = this.cohorts.leftOut(tag);
    for (let r = 0; r < this.#runs.length; r++) {
      const run = this.#runs[r];
      const takesPart = (leftOut & (1 << r)) === 0 && run.horizon === horizon;
      if (takesPart) targets.put(run.row(keys[this.#sets.length + r]));
    }
    pending.direct(cell, targets, admittedAt);
  }

  /** Does what is due by `at`, in the order of time. A review precedes the deletions of the same time, because it reads the rows of an hour. */
  #runDue(at: EpochMs): void {
    const review = this.#admission.nextReview;
    if (at >= review) {
      this.#deleteUpTo(review - 1);
      this.#pending[0].fold();
      const given = this.#admission.review(at, (hour, set, values) => {
        return this.#hours.table(hour)?.impressionsOf(this.#places.at(0, set), values) ?? 0;
      });
      if (given) {
        this.#forgetLeft();
        for (const pending of this.#pending) pending.expireJudgements();
      }
    }
    this.#deleteUpTo(at);
  }

  #deleteUpTo(at: EpochMs): void {
    const { owner, paneSize, hour } = this.#settings;
    const minutes = this.#minutes.deleteUpTo(at);
    for (const n of minutes) this.#deletes.push(paneKey(owner, 'm', n * paneSize));
    if (minutes.length > 0) {
      const end = (minutes[minutes.length - 1] + 1) * paneSize;
      if (this.#admission.expire(end)) this.#forgetLeft();
    }
    for (const n of this.#hours.deleteUpTo(at)) this.#deletes.push(paneKey(owner, 'h', n * hour));
    for (const n of this.#vectors.deleteUpTo(at)) this.#deletes.push(vectorKey(owner, n * hour));
    this.#listed.deleteUpTo(at);
    this.#setDue();
  }

  /** Forgets the cohorts that lost their entries in the admission tables. */
  #forgetLeft(): void {
    this.#epoch++;
    this.#scored.retain((field) => this.#admission.holds(field));
  }

  #setDue(): void {
    this.#due = Math.min(this.#admission.nextReview, ...this.#kinds.map(({ numbers }) => numbers.nextDeletion));
    this.#adder.setDue(this.#due);
  }

  get #sinceStart(): readonly RowTable[] {
    return [...this.#totals, ...this.#runs.map(({ table }) => table)];
  }

  get #kinds(): readonly PaneTables[] {
    return [this.#minutes, this.#hours, this.#vectors];
  }
}

function restoreTable(table: RowTable, restored: RestoredPanes): void {
  const fields = restored.rows.get(table.key);
  if (fields === undefined) throw new Error(`rows of ${table.key} are missing: read all of liveKeys before restoring`);
  table.restore(fields, restored.held?.get(table.key));
}

function takeRows(table: RowTable, { rows, stored }: PaneChanges): void {
  if (table.changed.length === 0) return;
  if (table.isStored) stored.add(table.key);
  rows.set(table.key, table.take());
  table.isStored = true;
}

/** The panes of one kind, with the rows of those that can still change or have not been taken yet. */
class PaneTables {
  readonly numbers: PaneNumbers;
  readonly #newTable: (n: number) => RowTable;
  /** The tables of rows, by pane number. */
  readonly #tables = new Map<number, RowTable>();

  constructor(numbers: PaneNumbers, newTable: (n: number) => RowTable) {
    this.numbers = numbers;
    this.#newTable = newTable;
  }

  /** Restores the stored rows of a pane. */
  restore(n: number, restore: (table: RowTable) => void): void {
    const table = this.#newTable(n);
    restore(table);
    this.#tables.set(n, table);
  }

  /** The table of the pane of `ts`, created if there is none. Panes that end at or before `finalUpTo` are final. */
  of(ts: EpochMs, finalUpTo: EpochMs): RowTable {
    const n = this.numbers.of(ts);
    const known = this.#tables.get(n);
    if (known !== undefined) return known;
    const table = this.#newTable(n);
    if (table.end <= finalUpTo) {
      throw new Error(`an impression of ${ts} closed out of order: panes up to ${finalUpTo} are final`);
    }
    this.#tables.set(n, table);
    this.numbers.add(n);
    return table;
  }

  /** The table of a pane whose rows are in memory; undefined: they are not, or nothing was added to the pane. */
  table(n: number): RowTable | undefined {
    return this.#tables.get(n);
  }

  /** Puts the rows that changed into `changes`, and evicts those that can no longer change. */
  take(changes: PaneChanges, finalUpTo: EpochMs): void {
    for (const [n, table] of this.#tables) {
      takeRows(table, changes);
      if (table.end <= finalUpTo) this.#drop(n);
    }
  }

  /** Deletes the panes that expire at `at` and returns their numbers, ascending. */
  deleteUpTo(at: EpochMs): readonly number[] {
    const gone = this.numbers.deleteUpTo(at);
    for (const n of gone) this.#drop(n);
    return gone;
  }

  #drop(n: number): void {
    this.#tables.get(n)?.dropped();
    this.#tables.delete(n);
  }
}
