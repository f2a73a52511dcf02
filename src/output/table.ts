import Table from 'cli-table3';

export type Cells = readonly (readonly string[])[];

/** Text of a table, ending with a newline. The first `textColumns` are text, to the left; the rest are numbers, to the right. */
export type TableWriter = (header: readonly string[], lines: Cells, textColumns: number) => string;

/** Between two columns, and at both ends. */
const GAP = 3;
/** Text is not folded to less. */
const LEAST_TEXT = 24;

/** Columns of equal width for a terminal, without lines. */
export function plainTable(header: readonly string[], lines: Cells, textColumns: number): string {
  const table = new Table({
    head: [...header],
    colAligns: header.map((_, i) => (i < textColumns ? 'left' : 'right')),
    style: { head: [], border: [], compact: true },
    chars: {
      top: '',
      'top-mid': '',
      'top-left': '',
      'top-right': '',
      bottom: '',
      'bottom-mid': '',
      'bottom-left': '',
      'bottom-right': '',
      left: '',
      'left-mid': '',
      right: '',
      'right-mid': '',
      mid: '',
      'mid-mid': '',
      middle: ' ',
    },
  });
  for (const cells of lines) table.push([...cells]);
  return `${table
    .toString()
    .split('\n')
    .map((text) => text.trimEnd())
    .join('\n')}\n`;
}

/** How many columns of the terminal `plainTable` takes. */
export function plainWidth(header: readonly string[], lines: Cells): number {
  return widthsOf(header, lines).reduce((sum, width) => sum + width + GAP, 0) - 1;
}

/**
 * What is left of a table when it shall be no wider than so many columns of the terminal: groups of its columns are left out,
 * the first group first, as far as needed. `left`: the heads of what was left out.
 */
export function thinned(
  { header, lines }: { readonly header: readonly string[]; readonly lines: Cells },
  groups: readonly (readonly string[])[],
  columns: number,
): { readonly header: readonly string[]; readonly lines: Cells; readonly left: readonly string[] } {
  let left: readonly string[] = [];
  let table = { header, lines };
  for (const group of groups) {
    if (plainWidth(table.header, table.lines) <= columns) break;
    left = [...left, ...group];
    const kept = header.flatMap((name, i) => (left.includes(name) ? [] : [i]));
    table = { header: kept.map((i) => header[i]), lines: lines.map((cells) => kept.map((i) => cells[i])) };
  }
  return { ...table, left };
}

function widthsOf(header: readonly string[], lines: Cells): readonly number[] {
  return header.map((name, i) => Math.max(name.length, ...lines.map((cells) => cells[i].length)));
}

/**
 * A plain table that is no wider than so many columns of the terminal, where that can be had: long text is folded at its
 * blanks, and columns of numbers that do not fit follow below, each part with the columns of text again.
 */
export function fittedTable(columns: number): TableWriter {
  return (header, lines, textColumns) => {
    if (plainWidth(header, lines) <= columns) return plainTable(header, lines, textColumns);
    const folded = foldedTo(columns, header, lines, textColumns);
    const widths = widthsOf(header, folded.map(longestLines)).map((width) => width + GAP);
    const heads = widths.slice(0, textColumns).reduce((sum, width) => sum + width, -1);
    const parts: number[][] = [[]];
    let taken = heads;
    for (let column = textColumns; column < header.length; column++) {
      if (taken + widths[column] > columns && parts[parts.length - 1].length > 0) {
        parts.push([]);
        taken = heads;
      }
      parts[parts.length - 1].push(column);
      taken += widths[column];
    }
    const pick = (cells: readonly string[], part: readonly number[]): readonly string[] => [
      ...cells.slice(0, textColumns),
      ...part.map((column) => cells[column]),
    ];
    return parts
      .map((part) =>
        plainTable(
          pick(header, part),
          folded.map((cells) => pick(cells, part)),
          textColumns,
        ),
      )
      .join('\n');
  };
}

/** With the widest column of text folded to what the others leave of a line. */
function foldedTo(columns: number, header: readonly string[], lines: Cells, textColumns: number): Cells {
  const widths = widthsOf(header, lines);
  const texts = widths.slice(0, textColumns);
  const widest = texts.indexOf(Math.max(...texts));
  const rest = texts.reduce((sum, width, i) => (i === widest ? sum : sum + width), 0) + GAP * textColumns;
  const number = Math.max(0, ...widths.slice(textColumns)) + (textColumns < header.length ? GAP : 0);
  const room = Math.max(LEAST_TEXT, header[widest]?.length ?? 0, columns - rest - number);
  if (!(widths[widest] > room)) return lines;
  return lines.map((cells) => cells.map((cell, i) => (i === widest ? foldedAtBlanks(cell, room) : cell)));
}

function foldedAtBlanks(text: string, width: number): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

function longestLines(cells: readonly string[]): readonly string[] {
  return cells.map((cell) => cell.split('\n').reduce((long, line) => (line.length > long.length ? line : long), ''));
}

