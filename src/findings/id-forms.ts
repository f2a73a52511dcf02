/** Normal forms of ids that producers write in several ways. */

/** 1.0, 01 and 1 are one number; undefined: the id is not a whole number. */
export function numberForm(id: string): string | undefined {
  const match = /^\s*([+-]?)0*(\d+)(?:\.0*)?\s*$/.exec(id);
  return match === null ? undefined : `${match[1] === '-' ? '-' : ''}${match[2]}`;
}

/** The id without case, blanks and punctuation; undefined: nothing is left. */
export function plainForm(id: string): string | undefined {
  const form = id.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return form === '' ? undefined : form;
}

/** A change that one producer makes to ids and another does not. */
export type IdChange = 'case' | 'number' | 'blanks' | 'dashes' | 'letters';

/** Functions that undo a change. They leave other ids unchanged. */
export const UNDO: Readonly<Record<IdChange, (id: string) => string>> = {
  blanks: (id) => id.trim(),
  case: (id) => id.toLowerCase(),
  number: (id) => numberForm(id) ?? id,
  dashes: (id) => id.replace(/[-_{}]/g, ''),
  /** Case and dashes together, as in the spellings of UUIDs. */
  letters: (id) => id.toLowerCase().replace(/[-_{}]/g, ''),
};
