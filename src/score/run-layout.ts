import { Buffer } from 'node:buffer';
import { type Cut, cutsOf, isHeaderWord, isNumber, likeliest } from './first-row.ts';
import { InputError, ifComment, markOf } from './line-blocks.ts';
import { NEWLINE, type Separator, textOf } from './line-fields.ts';
import { MOST_LOOKED_AT } from './other-forms.ts';
import { jsonProblem } from './remedies.ts';
import {
  columnsText,
  countText,
  FLAGR_COLUMNS,
  flagrColumns,
  headerColumns,
  MS_MARCO,
  type RunColumns,
  type RunLayout,
  TREC_RUN,
} from './run-format.ts';

/** What the user specified about the files. */
interface AskedLayout {
  /** `trec`: separated by blanks or tabs; `flagr`: by commas or semicolons. undefined: the first row shows it. */
  readonly format: 'trec' | 'flagr' | undefined;
  readonly columns: RunColumns | undefined;
}

/**
 * The layout of a run from its first row: the content of the row decides, never the separator alone (specification: commands 3.3).
 * @param head the first bytes of the file, with that row
 * @throws InputError for a row that fits no layout
 */
export function runLayout(file: string, head: Uint8Array, asked: AskedLayout): RunLayout {
  const rows = firstRows(head);
  if (rows.length === 0) return { separator: ' ', columns: asked.columns ?? TREC_RUN, hasHeader: false };
  const [{ line, cuts }, next] = rows;
  const json = jsonProblem(file, textOf(head, markOf(head), Math.min(head.length, MOST_LOOKED_AT)), 'run');
  if (json !== undefined) throw new InputError(file, line, json);
  const able = cuts.filter(({ separator }) => isOf(asked.format, separator));
  for (const shape of shapesOf(asked)) {
    for (const { separator, cells } of able) {
      const second = next?.cuts.find((cut) => cut.separator === separator);
      const columns = shape({ separator, cells, next: second?.cells ?? [] });
      if (columns !== undefined) return { separator, columns, hasHeader: isHeader(cells, columns) };
    }
  }
  throw new InputError(file, line, noShape(able, asked.columns, next?.cuts ?? []));
}

interface Row {
  readonly line: number;
  readonly cuts: readonly Cut[];
}

/** At most two rows. */
function firstRows(head: Uint8Array): readonly Row[] {
  const bytes = head.at(-1) === NEWLINE ? head : Buffer.concat([head, Uint8Array.of(NEWLINE)]);
  const rows: Row[] = [];
  let line = 1;
  for (let at = markOf(bytes); at < bytes.length && rows.length < 2; at = bytes.indexOf(NEWLINE, at) + 1) {
    const cuts = cutsOf(bytes, at);
    if (cuts.length > 0) rows.push({ line, cuts });
    line++;
  }
  return rows;
}

function isOf(format: AskedLayout['format'], separator: Separator): boolean {
  if (format === 'trec') return separator === ' ';
  return format === undefined || separator === ',' || separator === ';';
}

/** The columns for which a first row makes sense; undefined: it does not. `next` is the second row. */
type Shape = (row: Cut & { readonly next: readonly string[] }) => RunColumns | undefined;

/** Shapes, the likelier first. A run of TREC may be among files whose columns are named. */
function shapesOf({ format, columns }: AskedLayout): readonly Shape[] {
  const marked: Shape = ({ cells }) => (isMarked(cells) && cells.length !== columns?.count ? TREC_RUN : undefined);
  const own = format === 'flagr' ? [] : [marked];
  if (columns !== undefined) {
    const fits: Shape = ({ cells }) => (cells.length === columns.count ? columns : undefined);
    return [...own, (row) => (isSound(row.cells, columns) ? fits(row) : undefined), fits];
  }
  if (format === 'trec') return [() => TREC_RUN];
  return [...own, trecOfNumbers, header, msMarco, flagrOfNumbers, trec, flagr];
}

