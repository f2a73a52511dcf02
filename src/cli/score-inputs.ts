import { Buffer, constants } from 'node:buffer';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { packingOf, type ReadProgress, readBytes, withLineFeeds } from '../consumers/source/files/lines.ts';
import { holdsRow } from '../score/first-row.ts';
import { type BlockReader, Blocks, InputError, LONGEST_LINE, markOf } from '../score/line-blocks.ts';
import { bytesOf, textOf } from '../score/line-fields.ts';
import {
  headerOf,
  MOST_LOOKED_AT,
  type OtherForm,
  otherForm,
  predictionsIn,
  queryOfFeatures,
  rowLine,
} from '../score/other-forms.ts';
import type { Side } from '../score/remedies.ts';
import { codeOf, messageOf } from '../vocabulary/error-text.ts';
import { fileProblem } from './failure.ts';
import type { Progress } from './progress.ts';
import { mustBeReadable } from './readable.ts';

/** Smaller inputs are read before a progress bar would be seen. */
const LONG_BYTES = 32 * 2 ** 20;
const PART_BYTES = 2 ** 20;

/** Files that are read in parts; the first part can be read ahead. */
export class ScoreInputs {
  readonly #read: ReadProgress = { bytes: 0 };
  /** For standard input and pipes: the first part, and the rest. */
  readonly #opened = new Map<string, { readonly first: Uint8Array; readonly rest: AsyncGenerator<Uint8Array> }>();
  /** The form of each file that has another one than rows. */
  readonly #forms = new Map<string, OtherForm>();
  /** The query of each line of the judgements, if they are lines of features. */
  #queries: readonly string[] | undefined;
  readonly #progress: Progress | undefined;
  #lines = 0;

  private constructor(progress: Progress | undefined) {
    this.#progress = progress;
  }

  /** @param times how often each file is read @throws Error for a missing file */
  static async of(paths: readonly string[], times = 1): Promise<ScoreInputs> {
    mustBeReadable(paths);
    const bytes = times * paths.reduce((sum, path) => sum + (isReadOnce(path) ? Number.NaN : statSync(path).size), 0);
    if (bytes < LONG_BYTES) return new ScoreInputs(undefined);
    const { showProgress } = await import('./progress.ts');
    return new ScoreInputs(showProgress(process.stderr, Number.isNaN(bytes) ? undefined : bytes, 'lines'));
  }

  /** The first part of a run, with its first row; empty if the file is. */
  async head(path: string): Promise<Uint8Array> {
    return this.#headOf(path, 'run');
  }

