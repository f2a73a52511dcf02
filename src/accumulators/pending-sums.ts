/**
 * The sums that one horizon adds while its closings stay in one pane, kept apart from the rows: one cell of plain doubles for
 * each tag, folded into the rows of the cell from time to time. A horizon closes impressions in the order of their time, so one
 * of these per horizon is enough, and an addition touches one cell, not a row for each (grouping set, minute, hour, total). Only
 * the first list after a commit, which changes the rows anyway, is added to them at once. A cell takes whole numbers of at most
 * 2^40 and at most 4,096 additions between two foldings, so doubles add them exactly; larger numbers are added to the rows at
 * once. Measured (Node 20, 7 measures, 3 sets, one total): 0.1 us per addition to an existing cell, and 13 us for the plain
 * version of the tests, which adds each list to all of its rows.
 *
 * Cells are in the engine's memory, and the engine adds most lists itself (wasm/engine/adding.ts): to cells whose rows have
 * changed since the last commit and keep neither items nor counts by rank. The engine defers sums by user bucket, too; the host
 * does not, because a list changes only those of its sums that are not 0.
 */

import type { EngineBlocks } from '../consumers/engine/engine-blocks.ts';
import { CELL, MOST_LISTS, MOST_VECTORS, PENDING_BUCKETS } from '../consumers/engine/engine-layout.ts';
import type { Places } from '../measures/places.ts';
import type { ShownItems } from '../measures/shown-items.ts';
import type { EpochMs, Joined } from '../vocabulary/events.ts';
import type { AdderPane } from './adder.ts';
import type { Cohorts } from './cohorts.ts';
import type { ItemsShape } from './item-sums.ts';
import type { CellColumns, LargeSum, ListSums } from './list-sums.ts';
import type { FoldTarget, LiveRow, RowTable } from './row-table.ts';
import { LISTS, POSITIVES, type Vector } from './vector.ts';

/**
 * The engine adds to a cell from its second list on. If it must defer the sums by bucket of more rows for that, it begins this
 * many lists later within one folding: deferring does not pay for fewer, and rows with few additions should leave room for
 * others.
 */
const LISTS_BEFORE_BUCKETS = 3;

/** Most rows whose sums by bucket the engine defers at the same time. */
const MOST_BUCKETED_ROWS = 16;

/** Cells that share one block of memory. */
const CELLS_PER_BLOCK = 16;

/** Bytes of a cell besides its sums: four lists of rows, and its entries in five arrays. */
const CELL_BYTES = 300;

/** In `admittedAt`: all cohorts of the cell are added by name, so it need not be admitted again. */
export const NAMED = -1;
/** In `admittedAt`, below every epoch: the cell must be admitted again, even if all of its cohorts were named. */
const STALE = -2;

/** The rows that a cell is added to: all of them, and those whose vectors, items or counts by rank take part. */
export class Targets {
  readonly rows: FoldTarget[] = [];
  readonly vectors: LiveRow[] = [];
  readonly items: LiveRow[] = [];
  readonly positions: LiveRow[] = [];

  /** Adds a row; its vector takes part if it has one. */
  put(row: LiveRow): void {
    this.rows.push(row);
    if (row.vector !== undefined) this.vectors.push(row);
  }
}

/**
 * What the engine has added by user bucket for one row, until it is folded into the row's vector. An earlier list must have
 * touched the row.
 */
class PendingBuckets {
  /** Address in the engine's memory. */
  readonly place: number;
  readonly bytes: number;
  readonly #blocks: EngineBlocks;
  readonly #vector: Vector;

  constructor(blocks: EngineBlocks, vector: Vector) {
    const { buckets, width } = vector;
    this.#blocks = blocks;
    this.#vector = vector;
    this.bytes = PENDING_BUCKETS.BYTES + 8 * buckets * width + 2 * buckets;
    this.place = blocks.take(this.bytes);
    blocks.engine.words[(this.place >>> 2) + PENDING_BUCKETS.buckets] = buckets;
  }

