import { Groups, type ListSink } from './groups.ts';
import { type BlockReader, InputError } from './line-blocks.ts';
import { Fields, numberAt, type Splitter, splitBlanks, splitCommas } from './line-fields.ts';
import { isHeader } from './qrels-reader.ts';
import { columnsText, FLAGR_COLUMNS, type RunColumns, runColumns, TREC_RUN, wrongCount } from './run-format.ts';

export interface RunLayout {
  readonly format: 'trec' | 'flagr';
  /** undefined: by the number of columns of the first line. */
  readonly columns: RunColumns | undefined;
}

export interface RunReading {
  /** Called before the first row. Returns whether ranks are needed; otherwise the column may contain anything. */
  begin(columns: RunColumns): boolean;
  readonly lists: ListSink;
}

/**
 * Reads a run line by line into lists. Lists are passed on as they end, so that only one is in memory; `gather` keeps all
 * lines, for a file in which the lines of a query are not together.
 */
export class RunReader implements BlockReader {
  /** Tag of the first line; undefined: the file has none. */
  tag: string | undefined;
  /** Lines with a row. */
  rows = 0;
  readonly #file: string;
  readonly #split: Splitter;
  readonly #reading: RunReading;
  readonly #fields = new Fields();
  readonly #groups: Groups;
  readonly #format: RunLayout['format'];
  #columns: RunColumns | undefined;
  #needsRank = false;
  #line = 0;

  constructor(file: string, { format, columns }: RunLayout, gather: boolean, reading: RunReading) {
    this.#file = file;
    this.#format = format;
    this.#split = format === 'trec' ? splitBlanks : splitCommas;
    this.#columns = columns;
    this.#reading = reading;
    this.#groups = new Groups(file, gather, reading.lists);
  }

  /** @throws InputError, Ungrouped */
  block(bytes: Uint8Array, from: number, to: number): void {
    const fields = this.#fields;
    const split = this.#split;
    let at = from;
    while (at < to) {
      this.#line++;
      at = split(fields, bytes, at);
      if (fields.count > 0) this.#take(fields);
    }
  }

  end(): void {
    if (this.rows === 0) throw new InputError(this.#file, undefined, 'there is no list in it');
    this.#groups.end();
  }

  #take(fields: Fields): void {
    const columns = this.rows === 0 ? this.#begin(fields) : this.#columns;
    if (columns === undefined) return;
    const wrong = wrongCount(fields, columns);
    if (wrong !== undefined) throw new InputError(this.#file, this.#line, wrong);
    const { bytes, starts, ends } = fields;
    const { query, item, score, rank, voter } = columns;
    const value = score < 0 ? 0 : numberAt(bytes, starts[score], ends[score]);
    const place = rank < 0 || !this.#needsRank ? 0 : numberAt(bytes, starts[rank], ends[rank]);
    if (Number.isNaN(value) || Number.isNaN(place)) {
      const mayBeHeader = this.rows === 0 && (rank < 0 || Number.isNaN(numberAt(bytes, starts[rank], ends[rank])));
      if (mayBeHeader && isHeader(fields.text(score < 0 ? rank : score))) return;
      const [name, column] = Number.isNaN(value) ? ['score', score] : ['rank', rank];
      const got = `the ${name} "${fields.text(column)}" is not a number`;
      throw new InputError(this.#file, this.#line, `${got}; expected ${columns.names}`);
    }
    if (starts[item] === ends[item] || starts[query] === ends[query]) {
      const lacking = starts[query] === ends[query] ? 'query' : 'item';
      throw new InputError(this.#file, this.#line, `no ${lacking}; expected ${columns.names}`);
    }
    if (this.rows++ === 0 && columns.tag >= 0) this.tag = fields.text(columns.tag);
    this.#groups
      .rowsFor(fields, query, voter, this.#line)
      .add(bytes, starts[item], ends[item], value, place, this.#line);
  }

  #begin(fields: Fields): RunColumns {
    this.#columns ??= this.#format === 'trec' ? TREC_RUN : this.#columnsOf(fields.count);
    this.#needsRank = this.#reading.begin(this.#columns);
    return this.#columns;
  }

  #columnsOf(count: number): RunColumns {
    const names = FLAGR_COLUMNS[count];
    const columns = names === undefined ? undefined : runColumns(names);
    if (typeof columns === 'object') return columns;
    const known = Object.entries(FLAGR_COLUMNS).map(([n, text]) => `${n} (${text})`);
    const what = `${columnsText(count)}; expected ${known.join(' or ')}; name others with --columns; if commas are part of ids: --format trec`;
    throw new InputError(this.#file, this.#line, what);
  }
}

/** Where the name of a run may come from. */
interface NameSources {
  /** By the user, for a file. */
  readonly given: string | undefined;
  /** Voter or tag. */
  readonly own: string | undefined;
  /** Name of the file. */
  readonly file: string;
  /** The file has several runs. */
  readonly isOneOfMany: boolean;
}

/**
 * Unique names of runs: the given one (followed by the voter if the file has several), else the run's own, else the file's.
 * Runs of different files with the same name get the names of their files, then numbers.
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
