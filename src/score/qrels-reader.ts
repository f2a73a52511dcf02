import type { GradeLimit } from '../measures/grade-limit.ts';
import { Judgements } from './judgements.ts';
import { type BlockReader, InputError } from './line-blocks.ts';
import { Fields, numberAt, type Splitter, splitBlanks, splitCommas } from './line-fields.ts';
import { columnsText, type Format, isCommas } from './run-format.ts';

const COLUMNS = 4;
const RUN_COLUMNS = 6;

/**
 * Reads judgements: `query 0 item grade`, separated by blanks or by commas. A grade above what the measures accept is refused:
 * cutting it would silently change results.
 */
export class QrelsReader implements BlockReader {
  readonly judgements = new Judgements();
  readonly #file: string;
  readonly #limit: GradeLimit;
  readonly #fields = new Fields();
  readonly #format: Format | undefined;
  #split: Splitter | undefined;
  #line = 0;

  /** @param format of the runs, if it was given: the first line is read in it where it can be */
  constructor(file: string, limit: GradeLimit, format?: Format) {
    this.#file = file;
    this.#limit = limit;
    this.#format = format;
  }

  block(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to) {
      this.#line++;
      this.#split ??= this.#splitterOf(bytes, at);
      at = (this.#split ?? splitBlanks)(this.#fields, bytes, at);
      if (this.#fields.count > 0) this.#take();
    }
  }

  end(): void {
    this.judgements.end(this.#file);
    if (this.judgements.queries.names.length === 0) {
      throw new InputError(this.#file, undefined, 'there are no judgements in it; expected lines "query 0 item grade"');
    }
  }

  /** By the first line with data; undefined: this is none. */
  #splitterOf(bytes: Uint8Array, at: number): Splitter | undefined {
    const hasCommas = isCommas(bytes, at);
    if (hasCommas === undefined) return undefined;
    if (this.#format !== undefined) {
      const given = this.#format === 'flagr' ? splitCommas : splitBlanks;
      given(this.#fields, bytes, at);
      if (this.#fields.count >= COLUMNS) return given;
    }
    return hasCommas ? splitCommas : splitBlanks;
  }

  #take(): void {
    const { bytes, starts, ends, count } = this.#fields;
    if (count < COLUMNS || starts[0] === ends[0] || starts[2] === ends[2]) {
      const lacking = starts[0] === ends[0] ? 'no query' : 'no item';
      const what = count < COLUMNS ? `${columnsText(count)}; expected ${COLUMNS}:` : `${lacking}; expected`;
      throw new InputError(this.#file, this.#line, `${what} query 0 item grade${this.#otherFormat(count)}`);
    }
    if (count >= RUN_COLUMNS && /^Q0$/i.test(this.#fields.text(1))) {
      const line = 'this is a line of a run (query Q0 item rank score tag), and its rank is no grade';
      throw new InputError(this.#file, this.#line, `${line}: are --run and --qrels the wrong way round?`);
    }
    const grade = numberAt(bytes, starts[3], ends[3]);
    if (!Number.isFinite(grade)) {
      if (this.judgements.queries.names.length === 0 && isHeader(this.#fields.text(3))) return;
      const got = `the grade "${this.#fields.text(3)}" is not a number`;
      throw new InputError(this.#file, this.#line, `${got}; expected query 0 item grade`);
    }
    const { most, by } = this.#limit;
    if (grade > most) {
      const what = `the grade ${this.#fields.text(3)} is above ${most}, the highest that`;
      const way =
        by === undefined
          ? 'counts; scale the grades'
          : `${by.measure} takes, ${by.reason}; scale the grades, or take gain=linear`;
      throw new InputError(this.#file, this.#line, `${what} ${way}`);
    }
    const query = this.judgements.queries.numberAt(bytes, starts[0], ends[0]);
    this.judgements.add(query, bytes, starts[2], ends[2], grade, this.#line);
  }

  /** Advice where a comma in the first line may have been part of an id. */
  #otherFormat(count: number): string {
    const mayBeBlanks = this.#format === undefined && count < COLUMNS && this.#split === splitCommas;
    return mayBeBlanks ? '. If commas are part of ids: --format trec' : '';
  }
}

/** A first line with a word where a number belongs is a header, unless the word is what programs write for no value. */
export function isHeader(cell: string): boolean {
  return /^[a-z_ -]{3,}$/i.test(cell) && !/^[+-]?(?:nan|inf|infinity|none|null|undefined|true|false)$/i.test(cell);
}
