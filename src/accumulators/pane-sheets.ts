import type { EpochMs } from '../vocabulary/events.ts';
import type { PaneNumbers } from './pane-numbers.ts';
import type { RowCodec } from './row-codec.ts';
import type { Sheet } from './sheet.ts';

/** The panes of one kind, and the rows of those that can still change or were not taken yet. */
export class PaneSheets {
  readonly numbers: PaneNumbers;
  readonly #codec: RowCodec;
  readonly #newSheet: (n: number) => Sheet;
  /** By pane number. */
  readonly #sheets = new Map<number, Sheet>();

  constructor(numbers: PaneNumbers, codec: RowCodec, newSheet: (n: number) => Sheet) {
    this.numbers = numbers;
    this.#codec = codec;
    this.#newSheet = newSheet;
  }

  /** Takes over the stored rows of a pane. */
  restore(n: number, restore: (sheet: Sheet, codec: RowCodec) => void): void {
    const sheet = this.#newSheet(n);
    restore(sheet, this.#codec);
    this.#sheets.set(n, sheet);
  }

  /** The sheet of the pane of `ts`, which from now on exists. `settled`: panes that end at or before it are as they are. */
  of(ts: EpochMs, settled: EpochMs): Sheet {
    const n = this.numbers.of(ts);
    const known = this.#sheets.get(n);
    if (known !== undefined) return known;
    const sheet = this.#newSheet(n);
    if (sheet.end <= settled) {
      throw new Error(`an impression of ${ts} closed out of order: panes up to ${settled} were settled`);
    }
    this.#sheets.set(n, sheet);
    this.numbers.add(n);
    return sheet;
  }

  /** The sheet of a pane whose rows are in memory; undefined: they are not, or nothing was added to it. */
  sheet(n: number): Sheet | undefined {
    return this.#sheets.get(n);
  }

  /** Puts the rows that changed into `rows`, and forgets those that can change no more. */
  take(rows: Map<string, Map<string, string>>, settled: EpochMs): void {
    for (const [n, sheet] of this.#sheets) {
      if (sheet.changed.length > 0) rows.set(sheet.key, sheet.take(this.#codec));
      if (sheet.end <= settled) this.#drop(n);
    }
  }

  /** Deletes what ends at `at` and answers the numbers, ascending. */
  deleteUpTo(at: EpochMs): readonly number[] {
    const gone = this.numbers.deleteUpTo(at);
    for (const n of gone) this.#drop(n);
    return gone;
  }

  #drop(n: number): void {
    this.#sheets.get(n)?.dropped();
    this.#sheets.delete(n);
  }
}
