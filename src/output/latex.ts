import type { Cells } from './table.ts';

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

export const BOOKTABS = latexComment('needs \\usepackage{booktabs}');
