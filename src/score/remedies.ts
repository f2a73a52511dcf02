/**
 * Explains what a file is that holds no rows of a run or of judgements, and proposes one command that makes rows of it: for a POSIX
 * shell, with jq for JSON.
 */
import { shellWord } from '../vocabulary/shell-word.ts';
import { type Cut, isHeaderWord } from './first-row.ts';
import type { ItemRows } from './item-rows.ts';
import { InputError } from './line-blocks.ts';
import type { Separator } from './line-fields.ts';
import type { RunLayout } from './run-format.ts';

export type Side = 'run' | 'judgements';

/** The separator of fields in the options of awk, sort and grep. */
const SIGNS: Readonly<Record<Separator, { readonly awk: string; readonly sort: string }>> = {
  ' ': { awk: '', sort: '' },
  ',': { awk: ' -F,', sort: ' -t,' },
  ';': { awk: " -F';'", sort: " -t';'" },
  '\t': { awk: " -F'\\t'", sort: ` -t"$(printf '\\t')"` },
};

/** A command that puts the rows of each list together and keeps their order. */
export function sortCommand({ separator, columns: { query, voter }, hasHeader }: RunLayout): string {
  const keys = [query, voter].filter((column) => column >= 0).map((column) => `-k${column + 1},${column + 1}`);
  return behindHeader(`sort -s${SIGNS[separator].sort} ${keys.join(' ')}`, hasHeader);
}

/** A command that keeps the best row of each item of a query: a retriever of passages may have a document several times. */
function bestPassages({ separator, columns, hasHeader }: RunLayout, file: string): string {
  const { query, item, score, rank } = columns;
  const by = score >= 0 ? `-k${score + 1},${score + 1}gr` : `-k${rank + 1},${rank + 1}g`;
  const sort = `sort -s${SIGNS[separator].sort} -k${query + 1},${query + 1}${score < 0 && rank < 0 ? '' : ` ${by}`}`;
  const first = `awk${SIGNS[separator].awk} '!seen[$${query + 1}, $${item + 1}]++'`;
  if (hasHeader) return made(behindHeader(`LC_ALL=C ${sort} | ${first}`, hasHeader), file);
  return made(`LC_ALL=C ${sort}`, file, ` | ${first}`);
}

/**
 * The error of an item that a list contains twice.
 * @param repeated its second row
 * @param layout undefined: the list is from no file
 */
export function repeatedItem(
  file: string,
  layout: RunLayout | undefined,
  query: string,
  rows: ItemRows,
  repeated: number,
): InputError {
  const { hashes, bytes, starts, lines } = rows;
  const other = rows.find(hashes[repeated], bytes, starts[repeated], starts[repeated + 1]);
  const what = `item "${rows.idOf(repeated)}" of query "${query}" is on line ${lines[other]} already; a list holds an item once`;
  const quotes = layout?.separator === ',' || layout?.separator === ';' ? ' (where no field is in quotes)' : '';
  const way = layout === undefined ? '' : `. To keep the best of each item${quotes}: ${bestPassages(layout, file)}`;
  return new InputError(file, lines[repeated], `${what}${way}`);
}

function behindHeader(command: string, hasHeader: boolean): string {
  return hasHeader ? `{ IFS= read -r header; echo "$header"; ${command}; }` : command;
}

/** A command that inserts the column between query and item, which has the same value in all rows. */
export function secondColumn({ separator, cells }: Cut, file: string): string {
  const hasHeader = isHeaderWord(cells[2]);
  if (separator === ',' || separator === ';') {
    // A query in quotes may contain the sign. An item that nobody rated has no grade.
    const field = `("([^"]|"")*"|[^${separator}]*)`;
    const steps = [
      ...(hasHeader ? ['1d'] : []),
      `/${separator}[[:space:]]*$/d`,
      `s/^${field}${separator}/\\1${separator}0${separator}/`,
    ];
    return made(`sed -E '${steps.join('; ')}'`, file);
  }
  const out = separator === '\t' ? " -v OFS='\\t'" : '';
  return made(`awk${SIGNS[separator].awk}${out} '${hasHeader ? 'NR > 1 ' : ''}{ print $1, 0, $2, $3 }'`, file);
}

/** A command that removes the rows without a grade. */
export function graded(file: string): string {
  return made("grep -v '[,;[:blank:]][[:space:]]*$'", file);
}

