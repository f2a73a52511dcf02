import { BOOKTABS, latexComment, latexTable } from './latex.ts';
import { fittedTable, markdownTable, markdownText, type TableWriter } from './table.ts';

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
