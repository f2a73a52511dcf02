import type { EpochMs } from '../vocabulary/events.ts';
import type { PaneNumbers } from './pane-numbers.ts';
import type { RowCodec } from './row-codec.ts';
import type { RowTable } from './row-table.ts';

/** The panes of one kind, and the rows of those that can still change or were not taken yet. */
export class PaneTables {
  readonly numbers: PaneNumbers;
  readonly #codec: RowCodec;
  readonly #newSheet: (n: number) => RowTable;
  /** By pane number. */
  readonly #tables = new Map<number, RowTable>();

  constructor(numbers: PaneNumbers, codec: RowCodec, newSheet: (n: number) => RowTable) {
    this.numbers = numbers;
    this.#codec = codec;
    this.#newSheet = newSheet;
  }

  /** Takes over the stored rows of a pane. */
  restore(n: number, restore: (table: RowTable, codec: RowCodec) => void): void {
    const table = this.#newSheet(n);
    restore(table, this.#codec);
    this.#tables.set(n, table);
  }

  /** The table of the pane of `ts`, which from now on exists. `settled`: panes that end at or before it are as they are. */
  of(ts: EpochMs, settled: EpochMs): RowTable {
    const n = this.numbers.of(ts);
    const known = this.#tables.get(n);
    if (known !== undefined) return known;
    const table = this.#newSheet(n);
    if (table.end <= settled) {
      throw new Error(`an impression of ${ts} closed out of order: panes up to ${settled} were settled`);
    }
    this.#tables.set(n, table);
    this.numbers.add(n);
    return table;
  }

  /** The table of a pane whose rows are in memory; undefined: they are not, or nothing was added to it. */
  table(n: number): RowTable | undefined {
    return this.#tables.get(n);
  }

  /** Puts the rows that changed into `rows`, and forgets those that can change no more. */
  take(rows: Map<string, Map<string, string>>, settled: EpochMs): void {
    for (const [n, table] of this.#tables) {
      if (table.changed.length > 0) rows.set(table.key, table.take(this.#codec));
      if (table.end <= settled) this.#drop(n);
    }
  }

  /** Deletes what ends at `at` and answers the numbers, ascending. */
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
