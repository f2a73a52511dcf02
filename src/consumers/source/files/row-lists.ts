import type { FileRow } from './format.ts';

export interface ListRows {
  /** The request of a row, passed as JSON; undefined: it has none. */
  keyOf(value: Uint8Array): string | undefined;
  /** All rows of a list are within this many rows, counted from its first. */
  readonly within: number;
}

/** Number of ended requests whose later rows are recognised here. The join handles later rows of older requests. */
const MOST_ENDED = 500_000;

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');

interface List {
  readonly row: number;
  readonly rows: Uint8Array[];
  bytes: number;
  /** Whether earlier rows of this request already formed a list. */
  readonly isAgain: boolean;
}

interface OpenList extends List {
  readonly key: string;
  /** Number of its first row, from 1. */
  readonly begin: number;
  /** The list that began after it. */
  next: OpenList | undefined;
}

/**
 * Makes one record, a JSON list, of the rows of each request, in the order of their first rows. A list ends `within` rows after
 * its first, or with the file, so no more rows than that are in memory. Rows of a request that come later are a record of their
 * own, refused as `split_list`. A row without a request, or one that cannot be read, is a record by itself, for the decoder to
 * refuse.
 */
export class RowLists {
  readonly #settings: ListRows;
  readonly #longest: number;
  readonly #open = new Map<string, OpenList>();
  #first: OpenList | undefined;
  #last: OpenList | undefined;
  readonly #ended = new Set<string>();
  /** One iterator for everything that is forgotten: a new one each time would step over all that was deleted before. */
  readonly #oldest = this.#ended.values();
  #rows = 0;

  /** @param longest bytes of the longest record that can be valid; no more are kept of any record */
  constructor(settings: ListRows, longest: number) {
    this.#settings = settings;
    this.#longest = longest;
  }

  /** Adds a row. Returns the records that are complete now. */
  add(row: FileRow): readonly FileRow[] {
    const complete = this.#endBefore(++this.#rows - this.#settings.within);
    if (row.refused !== undefined) return [...complete, row];
    const key = this.#settings.keyOf(row.value);
    if (key === undefined)
      return [...complete, recordOf({ row: row.row, rows: [row.value], bytes: 0, isAgain: false })];
    let list = this.#open.get(key);
    if (list === undefined) {
      const isAgain = this.#ended.has(key);
      list = { key, row: row.row, rows: [], bytes: 0, isAgain, begin: this.#rows, next: undefined };
      this.#open.set(key, list);
      if (this.#first === undefined) this.#first = list;
      else if (this.#last !== undefined) this.#last.next = list;
      this.#last = list;
    }
    if (list.bytes <= this.#longest) list.rows.push(row.value);
    list.bytes += row.value.length + 1;
    return complete;
  }

  /** Returns the records that the end of the file completes. */
  end(): readonly FileRow[] {
    return this.#endBefore(Number.POSITIVE_INFINITY);
  }

  #endBefore(begin: number): FileRow[] {
    const complete: FileRow[] = [];
    for (let list = this.#first; list !== undefined && list.begin <= begin; list = list.next) {
      this.#first = list.next;
      this.#open.delete(list.key);
      if (this.#ended.size >= MOST_ENDED) this.#ended.delete(this.#oldest.next().value ?? '');
      this.#ended.add(list.key);
      complete.push(recordOf(list));
    }
    return complete;
  }
}

function recordOf({ row, rows, isAgain }: List): FileRow {
  const parts = rows.flatMap((value, i) => (i === 0 ? [value] : [COMMA, value]));
  const value = Buffer.concat([OPEN, ...parts, CLOSE]);
  return isAgain ? { value, row, refused: 'split_list' } : { value, row };
}
