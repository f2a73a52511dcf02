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
