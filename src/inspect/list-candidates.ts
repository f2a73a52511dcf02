/** Where the lists of impressions may be: real lists, lists as text, or one row for each item. */

import { yesOrNo } from '../consumers/decode/list.ts';
import { isEmptyList } from '../consumers/decode/map.ts';
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import { nameFit, usualGrade } from './field-names.ts';
import { type Field, isIdLike, isNumeric, isOfElements, mainType, type Profile, profileOf, timesOf } from './fields.ts';
import { idOf, partsOf } from './reading.ts';
import { differsWithin, isGapped, isNumbered, isOneEach, standTogether } from './row-groups.ts';
import { isOtherDate } from './time-forms.ts';

export type ListForm =
  /** `id`: pointer from an element to its id, '' for the element itself. */
  | { readonly kind: 'list'; readonly path: string; readonly id: string }
  | { readonly kind: 'text'; readonly path: string; readonly separator: string | 'json'; readonly id: string }
  | {
      readonly kind: 'rows';
      readonly by: string;
      /** The other half of a composite request id; undefined: `by` is the whole id. */
      readonly second?: string | undefined;
      readonly item: string;
      /** undefined: the rows are in the order of the list. */
      readonly order: string | undefined;
      /** Columns that say what was done with the item of the row. */
      readonly flags: readonly RowFlag[];
      /** Not found by name: the only column with yes and no. */
      readonly guess: RowFlag | undefined;
    };

