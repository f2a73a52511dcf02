/** Recognises logs with one row for each item of a list, by the names of columns or by their shape. */
import type { Conditions } from '../consumers/decode/decoder-settings.ts';
import { yesOrNo } from '../consumers/decode/list.ts';
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import { nameFit, usualGrade } from './field-names.ts';
import { type Field, isIdLike, isNumeric, isOfElements, mainType, type Profile, timesOf } from './fields.ts';
import type { ListForm, RowFlag } from './list-candidates.ts';
import { differsWithin, isGapped, isNumbered, isOneEach, standTogether } from './row-groups.ts';
import { isOtherDate } from './time-forms.ts';

/**
 * Finds one row for each item: a repeating id, an item and, if there is one, a position that is unique within each request. By
 * names, or else by shape. undefined: the rows are something else.
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
  const flags = flagsOf(fields, profile, rows);
  const isPlace = (path: string): boolean =>
    isPlaced(rows, request.path, path) ||
    (!fields.some(isOfActions) && isGapped(rows, request.path, path, timesIn(fields)));
  const place = order !== undefined && isPlace(order.path) ? order.path : undefined;
  // Without a position, only a column of clicks, or the name of the rows, distinguishes shown items from clicks.
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

/** Whether all rows say that their item was shown, and those of a request have one time and are adjacent. */
function areSights(fields: readonly Field[], request: string, rows: readonly Fields[]): boolean {
  const named = fields.filter(({ path }) => nameFit(path, 'action') > 0);
  return (
    named.some(({ distinct }) => [...distinct.keys()].every((value) => usualGrade(value) === 0)) &&
    standTogether(rows, request) &&
    timesIn(fields).some(({ path }) => isOneEach(rows, request, path))
  );
}

/** Whether its values are actions, so that the rows are not items that were shown. */
function isOfActions({ path, distinct }: Field): boolean {
  return nameFit(path, 'action') > 0 && [...distinct.keys()].some((value) => (usualGrade(value) ?? 0) !== 0);
}

/**
 * Runs of rows with one id and one time, numbered 1, 2, 3, ... (or from 0), with different items. The successive actions of one
 * person are numbered too, but each has its own time. If a column holds actions on the items, or a name suggests it, the numbers
 * may have gaps and any order: something else was shown between.
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
    const numbers = orders.filter((field) => !key.includes(field));
    const isOfClock = key.length === 1 && OF_CLOCK.test(by[0]);
    const order =
      numbers.find((field) => isNumbered(rows, by, field.path)) ??
      (key.length > 1 || isOfClock ? undefined : numbers.find((field) => isPlaceWithGaps(field, fields, rows, by)));
    // Without a position, clicked items beside others are a list in the order of the rows.
    const areShown = order !== undefined || (key.length === 1 && !isOfClock && fields.some(isOfDone));
    if (!areShown || !times.some(({ path }) => isOneEach(rows, by, path))) continue;
    const [item] = ids
      .filter((field) => !key.includes(field) && field !== order && !hasFractions(field))
      .filter(({ path }) => differsWithin(rows, by, path) && !isNumbered(rows, by, path))
      .sort((a, b) => itemLike(b) - itemLike(a));
    if (item === undefined) continue;
    const used = [...by, item.path, order?.path];
    const flags = flagsOf(fields, profile, rows).filter(({ path }) => !used.includes(path));
    const [first, second] = by;
    return {
      kind: 'rows',
      by: first,
      second,
      item: item.path,
      order: order?.path,
      flags,
      guess: guessOf(fields, used),
    };
  }
  return undefined;
}

/** A day or an hour is no id of a list, though all items of a list share it. */
const OF_CLOCK = /(?:^|[/_])(?:date|day|dt|weekday|week|month|year|hour|minute|hour_?min)$/i;

/**
 * Whether it is a small whole number that differs within each list: a position, if the rows suggest it. Page or piece numbers
 * recur within a list.
 */
function isPlaceWithGaps(
  field: Field,
  fields: readonly Field[],
  rows: readonly Fields[],
  by: readonly string[],
): boolean {
  const saySo = nameFit(field.path, 'position') >= 0.3 || fields.some(isOfDone);
  return saySo && !isYesNo(field) && field.most <= 1000 && differsWithin(rows, by, field.path);
}

/** Whether the field says for each item whether something was done with it. */
function isOfDone(field: Field): boolean {
  return isYesNo(field) && actionIn(field.path) !== undefined;
}

/** Fields that may form a composite request id. */
const MOST_PAIRED = 6;

function pairsOf(fields: readonly Field[]): readonly (readonly Field[])[] {
  const few = fields.slice(0, MOST_PAIRED);
  return few.flatMap((first, i) => few.slice(i + 1).map((second) => [first, second]));
}

