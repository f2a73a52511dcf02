import type { GradeLimit } from '../measures/grade-limit.ts';
import { textOf } from './byte-text.ts';
import { type Cut, cutsOf, isHeaderWord, isNumber, likeliest } from './first-row.ts';
import { Judgements } from './judgements.ts';
import { type BlockReader, InputError, ifComment } from './line-blocks.ts';
import { Fields, numberAt, type Splitter, splitterOf } from './line-fields.ts';
import { graded, jsonProblem, MOST_LOOKED_AT, secondColumn } from './remedies.ts';
import { columnsText } from './run-format.ts';

const COLUMNS = 4;
const RUN_COLUMNS = 6;

/**
 * Reads judgements: `query 0 item grade`, separated by blanks, tabs, commas or semicolons, as its first row shows. A grade above what
 * the measures accept is refused: cutting it would silently change results.
 */
export class QrelsReader implements BlockReader {
  readonly judgements = new Judgements();
  readonly #file: string;
  readonly #limit: GradeLimit;
  readonly #fields = new Fields();
  #first: Cut | undefined;
  #split: Splitter | undefined;
  #line = 0;
  #rows = 0;

  constructor(file: string, limit: GradeLimit) {
    this.#file = file;
    this.#limit = limit;
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
    const judged = cuts.find(isJudged);
    if (judged === undefined) {
      const json = jsonProblem(this.#file, textOf(bytes, at, Math.min(to, at + MOST_LOOKED_AT)), 'judgements');
      if (json !== undefined) throw new InputError(this.#file, this.#line, json);
    }
    this.#first = judged ?? likeliest(cuts);
    const { separator, cells } = this.#first;
    this.#split = splitterOf(separator, separator !== '\t' || isHeaderWord(cells[3]));
  }

  #take(): void {
    const { bytes, starts, ends, count } = this.#fields;
    this.#rows++;
    if (count < COLUMNS || starts[0] === ends[0] || starts[2] === ends[2]) {
      const lacking = starts[0] === ends[0] ? 'no query' : 'no item';
      const what = count < COLUMNS ? `${columnsText(count)}; expected ${COLUMNS}:` : `${lacking}; expected`;
      throw this.#error(`${what} query 0 item grade${this.#lackingColumn(count)}`);
    }
    if (count >= RUN_COLUMNS && /^Q0$/i.test(this.#fields.text(1))) {
      const line = 'this is a line of a run (query Q0 item rank score tag), and its rank is no grade';
      throw this.#error(`${line}: are --run and --qrels the wrong way round?`);
    }
    const grade = numberAt(bytes, starts[3], ends[3]);
    if (!Number.isFinite(grade)) {
      if (this.#isHeader()) return;
      const text = this.#fields.text(3);
      if (text === '') throw this.#error(`no grade; leave out what nobody judged: ${graded(this.#file)}`);
      throw this.#error(`the grade "${text}" is not a number; expected query 0 item grade`);
    }
    const { most, by } = this.#limit;
    if (grade > most) {
      const what = `the grade ${this.#fields.text(3)} is above ${most}, the highest that`;
      const way =
        by === undefined
          ? 'counts; scale the grades'
          : `${by.measure} takes, ${by.reason}; scale the grades, or take gain=linear`;
      throw this.#error(`${what} ${way}`);
    }
    const query = this.judgements.queries.numberAt(bytes, starts[0], ends[0]);
    this.judgements.add(query, bytes, starts[2], ends[2], grade, this.#line);
  }

  /** Whether the first row has words in place of numbers; usually the second column is one of them. */
  #isHeader(): boolean {
    const [first, second, , grade] = Array.from({ length: COLUMNS }, (_, f) => this.#fields.text(f));
    return this.#rows === 1 && !first.startsWith('#') && !isNumber(second) && isHeaderWord(grade);
  }

  /** A hint for rows of three columns, which many tools write as judgements. */
  #lackingColumn(count: number): string {
    if (count !== COLUMNS - 1 || this.#rows > 1 || this.#first === undefined) return '';
    return `. Put the second one in, which is the same in all rows: ${secondColumn(this.#first, this.#file)}`;
  }

  #error(what: string): InputError {
    return new InputError(this.#file, this.#line, `${what}${ifComment(this.#fields.text(0))}`);
  }
}

/** Whether the row has four columns, the last of them a number. Signs are tried before blanks. */
function isJudged({ separator, cells }: Cut): boolean {
  const hasColumns = separator === ' ' ? cells.length >= COLUMNS : cells.length === COLUMNS;
  return hasColumns && (isNumber(cells[3]) || isHeaderWord(cells[3]));
}
