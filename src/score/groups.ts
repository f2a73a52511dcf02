import { grownInts, ItemRows, QueryNames } from './item-rows.ts';
import { InputError } from './line-blocks.ts';
import type { Fields } from './line-fields.ts';

/** Receives the lists of a run, each once. `rows` are reused for the next list. */
export type ListSink = (voter: string | undefined, query: string, rows: ItemRows) => void;

/** An error for a list whose lines are not together, so that its file cannot be read list by list. */
export class Ungrouped extends InputError {}

/** Collects lines into lists of one query, and of one voter if the file has voters. */
export class Groups {
  readonly #file: string;
  readonly #gather: boolean;
  readonly #sink: ListSink;
  readonly #queries = new QueryNames();
  readonly #voters = new QueryNames();
  /** Query and voter of the current list. */
  #query = -1;
  #voter = -1;
  /** Number of each list seen so far, by voter and query; a dense array costs a tenth of a map. */
  readonly #begun: (number | undefined)[][] = [];
  readonly #lists: { readonly voter: number; readonly query: number }[] = [];
  #rows = new ItemRows();
  #list = -1;
  #listOf: Int32Array = new Int32Array(0);

  constructor(file: string, gather: boolean, sink: ListSink) {
    this.#file = file;
    this.#gather = gather;
    this.#sink = sink;
  }

  /** The rows to which the next row of this query and voter is added. */
  rowsFor({ bytes, starts, ends }: Fields, query: number, voter: number, line: number): ItemRows {
    const q = this.#queries.numberAt(bytes, starts[query], ends[query]);
    const v = voter < 0 ? 0 : this.#voters.numberAt(bytes, starts[voter], ends[voter]);
    if (q !== this.#query || v !== this.#voter) this.#turnTo(q, v, line);
    if (this.#gather) {
      const at = this.#rows.count;
      if (at === this.#listOf.length) this.#listOf = grownInts(this.#listOf, 2 * at + 1024);
      this.#listOf[at] = this.#list;
    }
    return this.#rows;
  }

  end(): void {
    if (this.#gather) this.#handAll();
    else this.#hand(this.#rows);
  }

  #turnTo(query: number, voter: number, line: number): void {
    if (!this.#gather) this.#hand(this.#rows);
    this.#query = query;
    this.#voter = voter;
    while (this.#begun.length <= voter) this.#begun.push([]);
    const begun = this.#begun[voter];
    const known = begun[query];
    if (known === undefined) {
      this.#list = this.#gather ? this.#lists.push({ voter, query }) - 1 : 0;
      begun[query] = this.#list;
      return;
    }
    if (!this.#gather) {
      const name = this.#queries.names[query];
      const by = this.#voters.names[voter];
      const of = by === undefined ? `query "${name}"` : `voter "${by}" for query "${name}"`;
      throw new Ungrouped(this.#file, line, `the lines of ${of} are not together`);
    }
    this.#list = known;
  }

  #hand(rows: ItemRows): void {
    if (rows.count > 0) this.#sink(this.#voters.names[this.#voter], this.#queries.names[this.#query], rows);
    rows.clear();
  }

  /** Passes on list by list, in the order of their first lines. */
  #handAll(): void {
    const all = this.#rows;
    const firsts = new Int32Array(this.#lists.length + 1);
    for (let i = 0; i < all.count; i++) firsts[this.#listOf[i] + 1]++;
    for (let l = 1; l < firsts.length; l++) firsts[l] += firsts[l - 1];
    const next = firsts.slice();
    const order = new Int32Array(all.count);
    for (let i = 0; i < all.count; i++) order[next[this.#listOf[i]]++] = i;
    const rows = new ItemRows();
    for (const [l, { voter, query }] of this.#lists.entries()) {
      this.#query = query;
      this.#voter = voter;
      for (let at = firsts[l]; at < firsts[l + 1]; at++) {
        const i = order[at];
        rows.add(all.bytes, all.starts[i], all.starts[i + 1], all.scores[i], all.ranks[i], all.lines[i]);
      }
      this.#hand(rows);
    }
  }
}
