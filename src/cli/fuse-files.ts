import { type FusedItem, FusionError, type Gathered } from '../fusion/ballots.ts';
import type { Fusion } from '../fusion/fusion.ts';
import { Lessons, type Training, UNTRAINED } from '../fusion/training.ts';
import type { Judgements } from '../score/judgements.ts';
import { bytesOf } from '../score/line-fields.ts';
import { orderRule, repeatsOf } from '../score/preset.ts';
import { QrelsReader } from '../score/qrels-reader.ts';
import type { ListOrder, OrderedList } from '../score/run-reader.ts';
import { notice } from './failure.ts';
import type { FuseSettings, RunFormat } from './fuse-settings.ts';
import { ScoreInputs } from './score-inputs.ts';
import { layoutsOf, type VoteFile, VoteFiles } from './vote-files.ts';
import { WholeFile } from './whole-file.ts';

/** Merges all files and writes the run, query by query. */
export async function fuseFiles(settings: FuseSettings): Promise<void> {
  const { files, qrels, method } = settings;
  const paths = [...files.map(({ path }) => path), ...(qrels === undefined ? [] : [qrels])];
  const inputs = await ScoreInputs.of(paths, 2);
  const target = new Target(settings.output);
  try {
    const votes = await layoutsOf(inputs, files, settings);
    const lessons =
      qrels === undefined ? undefined : new FileLessons(await judged(inputs, qrels), settings.relevantFrom);
    const found = await VoteFiles.survey(inputs, votes, orderOf(settings, votes), (list, voter) =>
      lessons?.watch(list, voter),
    );
    let queries = 0;
    let empty = 0;
    for await (const gathered of found.gathered()) {
      const fused = fuseQuery(method, gathered, lessons?.lessons.without(gathered.query));
      if (fused.length === 0) empty++;
      await target.write(runLines(gathered.query, fused.slice(0, settings.top), settings));
      queries++;
    }
    target.end();
    for (const text of [...notes(found, queries), ...emptyNotes(method, empty, queries)]) notice(text);
  } finally {
    inputs.end();
    target.drop();
  }
}

/** @throws FusionError that names the query */
export function fuseQuery(method: Fusion, { query, lists }: Gathered, training: Training = UNTRAINED): FusedItem[] {
  try {
    return method.fuse(lists, training);
  } catch (error) {
    if (error instanceof FusionError) throw new FusionError(`query "${query}": ${error.message}`);
    throw error;
  }
}

async function judged(inputs: ScoreInputs, path: string): Promise<Judgements> {
  await inputs.headOfJudgements(path);
  const reader = new QrelsReader(path, { most: Number.MAX_VALUE, by: undefined });
  await inputs.readAll(path, reader, () => reader.judgements.rows.count);
  return reader.judgements;
}

/** The order in which `score` reads such files. */
function orderOf({ ties, depth, repeated }: FuseSettings, votes: readonly VoteFile[]): ListOrder {
  return {
    orderOf: (columns) => orderRule(columns.preset, columns, ties),
    repeats: repeated ?? repeatsOf(votes.every(({ layout }) => layout.columns.preset === 'trec') ? 'trec' : undefined),
    depth,
  };
}

function notes({ names, queries }: VoteFiles, fused: number): string[] {
  const partial = [...queries.values()].filter((lists) => lists < names.length).length;
  if (names.length === 1) return ['one voter: the merged run has its lists'];
  if (partial === 0) return [];
  return [`${partial} of ${fused} queries lack the list of a voter; who has no list does not vote`];
}

/** Notes on queries of which `above` left nothing: an empty run would be scored as one that finds nothing. */
export function emptyNotes({ name }: Fusion, empty: number, queries: number): string[] {
  if (empty === 0) return [];
  const of =
    empty === queries ? `of all ${queries} queries: the merged run is empty` : `of ${empty} of ${queries} queries`;
  return [`${name}: no item scores above the threshold, ${of}. Merge without above to see the scores`];
}

/** A file, or standard output. */
class Target {
  readonly #file: WholeFile | undefined;

  constructor(path: string | undefined) {
    this.#file = path === undefined ? undefined : new WholeFile(path, { flag: '--output' });
  }