/**
 * Text for Markdown (GitHub's), on one line. What would begin a tag, a link, emphasis, code, an entity or a cell is escaped;
 * an underscore inside of a word, and < before a number, mean nothing there.
 */
export function markdownText(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[\\`*[|~]|<(?=[a-z/!?])|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/giu, '\\$&');
}

function markdownTable(header: readonly string[], lines: Cells, textColumns: number): string {
  const row = (cells: readonly string[]): string => `| ${cells.map(markdownText).join(' | ')} |`;
  const rule = `|${header.map((_, i) => (i < textColumns ? '---' : '---:')).join('|')}|`;
  return `${[row(header), rule, ...lines.map(row)].join('\n')}\n`;
}

/** A cell: text, a number, a number rounded to so many digits after the point, or undefined for an empty one. */
export type Cell = string | number | { readonly number: number; readonly digits: number } | undefined;

/**
 * RFC 4180, with a newline at the end of each line. All tables in CSV are written here, because a spreadsheet takes a cell
 * that begins as a formula for one, and names of runs, queries and cohorts come from strangers. So a TEXT that begins so gets
 * a single quote before it (OWASP, "CSV Injection": `= + - @`, tab, CR, LF and the full-width forms; here also behind blanks
 * and signs that are not seen), and what could end a cell where another sign parts them stands in quotes. Numbers stay as they are.
 */
export function csvTable(header: readonly string[], lines: readonly (readonly Cell[])[]): string {
  return [header, ...lines].map((cells) => `${cells.map(cellText).join(',')}\n`).join('');
}

/** Blanks, and signs without a shape of their own, before what begins a formula; or a tab or line end itself. */
const FORMULA = /^(?:[\t\r\n]|[\s\p{C}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/u;

function cellText(cell: Cell): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number') return String(cell);
  if (typeof cell === 'object') return cell.number.toFixed(cell.digits);
  if (FORMULA.test(cell)) return quoted(`'${cell}`);
  return /[",;\t\r\n]/.test(cell) ? quoted(cell) : cell;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

const COMMANDS: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\{',
  '}': '\\}',
  $: '\\$',
  '&': '\\&',
  '%': '\\%',
  '#': '\\#',
  _: '\\_',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
  '"': '{\\char34}',
  '±': '$\\pm$',
};

/**
 * Text for LaTeX, on one line; it needs no package. Double quotes stay straight only with T1 fonts: `\textquotedbl`, which
 * does so by name, is an error without them. Two hyphens stay two.
 */
export function latexText(text: string): string {
  const signs = text.replace(/\p{Cc}+/gu, ' ').replace(/[\\{}$&%#_~^<>|"±]/g, (sign) => COMMANDS[sign]);
  // A minus, not a hyphen.
  return signs.replace(/(^| )-(?=\d)/g, '$1$-$').replace(/-(?=-)/g, '-{}');
}

/** A comment; it ends with the line. */
export function latexComment(text: string): string {
  return `% ${text.replace(/\p{Cc}+/gu, ' ')}\n`;
}

/** A `tabular` with the rules of booktabs. The first `textColumns` are text, to the left; the rest to the right. */
export function latexTable(header: readonly string[], lines: Cells, textColumns: number): string {
  const row = (cells: readonly string[]): string => `${cells.map(latexText).join(' & ')} \\\\\n`;
  const columns = header.map((_, i) => (i < textColumns ? 'l' : 'r')).join('');
  // A row that begins with a bracket or a star would be read as an option of the row before it.
  const body = lines.map((cells) => row(cells).replace(/^[[*]/, '{$&}')).join('');
  return `\\begin{tabular}{${columns}}\n\\toprule\n${row(header)}\\midrule\n${body}\\bottomrule\n\\end{tabular}\n`;
}

const BOOKTABS = latexComment('needs \\usepackage{booktabs}');

/** How tables and the words around them become one text. */
export interface TextForm {
  /** How wide tables may be, in columns of a terminal; undefined: no terminal, they may have any width. */
  readonly columns?: number;
  readonly table: TableWriter;
  /** A line of words, ending with a newline. */
  note(words: string): string;
  /** All of it. */
  whole(parts: readonly string[]): string;
}

function lineOf(words: string): string {
  return `${words}\n`;
}

function joined(parts: readonly string[]): string {
  return parts.join('\n');
}

/** For a terminal of so many columns; Infinity: as wide as they are. */
export function plainForm(columns: number): TextForm {
  return { columns, table: fittedTable(columns), note: lineOf, whole: joined };
}

/** A paragraph of its own: a line behind a table would be its last row. */
export const MARKDOWN: TextForm = {
  table: markdownTable,
  note: (words) => `\n${markdownText(words)}\n`,
  whole: (parts) =>
    joined(parts)
      .replace(/\n{3,}/g, '\n\n')
      .trimStart(),
};

/** To be read into a document; words are comments. */
export const LATEX: TextForm = {
  table: latexTable,
  note: latexComment,
  whole: (parts) => `${BOOKTABS}${parts.join('\n')}`,
};
