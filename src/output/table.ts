import Table from 'cli-table3';

export type Cells = readonly (readonly string[])[];

/** Text of a table, ending with a newline. The first `textColumns` are text, to the left; the rest are numbers, to the right. */
export type TableWriter = (header: readonly string[], lines: Cells, textColumns: number) => string;

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

/**
 * Text for Markdown (GitHub's), on one line. What would begin a tag, a link, emphasis, code, an entity or a cell is escaped;
 * an underscore inside of a word, and < before a number, mean nothing there.
 */
export function markdownText(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[\\`*[|~]|<(?=[a-z/!?])|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/giu, '\\$&');
}

export function markdownTable(header: readonly string[], lines: Cells, textColumns: number): string {
  const row = (cells: readonly string[]): string => `| ${cells.map(markdownText).join(' | ')} |`;
  const rule = `|${header.map((_, i) => (i < textColumns ? '---' : '---:')).join('|')}|`;
  return `${[row(header), rule, ...lines.map(row)].join('\n')}\n`;
}
