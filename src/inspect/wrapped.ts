/** Words in lines of at most `width` signs, unless one word is longer. A percent sign stays at its number. */
export function wrapped(words: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words.split(/ (?!%)/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
