import { basename } from 'node:path';
import { type Gathered, Gathering, type Vote } from '../fusion/ballots.ts';
import { Ungrouped } from '../score/groups.ts';
import type { Format, RunColumns, RunLayout } from '../score/run-format.ts';
import { runLayout } from '../score/run-layout.ts';
import { type ListOrder, type OrderedList, OrderedLists, RunReader, runNames } from '../score/run-reader.ts';
import { notice } from './failure.ts';
import { isReadOnce, type ScoreInputs } from './score-inputs.ts';
import type { NamedFile } from './score-settings.ts';

/** A file of one run or of several voters, and how it is read. */
export interface VoteFile {
  readonly file: NamedFile;
  readonly layout: RunLayout;
}

/** Each file with the layout that its first row shows. @throws InputError */
export async function layoutsOf(
  inputs: ScoreInputs,
  files: readonly NamedFile[],
  { format, columns }: { readonly format: Format | undefined; readonly columns: RunColumns | undefined },
): Promise<readonly VoteFile[]> {
  const votes: VoteFile[] = [];
  for (const file of files) {
    const asked = { format: format === 'lists' ? undefined : format, columns };
    votes.push({ file, layout: runLayout(file.path, await inputs.head(file.path), asked) });
  }
  return votes;
}

/** A file whose content is known. */
interface Surveyed extends VoteFile {
  /** The lines of a query are not together: all are kept in memory. */
  readonly gather: boolean;
  /** Names of the file's voters in it, by number. */
  readonly voters: readonly (string | undefined)[];
  readonly tag: string | undefined;
  /** The query of each list. */
  readonly lists: readonly string[];
  /** Its lists, if it can be read only once. */
  readonly held: readonly HeldList[] | undefined;
}

interface HeldList {
  readonly voter: string | undefined;
  readonly query: string;
  readonly items: readonly string[];
  readonly scores: Float64Array | undefined;
}

/**
 * Called with each list while files are surveyed, and again, with the whole list, if a file must be read again.
 * @param voter number of the voter, over all files
 */
type Watcher = (list: OrderedList, voter: number) => void;

/**
 * Votes of several files, query by query. The voter of a list is its number as a text. The files are read twice: first to find the
 * voters and queries, then in parallel, so that memory holds the lists of a query only until the last of them arrives.
 */
export class VoteFiles {
  /** Distinct names of all voters. */
  readonly names: readonly string[];
  /** Number of lists of each query. */
  readonly queries: ReadonlyMap<string, number>;
  readonly #inputs: ScoreInputs;
  readonly #order: ListOrder;
  readonly #files: readonly Surveyed[];

  private constructor(
    inputs: ScoreInputs,
    order: ListOrder,
    files: readonly Surveyed[],
    queries: ReadonlyMap<string, number>,
  ) {
    this.#inputs = inputs;
    this.#order = order;
    this.#files = files;
    this.queries = queries;
    this.names = runNames(
      files.flatMap(({ file: { name, path }, voters, tag }) =>
        voters.map((voter) => ({
          given: name,
          own: voter ?? tag,
          file: path === '-' ? 'standard input' : basename(path),
          isOneOfMany: voters.length > 1,
        })),
      ),
    );
  }

  /** @throws InputError for a line that cannot be read */
  static async survey(
    inputs: ScoreInputs,
    files: readonly VoteFile[],
    order: ListOrder,
    watch?: Watcher,
  ): Promise<VoteFiles> {
    const surveyed: Surveyed[] = [];
    const queries = new Map<string, number>();
    let first = 0;
    for (const one of files) {
      const found = await surveyFile(inputs, one, order, (list, voter) => watch?.(list, first + voter));
      for (const query of found.lists) queries.set(query, (queries.get(query) ?? 0) + 1);
      surveyed.push(found);
      first += found.voters.length;
    }
    return new VoteFiles(inputs, order, surveyed, queries);
  }

  /** Yields each query once the last of its lists has arrived. */
  async *gathered(): AsyncGenerator<Gathered> {
    const gathering = new Gathering(this.queries);
    let first = 0;
    let sources = this.#files.map((file) => {
      const source = this.#votesOf(file, first);
      first += file.voters.length;
      return source;
    });
    while (sources.length > 0) {
      const ended = new Set<AsyncGenerator<Vote>>();
      for (const source of sources) {
        const { value, done } = await source.next();
        if (done === true) {
          ended.add(source);
          continue;
        }
        const whole = gathering.add(value);
        if (whole !== undefined) yield whole;
      }
      if (ended.size > 0) sources = sources.filter((source) => !ended.has(source));
    }
  }

  async *#votesOf(surveyed: Surveyed, first: number): AsyncGenerator<Vote> {
    const { voters, file, held } = surveyed;
    const numbers = new Map(voters.map((voter, number) => [voter, first + number]));
    const voteOf = ({ voter, query, items, scores }: HeldList): Vote => {
      const number = numbers.get(voter) ?? first;
      return { voter: number, query, list: { items, scores, voter: String(number) } };
    };
    if (held !== undefined) {
      for (const list of held) yield voteOf(list);
      return;
    }
    let waiting: HeldList[] = [];
    const reader = readerOf(surveyed, this.#order, surveyed.gather, (list) => waiting.push(kept(list)));
    const parts = this.#inputs.readParts(file.path, reader, () => reader.rows);
    for (;;) {
      const { done } = await parts.next();
      const lists = waiting;
      waiting = [];
      for (const list of lists) yield voteOf(list);
      if (done === true) return;
    }
  }
}

async function surveyFile(inputs: ScoreInputs, one: VoteFile, order: ListOrder, watch: Watcher): Promise<Surveyed> {
  const { path } = one.file;
  const once = isReadOnce(path);
  const read = async (gather: boolean): Promise<Surveyed> => {
    const voters = new Map<string | undefined, number>();
    const held: HeldList[] = [];
    const lists: string[] = [];
    const reader = readerOf(one, order, gather, (list) => {
      const voter = voters.get(list.voter) ?? voters.size;
      voters.set(list.voter, voter);
      lists.push(list.query);
      if (once) held.push(kept(list));
      watch(list, voter);
    });
    await inputs.readAll(path, reader, () => reader.rows);
    return { ...one, gather, voters: [...voters.keys()], tag: reader.tag, lists, held: once ? held : undefined };
  };
  if (once) return read(true);
  try {
    return await read(false);
  } catch (error) {
    if (!(error instanceof Ungrouped)) throw error;
    notice(`${error.message}: the whole file is kept in memory`);
    return read(true);
  }
}

function readerOf(
  { file, layout }: VoteFile,
  order: ListOrder,
  gather: boolean,
  sink: (list: OrderedList) => void,
): RunReader {
  return new RunReader(file.path, layout, gather, new OrderedLists(file.path, order, sink));
}

function kept({ voter, query, length, idAt, scores }: OrderedList): HeldList {
  return { voter, query, items: Array.from({ length }, (_, place) => idAt(place)), scores: scores() };
}
