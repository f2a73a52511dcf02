/** A line for each list and a wider line for each of its items below it, such as the sessions of Baidu-ULTR: no line says which list it belongs to. */

export interface HeadedLines {
  readonly kind: 'headed';
  readonly delimiter: string;
  /** Columns of the lines of lists, and of those of items. */
  readonly head: number;
  readonly width: number;
  /** Number of lists. */
  readonly lists: number;
  /** Columns of the items, and of what was done with them (undefined: no column says yes and no), from 0. */
  readonly item: number;
  readonly flag: number | undefined;
}

const LOOKED_AT = 3000;
const FEWEST_LISTS = 3;

type Rows = readonly (readonly string[])[];

/** @param text the beginning of a file; its last line may have been cut off */
export function headedLines(text: string): HeadedLines | undefined {
  const all = text.split(/\r\n|\n|\r/).filter((line) => line !== '');
  const lines = all.slice(0, Math.min(LOOKED_AT, /[\r\n]$/.test(text) ? all.length : all.length - 1));
  for (const delimiter of ['\t', '|', ';', ',']) {
    const rows = lines.map((line) => line.split(delimiter));
    const found = listsIn(rows);
    if (found !== undefined) return { kind: 'headed', delimiter, ...found };
  }
  return undefined;
}

function listsIn(rows: Rows): Omit<HeadedLines, 'kind' | 'delimiter'> | undefined {
  const [head, width] = [rows[0]?.length ?? 0, rows[1]?.length ?? 0];
  if (width <= head || rows.some(({ length }) => length !== head && length !== width)) return undefined;
  const starts = rows.flatMap(({ length }, n) => (length === head ? [n] : []));
  const lists = starts.map((start, i) => rows.slice(start + 1, starts[i + 1] ?? rows.length));
  if (lists.length < FEWEST_LISTS || lists.some((items) => !isNumbered(items))) return undefined;
  const columns = Array.from({ length: width - 1 }, (_, i) => i + 1);
  const item = columns.find((at) => lists.every((items) => new Set(items.map((row) => row[at])).size === items.length));
  if (item === undefined) return undefined;
  const flag = columns.find((at) => isFlag(lists.flat().map((row) => row[at])));
  return { head, width, lists: lists.length, item, flag };
}

/** Whether the first column counts the items of a list, from 1 or 0 on. */
function isNumbered(items: Rows): boolean {
  const from = items[0]?.[0] === '0' ? 0 : 1;
  return items.every((row, n) => row[0] === String(n + from));
}

function isFlag(values: readonly string[]): boolean {
  return new Set(values).size === 2 && values.every((value) => value === '0' || value === '1');
}
