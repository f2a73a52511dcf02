import type { ListSink } from './groups.ts';
import type { ItemRows } from './item-rows.ts';
import { Ordering, type OrderRule } from './order.ts';
import { repeatedItem } from './remedies.ts';
import { BestRows, type Repeats } from './repeats.ts';
import type { RunColumns, RunLayout } from './run-format.ts';
import type { RunReading } from './run-reader.ts';

/** How lists are read if they are not scored at once. */
export interface ListOrder {
  readonly orderOf: (columns: RunColumns) => OrderRule;
  readonly repeats: Repeats;
  /** Number of first items of a list that are read; Infinity: all. */
  readonly depth: number;
}

/** One list in its order, valid until the next one. */
export interface OrderedList {
  /** undefined if the file has none. */
  readonly voter: string | undefined;
  readonly query: string;
  readonly length: number;
  /** The id at a place, from 0. */
  idAt(place: number): string;
  /** Scores by place; undefined: the file has none. */
  scores(): Float64Array | undefined;
}

/** Passes on the lists of a file, one after the other, each in the order of the rule. */
export class OrderedLists implements RunReading {
  readonly lists: ListSink = (voter, query, rows) => this.#hand(voter, query, rows);
  readonly #file: string;
  readonly #reading: ListOrder;
  readonly #sink: (list: OrderedList) => void;
  readonly #ordering = new Ordering();
  readonly #best = new BestRows();
  #rule: OrderRule = { by: 'file' };
  #hasScores = false;

  constructor(file: string, reading: ListOrder, sink: (list: OrderedList) => void) {
    this.#file = file;
    this.#reading = reading;
    this.#sink = sink;
  }

  begin({ columns }: RunLayout): boolean {
    this.#rule = this.#reading.orderOf(columns);
    this.#hasScores = columns.score >= 0;
    return this.#rule.by === 'rank';
  }

  #hand(voter: string | undefined, query: string, given: ItemRows): void {
    const { repeats, depth } = this.#reading;
    const repeated = repeats === 'first' ? -1 : given.index();
    if (repeated >= 0 && repeats === 'refuse') throw repeatedItem(this.#file, query, given, repeated);
    const isBest = repeated >= 0;
    if (!isBest) this.#ordering.sort(given, this.#rule);
    const rows = isBest ? this.#best.of(given, this.#ordering, this.#rule) : given;
    const { order } = this.#ordering;
    const length = Math.min(rows.count, depth);
    this.#sink({
      voter,
      query,
      length,
      idAt: (place) => rows.idOf(order[place]),
      scores: () =>
        this.#hasScores ? Float64Array.from({ length }, (_, place) => rows.scores[order[place]]) : undefined,
    });
  }
}
