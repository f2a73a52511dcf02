import type { GradeLimit } from '../measures/gain.ts';
import { cutsOf, likeliest } from './first-row.ts';
import { Judgements } from './judgements.ts';
import { type BlockReader, InputError, ifComment } from './line-blocks.ts';
import { Fields, numberAt, type Splitter, splitterOf, textOf } from './line-fields.ts';
import { MOST_LOOKED_AT } from './other-forms.ts';
import { type QrelsColumns, qrelsLayout, TREC_QRELS, wrongQrelsCount } from './qrels-format.ts';
import { graded, jsonProblem } from './remedies.ts';

const RUN_COLUMNS = 6;

/**
 * Reads judgements: `query 0 item grade`, or columns that a header or the user names, or `query item grade`, separated by blanks, tabs, commas or semicolons, as
 * the first row shows. A grade above what the measures accept is refused: cutting it would silently change results.
 */
export class QrelsReader implements BlockReader {
  readonly judgements = new Judgements();
  /** Number of rows whose grade is empty: nobody judged them. */
  ungraded = 0;
  readonly #file: string;
  readonly #limit: GradeLimit;
  readonly #asked: QrelsColumns | undefined;
  readonly #fields = new Fields();
  #split: Splitter | undefined;
  #columns = TREC_QRELS;
  #hasHeader = false;
  #line = 0;
  #rows = 0;

  /** @param asked the columns that the user named; undefined: the first row shows them */
  constructor(file: string, limit: GradeLimit, asked?: QrelsColumns) {
    this.#file = file;
    this.#limit = limit;
    this.#asked = asked;
  }

  block(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to) {
      this.#line++;
      if (this.#split === undefined) this.#begin(bytes, at, to);
      at = (this.#split ?? splitterOf(' '))(this.#fields, bytes, at);
      if (this.#fields.count > 0) this.#take();
    }
  }

  end(): void {
    this.judgements.end(this.#file);
    if (this.judgements.queries.names.length === 0) {
      throw new InputError(this.#file, undefined, 'there are no judgements in it; expected lines "query 0 item grade"');
    }
  }

  /**
   * Determines the format if this line is the first row.
   * @throws InputError for a file that has no rows of judgements
   */
  #begin(bytes: Uint8Array, at: number, to: number): void {
    const cuts = cutsOf(bytes, at);
    if (cuts.length === 0) return;
    const layout = qrelsLayout(cuts, this.#asked);
    if (layout === undefined) {
      const json = jsonProblem(this.#file, textOf(bytes, at, Math.min(to, at + MOST_LOOKED_AT)), 'judgements');
      if (json !== undefined) throw new InputError(this.#file, this.#line, json);
    }
    const { separator } = layout?.cut ?? likeliest(cuts);
    this.#columns = layout?.columns ?? this.#asked ?? TREC_QRELS;
    this.#hasHeader = layout?.hasHeader ?? false;
    this.#split = splitterOf(separator, separator !== '\t' || this.#hasHeader);
  }

  #take(): void {
    const { bytes, starts, ends, count } = this.#fields;
    if (this.#rows++ === 0 && this.#hasHeader) return;
    const { query, item, grade: at, names } = this.#columns;
    const wrong = wrongQrelsCount(count, this.#columns);
    if (wrong !== undefined) throw this.#error(wrong);
    if (this.#columns !== TREC_QRELS && starts[at] === ends[at]) {
      this.ungraded++;
      return;
    }
    if (starts[query] === ends[query] || starts[item] === ends[item]) {
      throw this.#error(`no ${starts[query] === ends[query] ? 'query' : 'item'}; expected ${names}`);
    }
    if (count >= RUN_COLUMNS && /^Q0$/i.test(this.#fields.text(1))) {
      const line = 'this is a line of a run (query Q0 item rank score tag), and its rank is no grade';
      throw this.#error(`${line}: are --run and --qrels the wrong way round?`);
    }
    const grade = numberAt(bytes, starts[at], ends[at]);
    if (!Number.isFinite(grade)) {
      const text = this.#fields.text(at);
      if (text === '') throw this.#error(`no grade; leave out what nobody judged: ${graded(this.#file)}`);
      throw this.#error(`the grade "${text}" is not a number; expected ${names}`);
    }
    const { most, by } = this.#limit;
    if (grade > most) {
      const what = `the grade ${this.#fields.text(at)} is above ${most}, the highest that`;
      const way =
        by === undefined
          ? 'counts; scale the grades'
          : `${by.measure} takes, ${by.reason}; scale the grades, or take gain=linear`;
      throw this.#error(`${what} ${way}`);
    }
    const number = this.judgements.queries.numberAt(bytes, starts[query], ends[query]);
    this.judgements.add(number, bytes, starts[item], ends[item], grade, this.#line);
  }

  #error(what: string): InputError {
    return new InputError(this.#file, this.#line, `${what}${ifComment(this.#fields.text(0))}`);
  }
}