/** A list without an id may be everything that one person was shown at one time. */
function withTimes(ids: readonly Field[], times: readonly Field[]): readonly (readonly Field[])[] {
  const shared = times.filter((field) => repeats(field) && field.distinct.size >= 2).slice(0, 2);
  return ids.slice(0, MOST_PAIRED).flatMap((id) => shared.map((time) => [id, time]));
}

/** Whether values recur in many lists, more often than prices do. An id of the row never recurs. */
function itemLike({ path, distinct, values }: Field): number {
  return nameFit(path, 'itemId') + 0.5 * (1 - distinct.size / Math.max(1, values));
}

/** Whether values have fractions, like prices and scores. */
function hasFractions({ distinct }: Field): boolean {
  return [...distinct.keys()].some((text) => /^-?\d*[.,]\d+$/.test(text));
}

const ACTIONS = [
  [/clic|klick|klik|cliq|label/i, 'click'],
  [/cart|basket|warenkorb|panier|carrito|carrello|carrinho|winkelwagen/i, 'add_to_cart'],
  [/purchase|bought|order|buy|conver|book(?!mark)|gekauft|gekocht|achet|compr|acquist/i, 'purchase'],
] as const;

/** The action in the name of a path; undefined: there is none. */
export function actionIn(path: string): string | undefined {
  return ACTIONS.find(([name]) => name.test(path))?.[1];
}

/**
 * Yes-or-no columns with the name of an action, or that are set only where another one is, and columns with the time of an
 * action, which most rows lack.
 */
function flagsOf(fields: readonly Field[], profile: Profile, rows: readonly Fields[]): readonly RowFlag[] {
  const actionOf = ({ path }: Field): string | undefined => actionIn(path);
  const named = fields.flatMap((field): readonly RowFlag[] => {
    const action = actionOf(field);
    return action !== undefined && isFlag(field) ? [{ path: field.path, action }] : [];
  });
  const flags = [...named, ...flagsWithin(named, fields, rows)];
  const times = [...profile.fields.values()].flatMap((field): readonly RowFlag[] => {
    const action = actionOf(field);
    const isTime = !isOfElements(field.path) && timesOf(field) !== undefined && field.records < 0.9 * profile.records;
    return action !== undefined && isTime ? [{ path: field.path, action, isTime }] : [];
  });
  // If an action has both a flag and a time, the time is enough.
  return [...flags.filter(({ action }) => !times.some((time) => time.action === action)), ...times];
}

/** With fewer rows, one column may be set only where another is by chance. */
const FEWEST_SET = 3;

/** Columns that say yes only for items for which a named column does: actions on an item that was clicked, such as to save it. */
function flagsWithin(named: readonly RowFlag[], fields: readonly Field[], rows: readonly Fields[]): readonly RowFlag[] {
  const isSet = (path: string): ((row: Fields) => boolean) => {
    const pointer = parsePointer(path) ?? [];
    return (row) => yesOrNo(String(resolvePointer(row, pointer) ?? '')) === true;
  };
  const outer = named.map(({ path }) => ({ path, done: rows.filter(isSet(path)) }));
  return fields.flatMap(({ path, ...field }): readonly RowFlag[] => {
    if (named.some((one) => one.path === path) || !isYesNo({ path, ...field })) return [];
    const set = rows.filter(isSet(path));
    const within = outer.some(({ done }) => set.length < done.length && set.every((row) => done.includes(row)));
    return set.length >= FEWEST_SET && within ? [{ path, action: wordOf(path) }] : [];
  });
}

/** The word in `/is_saved` or `/saved_flag`: saved. */
function wordOf(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1);
  const word = last.replace(/^(?:is|was|has)_?(?=.)/i, '').replace(/_?(?:bool|flag)$/i, '');
  return word === '' ? last : word;
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

/** Whether it holds only words for yes or no; one of the two is enough. */
export function isFlag({ distinct }: Field): boolean {
  return distinct.size > 0 && [...distinct.keys()].every((text) => yesOrNo(text) !== undefined);
}

/** The value, or the values, that say yes. */
export function clickedValues(field: Field): Conditions[string] {
  if (mainType(field) !== 'text') return mainType(field) === 'boolean' ? true : 1;
  const yes = [...field.distinct.keys()].filter((text) => yesOrNo(text) === true);
  return yes.length === 1 ? yes[0] : yes.length === 0 ? '1' : yes;
}

export function isYesNo(field: Field): boolean {
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
 * Whether the rows of nearly every request have the positions 1, 2, 3, ... (or from 0), each once. Clicks have positions too, but
 * with gaps; and the number of a session's query groups the rows of many sessions.
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
