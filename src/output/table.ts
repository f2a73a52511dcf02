import Table from 'cli-table3';
import { printable } from '../vocabulary/error-text.ts';

export type Cells = readonly (readonly string[])[];

/** Text of a table, ending with a newline. The first `textColumns` are text, left-aligned; the rest are numbers, right-aligned. */
export type TableWriter = (header: readonly string[], lines: Cells, textColumns: number) => string;

/** Blanks between two columns, and at both ends. */
const GAP = 3;
/** Text is not wrapped to less than this. */
const LEAST_TEXT = 24;

/** Columns of equal width for a terminal, without lines. */
export function plainTable(header: readonly string[], lines: Cells, textColumns: number): string {
  const table = new Table({
    head: header.map(printable),
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
  for (const cells of lines) table.push(cells.map(printable));
  return `${table
    .toString()
    .split('\n')
    .map((text) => text.trimEnd())
    .join('\n')}\n`;
}

/** Width of a `plainTable`, in columns of the terminal. */
export function plainWidth(header: readonly string[], lines: Cells): number {
  return widthsOf(header, lines).reduce((sum, width) => sum + width + GAP, 0) - 1;
}

/**
 * Narrows a table to this many columns of the terminal by leaving out groups of its columns, the first group first, as far as
 * needed. `left`: headers of the columns left out.
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
  return header.map((name, i) => Math.max(printable(name).length, ...lines.map((cells) => printable(cells[i]).length)));
}

/**
 * A plain table that fits the terminal's columns if possible: long text is wrapped at blanks, and columns of numbers that do not
 * fit follow below, each part with the text columns repeated.
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

/** With the widest text column wrapped to what the others leave of a line. */
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
 * Text for GitHub's Markdown, on one line. What would start a tag, a link, emphasis, code, an entity or a cell is escaped; an
 * underscore inside a word, and < before a number, have no meaning there.
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

/** A cell: text, a number, a number rounded to `digits` decimals, or undefined for an empty cell. */
export type Cell = string | number | { readonly number: number; readonly digits: number } | undefined;

/**
 * RFC 4180, with a newline at the end of each line. All tables in CSV are written here, because a spreadsheet evaluates a cell
 * that starts like a formula, and names of runs, queries and cohorts are not trusted. So TEXT that starts like one gets a single
 * quote in front (OWASP, "CSV Injection": `= + - @`, tab, CR, LF and the full-width forms; here also after blanks and invisible
 * characters), and what could end a cell under another delimiter is quoted. Numbers stay as they are.
 */
export function csvTable(header: readonly string[], lines: readonly (readonly Cell[])[]): string {
  return [header, ...lines].map((cells) => `${cells.map(cellText).join(',')}\n`).join('');
}

/** The start of a formula, also after blanks and invisible characters; or a tab or line end. */
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
 * names them, is an error without these. Two hyphens stay two.
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

/** A `tabular` with the rules of booktabs. The first `textColumns` are text, left-aligned; the rest are right-aligned. */
export function latexTable(header: readonly string[], lines: Cells, textColumns: number): string {
  const row = (cells: readonly string[]): string => `${cells.map(latexText).join(' & ')} \\\\\n`;
  const columns = header.map((_, i) => (i < textColumns ? 'l' : 'r')).join('');
  // A row that starts with a bracket or a star would be read as an option of the row before it.
  const body = lines.map((cells) => row(cells).replace(/^[[*]/, '{$&}')).join('');
  return `\\begin{tabular}{${columns}}\n\\toprule\n${row(header)}\\midrule\n${body}\\bottomrule\n\\end{tabular}\n`;
}

const BOOKTABS = latexComment('needs \\usepackage{booktabs}');

/** How tables and the text around them are combined. */
export interface TextForm {
  /** Greatest width of tables, in columns of a terminal; undefined: any width, as there is no terminal. */
  readonly columns?: number;
  readonly table: TableWriter;
  /** A line of text, ending with a newline. */
  note(words: string): string;
  /** Combines all parts. */
  whole(parts: readonly string[]): string;
}

function joined(parts: readonly string[]): string {
  return parts.join('\n');
}

/** For a terminal with this many columns; Infinity: no limit. */
export function plainForm(columns: number): TextForm {
  return {
    columns,
    table: fittedTable(columns),
    note: (words) => folded(printable(words), '', columns),
    whole: joined,
  };
}

/** Notes are paragraphs: a line after a table would be its last row. */
export const MARKDOWN: TextForm = {
  table: markdownTable,
  note: (words) => `\n${markdownText(words)}\n`,
  whole: (parts) =>
    joined(parts)
      .replace(/\n{3,}/g, '\n\n')
      .trimStart(),
};

/** For inclusion in a document; notes are comments. */
export const LATEX: TextForm = {
  table: latexTable,
  note: latexComment,
  whole: (parts) => `${BOOKTABS}${parts.join('\n')}`,
};

/** Lines of at most `width` characters, broken at blanks, with a line end after the last. All but the first are indented by two more. */
export function folded(text: string, indent: string, width: number): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    const isFirst = line.trim() === '';
    if (!isFirst && line.length + 1 + word.length > width) {
      lines.push(line);
      line = `${indent}  ${word}`;
    } else line = isFirst ? `${line}${word}` : `${line} ${word}`;
  }
  return `${[...lines, line].join('\n')}\n`;
}
