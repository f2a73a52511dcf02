import type { ListSink } from './groups.ts';
import type { ItemRows } from './item-rows.ts';
import { InputError } from './line-blocks.ts';
import { Ordering, type OrderRule } from './order.ts';
import type { RunColumns } from './run-format.ts';
import type { RunReading } from './run-reader.ts';

/** How lists are read if they are not scored at once. */
export interface ListOrder {
  readonly orderOf: (columns: RunColumns) => OrderRule;
  /** A repeated item is an error, or counts at its first place. */
  readonly repeats: 'error' | 'first';
  /** Only the first items of a list; Infinity: all. */
  readonly depth: number;
}

/** One list in its order. It is valid until the next one. */
export interface OrderedList {
  /** undefined: the file has none. */
  readonly voter: string | undefined;
  readonly query: string;
  readonly length: number;
  /** The id at a place from 0. */
  idAt(place: number): string;
  /** Of the places; undefined: the file has no scores. */
  scores(): Float64Array | undefined;
}

/** Passes on the lists of a file, one after the other, each in the order of the rule. */
export class OrderedLists implements RunReading {
  readonly lists: ListSink = (voter, query, rows) => this.#hand(voter, query, rows);
  readonly #file: string;
  readonly #reading: ListOrder;
  readonly #sink: (list: OrderedList) => void;
  readonly #ordering = new Ordering();
  #rule: OrderRule = { by: 'file' };
  #hasScores = false;

  constructor(file: string, reading: ListOrder, sink: (list: OrderedList) => void) {
    this.#file = file;
    this.#reading = reading;
    this.#sink = sink;
  }

  begin(columns: RunColumns): boolean {
    this.#rule = this.#reading.orderOf(columns);
    this.#hasScores = columns.score >= 0;
    return this.#rule.by === 'rank';
  }

  #hand(voter: string | undefined, query: string, rows: ItemRows): void {
    const { repeats, depth } = this.#reading;
    if (repeats === 'error') this.#mustNotRepeat(query, rows);
    this.#ordering.sort(rows, this.#rule);
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

  /** @throws InputError */
  #mustNotRepeat(query: string, rows: ItemRows): void {
    const repeated = rows.index();
    if (repeated < 0) return;
    const { hashes, bytes, starts, lines } = rows;
    const other = rows.find(hashes[repeated], bytes, starts[repeated], starts[repeated + 1]);
    const what = `item "${rows.idOf(repeated)}" of query "${query}" is on line ${lines[other]} already`;
    throw new InputError(this.#file, lines[repeated], `${what}; a list holds an item once`);
  }
}
