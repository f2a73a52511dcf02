/** RFC 4180, with a newline at the end of each line. */
export function csvTable(header: readonly string[], lines: readonly (readonly string[])[]): string {
  return [header, ...lines].map((cells) => `${cells.map(quoted).join(',')}\n`).join('');
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
