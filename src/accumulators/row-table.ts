import type { Exact } from '../measures/sums.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { ExactSums } from './exact.ts';
import { ItemSums, type ItemsShape } from './item-sums.ts';
import type { CellColumns } from './list-sums.ts';
import { PositionSums } from './position-sums.ts';
import type { Row, RowParts } from './row.ts';
import type { Held, RowCodec } from './row-codec.ts';
import { RowTexts } from './row-texts.ts';
import { damagedRow } from './store/json.ts';
import { parseField, rowField } from './store/layout.ts';
import type { Fields } from './store/store-port.ts';
import { Vector } from './vector.ts';

/** Bytes of a row besides its sums: its object, its entry in the table's map and the head of its field's text. */
export const ROW_BYTES = 220;

/** Rows whose sums share one array: few at first, then as many as the table already has. */
const LEAST_ROWS = 4;
const MOST_ROWS = 512;

/** Approximate bytes of the rows of all tables that share this object. Sums by bucket and items are counted as of the last `take`. */
export class RowMemory {
  bytes = 0;
  /** Bytes of the rows that have changed since they were taken. */
  changed = 0;
}

/** The parts of the rows of a table. */
export interface RowKind {
  readonly places: RowPlaces;
  readonly columns: CellColumns;
  readonly codec: RowCodec;
  /** Writes rows that have only sums, with the same text as the codec; undefined: the codec writes all rows. */
  readonly texts?: RowTexts | undefined;
  /** Buckets of the vector of each row; 0: rows have none. */
  readonly buckets: number;
  readonly isVectorOnly?: boolean;
}

/** A row that cells are folded into. */
export interface FoldTarget {
  /** Must be called before an addition. */
  touch(): void;
  /** Adds the first `count` amounts, each to its column. */
  addEach(columns: Int32Array, amounts: Float64Array, count: number): void;
  /** Adds to one column. */
  addTo(column: number, value: Exact): void;
}

/** A row in memory that notifies its table when it changes. */
export class LiveRow implements FoldTarget, RowParts {
  readonly field: string;
  /** Present in a table whose rows have vectors. Call `touch` before adding to it. */
  readonly vector: Vector | undefined;
  items: ItemSums | undefined;
  positions: PositionSums | undefined;
  readonly #table: RowTable;
  /** Its sums start at `sums[at]`. */
  readonly #sums: ExactSums;
  readonly #at: number;
  #changed = false;
  #bytes = 0;

  constructor(table: RowTable, field: string, sums: ExactSums, at: number, { vector, items, positions }: RowParts) {
    this.field = field;
    this.vector = vector;
    this.items = items;
    this.positions = positions;
    this.#table = table;
    this.#sums = sums;
    this.#at = at;
    this.#count();
  }

  /** Approximate bytes, with those of its sums. */
  get bytes(): number {
    return this.#bytes + 8 * this.#table.width;
  }

