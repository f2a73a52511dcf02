/**
 * What a unit has scored since it was claimed, for counters that start with the process. Closings are added to the sums of the
 * next commit (`ScoredDeltas`), which are close together in memory; when the commit is known to be applied, these sums are added
 * to the rows that counters read (`ScoredRows`).
 */
import type { Exact } from '../measures/sums.ts';
import { ExactSums } from './exact.ts';
import type { CellColumns } from './list-sums.ts';
import type { Row } from './row.ts';
import type { FoldTarget, RowPlaces } from './row-table.ts';

/** The changes of rows since the last call, to be applied in this order. */
export interface ScoredChanges {
  /** Fields of the rows that were dropped. */
  readonly dropped: readonly string[];
  /** New, empty rows. The slots of dropped rows are used again. */
  readonly added: readonly (readonly [field: string, slot: number])[];
  /** Slots of the rows that were added to. */
  readonly slots: readonly number[];
  /** The sums to add, by index in `slots`; valid until the next call. */
  readonly sums: ExactSums;
}

/** Stands for the slot of a dropped row. */
const GONE = -1;

/** Approximate bytes of a row in both, besides its sums: an object, two entries of maps, its field. */
const ROW_BYTES = 300;
const LEAST_ROWS = 8;

const NOT_CHANGED = -1;

/** A row that closings are added to until it is dropped. */
class ScoredDelta implements FoldTarget {
  readonly field: string;
  readonly slot: number;
  readonly #deltas: ScoredDeltas;
  /** Index of its sums among those of the next commit. */
  index = NOT_CHANGED;
  isTold = false;
  isDropped = false;

  constructor(deltas: ScoredDeltas, field: string, slot: number) {
    this.#deltas = deltas;
    this.field = field;
    this.slot = slot;
  }

  touch(): void {
    if (this.index === NOT_CHANGED && !this.isDropped) this.index = this.#deltas.open(this);
  }

  addEach(columns: Int32Array, amounts: Float64Array, count: number): void {
    this.touch();
    // Additions to a dropped row are lost.
    if (!this.isDropped) this.#deltas.addEach(this.index, columns, amounts, count);
  }

  addTo(column: number, value: Exact): void {
    this.touch();
    if (!this.isDropped) this.#deltas.addTo(this.index, column, value);
  }
}

export class ScoredDeltas {
  readonly #places: RowPlaces;
  readonly #width: number;
  /** For each place the rows by their values. */
  readonly #rows: readonly Map<string, ScoredDelta>[];
  /** Number of slots ever used, and the slots that are free again. */
  #used = 0;
  readonly #free: number[] = [];
  #dropped: string[] = [];
  /** Rows that were added to since the last call, and their sums by index. */
  #changed: ScoredDelta[] = [];
  #sums: ExactSums;
  /** The sums returned by the last `take`, and their number of rows. Valid until the next call. */
  #taken: ExactSums;
  #takenRows = 0;

  constructor(places: RowPlaces, { width }: CellColumns) {
    this.#places = places;
    this.#width = width;
    this.#rows = Array.from({ length: places.count }, () => new Map());
    this.#sums = new ExactSums(LEAST_ROWS * width);
    this.#taken = new ExactSums(LEAST_ROWS * width);
  }

  /** The row of these values; an empty one if there is none yet. */
  row(place: number, values: string): ScoredDelta {
    const rows = this.#rows[place];
    let row = rows.get(values);
    if (row === undefined) {
      row = new ScoredDelta(this, this.#places.field(place, values), this.#free.pop() ?? this.#used++);
      rows.set(values, row);
    }
    return row;
  }

  /** Returns the index of a row among those that are taken next. */
  open(row: ScoredDelta): number {
    const index = this.#changed.push(row) - 1;
    if ((index + 1) * this.#width > this.#sums.length) this.#sums.grow(2 * this.#sums.length);
    return index;
  }

  addEach(index: number, columns: Int32Array, amounts: Float64Array, count: number): void {
    this.#sums.addEach(index * this.#width, columns, amounts, count);
  }

  addTo(index: number, column: number, value: Exact): void {
    this.#sums.addExact(index * this.#width + column, value);
  }

  /** Drops the rows whose field `keeps` rejects. */
  retain(keeps: (field: string) => boolean): void {
    for (const rows of this.#rows) {
      for (const [values, row] of rows) {
        if (keeps(row.field)) continue;
        rows.delete(values);
        row.isDropped = true;
        this.#free.push(row.slot);
        if (row.isTold) this.#dropped.push(row.field);
      }
    }
  }

  take(): ScoredChanges {
    const added: (readonly [string, number])[] = [];
    const slots: number[] = [];
    for (const row of this.#changed) {
      slots.push(row.isDropped ? GONE : row.slot);
      if (!row.isDropped && !row.isTold) added.push([row.field, row.slot]);
      row.isTold = true;
      row.index = NOT_CHANGED;
    }
    const dropped = this.#dropped;
    const sums = this.#sums;
    this.#sums = this.#taken;
    this.#sums.clear(0, this.#takenRows * this.#width);
    this.#taken = sums;
    this.#takenRows = slots.length;
    this.#changed = [];
    this.#dropped = [];
    return { dropped, added, slots, sums };
  }

  /** Approximate bytes in memory, including those of the `ScoredRows` that follow. */
  get bytes(): number {
    const rows = this.#used - this.#free.length;
    return rows * (ROW_BYTES + 8 * this.#width) + this.#sums.bytes + this.#taken.bytes;
  }
}

/** Rows by field, which change only when changes are applied to them. */
export interface RowsByField {
  readonly size: number;
  fields(): Iterable<string>;
  /** undefined: there is no row with this field. */
  impressionsOf(field: string): number | undefined;
  /** A copy of the row's head and sums. */
  get(field: string): Row | undefined;
}

export class ScoredRows implements RowsByField {
  readonly #columns: CellColumns;
  readonly #slots = new Map<string, number>();
  readonly #sums: ExactSums;

  constructor(columns: CellColumns) {
    this.#columns = columns;
    this.#sums = new ExactSums(LEAST_ROWS * columns.width);
  }

  apply({ dropped, added, slots, sums }: ScoredChanges): void {
    const { width } = this.#columns;
    for (const field of dropped) this.#slots.delete(field);
    for (const [field, slot] of added) {
      this.#slots.set(field, slot);
      if ((slot + 1) * width > this.#sums.length) {
        this.#sums.grow(Math.max((slot + 1) * width, 2 * this.#sums.length));
      }
      this.#sums.clear(slot * width, width);
    }
    for (let i = 0; i < slots.length; i++) {
      if (slots[i] !== GONE) this.#sums.addFrom(sums, i * width, slots[i] * width, width);
    }
  }

  get size(): number {
    return this.#slots.size;
  }

  fields(): Iterable<string> {
    return this.#slots.keys();
  }

  impressionsOf(field: string): number | undefined {
    const slot = this.#slots.get(field);
    return slot === undefined ? undefined : this.#columns.impressionsAt(this.#sums, slot * this.#columns.width);
  }

  get(field: string): Row | undefined {
    const slot = this.#slots.get(field);
    return slot === undefined ? undefined : this.#columns.rowAt(this.#sums, slot * this.#columns.width);
  }
}