/** Whether the second column is that of TREC, which contains nothing else. */
function isMarked(cells: readonly string[]): boolean {
  if (cells.length < TREC_RUN.count) return false;
  return /^q0$/i.test(cells[1]) || (cells[1] === '0' && isNumber(cells[TREC_RUN.score]));
}

const trec: Shape = ({ separator, cells }) =>
  (separator === ' ' || separator === '\t') && cells.length >= TREC_RUN.count ? TREC_RUN : undefined;

const trecOfNumbers: Shape = (row) =>
  isNumber(row.cells[TREC_RUN.rank]) && isNumber(row.cells[TREC_RUN.score]) ? trec(row) : undefined;

const header: Shape = ({ cells }) => {
  const columns = headerColumns(cells);
  return columns !== undefined && (columns.score >= 0 || columns.rank >= 0) ? columns : undefined;
};

/** `qid pid rank` of MS MARCO: the ranks of the first two rows are 1 and 2. */
const msMarco: Shape = ({ cells, next }) => {
  const isRanked = cells.length === 3 && cells[0] === next[0] && cells[2] === '1' && next[2] === '2';
  return isRanked ? MS_MARCO : undefined;
};

/** PyFLAGR's columns, without a header of other words, and without a voter who lists a single item whose id is its rank. */
const flagr: Shape = ({ separator, cells, next }) => {
  const columns = separator === ',' || separator === ';' ? flagrColumns(cells.length) : undefined;
  if (columns === undefined || isHeader(cells, columns)) return undefined;
  const { query, voter, item, rank } = columns;
  const isRank =
    next[query] === cells[query] && next[voter] !== cells[voter] && Number(next[item]) - Number(cells[item]) === 1;
  return rank < 0 && isRank ? undefined : columns;
};

const flagrOfNumbers: Shape = (row) => {
  const columns = flagr(row);
  return columns !== undefined && isSound(row.cells, columns) ? columns : undefined;
};

/** Whether numbers are where they belong, or words that make the row a header. */
function isSound(cells: readonly string[], columns: RunColumns): boolean {
  return numbersOf(cells, columns).some(isNumber) || isHeader(cells, columns);
}

function isHeader(cells: readonly string[], columns: RunColumns): boolean {
  const named = headerColumns(cells);
  if (named?.query === columns.query && named.item === columns.item) return true;
  const numbers = numbersOf(cells, columns);
  return !cells[0].startsWith('#') && numbers.length > 0 && !numbers.some(isNumber) && isHeaderWord(numbers.at(-1));
}

/** The cells of rank and score, as far as the file has them. */
function numbersOf(cells: readonly string[], { rank, score }: RunColumns): readonly string[] {
  return [rank, score].flatMap((column) => (column < 0 ? [] : [cells[column] ?? '']));
}

/** Column names proposed for rows of this length; most files have them in this order. */
const EXAMPLES: Readonly<Record<number, string>> = {
  2: 'query,item',
  4: 'query,item,rank,score',
  5: 'query,item,rank,score,tag',
  6: 'query,-,item,rank,score,tag',
};

/** Explains a first row without a known form, and what to do. */
function noShape(cuts: readonly Cut[], columns: RunColumns | undefined, next: readonly Cut[]): string {
  const { separator, cells } = likeliest(cuts);
  const second = next.find((one) => one.separator === separator)?.cells ?? [];
  const comment = ifComment(cells[0]);
  if (columns !== undefined) return `${countText(cells.length, columns)}${comment}`;
  const ours = Object.entries(FLAGR_COLUMNS).map(([count, names]) => `${count} (${names})`);
  const expected =
    separator === ' ' ? `at least ${TREC_RUN.count}: ${TREC_RUN.names}` : `those of PyFLAGR, ${ours.join(' or ')}`;
  const isRanked = second[0] === cells[0] && Number(second.at(-1)) - Number(cells.at(-1)) === 1;
  const example = EXAMPLES[cells.length] ?? (isRanked ? 'query,item,rank' : 'query,item,score');
  const way = `; name others in a header, or by --columns, such as --columns ${example}`;
  return `${columnsText(cells.length)}; expected ${expected}${comment || way}`;
}