/** A command that makes a row for each item of lists that stand in one field, separated by blanks. undefined: they do not. */
export function itemsOfLists({ separator, cells }: Cut, next: readonly string[], file: string): string | undefined {
  const isList = (cell = ''): boolean => cell.trim().split(/\s+/).length > 1;
  if (separator === ' ' || cells.length !== 2 || !(isList(cells[1]) || isList(next[1]))) return undefined;
  const row = '$1 "\\tQ0\\t" item[i] "\\t" i "\\t" 1000 - i "\\trun"';
  const rows = `{ n = split($2, item, " "); for (i = 1; i <= n; i++) print ${row} }`;
  return made(`awk${SIGNS[separator].awk} '${isList(cells[1]) ? '' : 'NR > 1 '}${rows}'`, file);
}

const ROWS = {
  run: (query: string, item: string, score: string) => `[${query}, "Q0", ${item}, 0, ${score}, "run"] | @tsv`,
  judgements: (query: string, item: string, grade: string) => `[${query}, 0, ${item}, ${grade}] | @tsv`,
} satisfies Readonly<Record<Side, (query: string, item: string, number: string) => string>>;

/** Number of bytes that are examined to recognise a file. */
export const MOST_LOOKED_AT = 65536;

interface JsonForm {
  readonly is: string;
  readonly looks: RegExp;
  /** undefined for either side. */
  readonly side?: Side;
  readonly rows: (side: Side) => string;
}

const TEXT = '"(?:[^"\\\\]|\\\\.)*"';

const FORMS: readonly JsonForm[] = [
  {
    is: 'JSON of {query: {item: number}}',
    looks: new RegExp(`^\\s*\\{\\s*${TEXT}\\s*:\\s*\\{\\s*${TEXT}\\s*:\\s*-?\\d`),
    rows: (side) => `to_entries[] | .key as $q | .value | to_entries[] | ${ROWS[side]('$q', '.key', '.value')}`,
  },
  {
    is: 'what people did next, by session and type, as in the OTTO data',
    looks: /^\s*\{\s*"session"\s*:\s*\d+\s*,\s*"labels"\s*:\s*\{/,
    side: 'judgements',
    rows: () =>
      `"\\(.session)_" as $q | .labels | to_entries[] | ($q + .key) as $q | [.value] | flatten[] | ${ROWS.judgements('$q', '.', '1')}`,
  },
  {
    is: 'the request of an evaluation by Elasticsearch or OpenSearch (_rank_eval), which holds judgements',
    looks: /"requests"\s*:\s*\[[\s\S]*"ratings"\s*:/,
    side: 'judgements',
    rows: () => `.requests[] | .id as $q | .ratings[] | ${ROWS.judgements('$q', '._id', '.rating')}`,
  },
  {
    is: 'the response of an evaluation by Elasticsearch or OpenSearch (_rank_eval), which holds a run',
    looks: /"details"\s*:\s*\{[\s\S]*"hits"\s*:/,
    side: 'run',
    rows: () =>
      `.details | to_entries[] | .key as $q | .value.hits | to_entries[] | ${ROWS.run('$q', '.value.hit._id', '1000 - .key')}`,
  },
];

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
  const form = FORMS.find(({ looks }) => looks.test(head));
  const rows = `; expected rows ${EXPECTED[side]}`;
  if (form !== undefined) {
    const wrong =
      form.side === undefined || form.side === side
        ? ''
        : ` (here ${EXPECTED[side]} is asked for: are --run and --qrels the wrong way round?)`;
    return `this is ${form.is}${rows}${wrong}. Make them: ${made(`jq -r '${form.rows(form.side ?? side)}'`, file)}`;
  }
  const fields = fieldsOf(head.split('\n', 1)[0]);
  if (fields.some((field) => ['grades', 'items', 'ratings'].includes(field))) {
    return `these are graded lists, which say themselves what is relevant: give them with --lists, in place of --run and --qrels`;
  }
  const named = fields.length === 0 ? '' : `, an object a line with ${fields.slice(0, MOST_NAMED).join(', ')}`;
  const example = ROWS[side]('.query', '.item', side === 'run' ? '.score' : '.grade');
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
 * @param then receives its output
 */
function made(command: string, file: string, then = ''): string {
  if (file === '-') return `${command}${then}`;
  const word = shellWord(file);
  const name = file.replace(/^.*\//s, '').replace(/\.(?:gz|zst)$/, '');
  const unpack = /\.gz$/.test(file) ? 'gzip -dc' : /\.zst$/.test(file) ? 'zstd -dc' : undefined;
  const fed = unpack === undefined ? `${command} < ${word}` : `${unpack} < ${word} | ${command}`;
  return `${fed}${then} > ${shellWord(`rows-${name}`)}`;
}
