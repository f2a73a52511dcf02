import { Groups, type ListSink } from './groups.ts';
import type { ItemRows } from './item-rows.ts';
import { type BlockReader, InputError, ifComment } from './line-blocks.ts';
import { Fields, numberAt, type Splitter, splitterOf } from './line-fields.ts';
import { Ordering, type OrderRule } from './order.ts';
import { repeatedItem } from './remedies.ts';
import { BestRows, type Repeats } from './repeats.ts';
import { columnsText, type RunColumns, type RunLayout, TREC_RUN, wrongCount } from './run-format.ts';

export interface RunReading {
  /** Called before the first row. Returns whether ranks are needed; otherwise the column may contain anything. */
  begin(layout: RunLayout): boolean;
  readonly lists: ListSink;
}

/**
 * Reads a run line by line into lists. Lists are passed on as they end, so that only one is in memory; `gather` keeps all
 * lines, for a file in which the lines of a query are not together.
 */
export class RunReader implements BlockReader {
  /** Tag of the first line; undefined: the file has none. */
  tag: string | undefined;
  /** Number of lines with a row. */
  rows = 0;
  readonly #file: string;
  readonly #split: Splitter;
  readonly #fields = new Fields();
  readonly #groups: Groups;
  readonly #columns: RunColumns;
  readonly #needsRank: boolean;
  /** Whether the next row names the columns. */
  #isHeader: boolean;
  #line = 0;

  constructor(file: string, layout: RunLayout, gather: boolean, reading: RunReading) {
    const { separator, columns, hasHeader } = layout;
    this.#file = file;
    // A run of TREC with tabs is read as one with blanks.
    this.#split = splitterOf(separator, separator !== '\t' || columns !== TREC_RUN);
    this.#columns = columns;
    this.#isHeader = hasHeader;
    this.#groups = new Groups(file, gather, reading.lists);
    this.#needsRank = reading.begin(layout);
  }

  /** @throws InputError, Ungrouped */
  block(bytes: Uint8Array, from: number, to: number): void {
    const fields = this.#fields;
    const split = this.#split;
    let at = from;
    while (at < to) {
      this.#line++;
      at = split(fields, bytes, at);
      if (fields.count === 0) continue;
      if (this.#isHeader) this.#isHeader = false;
      else this.#take(fields);
    }
  }

  end(): void {
    if (this.rows === 0) throw new InputError(this.#file, undefined, 'there is no list in it');
    this.#groups.end();
  }

  #take(fields: Fields): void {
    const columns = this.#columns;
    const wrong = wrongCount(fields, columns);
    if (wrong !== undefined) throw this.#error(wrong);
    const { bytes, starts, ends } = fields;
    if (columns === TREC_RUN && fields.count >= 2 * columns.count && isRowBehindTag(fields)) {
      throw this.#error(
        `${columnsText(fields.count)}, and text behind the tag that is a row: put it on a line of its own`,
      );
    }
    const { query, item, score, rank, voter } = columns;
    const value = score < 0 ? 0 : numberAt(bytes, starts[score], ends[score]);
    const place = rank < 0 || !this.#needsRank ? 0 : numberAt(bytes, starts[rank], ends[rank]);
    if (Number.isNaN(value) || Number.isNaN(place)) {
      const [name, column] = Number.isNaN(value) ? ['score', score] : ['rank', rank];
      throw this.#error(`the ${name} "${fields.text(column)}" is not a number; expected ${columns.names}`);
    }
    if (starts[item] === ends[item] || starts[query] === ends[query]) {
      const lacking = starts[query] === ends[query] ? 'query' : 'item';
      throw this.#error(`no ${lacking}; expected ${columns.names}`);
    }
    if (this.rows++ === 0 && columns.tag >= 0) this.tag = fields.text(columns.tag);
    this.#groups
      .rowsFor(fields, query, voter, this.#line)
      .add(bytes, starts[item], ends[item], value, place, this.#line);
  }

  #error(what: string): InputError {
    return new InputError(this.#file, this.#line, `${what}${ifComment(this.#fields.text(0))}`);
  }
}

/** Whether text behind the tag, which is ignored, begins with a row. Its line end was lost or is a carriage return. */
function isRowBehindTag({ bytes, starts, ends }: Fields): boolean {
  const isNumber = (column: number): boolean => {
    const at = TREC_RUN.count + column;
    return !Number.isNaN(numberAt(bytes, starts[at], ends[at]));
  };
  return isNumber(TREC_RUN.rank) && isNumber(TREC_RUN.score);
}

/** Where the name of a run may come from. */
interface NameSources {
  /** The name given by the user for a file. */
  readonly given: string | undefined;
  /** The voter or the tag. */
  readonly own: string | undefined;
  /** The name of the file. */
  readonly file: string;
  /** Whether the file has several runs. */
  readonly isOneOfMany: boolean;
}

/**
 * Unique names of runs: the given one (followed by the voter if the file has several), else the run's own, else the file's. Runs of
 * different files with equal names get the names of their files, then numbers.
 */
export function runNames(sources: readonly NameSources[]): readonly string[] {
  const first = sources.map(({ given, own, file, isOneOfMany }) => {
    if (given === undefined) return own ?? file;
    return isOneOfMany && own !== undefined ? `${given}/${own}` : given;
  });
  const files = first.map((name, i) => {
    const { given, file, isOneOfMany, own } = sources[i];
    if (given !== undefined || isUnique(first, name)) return name;
    return isOneOfMany && own !== undefined ? `${file}/${own}` : file;
  });
  return files.map((name, i) =>
    isUnique(files, name) ? name : `${name} (${files.slice(0, i + 1).filter((other) => other === name).length})`,
  );
}

function isUnique(names: readonly string[], name: string): boolean {
  return names.indexOf(name) === names.lastIndexOf(name);
}

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
