import {
  bytesOf,
  Fields,
  MOST_COUNTED,
  MOST_FIELDS,
  NEWLINE,
  numberAt,
  SEPARATORS,
  type Separator,
  splitterOf,
} from './line-fields.ts';

/** A row, split at one separator. */
export interface Cut {
  readonly separator: Separator;
  readonly cells: readonly string[];
}

/**
 * The row at `at`, split at each separator, with blanks last; empty: nothing but blanks. A row that has its form with tabs alone is not
 * split at blanks, because ids of later rows may contain some.
 */
export function cutsOf(bytes: Uint8Array, at: number): readonly Cut[] {
  const fields = new Fields();
  const cuts = SEPARATORS.map((separator) => {
    splitterOf(separator)(fields, bytes, at);
    const length = Math.min(fields.count, MOST_COUNTED);
    const cells = Array.from({ length }, (_, f) => (f < MOST_FIELDS ? fields.text(f) : ''));
    return { separator, cells };
  });
  return cuts[cuts.length - 1].cells.length === 0 ? [] : cuts;
}

/** The most likely way to split a row that has no known form: the one with most numbers, preferably at a sign. */
export function likeliest(cuts: readonly Cut[]): Cut {
  const numbers = ({ cells }: Cut): number => cells.filter(isNumber).length;
  const isAtSign = ({ separator, cells }: Cut): number => (separator !== ' ' && cells.length > 1 ? 1 : 0);
  return cuts.toSorted(
    (a, b) => numbers(b) - numbers(a) || isAtSign(b) - isAtSign(a) || b.cells.length - a.cells.length,
  )[0];
}

/** Whether this part of a file contains its first row. */
export function holdsRow(head: Uint8Array): boolean {
  for (let at = 0; ; ) {
    const end = head.indexOf(NEWLINE, at);
    if (end < 0) return false;
    if (cutsOf(head, at).length > 0) return true;
    at = end + 1;
  }
}

export function isNumber(cell: string | undefined): boolean {
  const bytes = bytesOf(cell ?? '');
  return !Number.isNaN(numberAt(bytes, 0, bytes.length));
}

/** Whether a word in place of a number makes the first row a header. It does, unless programs write it for a missing value. */
export function isHeaderWord(cell: string | undefined): boolean {
  return (
    /^[a-z_ -]{3,}$/i.test(cell ?? '') &&
    !/^[+-]?(?:nan|inf|infinity|none|null|undefined|true|false)$/i.test(cell ?? '')
  );
}
