import type { Exact } from '../measures/sums.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { addExact } from './exact.ts';
import { ItemSums, type ItemsShape } from './item-sums.ts';
import { addDeltas, copyRow, emptyRow, type Row, type RowShape } from './row.ts';
import type { RowCodec } from './row-codec.ts';
import type { Fields } from './store/store-port.ts';
import { Vector, vectorOffsets } from './vector.ts';

/** Bytes of a row besides its sums: its objects, its entry in the table's map and the head of its field's text. */
export const ROW_BYTES = 300;

/** Approximate bytes of the rows of all tables that share this object. Sums by bucket and items are counted as of the last `take`. */
export class RowMemory {
  bytes = 0;
  /** Of those that changed since they were taken. */
  changed = 0;
}

/** What changed in a table since it was told last. */
export interface RowChanges {
  /** Copies by field, which nobody changes any more. They are set after `dropped` is removed. */
  readonly changed: ReadonlyMap<string, Row>;
  /** Fields. */
  readonly dropped: readonly string[];
}

/** A row in memory that notifies its table when it changes. */
export class LiveRow {
  /** Present in a table whose rows have vectors. Call `touch` before adding to it. */
  readonly vector: Vector | undefined;
  readonly #table: RowTable;
  readonly #field: string;
  readonly #row: Row;
  #changed = false;
  #bytes = 0;

  constructor(table: RowTable, field: string, row: Row) {
    this.#table = table;
    this.#field = field;
    this.#row = row;
    this.vector = row.vector;
    this.#count();
  }

  get bytes(): number {
    return this.#bytes;
  }

  #count(): void {
    const { sums, items } = this.#row;
    const bytes =
      ROW_BYTES +
      this.#field.length +
      8 * sums.length +
      (this.vector?.bytes ?? 0) +
      (items === undefined ? 0 : items.bytes);
    this.#table.grew(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  /** Adds a head of safe integers, which starts at `deltas[from]`. */
  add(deltas: Float64Array, from: number): void {
    addDeltas(this.#row, deltas, from);
    this.touch();
  }

  /** Its item sums, created at the first call. Call `touch` before adding to them. */
  itemsOf(shape: ItemsShape): ItemSums {
    this.#row.items ??= new ItemSums(shape);
    return this.#row.items;
  }

  /** Adds to one sum. */
  addTo(sum: number, value: Exact): void {
    this.#row.sums[sum] = addExact(this.#row.sums[sum], value);
    this.touch();
  }

  /** The row as text; it counts as unchanged from now on. */
  take(codec: RowCodec): readonly [field: string, text: string] {
    this.#changed = false;
    this.#count();
    return [this.#field, codec.encode(this.#row)];
  }

  get impressions(): number {
    return this.#row.impressions;
  }

  copy(): Row {
    return copyRow(this.#row);
  }

  /** A copy of the row; it counts as unchanged from now on. */
  copied(): readonly [field: string, copy: Row] {
    this.#changed = false;
    return [this.#field, this.copy()];
  }

  /** Must be called before the row changes. */
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
  readonly #shape: RowShape;
  /** Buckets of the vector of each row; 0: rows have none. */
  readonly #buckets: number;
  readonly #rows = new Map<string, LiveRow>();
  #dropped: string[] = [];
  readonly #memory: RowMemory;
  #bytes = 0;
  #changedBytes = 0;

  constructor(key: string, end: EpochMs, shape: RowShape, buckets = 0, memory = new RowMemory()) {
    this.#memory = memory;
    this.key = key;
    this.end = end;
    this.#shape = shape;
    this.#buckets = buckets;
  }

  /** The row of this field; an empty one if there is none yet. */
  row(field: string): LiveRow {
    let row = this.#rows.get(field);
    if (row === undefined) {
      row = new LiveRow(this, field, this.#withVector(emptyRow(this.#shape)));
      this.#rows.set(field, row);
    }
    return row;
  }

  /** Impressions that were folded into the row of this field; 0: there is no row. */
  impressionsOf(field: string): number {
    return this.#rows.get(field)?.impressions ?? 0;
  }

  /** Restores stored rows. */
  restore(fields: Fields, codec: RowCodec): void {
    for (const [field, text] of fields) {
      this.#rows.set(field, new LiveRow(this, field, this.#withVector(codec.decode(text))));
    }
  }

  /** The rows that changed since the last call, as text. */
  take(codec: RowCodec): Map<string, string> {
    this.#allTaken();
    return new Map(this.changed.splice(0).map((row) => row.take(codec)));
  }

  /** In place of `take`: copies of the rows that changed since the last call, and which are gone. */
  takeCopies(): RowChanges {
    this.#allTaken();
    const changed = new Map<string, Row>();
    for (const row of this.changed.splice(0)) {
      const [field, copy] = row.copied();
      // A row that was dropped does not come back when somebody still adds to it.
      if (this.#rows.get(field) === row) changed.set(field, copy);
    }
    const dropped = this.#dropped;
    this.#dropped = [];
    return { changed, dropped };
  }

  /** The same for a table that is stored: changed rows remain to be taken. */
  snapshot(): Map<string, Row> {
    return new Map([...this.#rows].map(([field, row]) => [field, row.copy()] as const));
  }

  #withVector(row: Row): Row {
    if (this.#buckets === 0) row.vector = undefined;
    else row.vector ??= emptyVector(this.#shape, this.#buckets);
    return row;
  }

  /** Drops the rows whose field is not to be kept. */
  retain(keeps: (field: string) => boolean): void {
    for (const [field, row] of this.#rows) {
      if (keeps(field)) continue;
      this.#rows.delete(field);
      this.#dropped.push(field);
      this.grew(-row.bytes);
    }
  }

  /** A row takes `bytes` more. */
  grew(bytes: number): void {
    this.#bytes += bytes;
    this.#memory.bytes += bytes;
  }

  /** A row changes for the first time since it was taken. */
  touched(row: LiveRow): void {
    this.changed.push(row);
    this.#changedBytes += row.bytes;
    this.#memory.changed += row.bytes;
  }

  #allTaken(): void {
    this.#memory.changed -= this.#changedBytes;
    this.#changedBytes = 0;
  }

  /** The table is no longer used. */
  dropped(): void {
    this.#allTaken();
    this.#memory.bytes -= this.#bytes;
    this.#bytes = 0;
  }
}

function emptyVector({ kinds }: RowShape, buckets: number): Vector {
  const offsets = vectorOffsets(kinds);
  return new Vector(buckets, offsets[offsets.length - 1]);
}
