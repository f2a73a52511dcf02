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