  fold(): void {
    const { words, doubles, buffer } = this.#blocks.engine;
    const count = (this.place >>> 2) + PENDING_BUCKETS.changed;
    const changed = words[count];
    if (changed === 0) return;
    const { buckets, width } = this.#vector;
    const sums = (this.place + PENDING_BUCKETS.BYTES) >>> 3;
    const list = new Uint16Array(buffer, 8 * (sums + buckets * width), changed);
    for (const bucket of list) {
      const at = sums + bucket * width;
      this.#vector.addAll(bucket, doubles, at);
      doubles.fill(0, at, at + width);
    }
    words[count] = 0;
  }

  /** Frees the memory; sums that were not folded are lost. */
  close(): void {
    this.#blocks.give(this.place);
  }
}

export class PendingSums {
  /** The tables that hold the rows. */
  tables: readonly RowTable[] = [];
  /** The tables whose rows keep items. */
  tablesOfItems: readonly RowTable[] = [];
  /** The tables whose rows keep counts by rank. */
  tablesOfPositions: readonly RowTable[] = [];
  /** The table of the vectors that are stored apart from their rows; undefined: there is none. */
  vectors: RowTable | undefined;
  /** For each cell NAMED, or the epoch of the admission tables in which one of its cohorts was added to the rest. */
  readonly admittedAt: number[] = [];
  readonly #cohorts: Cohorts;
  readonly #columns: CellColumns;
  readonly #pane: AdderPane;
  readonly #blocks: EngineBlocks;
  #from: EpochMs = Number.POSITIVE_INFINITY;
  #to: EpochMs = Number.NEGATIVE_INFINITY;
  /** Cells that got their first list since they were settled; some may be listed twice. */
  readonly #dirty: number[] = [];
  /** For each tag the index of its cell plus 1; 0: it has none. */
  #cells = new Int32Array(64);
  readonly #tags: number[] = [];
  /** For each cell the rows that it is folded into. */
  readonly #targets: Targets[] = [];
  /** For each cell, open or not, the index of its first sum in `#sums`. */
  readonly #bases: number[] = [];
  /** The memory of the engine. */
  readonly #sums: Float64Array;
  /** For each row whose sums by bucket the engine defers: these sums. */
  readonly #buckets = new Map<LiveRow, PendingBuckets>();
  #bucketBytes = 0;
  readonly #cellBytes: number;

  /** The nonzero sums of the cell that is being folded: found once, then added to each of its rows. */
  readonly #changes: { readonly columns: Int32Array; readonly amounts: Float64Array };

  constructor(columns: CellColumns, cohorts: Cohorts, pane: AdderPane) {
    this.#cohorts = cohorts;
    this.#changes = { columns: new Int32Array(columns.width), amounts: new Float64Array(columns.width) };
    this.#columns = columns;
    this.#cellBytes = CELL.BYTES + 8 * columns.width;
    this.#pane = pane;
    this.#blocks = pane.blocks;
    this.#sums = pane.blocks.engine.doubles;
  }

  /** Event times [from, to) of the pane that these sums belong to; empty at first. */
  get from(): EpochMs {
    return this.#from;
  }

  get to(): EpochMs {
    return this.#to;
  }

  setTimes(from: EpochMs, to: EpochMs): void {
    this.#from = from;
    this.#to = to;
    this.#pane.setTimes(from, to);
  }

  /** Approximate bytes in memory, including the engine's. */
  get bytes(): number {
    const ofCells = CELL_BYTES * this.#tags.length + this.#bases.length * this.#cellBytes + this.#bucketBytes;
    return ofCells + this.#cells.byteLength + this.#pane.cells.bytes;
  }

  /** The cell of a tag; -1: it has none. */
  find(tag: number): number {
    return tag < this.#cells.length ? this.#cells[tag] - 1 : -1;
  }

