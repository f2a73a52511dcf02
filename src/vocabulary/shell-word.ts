/**
 * The text as one word of a shell, quoted if necessary. A file whose name begins with a dash is written so that no program takes it for
 * an option.
 */
export function shellWord(text: string): string {
  if (/^-./s.test(text)) return shellWord(`./${text}`);
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
