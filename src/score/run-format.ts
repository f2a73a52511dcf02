import { suggestion } from '../vocabulary/spelling.ts';
import { type Fields, MOST_FIELDS, type Separator } from './line-fields.ts';

export const FORMATS = ['trec', 'flagr', 'lists'] as const;
export type Format = (typeof FORMATS)[number];

/** Indexes of the columns of a run; -1: the file has no such column. */
export interface RunColumns {
  readonly query: number;
  readonly item: number;
  readonly score: number;
  readonly rank: number;
  /** The voter; each voter of a file is a run of its own. */
  readonly voter: number;
  /** The tag, which names the run of a file. */
  readonly tag: number;
  /** Number of columns that a line must have, exactly or at least. */
  readonly count: number;
  readonly exactly: boolean;
  /** Names of the columns, for messages. */
  readonly names: string;
  /** The convention of files with these columns. */
  readonly preset: 'trec' | 'flagr';
}

/** How the rows of a run are read. */
export interface RunLayout {
  readonly separator: Separator;
  readonly columns: RunColumns;
  /** Whether the first row names the columns. */
  readonly hasHeader: boolean;
}

/** `query Q0 item rank score tag`; text after the tag is ignored, unless it is a row. */
export const TREC_RUN: RunColumns = {
  query: 0,
  item: 2,
  rank: 3,
  score: 4,
  tag: 5,
  voter: -1,
  count: 6,
  exactly: false,
  names: 'query Q0 item rank score tag',
  preset: 'trec',
};

/** `qid pid rank`, as files of MS MARCO have them. */
export const MS_MARCO: RunColumns = {
  query: 0,
  item: 1,
  rank: 2,
  score: -1,
  tag: -1,
  voter: -1,
  count: 3,
  exactly: true,
  names: 'query,item,rank',
  preset: 'trec',
};

const NAMES = ['query', 'item', 'score', 'rank', 'voter', 'tag'] as const;
const IGNORED = ['-', 'dataset', 'method', 'algorithm', 'q0'];
const KNOWN: readonly string[] = [...NAMES, ...IGNORED];

/** Other names of columns, as common tools write them in headers. */
const ALSO: Readonly<Record<(typeof NAMES)[number], readonly string[]>> = {
  query: ['qid', 'q_id', 'query_id', 'topic', 'topic_id', 'user', 'user_id', 'session_id'],
  item: [
    'item_id',
    'docid',
    'doc_id',
    'docno',
    'did',
    'document_id',
    'document',
    'doc',
    'pid',
    'passage_id',
    'corpus_id',
  ],
  score: ['sim', 'similarity'],
  rank: ['position'],
  voter: [],
  tag: ['run', 'run_id', 'runid', 'system'],
};

/** PyFLAGR's lists, best first, as in its input and in its output. */
export const FLAGR_COLUMNS: Readonly<Record<number, string>> = {
  5: 'query,voter,item,score,dataset',
  6: 'query,voter,item,rank,score,method',
};
const FLAGR_LIKE = /^query,voter,item,(?:rank,)?score,(?:dataset|method|algorithm|-)$/;

/**
 * Parses names of columns, separated by commas: `query`, `item`, `score`, `rank`, `voter`, `tag`; `-` is ignored. A number means
 * PyFLAGR's columns.
 * @returns a text if something is wrong
 */
export function runColumns(names: string): RunColumns | string {
  const words = (FLAGR_COLUMNS[Number(names)] ?? names).split(',').map(columnName);
  if (words.length === 1)
    return `"${names}" is not a list of columns; expected 5, 6, or names such as query,item,score`;
  const unknown = words.find((word) => !KNOWN.includes(word));
  if (unknown !== undefined) return `unknown column "${unknown}"${suggestion(unknown, KNOWN)}`;
  return columnsOf(words);
}

/** PyFLAGR's columns for rows of this length; undefined: it has none. */
export function flagrColumns(count: number): RunColumns | undefined {
  const names = FLAGR_COLUMNS[count];
  const columns = names === undefined ? undefined : runColumns(names);
  return typeof columns === 'string' ? undefined : columns;
}

/** Columns from the cells of a header; unknown ones are ignored. undefined: it does not name query and item, or names one twice. */
export function headerColumns(cells: readonly string[]): RunColumns | undefined {
  const columns = columnsOf(cells.map(columnName).map((word) => (KNOWN.includes(word) ? word : '-')));
  return typeof columns === 'string' ? undefined : columns;
}

/** @returns a text if something is wrong */
function columnsOf(words: readonly string[]): RunColumns | string {
  if (words.length > MOST_FIELDS) return `${words.length} columns; expected at most ${MOST_FIELDS}`;
  const at = (name: string): number => words.indexOf(name);
  const twice = NAMES.find((name) => at(name) !== words.lastIndexOf(name));
  if (twice !== undefined) return `the column ${twice} is named twice`;
  const names = words.join(',');
  if (at('query') < 0 || at('item') < 0) return `"${names}" needs the columns query and item`;
  const [query, item, score, rank, voter, tag] = NAMES.map(at);
  const preset = FLAGR_LIKE.test(names) ? 'flagr' : 'trec';
  return { query, item, score, rank, voter, tag, count: words.length, exactly: true, names, preset };
}

/** Our name of a column that other tools name otherwise, or else the name in lower case. */
export function columnName(text: string): string {
  const word = text.trim().toLowerCase();
  const plain = word.replaceAll(/[ -]/g, '_');
  return NAMES.find((name) => ALSO[name].includes(plain)) ?? word;
}

/** What is wrong with the number of fields of a line, in words; undefined: nothing. */
export function wrongCount(fields: Fields, columns: RunColumns): string | undefined {
  const { count, exactly } = columns;
  return (exactly ? fields.count === count : fields.count >= count) ? undefined : countText(fields.count, columns);
}

export function countText(found: number, { count, exactly, names }: RunColumns): string {
  return `${columnsText(found)}; expected ${exactly ? '' : 'at least '}${count}: ${names}`;
}

export function columnsText(count: number): string {
  return count === 1 ? '1 column' : `${count} columns`;
}