  /** The same of judgements. */
  async headOfJudgements(path: string): Promise<Uint8Array> {
    const head = await this.#headOf(path, 'judgements');
    if (this.#forms.get(path)?.hasLinesOfQueries === true) this.#queries = await this.#queriesOf(path);
    return head;
  }

  /** What is in another form than rows is read as rows from now on. */
  async #headOf(path: string, side: Side): Promise<Uint8Array> {
    const first = await this.#first(path);
    const text = textOf(first, markOf(first), Math.min(first.length, MOST_LOOKED_AT));
    try {
      const form = otherForm(text, side) ?? (side === 'run' ? predictionsIn(text, this.#queries) : undefined);
      if (form === undefined) return first;
      this.#forms.set(path, form);
      return bytesOf(headerOf(form));
    } catch (error) {
      throw new InputError(path, undefined, messageOf(error));
    }
  }

  /** The query of each line of a file of features. */
  async #queriesOf(path: string): Promise<readonly string[]> {
    if (isReadOnce(path))
      throw new InputError(path, undefined, 'lines of features are read twice: give the file by its name');
    const queries: string[] = [];
    for await (const lines of linesOf(path, this.#rawParts(path))) {
      for (const line of lines) queries.push(queryOfFeatures(line));
    }
    return queries;
  }

  async #first(path: string): Promise<Uint8Array> {
    const parts = withLineFeeds(readBytes(path, { bytes: 0 }));
    try {
      let first: Uint8Array = new Uint8Array(0);
      // A pipe may be written in pieces.
      while (first.length < LONGEST_LINE && !(holdsRow(first) && first.length >= leastOf(first))) {
        const { value, done } = await parts.next();
        if (done === true) break;
        first = Buffer.concat([first, value]);
      }
      if (isReadOnce(path)) this.#opened.set(path, { first, rest: parts });
      else await parts.return(undefined);
      return first;
    } catch (error) {
      throw new Error(fileProblem(path, error), { cause: error });
    }
  }

  /** @param lines number of lines read so far, for the progress */
  async readAll(path: string, reader: BlockReader, lines: () => number): Promise<void> {
    const parts = this.readParts(path, reader, lines);
    while ((await parts.next()).done !== true);
  }

  /** The same, but pauses after each part of the file. */
  async *readParts(path: string, reader: BlockReader, lines: () => number): AsyncGenerator<void> {
    const blocks = new Blocks(path, reader);
    let counted = 0;
    const count = (): void => {
      this.#lines += lines() - counted;
      counted = lines();
    };
    for await (const part of this.#parts(path)) {
      blocks.add(part);
      count();
      this.#progress?.update(this.#read.bytes, this.#lines);
      yield;
    }
    blocks.end();
    count();
  }

  end(): void {
    this.#progress?.stop();
  }

  async *#parts(path: string): AsyncGenerator<Uint8Array> {
    const form = this.#forms.get(path);
    if (form === undefined) {
      yield* this.#rawParts(path);
      return;
    }
    try {
      yield bytesOf(headerOf(form));
      for await (const rows of rowsOf(path, form, this.#rawParts(path))) yield bytesOf(rows);
    } catch (error) {
      if (error instanceof InputError) throw error;
      throw new InputError(path, undefined, messageOf(error));
    }
  }

  async *#rawParts(path: string): AsyncGenerator<Uint8Array> {
    if (isPlain(path)) yield* withLineFeeds(this.#plainParts(path));
    else yield* this.#otherParts(path);
  }

  /** Reads synchronously into one buffer: for a file on disk, waiting for the event loop would cost more than reading. */
  async *#plainParts(path: string): AsyncGenerator<Uint8Array> {
    const buffer = new Uint8Array(PART_BYTES);
    const file = openSync(path, 'r');
    try {
      for (;;) {
        const bytes = readSync(file, buffer, 0, PART_BYTES, null);
        if (bytes === 0) return;
        this.#read.bytes += bytes;
        yield buffer.subarray(0, bytes);
        if (this.#progress !== undefined) await new Promise((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      throw codeOf(error) !== '' ? new Error(fileProblem(path, error), { cause: error }) : error;
    } finally {
      closeSync(file);
    }
  }

  async *#otherParts(path: string): AsyncGenerator<Uint8Array> {
    const opened = this.#opened.get(path);
    if (opened !== undefined) yield opened.first;
    const parts = opened?.rest ?? withLineFeeds(readBytes(path, this.#read));
    for (;;) {
      const part = await parts.next().catch((error: unknown) => {
        throw new Error(fileProblem(path, error), { cause: error });
      });
      if (part.done === true) return;
      yield part.value;
    }
  }
}

/** How much of a file must be seen to recognise its form: JSON may begin with line ends. */
function leastOf(first: Uint8Array): number {
  return first[markOf(first)] === OPEN_BRACE ? MOST_LOOKED_AT : 0;
}

const OPEN_BRACE = 0x7b;

/** Whether it is standard input or a named pipe, which can be read only once. */
export function isReadOnce(path: string): boolean {
  return path === '-' || !statSync(path).isFile();
}

/** Whether it is an uncompressed file on disk. */
function isPlain(path: string): boolean {
  if (isReadOnce(path)) return false;
  const first = new Uint8Array(4);
  try {
    const file = openSync(path, 'r');
    readSync(file, first, 0, first.length, 0);
    closeSync(file);
  } catch (error) {
    throw new Error(fileProblem(path, error), { cause: error });
  }
  return packingOf(first) === undefined;
}

/** Characters of rows that are passed on at once. */
const PART = 2 ** 16;

/**
 * Reads runs and judgements in other forms than rows (other-forms.ts) as rows. The rows of a file as lines of CSV, without the names of its columns.
 * @throws Error that says what is wrong with its content
 */
export async function* rowsOf(file: string, form: OtherForm, parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const { rows } = form;
  let part = '';
  if (rows.of === 'text') {
    for (const row of rows.read(await wholeText(parts))) {
      part += rowLine(row);
      if (part.length < PART) continue;
      yield part;
      part = '';
    }
    yield part;
    return;
  }
  let number = 0;
  for await (const lines of linesOf(file, parts)) {
    for (const line of lines) for (const row of rows.read(line, ++number)) part += rowLine(row);
    if (part.length >= PART) {
      yield part;
      part = '';
    }
  }
  yield part;
  if (form.lines !== undefined && number < form.lines) {
    throw new Error(`it has ${number} lines, and the file of features has ${form.lines}`);
  }
}

async function wholeText(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  let length = 0;
  for await (const part of parts) {
    length += part.length;
    if (length > constants.MAX_STRING_LENGTH) {
      throw new Error(
        `this JSON is longer than ${constants.MAX_STRING_LENGTH} characters, more than fit into memory: split it by queries`,
      );
    }
    all.push(part.slice());
  }
  const bytes = Buffer.concat(all);
  return textOf(bytes, markOf(bytes), bytes.length);
}

/** The lines of a file, without their ends. @throws InputError for one that does not end */
export async function* linesOf(file: string, parts: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  const lines: string[] = [];
  const blocks = new Blocks(file, {
    block: (bytes, from, to) => {
      for (const line of textOf(bytes, from, to - 1).split('\n')) lines.push(line);
    },
    end: () => {},
  });
  for await (const part of parts) {
    blocks.add(part);
    yield lines.splice(0);
  }
  blocks.end();
  yield lines.splice(0);
}