  async write(text: string): Promise<void> {
    const bytes = bytesOf(text);
    if (this.#file !== undefined) this.#file.write(bytes);
    else await new Promise<void>((resolve) => process.stdout.write(bytes, () => resolve()));
  }

  end(): void {
    this.#file?.end();
  }

  drop(): void {
    this.#file?.drop();
  }
}

/** What methods that learn are taught by judged queries. */
export class FileLessons {
  readonly lessons = new Lessons();
  readonly #relevantFrom: number;
  /** The relevant items of each query. */
  readonly #relevant = new Map<string, ReadonlySet<string>>();

  /** @param relevantFrom lowest grade that is relevant */
  constructor(judgements: Judgements, relevantFrom: number) {
    this.#relevantFrom = relevantFrom;
    for (const [q, query] of judgements.queries.names.entries()) {
      this.#relevant.set(query, this.#relevantOf(judgements, q));
      this.lessons.addQuery(query);
    }
  }

  /** @param voter its number, by which lessons are asked */
  watch({ query, length, idAt }: OrderedList, voter: number): void {
    const relevant = this.#relevant.get(query);
    if (relevant === undefined) return;
    const found = new Set<string>();
    const hits = Array.from({ length }, (_, place) => {
      const id = idAt(place);
      if (!relevant.has(id) || found.has(id)) return false;
      found.add(id);
      return true;
    });
    this.lessons.add(query, String(voter), hits, relevant.size);
  }

  #relevantOf(judgements: Judgements, query: number): ReadonlySet<string> {
    const from = judgements.first(query);
    const grades = judgements.grades(query);
    const items = new Set<string>();
    for (let i = 0; i < grades.length; i++) {
      if (grades[i] >= this.#relevantFrom) items.add(judgements.rows.idOf(from + i));
    }
    return items;
  }
}

/** What ends columns for trec_eval, and so where runs are read (`isBlank`): other blanks of Unicode are part of ids. */
const BLANKS = /[ \t\n\v\f\r]+/g;

/**
 * A merged list as lines of a run.
 * @throws Error for an id that the format cannot represent
 */
export function runLines(
  query: string,
  fused: readonly FusedItem[],
  { as, tag }: { readonly as: RunFormat; readonly tag: string },
): string {
  const separator = as === 'trec' ? BLANKS : /[,\n]/;
  const mustFit = (what: string, id: string): void => {
    if (id.search(separator) < 0) return;
    const [has, other] = as === 'trec' ? ['a blank', '--as flagr'] : ['a comma', '--as trec'];
    throw new Error(`the ${what} "${id}" has ${has}, which ends a column of the run; write ${other}`);
  };
  mustFit('query', query);
  const name = as === 'trec' ? tag.replaceAll(BLANKS, '_') : tag.replace(/,/g, ';');
  const falling = as === 'trec' ? fallingScores(fused) : [];
  let text = '';
  for (const [place, { item, score }] of fused.entries()) {
    mustFit('item', item);
    text +=
      as === 'trec'
        ? `${query} Q0 ${item} ${place + 1} ${falling[place]} ${name}\n`
        : `${query},${name},${item},${place + 1},${score},${name}\n`;
  }
  return text;
}

/**
 * In TREC's format each score must be below the previous one: readers sort by score, and break ties by id, which would change the
 * order. Many of them (pytrec_eval, trec_eval 9) keep a score in 32 bits, so it must be below in 32 bits, too: one that is not
 * becomes the next smaller number of 32 bits. Where there is none, all scores of the list become the number of items from
 * their place on.
 */
function fallingScores(fused: readonly FusedItem[]): readonly number[] {
  const falling: number[] = [];
  let last: number | undefined;
  for (const { score } of fused) {
    if (last === Number.NEGATIVE_INFINITY) return fused.map((_, place) => fused.length - place);
    const own = Math.fround(score);
    const next = last === undefined || own < last ? own : nextBelow(last);
    falling.push(next === own ? score : next);
    last = next;
  }
  return falling;
}

const cell = new DataView(new ArrayBuffer(4));

/** The largest number of 32 bits below another one. */
function nextBelow(value: number): number {
  cell.setFloat32(0, value === 0 ? -0 : value);
  cell.setInt32(0, cell.getInt32(0) + (value > 0 ? -1 : 1));
  return cell.getFloat32(0);
}