  #count(): void {
    const { items, positions } = this;
    const bytes =
      ROW_BYTES +
      this.field.length +
      (this.vector?.bytes ?? 0) +
      (items === undefined ? 0 : items.bytes) +
      (positions === undefined ? 0 : positions.bytes);
    this.#table.grew(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  addEach(columns: Int32Array, amounts: Float64Array, count: number): void {
    this.#sums.addEach(this.#at, columns, amounts, count);
  }

  addTo(column: number, value: Exact): void {
    this.#sums.addExact(this.#at + column, value);
  }

  /** Its item sums, created at the first call. Call `touch` before adding to them. */
  itemsOf(shape: ItemsShape): ItemSums {
    this.items ??= new ItemSums(shape);
    return this.items;
  }

  /** Its counts by rank, created at the first call. Call `touch` before adding to them. */
  positionsOf(ranks: number): PositionSums {
    this.positions ??= new PositionSums(ranks);
    return this.positions;
  }

  /** Must be called when the row was taken: it counts as unchanged from now on. */
  taken(): void {
    this.#changed = false;
    if (!this.#hasOnlySums) this.#count();
  }

  text(codec: RowCodec): string {
    return codec.encodeAt(this, this.#sums, this.#at);
  }

  /** Adds its text to those that are written next, if it has only sums. */
  addTextTo(texts: RowTexts): void {
    texts.add(this.#hasOnlySums ? this.#sums : undefined, this.#at);
  }

  get #hasOnlySums(): boolean {
    return this.vector === undefined && this.items === undefined && this.positions === undefined;
  }

  /** Impressions that were folded into it. */
  impressions(columns: CellColumns): number {
    return columns.impressionsAt(this.#sums, this.#at);
  }

  copy(columns: CellColumns): Row {
    return {
      ...columns.rowAt(this.#sums, this.#at),
      vector: this.vector?.copy(),
      items: this.items?.copy(),
      positions: this.positions?.copy(),
    };
  }

  touch(): void {
    if (this.#changed) return;
    this.#changed = true;
    this.#table.touched(this);
  }
}

/** The rows of one key that are in memory: those of a pane, or of a total. */
export class RowTable {
  readonly key: string;
  /** End of the pane; Infinity: a total. */
  readonly end: EpochMs;
  /** Rows that changed since the last `take`. */
  readonly changed: LiveRow[] = [];
  /** Whether the store has rows of this table once the taken ones are committed. */
  isStored = false;
  /** Columns of a row. */
  readonly width: number;
  readonly #kind: RowKind;
  /** For each place the rows by their values. */
  readonly #rows: readonly Map<string, LiveRow>[];
  /** The sums of the rows that are created next, from `#at` on. */
  #sums: ExactSums;
  #at = 0;
  #made = 0;
  readonly #memory: RowMemory;
  #bytes = 0;
  #changedBytes = 0;

  constructor(key: string, end: EpochMs, kind: RowKind, memory = new RowMemory()) {
    this.#memory = memory;
    this.key = key;
    this.end = end;
    this.#kind = kind;
    this.#rows = Array.from({ length: kind.places.count }, () => new Map());
    this.width = kind.isVectorOnly === true ? 0 : kind.columns.width;
    this.#sums = this.#newSums();
  }

  /** The row of these values; an empty one if there is none yet. `field`: its field, if the caller knows it. */
  row(place: number, values: string, field?: string): LiveRow {
    const rows = this.#rows[place];
    let row = rows.get(values);
    if (row === undefined) {
      row = this.#newRow(field ?? this.#kind.places.field(place, values));
      rows.set(values, row);
    }
    return row;
  }

  /** Impressions that were folded into a row; 0: there is no row. */
  impressionsOf(place: number, values: string): number {
    return this.#rows[place].get(values)?.impressions(this.#kind.columns) ?? 0;
  }

  /** Impressions that were folded into all rows. */
  get impressions(): number {
    let sum = 0;
    for (const rows of this.#rows) for (const row of rows.values()) sum += row.impressions(this.#kind.columns);
    return sum;
  }

  /** Restores stored rows. Throws a CheckpointError that names a damaged row. @param held as in `RowCodec` */
  restore(fields: Fields, held?: Held): void {
    this.isStored = fields.size > 0;
    for (const [field, text] of fields) {
      const { place, values } = this.#kind.places.of(field);
      this.#rows[place].set(values, this.#newRow(field, this.#decoded(field, text, held)));
    }
  }

  #decoded(field: string, text: string, held: Held | undefined): Row {
    try {
      return this.#kind.codec.decode(text, held);
    } catch (error) {
      throw damagedRow(this.key, field, error);
    }
  }

  /** The rows that changed since the last call, as text. */
  take(): Map<string, string> {
    this.#allTaken();
    const { codec, texts } = this.#kind;
    const { changed } = this;
    const taken = new Map<string, string>();
    for (let from = 0; from < changed.length; from += RowTexts.most) {
      const rows = changed.slice(from, from + RowTexts.most);
      if (texts !== undefined) for (const row of rows) row.addTextTo(texts);
      const written = texts?.take();
      for (const [i, row] of rows.entries()) {
        row.taken();
        taken.set(row.field, written?.[i] ?? row.text(codec));
      }
    }
    changed.length = 0;
    return taken;
  }

  /** Copies of all rows, by field. Changed rows still count as not taken. */
  snapshot(): Map<string, Row> {
    const copies = new Map<string, Row>();
    for (const rows of this.#rows) {
      for (const row of rows.values()) copies.set(row.field, row.copy(this.#kind.columns));
    }
    return copies;
  }

  /** Must be called when a row takes `bytes` more. */
  grew(bytes: number): void {
    this.#bytes += bytes;
    this.#memory.bytes += bytes;
  }

  /** Must be called when a row changes for the first time since it was taken. */
  touched(row: LiveRow): void {
    this.changed.push(row);
    this.#changedBytes += row.bytes;
    this.#memory.changed += row.bytes;
  }

  /** Must be called when the table is no longer used. */
  dropped(): void {
    this.#allTaken();
    this.#memory.bytes -= this.#bytes;
    this.#bytes = 0;
  }

  #newRow(field: string, stored?: Row): LiveRow {
    const { columns, buckets } = this.#kind;
    if (this.#at + this.width > this.#sums.length) this.#sums = this.#newSums();
    const at = this.#at;
    this.#at += this.width;
    this.#made++;
    if (stored !== undefined && this.width > 0) columns.put(stored, this.#sums, at);
    const vector = buckets === 0 ? undefined : (stored?.vector ?? new Vector(buckets, columns.ofVector));
    const parts = { vector, items: stored?.items, positions: stored?.positions };
    return new LiveRow(this, field, this.#sums, at, parts);
  }

  #newSums(): ExactSums {
    const sums = new ExactSums(Math.min(MOST_ROWS, Math.max(LEAST_ROWS, this.#made)) * this.width);
    this.#at = 0;
    this.grew(sums.bytes);
    return sums;
  }

  #allTaken(): void {
    this.#memory.changed -= this.#changedBytes;
    this.#changedBytes = 0;
  }
}

/**
 * Numbers the pairs of horizon and grouping set, so that a row is found by this number, its place, and its cohort's values: the
 * text of its field is made only once.
 */
export class RowPlaces {
  readonly #horizons: readonly string[];
  readonly #sets: readonly string[];

  /** @param sets grouping sets, each as its names joined by ',' */
  constructor(horizons: readonly string[], sets: readonly string[]) {
    this.#horizons = horizons;
    this.#sets = sets;
  }

  /** Number of places. The last is for fields that belong to no pair of a horizon and a set. */
  get count(): number {
    return this.#horizons.length * this.#sets.length + 1;
  }

  /** The place of a pair, by indices of the horizon and the set. */
  at(horizon: number, set: number): number {
    return horizon * this.#sets.length + set;
  }

  field(place: number, values: string): string {
    const horizon = Math.floor(place / this.#sets.length);
    return rowField(this.#horizons[horizon], this.#sets[place - horizon * this.#sets.length], values);
  }

  /** The place of a row with this field, and its values. A field of no pair has its whole text as values. */
  of(field: string): { readonly place: number; readonly values: string } {
    const name = parseField(field);
    const horizon = name === undefined ? -1 : this.#horizons.indexOf(name.horizon);
    const set = name === undefined ? -1 : this.#sets.indexOf(name.by);
    if (name === undefined || horizon < 0 || set < 0) return { place: this.count - 1, values: field };
    return { place: this.at(horizon, set), values: name.values };
  }
}
