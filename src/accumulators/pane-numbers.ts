import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { Ranges } from '../vocabulary/ranges.ts';

/** Which panes of one size exist. Pane n is [n * size, (n + 1) * size); it is deleted `keep` after its end. */
export class PaneNumbers {
  readonly size: DurationMs;
  readonly #keep: DurationMs;
  readonly #numbers: Ranges;

  constructor(size: DurationMs, keep: DurationMs, numbers: Iterable<readonly [number, number]> = []) {
    this.size = size;
    this.#keep = keep;
    this.#numbers = new Ranges(numbers);
  }

  of(ts: EpochMs): number {
    return Math.floor(ts / this.size);
  }

  add(n: number): void {
    this.#numbers.add(n, n + 1);
  }

  /** When the oldest pane is to be deleted; Infinity: there is none. */
  get nextDeletion(): EpochMs {
    const least = this.#numbers.least;
    return least === undefined ? Number.POSITIVE_INFINITY : (least + 1) * this.size + this.#keep;
  }

  /** Removes the panes with end + keep <= at, and answers their numbers, ascending. */
  deleteUpTo(at: EpochMs): readonly number[] {
    const bound = this.of(at - this.#keep);
    const gone = this.#numbersIn(Number.NEGATIVE_INFINITY, bound);
    this.#numbers.cutBelow(bound);
    return gone;
  }

  /** The panes that end after `end`, ascending. */
  endingAfter(end: EpochMs): readonly number[] {
    return this.#numbersIn(this.of(end), Number.POSITIVE_INFINITY);
  }

  toJSON(): [number, number][] {
    return this.#numbers.toJSON();
  }

  #numbersIn(low: number, high: number): readonly number[] {
    const found: number[] = [];
    for (const [from, to] of this.#numbers.toJSON()) {
      for (let n = Math.max(from, low); n < Math.min(to, high); n++) found.push(n);
    }
    return found;
  }
}
