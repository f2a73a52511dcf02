/** Finds the lists of impressions: real lists, or lists as text. */

import type { Fields } from '../consumers/decode/raw.ts';
import { isEmptyList } from '../consumers/decode/transforms.ts';
import { actionOfElements } from './done-lists.ts';
import { nameFit } from './field-names.ts';
import { type Field, isIdLike, isOfElements, mainType, type Profile, timesOf } from './fields.ts';

export type ListForm =
  /** `id`: pointer from an element to its id; '' is the element itself. */
  | { readonly kind: 'list'; readonly path: string; readonly id: string }
  | { readonly kind: 'text'; readonly path: string; readonly separator: string; readonly id: '' }
  | {
      readonly kind: 'rows';
      readonly by: string;
      /** The second field of a composite request id; undefined: `by` is the whole id. */
      readonly second?: string | undefined;
      readonly item: string;
      /** undefined: the rows are in the order of the list. */
      readonly order: string | undefined;
      /** Columns that hold what was done with the item of the row. */
      readonly flags: readonly RowFlag[];
      /** A guess that is not based on its name: the only yes-or-no column. */
      readonly guess: RowFlag | undefined;
    };

export interface RowFlag {
  readonly path: string;
  readonly action: string;
  /** Whether the column holds the time of the action. */
  readonly isTime?: boolean;
}

export interface ListCandidate {
  readonly form: ListForm;
  /** Share of records that have the list. */
  readonly share: number;
  /** Mean number of items. */
  readonly length: number;
  /** How well the names fit, 0 to 2. */
  readonly fit: number;
}

const SEPARATORS = ['|', ',', ';', '\t', ' '];
/** Names with a lower fit do not suggest a list as text. */
const NAMED = 0.3;
const LOOKED_AT = 500;

/** Lists and lists as text, the best by name and shape first. */
export function listCandidates(profile: Profile, rows: readonly Fields[]): readonly ListCandidate[] {
  const found: ListCandidate[] = [];
  for (const field of profile.fields.values()) {
    if (isOfElements(field.path)) continue;
    if (mainType(field) === 'list') found.push(...ofList(field, profile));
    else if (mainType(field) === 'text') found.push(...ofText(field, rows));
  }
  return found.sort((a, b) => rating(b) - rating(a));
}

function rating({ fit, share, length }: ListCandidate): number {
  return fit + share + Math.min(1, length / 3);
}

function ofList(list: Field, profile: Profile): readonly ListCandidate[] {
  const { fields, records } = profile;
  if (actionOfElements(list.path, profile) !== undefined) return [];
  const share = list.records / Math.max(1, records);
  const length = list.elements / Math.max(1, list.records);
  const named = nameFit(list.path, 'items');
  const scalar = fields.get(`${list.path}[]`);
  if (scalar !== undefined && mainType(scalar) !== 'object' && mainType(scalar) !== 'list') {
    return isIdLike(scalar) && timesOf(scalar) === undefined
      ? [{ form: { kind: 'list', path: list.path, id: '' }, share, length, fit: named + 0.5 }]
      : [];
  }
  const below = [...fields.values()].filter(
    ({ path }) => path.startsWith(`${list.path}[]/`) && !isOfElements(path.slice(list.path.length + 2)),
  );
  return below
    .filter(
      (field) =>
        isIdLike(field) && field.values >= 0.9 * list.elements && !isPlace(field) && timesOf(field) === undefined,
    )
    .map((field) => ({
      form: { kind: 'list', path: list.path, id: field.path.slice(list.path.length + 2) } as const,
      share,
      length,
      fit: named + nameFit(field.path.slice(list.path.length + 2), 'itemId') + spread(field),
    }));
}

/** Share of distinct values. That of ids is higher than that of categories. */
function spread({ distinct, values }: Field): number {
  return Math.min(0.3, distinct.size / Math.max(1, values));
}

function isPlace(field: Field): boolean {
  return nameFit(field.path, 'position') >= 0.4 && mainType(field) !== 'text';
}

function ofText(field: Field, rows: readonly Fields[]): readonly ListCandidate[] {
  const named = nameFit(field.path, 'items');
  const values = [...field.distinct.keys()].slice(0, LOOKED_AT);
  const share = field.records / Math.max(1, rows.length);
  if (timesOf(field) !== undefined) return [];
  // If the name does not suggest a list, a separator that no sentence contains does, or the parts between separators.
  for (const separator of SEPARATORS) {
    const cut = values.filter((value) => !isEmptyList(value)).map((value) => value.split(separator));
    const lists = named < NAMED ? cut : cut.map((list) => list.map((part) => part.trim()));
    const long = lists.filter(({ length }) => length > 1).length;
    if (long < 0.5 * values.length || lists.some((list) => list.includes(''))) continue;
    const length = lists.reduce((sum, list) => sum + list.length, 0) / lists.length;
    if (named < NAMED && separator !== '|' && !looksLikeIds(lists) && !isBracketed(values)) continue;
    return [{ form: { kind: 'text', path: field.path, separator, id: '' }, share, length, fit: named + 0.3 }];
  }
  return [];
}

/** Whether these are lists in the notation of Python, with quotes around each id: no sentence is. */
function isBracketed(values: readonly string[]): boolean {
  return (
    values.length > 0 && values.every((value) => isEmptyList(value) || /^\s*\[\s*(['"]).*\1\s*\]\s*$/s.test(value))
  );
}

/** Whether these are not sentences or dates: each list has three or more words, all different, with digits, that recur in other lists. */
function looksLikeIds(lists: readonly (readonly string[])[]): boolean {
  const parts = lists.flat();
  const different = new Set(parts).size;
  return (
    lists.length >= 5 &&
    parts.length >= 3 * lists.length &&
    2 * different <= parts.length &&
    parts.every((part) => !/\s/.test(part)) &&
    parts.filter((part) => /\d/.test(part)).length >= 0.9 * parts.length &&
    lists.filter((list) => new Set(list).size === list.length).length >= 0.9 * lists.length
  );
}
