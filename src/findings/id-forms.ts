/** Forms in which ids that producers write in several ways are alike. */

/** 1.0, 01 and 1 are one number; undefined: the id is not a whole number. */
export function numberForm(id: string): string | undefined {
  const match = /^\s*([+-]?)0*(\d+)(?:\.0*)?\s*$/.exec(id);
  return match === null ? undefined : `${match[1] === '-' ? '-' : ''}${match[2]}`;
}

/** Without case, blanks and punctuation; undefined: nothing is left. */
export function plainForm(id: string): string | undefined {
  const form = id.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return form === '' ? undefined : form;
}

/** What one producer does to an id and another does not. */
export type Plain = 'case' | 'number' | 'blanks' | 'dashes' | 'letters';

/** Each takes away what its difference is; an id without it stays as it is. */
export const PLAIN: Readonly<Record<Plain, (id: string) => string>> = {
  blanks: (id) => id.trim(),
  case: (id) => id.toLowerCase(),
  number: (id) => numberForm(id) ?? id,
  dashes: (id) => id.replace(/[-_{}]/g, ''),
  /** Both of case and dashes, as UUIDs are written. */
  letters: (id) => id.toLowerCase().replace(/[-_{}]/g, ''),
};
