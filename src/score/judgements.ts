import { grownInts, ItemRows, QueryNames } from './item-rows.ts';
import { InputError } from './line-blocks.ts';

/**
 * What is known to be relevant: for each query its judged items and their grades (qrels), in about 45 bytes plus the id per judgement. A
 * grade below 0 means that the item was not judged (trec_eval): it is left out, but its query is known.
 */
export class Judgements {
  readonly queries = new QueryNames();
  /** Judged items; after `end`, those of one query are together. `scores` are the grades. */
  rows = new ItemRows();
  #queryOf: Int32Array = new Int32Array(1024);
  #firsts: Int32Array = new Int32Array(1);

  /** @param bytes the item's id is [from, to) */
  add(query: number, bytes: Uint8Array, from: number, to: number, grade: number, line: number): void {
    if (grade < 0) return;
    const i = this.rows.count;
    if (i === this.#queryOf.length) this.#queryOf = grownInts(this.#queryOf, 2 * i);
    this.#queryOf[i] = query;
    this.rows.add(bytes, from, to, grade, 0, line);
  }

  /** @throws InputError for an item that is judged twice for a query */
  end(file: string): void {
    const { rows } = this;
    const firsts = new Int32Array(this.queries.names.length + 1);
    let isGrouped = true;
    for (let i = 0; i < rows.count; i++) {
      firsts[this.#queryOf[i] + 1]++;
      isGrouped &&= i === 0 || this.#queryOf[i] >= this.#queryOf[i - 1];
    }
    for (let q = 1; q < firsts.length; q++) firsts[q] += firsts[q - 1];
    if (!isGrouped) this.rows = groupedRows(rows, this.#queryOf, firsts);
    this.#queryOf = new Int32Array(0);
    this.#firsts = firsts;
    for (let q = 0; q + 1 < firsts.length; q++) this.#mustNotRepeat(q, file);
  }

  /** The judged items of a query are `rows` [first, first of the next). */
  first(query: number): number {
    return this.#firsts[query];
  }

  /** Grades of a query's judged items. */
  grades(query: number): Float64Array {
    return this.rows.scores.subarray(this.#firsts[query], this.#firsts[query + 1]);
  }

  /**
   * Whether any item is judged to be not relevant.
   * @param relevantFrom lowest relevant grade
   */
  callsIrrelevant(relevantFrom: number): boolean {
    return this.rows.scores.subarray(0, this.rows.count).some((grade) => grade < relevantFrom);
  }

  #mustNotRepeat(query: number, file: string): void {
    const { rows } = this;
    const repeated = rows.index(this.#firsts[query], this.#firsts[query + 1]);
    if (repeated < 0) return;
    const { bytes, starts, hashes, lines } = rows;
    const other = rows.find(hashes[repeated], bytes, starts[repeated], starts[repeated + 1]);
    const which = `item "${rows.idOf(repeated)}" of query "${this.queries.names[query]}"`;
    throw new InputError(file, lines[repeated], `${which} is judged on line ${lines[other]} already; leave one out`);
  }
}

/**
 * The rows ordered by query, otherwise in the same order.
 * @param firsts index of each query's first row
 */
function groupedRows(rows: ItemRows, queryOf: Int32Array, firsts: Int32Array): ItemRows {
  const next = firsts.slice();
  const order = new Int32Array(rows.count);
  for (let i = 0; i < rows.count; i++) order[next[queryOf[i]]++] = i;
  const grouped = new ItemRows();
  for (const i of order) {
    grouped.add(rows.bytes, rows.starts[i], rows.starts[i + 1], rows.scores[i], rows.ranks[i], rows.lines[i]);
  }
  return grouped;
}
