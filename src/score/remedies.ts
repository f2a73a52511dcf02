/**
 * Explains what a file is that holds no rows of a run or of judgements, and proposes one command that makes rows of it: for a POSIX
 * shell, with jq for JSON.
 */
import { shellWord } from '../vocabulary/shell-word.ts';
import type { ItemRows } from './item-rows.ts';
import { InputError } from './line-blocks.ts';
import type { Separator } from './line-fields.ts';
import type { RunLayout } from './run-format.ts';

export type Side = 'run' | 'judgements';

/** The separator of fields in the options of sort. */
const SIGNS: Readonly<Record<Separator, string>> = {
  ' ': '',
  ',': ' -t,',
  ';': " -t';'",
  '\t': ` -t"$(printf '\\t')"`,
};

/** A command that puts the rows of each list together and keeps their order. */
export function sortCommand({ separator, columns: { query, voter }, hasHeader }: RunLayout): string {
  const keys = [query, voter].filter((column) => column >= 0).map((column) => `-k${column + 1},${column + 1}`);
  return behindHeader(`sort -s${SIGNS[separator]} ${keys.join(' ')}`, hasHeader);
}

/** The error of an item that a list contains twice. @param repeated its second row */
export function repeatedItem(file: string, query: string, rows: ItemRows, repeated: number): InputError {
  const { hashes, bytes, starts, lines } = rows;
  const other = rows.find(hashes[repeated], bytes, starts[repeated], starts[repeated + 1]);
  const what = `item "${rows.idOf(repeated)}" of query "${query}" is on line ${lines[other]} already; a list holds an item once`;
  return new InputError(file, lines[repeated], `${what}. --repeated best keeps the best row of each item`);
}

function behindHeader(command: string, hasHeader: boolean): string {
  return hasHeader ? `{ IFS= read -r header; echo "$header"; ${command}; }` : command;
}

/** A command that removes the rows without a grade. */
export function graded(file: string): string {
  return made("grep -v '[,;[:blank:]][[:space:]]*$'", file);
}

const ROWS = {
  run: (query: string, item: string, score: string) => `[${query}, "Q0", ${item}, 0, ${score}, "run"] | @tsv`,
  judgements: (query: string, item: string, grade: string) => `[${query}, 0, ${item}, ${grade}] | @tsv`,
} satisfies Readonly<Record<Side, (query: string, item: string, number: string) => string>>;

const EXPECTED: Readonly<Record<Side, string>> = {
  run: 'query Q0 item rank score tag',
  judgements: 'query 0 item grade',
};

/**
 * Explains JSON in place of rows, and how to make rows of it. undefined: the file is no JSON.
 * @param head the first characters of the file
 */
export function jsonProblem(file: string, head: string, side: Side): string | undefined {
  if (!/^\s*[{[]\s*["{[\]}\d]/.test(head)) return undefined;
  const fields = fieldsOf(head.split('\n', 1)[0]);
  if (fields.some((field) => ['grades', 'items', 'ratings'].includes(field))) {
    return `these are graded lists, which say themselves what is relevant: give them with --lists, in place of --run and --qrels`;
  }
  const named = fields.length === 0 ? '' : `, an object a line with ${fields.slice(0, MOST_NAMED).join(', ')}`;
  const example = ROWS[side]('.query', '.item', side === 'run' ? '.score' : '.grade');
  const rows = `; expected rows ${EXPECTED[side]}`;
  return `this is JSON${named}${rows}. Make them with your names of the fields: ${made(`jq -r '${example}'`, file)}`;
}

const MOST_NAMED = 5;

function fieldsOf(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  } catch {
    return [];
  }
}

/**
 * The command on the file, which writes another one in the current folder.
 */
function made(command: string, file: string): string {
  if (file === '-') return command;
  const word = shellWord(file);
  const name = file.replace(/^.*\//s, '').replace(/\.(?:gz|zst)$/, '');
  const unpack = /\.gz$/.test(file) ? 'gzip -dc' : /\.zst$/.test(file) ? 'zstd -dc' : undefined;
  const fed = unpack === undefined ? `${command} < ${word}` : `${unpack} < ${word} | ${command}`;
  return `${fed} > ${shellWord(`rows-${name}`)}`;
}
