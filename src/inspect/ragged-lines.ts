/** Lines of several kinds, each with its own columns, distinguished by a word in them: they are no table with one width. */

interface LineKind {
  readonly word: string;
  /** Column of the word, from 0. */
  readonly at: number;
  readonly lines: number;
  readonly least: number;
  readonly most: number;
}

/** The columns of lists and clicks in their kinds of lines. */
interface RaggedLists {
  readonly shown: LineKind;
  /** First column of the items. */
  readonly items: number;
  /** Separator between an item and the text after it; undefined: there is no such text. */
  readonly behind: string | undefined;
  readonly done: LineKind;
  readonly item: number;
  /** Column of the second field of the list's id. */
  readonly id: number;
  /** Column of the time; undefined: no column ascends. */
  readonly time: number | undefined;
}

export interface RaggedLines {
  readonly delimiter: string;
  readonly kinds: readonly LineKind[];
  readonly lists: RaggedLists | undefined;
}

const LOOKED_AT = 3000;
const MOST_KINDS = 8;
const NEARLY_ALL = 0.95;

/** @param text the beginning of a file; its last line may have been cut off */
export function raggedLines(text: string): RaggedLines | undefined {
  const all = text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
  const lines = all.slice(0, Math.min(LOOKED_AT, /[\r\n]$/.test(text) ? all.length : all.length - 1));
  for (const delimiter of ['\t', '|', ';', ',']) {
    const rows = lines.map((line) => line.split(delimiter));
    if (rows.length < 6 || rows.some((row) => row.length < 2)) continue;
    const kinds = kindsIn(rows);
    if (kinds !== undefined) return { delimiter, kinds, lists: listsIn(rows, kinds) };
  }
  return undefined;
}

/** The kinds of lines by a short word that has the same column in all lines of its kind; undefined: there are no kinds. */
function kindsIn(rows: readonly (readonly string[])[]): readonly LineKind[] | undefined {
  const byWord = new Map<string, { at: number; row: readonly string[] }[]>();
  for (const row of rows) {
    const at = row.findIndex((cell) => /^[A-Za-z_]{1,20}$/.test(cell));
    if (at < 0) return undefined;
    byWord.set(row[at], [...(byWord.get(row[at]) ?? []), { at, row }]);
    if (byWord.size > MOST_KINDS) return undefined;
  }
  const kinds = [...byWord].map(([word, own]): LineKind => {
    const widths = own.map(({ row }) => row.length);
    return { word, at: own[0].at, lines: own.length, least: Math.min(...widths), most: Math.max(...widths) };
  });
  const areApart = [...byWord.values()].every((own) => own.every(({ at }) => at === own[0].at));
  return kinds.length >= 2 && areApart ? kinds.sort((a, b) => b.most - a.most) : undefined;
}

function listsIn(rows: readonly (readonly string[])[], kinds: readonly LineKind[]): RaggedLists | undefined {
  const [shown, ...others] = kinds;
  const of = ({ word, at }: LineKind): readonly (readonly string[])[] => rows.filter((row) => row[at] === word);
  const lists = of(shown);
  const last = lists[0][lists[0].length - 1];
  const behind = [',', ':', ';', '|'].find((sign) => last.split(sign).length === 2);
  const isItem = (cell: string): boolean => shapeOf(cell) === shapeOf(last);
  const items = Math.max(...lists.map((row) => row.findLastIndex((cell) => !isItem(cell)) + 1));
  if (items <= shown.at || lists.filter((row) => row.length - items >= 2).length < NEARLY_ALL * lists.length)
    return undefined;
  const idOf = (cell: string): string => (behind === undefined ? cell : cell.split(behind)[0]);
  for (const done of others) {
    const clicks = of(done);
    for (let item = done.at + 1; item < done.least; item++) {
      for (let id = 1; id < Math.min(items, done.least); id++) {
        if ([shown.at, done.at, item].includes(id)) continue;
        const byId = new Map(lists.map((row) => [`${row[0]} ${row[id]}`, new Set(row.slice(items).map(idOf))]));
        const found = clicks.filter((row) => byId.get(`${row[0]} ${row[id]}`)?.has(row[item]) === true);
        if (byId.size < NEARLY_ALL * lists.length || found.length < NEARLY_ALL * clicks.length) continue;
        const from = firstItem(
          lists.map((row) => row.map(idOf)),
          new Set(clicks.map((row) => row[item])),
          items,
        );
        return {
          shown,
          items: from,
          behind,
          done,
          item,
          id,
          time: timeIn(
            rows.filter((row) => lists.includes(row) || clicks.includes(row)),
            items,
            id,
          ),
        };
      }
    }
  }
  return undefined;
}

/**
 * The first column of items after columns that only look like items, such as the terms of a search: nobody clicked these, and
 * they occur at no other position.
 */
function firstItem(lists: readonly (readonly string[])[], clicked: ReadonlySet<string>, items: number): number {
  const isOfItems = (at: number): boolean => {
    const others = new Set(lists.flatMap((row) => row.slice(at + 1)));
    return lists.some((row) => clicked.has(row[at]) || others.has(row[at]));
  };
  let from = items;
  while (lists.every((row) => row.length > from + 2) && !isOfItems(from)) from++;
  return from;
}

/** The cell with each run of letters as `a` and of digits as `9`: `100357,59` becomes `9,9`, like all items of its list. */
function shapeOf(cell: string): string {
  return cell.replace(/\p{L}+/gu, 'a').replace(/\d+/g, '9');
}

/** The column with numbers that never fall within a session; undefined: there is none. @param rows in the order of the file */
function timeIn(rows: readonly (readonly string[])[], items: number, id: number): number | undefined {
  const columns = Array.from({ length: Math.min(items, ...rows.map((row) => row.length)) }, (_, i) => i);
  return columns.find((at) => {
    if (at === 0 || at === id || !rows.every((row) => /^\d+$/.test(row[at]))) return false;
    const before = new Map<string, number>();
    return rows.every((row) => {
      const rises = Number(row[at]) >= (before.get(row[0]) ?? 0);
      before.set(row[0], Number(row[at]));
      return rises;
    });
  });
}

/** Returns text such as: Q with 16 columns (45), C with 5 (60). */
export function kindWords(kinds: readonly LineKind[]): string {
  return kinds
    .map(
      ({ word, lines, least, most }) =>
        `${word} with ${least === most ? most : `${least} to ${most}`} columns (${lines})`,
    )
    .join(', ');
}
