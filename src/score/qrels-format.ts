import { type Cut, isHeaderWord, isNumber } from './first-row.ts';
import { columnName, columnsText } from './run-format.ts';

/** Indexes of the columns of judgements. */
export interface QrelsColumns {
  readonly query: number;
  readonly item: number;
  readonly grade: number;
  /** Number of columns that a line must have, exactly or at least. */
  readonly count: number;
  readonly exactly: boolean;
  /** Names of the columns, for messages. */
  readonly names: string;
}

/** How rows of judgements are read. */
interface QrelsLayout {
  readonly cut: Cut;
  readonly columns: QrelsColumns;
  /** Whether the first row names the columns. */
  readonly hasHeader: boolean;
}

/** `query 0 item grade`, as trec_eval reads it. */
export const TREC_QRELS: QrelsColumns = {
  query: 0,
  item: 2,
  grade: 3,
  count: 4,
  exactly: false,
  names: 'query 0 item grade',
};

const WITHOUT_SECOND: QrelsColumns = {
  query: 0,
  item: 1,
  grade: 2,
  count: 3,
  exactly: true,
  names: 'query item grade',
};

/** Names of the grade in headers of common tools; BEIR writes `score`. */
const GRADES = ['grade', 'rating', 'relevance', 'rel', 'label', 'judgment', 'judgement', 'gain', 'score'];

/**
 * Parses names of columns, separated by commas: `query`, `item`, `grade`; others are ignored.
 * @returns a text if something is wrong
 */
export function qrelsColumns(names: string): QrelsColumns | string {
  return columnsOf(names.split(','));
}

function columnsOf(cells: readonly string[]): QrelsColumns | string {
  const names = cells.join(',');
  const words = cells.map(ourName);
  const [query, item, grade] = ['query', 'item', 'grade'].map((name) => words.indexOf(name));
  if (query < 0 || item < 0 || grade < 0) return `"${names}" needs the columns query, item and grade`;
  const twice = ['query', 'item', 'grade'].find((name) => words.indexOf(name) !== words.lastIndexOf(name));
  if (twice !== undefined) return `the column ${twice} is named twice`;
  return { query, item, grade, count: words.length, exactly: true, names };
}

function ourName(text: string): string {
  const name = columnName(text);
  return GRADES.includes(name) ? 'grade' : name;
}

/**
 * The layout of judgements by their first row; undefined: it fits none.
 * @param cuts the row, split at each separator
 * @param asked the columns that the user named
 */
export function qrelsLayout(cuts: readonly Cut[], asked: QrelsColumns | undefined): QrelsLayout | undefined {
  for (const shape of asked === undefined ? [headed, judged, withoutSecond] : [named(asked)]) {
    for (const cut of cuts) {
      const found = shape(cut);
      if (found !== undefined) return { cut, ...found };
    }
  }
  return undefined;
}

type Shape = (cut: Cut) => Omit<QrelsLayout, 'cut'> | undefined;

function named(columns: QrelsColumns): Shape {
  return ({ cells }) =>
    cells.length === columns.count
      ? { columns, hasHeader: !isNumber(cells[columns.grade]) && isHeaderWord(cells[columns.grade]) }
      : undefined;
}

const headed: Shape = ({ cells }) => {
  const columns = columnsOf(cells);
  return typeof columns === 'string' ? undefined : { columns, hasHeader: true };
};

/** Four columns, the last of them a number, or a word of a header. */
const judged: Shape = ({ separator, cells }) => {
  const hasColumns = separator === ' ' ? cells.length >= TREC_QRELS.count : cells.length === TREC_QRELS.count;
  if (!hasColumns || !(isNumber(cells[3]) || isHeaderWord(cells[3]))) return undefined;
  return { columns: TREC_QRELS, hasHeader: isHeader(cells) };
};

/** Whether a row of four columns has words in place of numbers; usually the second column is one of them. */
function isHeader([first, second, , grade]: readonly string[]): boolean {
  return !first.startsWith('#') && !isNumber(second) && !isNumber(grade) && isHeaderWord(grade);
}

const withoutSecond: Shape = ({ cells }) => {
  const hasHeader = isHeaderWord(cells[2]);
  return cells.length === 3 && (hasHeader || isNumber(cells[2])) ? { columns: WITHOUT_SECOND, hasHeader } : undefined;
};

/** What is wrong with the number of fields of a line, in words; undefined: nothing. */
export function wrongQrelsCount(found: number, { count, exactly, names }: QrelsColumns): string | undefined {
  if (exactly ? found === count : found >= count) return undefined;
  return `${columnsText(found)}; expected ${count}: ${names}`;
}
