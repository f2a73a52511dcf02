/** Names of generations, which are parts of keys (specification: layout 1). */

/** The number of a generation whose texts have checksums is followed by this. */
const CHECKED = 'c';

export function generationName(number: number, hasChecksums: boolean): string {
  return `${number}${hasChecksums ? CHECKED : ''}`;
}

/** Reads the name of a generation. Throws an Error for a text that is none. */
export function parseGeneration(text: string): { readonly number: number; readonly hasChecksums: boolean } {
  if (!/^[1-9]\d{0,14}c?$/.test(text))
    throw new Error(`generation: expected a number from 1, found ${text.slice(0, 60)}`);
  return { number: Number.parseInt(text, 10), hasChecksums: text.endsWith(CHECKED) };
}

/** The text, if it is the name of a generation. Throws an Error for one that is none. */
export function validGeneration(text: string): string {
  parseGeneration(text);
  return text;
}

/** Whether a key holds rows of a generation whose texts have checksums. */
export function isOfChecked(key: string): boolean {
  return /^}:\d+c:/.test(key.slice(key.indexOf('}'), key.indexOf('}') + 20));
}
