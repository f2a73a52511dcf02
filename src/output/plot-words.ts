/** How much room the words of a plot take; nobody knows which font shows them, so these are estimates. */
export const FONT_SIZE = 13;
/** About the width of a letter. */
const LETTER = 7.2;
const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\uff01-\uff60]/u;

/** About its width in pixels; letters of Chinese, Japanese and Korean are as wide as high. */
export function widthOf(words: string): number {
  let width = 0;
  for (const letter of words) width += WIDE.test(letter) ? FONT_SIZE : LETTER;
  return width;
}

/** At most so many letters; the middle is left out, because names that begin alike mostly end with what tells them apart. */
export function shortened(words: string, most: number): string {
  const letters = [...words];
  if (letters.length <= most) return words;
  const tail = Math.floor((most - 1) * 0.4);
  return `${letters.slice(0, most - 1 - tail).join('')}…${letters.slice(letters.length - tail).join('')}`;
}

/** Shortened to so many pixels, but to no less than four letters. */
export function fitted(words: string, width: number): string {
  const own = widthOf(words);
  if (own <= width) return words;
  return shortened(words, Math.max(4, Math.floor(([...words].length * width) / own)));
}