interface RowFlag {
  readonly path: string;
  readonly action: string;
  /** The column holds the time of the action. */
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
/** Names that fit worse than this do not suggest a list as text. */
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

function ofList(list: Field, { fields, records }: Profile): readonly ListCandidate[] {
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

/** Share of distinct values: ids are more diverse than categories. */
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
  const json = values.filter((value) => value.startsWith('[') && value.endsWith(']')).length;
  if (json >= 0.9 * values.length) {
    const lists = values.map((value) => partsOf(value, 'json'));
    const elements = lists.flat();
    const ids = typeof elements[0] === 'object' ? idsWithin(elements) : [''];
    const length = elements.length / Math.max(1, lists.length);
    return ids.map((id) => ({
      form: { kind: 'text', path: field.path, separator: 'json', id },
      share,
      length,
      fit: named + 0.5,
    }));
  }
  if (timesOf(field) !== undefined) return [];
  // If the name does not say so, a list is told by a separator that no sentence contains, or by the parts between.
  for (const separator of SEPARATORS) {
    const cut = values.filter((value) => !isEmptyList(value)).map((value) => value.split(separator));
    const lists = named < NAMED ? cut : cut.map((list) => list.map((part) => part.trim()));
    const long = lists.filter(({ length }) => length > 1).length;
    if (long < 0.5 * values.length || lists.some((list) => list.includes(''))) continue;
    const length = lists.reduce((sum, list) => sum + list.length, 0) / lists.length;
    if (named < NAMED && separator !== '|' && !looksLikeIds(lists)) continue;
    return [{ form: { kind: 'text', path: field.path, separator, id: '' }, share, length, fit: named + 0.3 }];
  }
  return [];
}

/** Not sentences or dates: each list has three or more words, all different, with digits, that recur in other lists. */
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

/** Pointers to possible ids of objects inside JSON text: by name, else all that can be ids. */
function idsWithin(elements: readonly unknown[]): readonly string[] {
  const first = elements.find((element) => typeof element === 'object' && element !== null);
  const fields = first === undefined || first === null ? [] : Object.entries(first);
  const paths = fields.filter(([, value]) => idOf(value) !== undefined).map(([name]) => `/${name}`);
  const named = paths.filter((path) => nameFit(path, 'itemId') > 0);
  return named.length > 0 ? named : paths.filter((path) => nameFit(path, 'position') === 0);
}

/**
 * One row for each item: a repeating id, an item and, where there is one, a position that is unique within each request. Found by
 * names, else by shape. undefined: the rows are something else.
 */
export function rowList(profile: Profile, rows: readonly Fields[]): RowList | undefined {
  const fields = [...profile.fields.values()].filter(
    ({ path, records }) => !isOfElements(path) && records >= 0.95 * rows.length,
  );
  return byNames(fields, profile, rows) ?? byShape(fields, profile, rows);
}

type RowList = ListForm & { readonly kind: 'rows' };

function byNames(fields: readonly Field[], profile: Profile, rows: readonly Fields[]): RowList | undefined {
  const best = (of: 'requestId' | 'itemId' | 'position', fits: (field: Field) => boolean): Field | undefined =>
    fields
      .filter((field) => nameFit(field.path, of) > 0 && fits(field))
      .sort((a, b) => nameFit(b.path, of) - nameFit(a.path, of))[0];
  const order = best('position', isSmallWhole);
  const request = best(
    'requestId',
    (field) => field !== order && isIdLike(field) && repeats(field) && timesOf(field) === undefined,
  );
  const item = best(
    'itemId',
    (field) => field !== order && field !== request && isIdLike(field) && timesOf(field) === undefined,
  );
  if (request === undefined || item === undefined) return undefined;
  const flags = flagsOf(fields, profile);
  const isPlace = (path: string): boolean =>
    isPlaced(rows, request.path, path) ||
    (!fields.some(isOfActions) && isGapped(rows, request.path, path, timesIn(fields)));
  const place = order !== undefined && isPlace(order.path) ? order.path : undefined;
  // Without a position, only a column of clicks, or what the rows call themselves, distinguishes items shown from clicks.
  if (
    place === undefined &&
    (flags.length === 0 || !standTogether(rows, request.path)) &&
    !areSights(fields, request.path, rows)
  )
    return undefined;
  const guess = guessOf(fields, [request.path, item.path, place]);
  return { kind: 'rows', by: request.path, item: item.path, order: place, flags, guess };
}

function timesIn(fields: readonly Field[]): readonly Field[] {
  return fields.filter((field) => timesOf(field) !== undefined || isOtherDate(field.example));
}

/** Whether all rows say that they are of something shown, and those of a request are of one time, one after the other. */
function areSights(fields: readonly Field[], request: string, rows: readonly Fields[]): boolean {
  const named = fields.filter(({ path }) => nameFit(path, 'action') > 0);
  return (
    named.some(({ distinct }) => [...distinct.keys()].every((value) => usualGrade(value) === 0)) &&
    standTogether(rows, request) &&
    timesIn(fields).some(({ path }) => isOneEach(rows, request, path))
  );
}

/** Its values are what people do: the rows are not of what was shown. */
function isOfActions({ path, distinct }: Field): boolean {
  return nameFit(path, 'action') > 0 && [...distinct.keys()].some((value) => (usualGrade(value) ?? 0) !== 0);
}

/**
 * Runs of rows with one id and one time, numbered 1, 2, 3, ... (or from 0), with different items. The successive actions of one
 * person are numbered too, but each has a time of its own.
 */
function byShape(fields: readonly Field[], profile: Profile, rows: readonly Fields[]): RowList | undefined {
  const ids = fields.filter((field) => isIdLike(field) && timesOf(field) === undefined && !isYesNo(field));
  const orders = fields
    .filter((field) => isSmallWhole(field) && field.distinct.size >= 2)
    .sort((a, b) => nameFit(b.path, 'position') - nameFit(a.path, 'position'));
  const times = timesIn(fields);
  if (times.length === 0) return undefined;
  const repeated = ids
    .filter((field) => repeats(field) && field.distinct.size >= 2)
    .sort((a, b) => b.distinct.size - a.distinct.size);
  const single = repeated.map((field) => [field]);
  for (const key of [...single, ...pairsOf(repeated), ...withTimes(repeated, times)]) {
    const by = key.map(({ path }) => path);
    if (!standTogether(rows, by)) continue;
    const order = orders.find((field) => !key.includes(field) && isNumbered(rows, by, field.path));
    if (order === undefined || !times.some(({ path }) => isOneEach(rows, by, path))) continue;
    const [item] = ids
      .filter((field) => !key.includes(field) && field !== order && !hasFractions(field))
      .filter(({ path }) => differsWithin(rows, by, path) && !isNumbered(rows, by, path))
      .sort((a, b) => itemLike(b) - itemLike(a));
    if (item === undefined) continue;
    const used = [...by, item.path, order.path];
    const flags = flagsOf(fields, profile).filter(({ path }) => !used.includes(path));
    const [first, second] = by;
    return {
      kind: 'rows',
      by: first,
      second,
      item: item.path,
      order: order.path,
      flags,
      guess: guessOf(fields, used),
    };
  }
  return undefined;
}

/** Fields that may form a composite request id. */
const MOST_PAIRED = 6;

function pairsOf(fields: readonly Field[]): readonly (readonly Field[])[] {
  const few = fields.slice(0, MOST_PAIRED);
  return few.flatMap((first, i) => few.slice(i + 1).map((second) => [first, second]));
}

/** A list without an id may still be all that one person was shown at one time. */
function withTimes(ids: readonly Field[], times: readonly Field[]): readonly (readonly Field[])[] {
  const shared = times.filter((field) => repeats(field) && field.distinct.size >= 2).slice(0, 2);
  return ids.slice(0, MOST_PAIRED).flatMap((id) => shared.map((time) => [id, time]));
}

/** Items recur in many lists, more often than prices do; an id of the row never recurs. */
function itemLike({ path, distinct, values }: Field): number {
  return nameFit(path, 'itemId') + 0.5 * (1 - distinct.size / Math.max(1, values));
}

/** A price, or a score. */
function hasFractions({ distinct }: Field): boolean {
  return [...distinct.keys()].some((text) => /^-?\d*[.,]\d+$/.test(text));
}

const ACTIONS = [
  [/clic|klick|klik|cliq|label/i, 'click'],
  [/cart|basket|warenkorb|panier|carrito|carrello|carrinho|winkelwagen/i, 'add_to_cart'],
  [/purchase|bought|order|buy|conver|gekauft|gekocht|achet|compr|acquist/i, 'purchase'],
] as const;

/** The action that a path is named after; undefined: none. */
export function actionIn(path: string): string | undefined {
  return ACTIONS.find(([name]) => name.test(path))?.[1];
}

/** Yes-or-no columns named after an action, and columns with its time, which most rows lack. */
function flagsOf(fields: readonly Field[], profile: Profile): readonly RowFlag[] {
  const actionOf = ({ path }: Field): string | undefined => actionIn(path);
  const flags = fields.flatMap((field): readonly RowFlag[] => {
    const action = actionOf(field);
    return action !== undefined && isFlag(field) ? [{ path: field.path, action }] : [];
  });
  const times = [...profile.fields.values()].flatMap((field): readonly RowFlag[] => {
    const action = actionOf(field);
    const isTime = !isOfElements(field.path) && timesOf(field) !== undefined && field.records < 0.9 * profile.records;
    return action !== undefined && isTime ? [{ path: field.path, action, isTime }] : [];
  });
  // If an action has both a flag and a time, the time says it all.
  return [...flags.filter(({ action }) => !times.some((time) => time.action === action)), ...times];
}

/** The only yes-or-no column, if most rows say no. */
function guessOf(fields: readonly Field[], used: readonly (string | undefined)[]): RowFlag | undefined {
  const found = fields.filter((field) => isYesNo(field) && !used.includes(field.path));
  if (found.length !== 1) return undefined;
  const [{ path, distinct, values }] = found;
  let yes = 0;
  for (const [text, n] of distinct) if (yesOrNo(text) === true) yes += n;
  return yes < 0.6 * values ? { path, action: 'click' } : undefined;
}

/** Whether it holds only words for yes or no; one of them is enough. */
export function isFlag({ distinct }: Field): boolean {
  return distinct.size > 0 && [...distinct.keys()].every((text) => yesOrNo(text) !== undefined);
}

function isYesNo(field: Field): boolean {
  return isFlag(field) && new Set([...field.distinct.keys()].map(yesOrNo)).size === 2;
}

function isSmallWhole(field: Field): boolean {
  const whole = [...field.distinct.keys()].every((text) => isNumeric(text) && Number.isInteger(Number(text)));
  return whole && field.least >= 0 && field.most <= 10_000 && field.least <= 1;
}

function repeats({ distinct, values }: Field): boolean {
  return distinct.size < 0.9 * values;
}

/**
 * Whether the rows of nearly every request have the positions 1, 2, 3, ... (or from 0), each once. Clicks have positions too, but with
 * gaps; and the number of a session's query groups the rows of many sessions.
 */
function isPlaced(rows: readonly Fields[], by: string, order: string): boolean {
  const [request, place] = [by, order].map((path) => parsePointer(path) ?? []);
  const placed = new Map<unknown, Map<number, string>>();
  const again = new Set<unknown>();
  for (const row of rows) {
    const id = resolvePointer(row, request);
    const known = placed.get(id) ?? new Map<number, string>();
    placed.set(id, known);
    const at = Number(resolvePointer(row, place));
    const text = JSON.stringify(row);
    // Rows that were sent twice have their position twice.
    if ((known.get(at) ?? text) !== text) again.add(id);
    known.set(at, text);
  }
  const groups = [...placed].map(([id, places]) => ({ id, places: [...places.keys()] }));
  const whole = groups.filter(
    ({ id, places }) =>
      !again.has(id) && Math.max(...places) - Math.min(...places) === places.length - 1 && Math.min(...places) <= 1,
  );
  const size = groups.reduce((sum, { places }) => sum + places.length, 0) / Math.max(1, groups.length);
  return size >= 1.5 && whole.length >= 0.8 * groups.length;
}

/** Records of a log that were read, and what they hold. */
interface Records {
  readonly rows: readonly Fields[];
  readonly profile: Profile;
}

/** The same records where a list is JSON in a text: its elements under the paths that those of a real list have. Others stay as they are. */
export function elementsOf(list: ListForm, side: Records): Records {
  if (list.kind !== 'text' || list.separator !== 'json') return side;
  const steps = parsePointer(list.path) ?? [];
  const lists = side.rows.map((row): Fields => ({ list: partsOf(String(resolvePointer(row, steps) ?? ''), 'json') }));
  const { records, cut, fields } = profileOf(lists);
  const renamed = [...fields.values()].map((field) => ({ ...field, path: field.path.replace('/list', list.path) }));
  return { rows: side.rows, profile: { records, cut, fields: new Map(renamed.map((field) => [field.path, field])) } };
}
