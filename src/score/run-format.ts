import { suggestion } from '../vocabulary/spelling.ts';
import { markOf } from './line-blocks.ts';
import { COMMA, type Fields, HASH, isBlank, NEWLINE } from './line-fields.ts';

export const FORMATS = ['trec', 'flagr', 'lists'] as const;
export type Format = (typeof FORMATS)[number];

/** Whether the line at `from` has a comma, so that the file is CSV. undefined: a blank line or a comment, which does not show it. */
export function isCommas(bytes: Uint8Array, from: number): boolean | undefined {
  let at = from;
  while (at < bytes.length && bytes[at] !== NEWLINE && isBlank(bytes[at])) at++;
  if (at >= bytes.length || bytes[at] === NEWLINE || bytes[at] === HASH) return undefined;
  for (; at < bytes.length && bytes[at] !== NEWLINE; at++) if (bytes[at] === COMMA) return true;
  return false;
}

/** The format of a run by its first line with data; undefined: there is none in the first bytes of the file. */
export function formatOf(bytes: Uint8Array): 'trec' | 'flagr' | undefined {
  for (let at = markOf(bytes); at < bytes.length; ) {
    const commas = isCommas(bytes, at);
    if (commas !== undefined) return commas ? 'flagr' : 'trec';
    const end = bytes.indexOf(NEWLINE, at);
    if (end < 0) return undefined;
    at = end + 1;
  }
  return undefined;
}

/** The columns of a run; -1: the file has no such column. */
export interface RunColumns {
  readonly query: number;
  readonly item: number;
  readonly score: number;
  readonly rank: number;
  /** Each voter of a file is a run of its own. */
  readonly voter: number;
  /** Names the run of a file. */
  readonly tag: number;
  /** Number of columns that a line must have, exactly or at least. */
  readonly count: number;
  readonly exactly: boolean;
  /** For messages. */
  readonly names: string;
}

/** `query Q0 item rank score tag`, separated by blanks; text after the tag is ignored. */
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
};

const NAMES = ['query', 'item', 'score', 'rank', 'voter'] as const;
const IGNORED = ['-', 'dataset', 'method', 'tag', 'q0'];

/** PyFLAGR's lists, best first: as in its input, and as in its output. */
export const FLAGR_COLUMNS: Readonly<Record<number, string>> = {
  5: 'query,voter,item,score,dataset',
  6: 'query,voter,item,rank,score,method',
};

/**
 * Columns by their names, separated by commas: `query`, `item`, `score`, `rank`, `voter`; `-` is ignored. A number means
 * PyFLAGR's columns.
 * @returns a text: what is wrong
 */
export function runColumns(names: string): RunColumns | string {
  const words = (FLAGR_COLUMNS[Number(names)] ?? names).split(',').map((word) => word.trim().toLowerCase());
  if (words.length === 1)
    return `"${names}" is not a list of columns; expected 5, 6, or names such as query,item,score`;
  const at = (name: string): number => words.indexOf(name);
  for (const word of words) {
    const known = [...NAMES, ...IGNORED];
    if (!known.includes(word)) return `unknown column "${word}"${suggestion(word, known)}`;
    if (!IGNORED.includes(word) && at(word) !== words.lastIndexOf(word)) return `the column ${word} is named twice`;
  }
  if (at('query') < 0 || at('item') < 0) return `"${names}" needs the columns query and item`;
  const [query, item, score, rank, voter] = NAMES.map(at);
  return { query, item, score, rank, voter, tag: -1, count: words.length, exactly: true, names: words.join(',') };
}

/** What is wrong with the number of fields of a line, in words; undefined: nothing. */
export function wrongCount(fields: Fields, { count, exactly, names }: RunColumns): string | undefined {
  if (exactly ? fields.count === count : fields.count >= count) return undefined;
  return `${columnsText(fields.count)}; expected ${exactly ? '' : 'at least '}${count}: ${names}`;
}

export function columnsText(count: number): string {
  return count === 1 ? '1 column' : `${count} columns`;
}