  /** Opens an empty cell. It holds the tag until it is closed. */
  open(tag: number): number {
    const cell = this.#tags.length;
    if (tag >= this.#cells.length) {
      const grown = new Int32Array(Math.max(tag + 1, 2 * this.#cells.length));
      grown.set(this.#cells);
      this.#cells = grown;
    }
    if (cell === this.#bases.length) this.#makeCells();
    this.#cells[tag] = cell + 1;
    this.#tags.push(tag);
    this.#cohorts.ref(tag);
    return cell;
  }

  #makeCells(): void {
    const first = this.#blocks.take(CELLS_PER_BLOCK * this.#cellBytes);
    for (let c = 0; c < CELLS_PER_BLOCK; c++) this.#bases.push((first + c * this.#cellBytes + CELL.BYTES) >>> 3);
  }

  /** Sets the rows that a cell is folded into from now on. Its sums are folded into its former rows first. */
  direct(cell: number, targets: Targets, admittedAt: number): void {
    this.#settle(cell);
    this.#pane.cells.set(this.#tags[cell], 0);
    this.#targets[cell] = targets;
    this.admittedAt[cell] = admittedAt;
    this.#giveToEngine(cell, false);
  }

  /** Adds one scored list to a cell. `bucket`: that of its user, of 256. */
  add(cell: number, userless: boolean, list: ListSums, bucket: number): void {
    const { columns, amounts, count } = list;
    const { vectors } = this.#targets[cell];
    const head = this.#headOf(cell);
    const { words } = this.#blocks.engine;
    const isFirst = words[head + CELL.isTouched] === 0;
    if (isFirst) {
      words[head + CELL.isTouched] = 1;
      this.#dirty.push(cell);
      this.#addToRows(cell, userless, list);
    } else {
      this.#addToCell(cell, userless, list);
    }
    for (let v = 0; v < vectors.length; v++) {
      vectors[v].touch();
      vectors[v].vector?.add(bucket, list.isPositive, columns, amounts, count);
    }
    if (list.large.length > 0) this.#addLarge(cell, list.large, bucket);
    if (isFirst) return;
    const lists = this.#sums[this.#bases[cell] + LISTS];
    if (lists === LISTS_BEFORE_BUCKETS) this.#giveToEngine(cell, true);
    if (lists >= MOST_LISTS) this.#foldCell(cell);
  }

  /** The first list changes the rows anyway, so it is added to them at once: with many cohorts it is often the only one. */
  #addToRows(cell: number, userless: boolean, list: ListSums): void {
    const { columns, amounts } = this.#changes;
    const { count: shared, ownCount } = list;
    columns[0] = LISTS;
    amounts[0] = 1;
    let count = 1;
    if (list.isPositive) {
      columns[count] = POSITIVES;
      amounts[count++] = 1;
    }
    if (userless) {
      columns[count] = this.#columns.userless;
      amounts[count++] = 1;
    }
    for (let i = 0; i < shared; i++) {
      columns[count] = list.columns[i];
      amounts[count++] = list.amounts[i];
    }
    for (let i = 0; i < ownCount; i++) {
      columns[count] = list.ownColumns[i];
      amounts[count++] = list.ownAmounts[i];
    }
    const { rows } = this.#targets[cell];
    for (let t = 0; t < rows.length; t++) {
      rows[t].touch();
      rows[t].addEach(columns, amounts, count);
    }
  }

  #addToCell(cell: number, userless: boolean, list: ListSums): void {
    const sums = this.#sums;
    const base = this.#bases[cell];
    sums[base + LISTS]++;
    if (list.isPositive) sums[base + POSITIVES]++;
    if (userless) sums[base + this.#columns.userless]++;
    const { count, columns, amounts, ownCount, ownColumns, ownAmounts } = list;
    for (let i = 0; i < count; i++) sums[base + columns[i]] += amounts[i];
    for (let i = 0; i < ownCount; i++) sums[base + ownColumns[i]] += ownAmounts[i];
  }

  #addLarge(cell: number, large: readonly LargeSum[], bucket: number): void {
    const { rows, vectors } = this.#targets[cell];
    for (const { column, value } of large) {
      for (const row of rows) row.addTo(column, value);
      if (column < this.#columns.ofVector) for (const row of vectors) row.vector?.addTo(bucket, column, value);
    }
  }

  /** Lets the engine add to a cell, if it can. `defers`: also if the engine must begin to defer sums by bucket for that. */
  #giveToEngine(cell: number, defers: boolean): void {
    const { vectors, items, positions } = this.#targets[cell];
    if (!this.#pane.isUsed || this.admittedAt[cell] !== NAMED || items.length > 0 || positions.length > 0) return;
    const missing = vectors.filter((row) => !this.#buckets.has(row)).length;
    if (missing > 0 && !defers) return;
    if (vectors.length > MOST_VECTORS || this.#buckets.size + missing > MOST_BUCKETED_ROWS) return;
    const places = vectors.map((row) => this.#bucketsOf(row).place);
    const head = this.#headOf(cell);
    const { words } = this.#blocks.engine;
    words[head + CELL.vectors] = places.length;
    words.set(places, head + CELL.first);
    this.#pane.cells.set(this.#tags[cell], 4 * head);
  }

  #bucketsOf(row: LiveRow): PendingBuckets {
    const known = this.#buckets.get(row);
    if (known !== undefined) return known;
    if (row.vector === undefined) throw new Error(`the row ${row.field} has no sums by bucket`);
    const made = new PendingBuckets(this.#blocks, row.vector);
    this.#buckets.set(row, made);
    this.#bucketBytes += made.bytes;
    return made;
  }

  /** Adds the items of the list that was added to the cell last. */
  addItems(cell: number, shape: ItemsShape, shown: ShownItems): void {
    for (const row of this.#targets[cell].items) {
      row.touch();
      row.itemsOf(shape).add(shown);
    }
  }

  /** Adds the ranks of the slots and positives of the last list, which must have a slot of rank <= `ranks`. */
  addPositions(cell: number, ranks: number, list: Joined, positives: Places): void {
    for (const row of this.#targets[cell].positions) {
      row.touch();
      row.positionsOf(ranks).add(list, positives);
    }
  }

  /** Must be called when a cohort lost its place: every cell is admitted again before the next addition. */
  expireJudgements(): void {
    this.admittedAt.fill(STALE);
    for (const tag of this.#tags) this.#pane.cells.set(tag, 0);
  }

  /** Folds all cells into their rows. */
  fold(): void {
    for (const cell of this.#dirty) this.#settle(cell);
    this.#dirty.length = 0;
    for (const buckets of this.#buckets.values()) buckets.fold();
  }

  /** Folds all cells and closes them. */
  clear(): void {
    this.fold();
    for (const tag of this.#tags) {
      this.#cells[tag] = 0;
      this.#pane.cells.set(tag, 0);
      this.#cohorts.unref(tag);
    }
    for (const buckets of this.#buckets.values()) buckets.close();
    this.#buckets.clear();
    this.#bucketBytes = 0;
    this.#tags.length = 0;
    this.#targets.length = 0;
    this.admittedAt.length = 0;
    this.setTimes(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
    this.tables = [];
    this.tablesOfItems = [];
    this.tablesOfPositions = [];
    this.vectors = undefined;
  }

  /** Folds a cell. The next list that is added to it counts as the first one. */
  #settle(cell: number): void {
    this.#foldCell(cell);
    this.#blocks.engine.words[this.#headOf(cell) + CELL.isTouched] = 0;
  }

  /** Index of a cell's head in the engine's words. */
  #headOf(cell: number): number {
    return 2 * this.#bases[cell] - CELL.BYTES / 4;
  }

  #foldCell(cell: number): void {
    const sums = this.#sums;
    const base = this.#bases[cell];
    if (sums[base + LISTS] === 0) return;
    const { columns, amounts } = this.#changes;
    let count = 0;
    for (let c = 0; c < columns.length; c++) {
      const amount = sums[base + c];
      if (amount === 0) continue;
      columns[count] = c;
      amounts[count++] = amount;
      sums[base + c] = 0;
    }
    const { rows } = this.#targets[cell];
    for (let t = 0; t < rows.length; t++) rows[t].addEach(columns, amounts, count);
  }
}
