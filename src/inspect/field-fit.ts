/** Matches fields of a log with canonical fields, and says why: by their values, by whether they join, and by their names. */

import type { FieldMap, FieldSource } from '../consumers/decode/decoder-settings.ts';
import { isDimensionName } from '../consumers/decode/dimensions.ts';
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { roughly } from '../vocabulary/numbers.ts';
import { type Canonical, nameFit } from './field-names.ts';
import { type Field, isIdLike, isOfElements, isOffset, mainType, type Profile, timesOf } from './fields.ts';
import { type ItemTrial, idPaths, type JoinTrial } from './join-trial.ts';
import type { ListForm } from './list-candidates.ts';
import { recordOf } from './made-fields.ts';
import { isCanonical, type ProposedAdapter } from './proposed-adapter.ts';
import { jointId, type Reading } from './reading.ts';
import { isOneEach } from './row-groups.ts';
import { isOtherDate, timeWords } from './time-forms.ts';

export interface Side {
  readonly rows: readonly Fields[];
  readonly profile: Profile;
}

/** A field of the log and its canonical field. */
export interface Fit {
  /** A name such as `requestId`, `items.id` or `cohorts.country`. */
  readonly as: string;
  readonly path: string;
  readonly why: string;
}

export interface FittedSide {
  readonly reading: Reading;
  /** The map of `reading`, written out even if it is canonical. */
  readonly map: FieldMap;
  readonly fits: readonly Fit[];
  /** Required fields for which the log has no field. */
  readonly missing: readonly string[];
}

/** Names with a lower fit do not suggest the field. */
export const NAMED = 0.3;
const MOST_VARIANTS = 12;
const MOST_VALUES_OF_DIMENSION = 60;
const VARIANT_VALUE = /^(?:control|treatment|baseline|variant[-_ ]?\w*|test|[a-d]|on|off)$/i;

export function fitImpressions(
  side: Side,
  list: ListForm | undefined,
  join: JoinTrial | undefined,
  items: ItemTrial | undefined,
): FittedSide {
  const profile = ofRecord(side.profile);
  const fits: Fit[] = [];
  const map: Record<string, FieldSource> = {};
  const take: Take = (as, path, why, at = path) => {
    fits.push({ as, path, why });
    map[as] = at;
  };
  const request = requestOf(profile, join, list);
  takeRequest(request, list, join, 'impressions', take, fits);
  const ts = timeField(profile, undefined);
  const time = ts === undefined ? undefined : timesOf(ts);
  if (ts !== undefined && time !== undefined) take('ts', ts.path, timeWords(time.form));
  let positionBase: 0 | 1 = list?.kind === 'rows' && profile.fields.get(list.order ?? '')?.least === 0 ? 0 : 1;
  if (list !== undefined) {
    takeList(list, side.profile, items, take);
    if (list.kind !== 'rows' && list.id !== '') positionBase = takeItemFields(`${list.path}[]`, side, take);
  }
  const used = (): ReadonlySet<string> => usedBy(fits);
  for (const [as, fitting] of [
    ['userId', isIdLike],
    ['sessionId', isIdLike],
    ['variant', isVariant],
    ['surface', isLabel],
    ['offset', isOffset],
  ] as const) {
    const field = named(profile, as, (one) => fitting(one) && !used().has(one.path));
    if (field !== undefined) take(as, field.path, `by name, ${many(field)}`);
  }
  if (map['variant'] === undefined) {
    const field = [...profile.fields.values()].find(
      (one) => isVariant(one) && hasVariantNames(one) && !used().has(one.path),
    );
    if (field !== undefined) take('variant', field.path, 'by its values');
  }
  takeDimensions(side, profile, new Set(fits.map(({ path }) => path)), list, take);
  const missing = ['requestId', 'ts', list?.kind === 'rows' ? 'itemId' : 'items'].filter(
    (field) => map[field] === undefined,
  );
  return { reading: { adapter: adapterOf(map, list, side.rows), time, positionBase }, map, fits, missing };
}

/** The fields that are used. The parts of a composite request id remain available: one may be the user's or the session's id as well. */
export function usedBy(fits: readonly Fit[]): ReadonlySet<string> {
  const areParts = fits.filter(({ as }) => as === 'requestId').length > 1;
  const isPart = ({ as }: Fit): boolean => as === 'requestId' && areParts;
  return new Set(fits.filter((fit) => !isPart(fit)).map(({ path }) => path));
}

/** The rows of a list must be within this many rows of each other: the default of the setting `within`. */
const WITHIN = 100_000;

function adapterOf(map: FieldMap, list: ListForm | undefined, rows: readonly Fields[]): ProposedAdapter {
  // A canonical list is not text, so a map must parse it.
  if (list?.kind === 'text' || (list?.kind === 'list' && isJsonText(list.path, rows))) return { map };
  if (list?.kind !== 'rows') return isCanonical(map) ? 'canonical' : { map };
  const feedback = Object.fromEntries(
    list.flags.map(({ path, action, isTime }) => [path, isTime === true ? { action, ts: path } : action]),
  );
  return {
    list: { by: 'requestId', ...(list.order === undefined ? {} : { order: list.order }), within: WITHIN },
    map,
    ...(list.flags.length === 0 ? {} : { feedback }),
  };
}

function isJsonText(path: string, rows: readonly Fields[]): boolean {
  const pointer = parsePointer(path) ?? [];
  return rows.some((row) => typeof resolvePointer(recordOf(row), pointer) === 'string');
}

/** The profile without the fields of elements. */
function ofRecord(profile: Profile): Profile {
  return { ...profile, fields: new Map([...profile.fields].filter(([path]) => !isOfElements(path))) };
}

export type Take = (as: string, path: string, why: string, at?: FieldSource) => void;

function takeList(list: ListForm, profile: Profile, items: ItemTrial | undefined, take: Take): void {
  const found = items === undefined || !items.withinList ? 'by name' : `found ${roughly(items.share)}`;
  if (list.kind === 'rows') {
    take('itemId', list.item, items === undefined || list.flags.length > 0 ? 'one row for each item' : found);
    return;
  }
  const field = profile.fields.get(list.path);
  const length =
    list.kind === 'list' && field !== undefined ? ` of ${one(field.elements / Math.max(1, field.records))}` : '';
  const form = list.kind === 'text' ? `lists with "${list.separator}"` : `lists${length}`;
  const at = list.kind === 'text' ? { at: list.path, split: list.separator } : list.path;
  take('items', list.path, list.id === '' ? `${form}, ${found}` : form, at);
  if (list.id !== '') take('items.id', `${list.path}[]${list.id}`, found, list.id);
}

/** Positions are mapped only if they differ from the order of the list. Returns the base of positions. */
function takeItemFields(of: string, { rows, profile }: Side, take: Take): 0 | 1 {
  const below = [...profile.fields.values()].filter(
    ({ path }) => path.startsWith(`${of}/`) && !isOfElements(path.slice(of.length)),
  );
  const best = (as: Canonical, fits: (field: Field) => boolean): Field | undefined =>
    below
      .filter((field) => nameFit(field.path.slice(of.length), as) >= 0.5 && fits(field))
      .sort((a, b) => nameFit(b.path, as) - nameFit(a.path, as))[0];
  let base: 0 | 1 = 1;
  const position = best('position', (field) => mainType(field) === 'whole' && field.least >= 0);
  if (position !== undefined && rows.length > 0) {
    base = position.least === 0 ? 0 : 1;
    take('items.position', position.path, base === 0 ? 'by name, from 0' : 'by name', position.path.slice(of.length));
  }
  const isNumber = (field: Field): boolean => mainType(field) === 'number' || mainType(field) === 'whole';
  const score = best('score', isNumber);
  if (score !== undefined) take('items.score', score.path, 'by name', score.path.slice(of.length));
  const propensity = best('propensity', isNumber);
  if (propensity !== undefined) take('items.propensity', propensity.path, 'by name', propensity.path.slice(of.length));
  const category = best('category', (field) => mainType(field) === 'text');
  if (category !== undefined) take('items.category', category.path, 'by name', category.path.slice(of.length));
  return base;
}

function takeDimensions(
  { rows }: Side,
  profile: Profile,
  used: ReadonlySet<string>,
  list: ListForm | undefined,
  take: Take,
): void {
  const names = new Set<string>();
  const by = list?.kind !== 'rows' ? undefined : list.second === undefined ? [list.by] : [list.by, list.second];
  const lists = by === undefined ? rows.length : new Set(rows.map(jointId(by))).size;
  for (const field of profile.fields.values()) {
    const { path } = field;
    if (isOfElements(path) || used.has(path) || !isDimension(field, profile, lists)) continue;
    if (list?.kind === 'rows' && list.flags.some((flag) => flag.path === path)) continue;
    if (list?.kind === 'rows' && (path === list.item || path === list.order)) continue;
    // A property of the item, such as its colour, says nothing about the list.
    if (by !== undefined && !isOneEach(rows, by, path)) continue;
    const name = dimensionName(path);
    if (!isDimensionName(name) || names.has(name) || ['variant', 'surface', 'model'].includes(name)) continue;
    names.add(name);
    take(`cohorts.${name}`, path, many(field));
  }
}

export function requestOf(
  profile: Profile,
  join: JoinTrial | undefined,
  list: ListForm | undefined,
): string | undefined {
  if (list?.kind === 'rows') return list.by;
  if (join !== undefined) return join.impressions;
  return named(profile, 'requestId', (field) => isIdLike(field) && timesOf(field) === undefined)?.path;
}

export function takeRequest(
  request: string | undefined,
  list: ListForm | undefined,
  join: JoinTrial | undefined,
  side: 'impressions' | 'feedback',
  take: Take,
  fits: Fit[],
): void {
  if (request === undefined) return;
  const ofRows = list?.kind === 'rows' && list.second !== undefined ? [list.by, list.second] : undefined;
  const paths = ofRows ?? (join?.second === undefined ? [] : idPaths(join, side));
  if (paths.length < 2) {
    take('requestId', request, requestWhy(join, request));
    return;
  }
  take('requestId', request, join?.second === undefined ? 'part 1 of 2' : 'part 1 of 2: they join together', paths);
  fits.push({ as: 'requestId', path: paths[1], why: 'part 2 of 2' });
}

function requestWhy(join: JoinTrial | undefined, request: string): string {
  if (join === undefined || (join.impressions !== request && join.feedback !== request)) return 'by name';
  return join.match.difference === undefined ? 'it joins' : 'it joins if mended';
}

/** The field of times: most records have it, and its name fits best. */
export function timeField({ fields, records }: Profile, each: string | undefined): Field | undefined {
  const rating = (field: Field): number => {
    const own = each !== undefined && field.path.startsWith(`${each}[]`) ? 0.1 : 0;
    return nameFit(field.path, 'ts') + Math.min(1, field.records / Math.max(1, records)) + own;
  };
  return [...fields.values()]
    .filter((field) => timesOf(field) !== undefined && (each !== undefined || !isOfElements(field.path)))
    .sort((a, b) => rating(b) - rating(a))[0];
}

export function named({ fields, records }: Profile, as: Canonical, fits: (field: Field) => boolean): Field | undefined {
  const rating = ({ path, records: n }: Field): number => nameFit(path, as) + 0.2 * (n / Math.max(1, records));
  return [...fields.values()]
    .filter((field) => nameFit(field.path, as) >= NAMED && field.records >= 0.02 * records && fits(field))
    .sort((a, b) => rating(b) - rating(a))[0];
}

function isVariant({ distinct, path, values }: Field): boolean {
  return !isOfElements(path) && distinct.size >= 1 && distinct.size <= MOST_VARIANTS && values > 0;
}

function hasVariantNames({ distinct }: Field): boolean {
  return (
    distinct.size >= 2 && distinct.has('control') && [...distinct.keys()].every((text) => VARIANT_VALUE.test(text))
  );
}

function isLabel(field: Field): boolean {
  return !isOfElements(field.path) && mainType(field) === 'text' && field.distinct.size <= MOST_VALUES_OF_DIMENSION;
}

/** Whether a field has a few repeating values: text, flags or small integers. */
function isDimension(field: Field, { records }: Profile, lists: number): boolean {
  const { distinct, values } = field;
  const type = mainType(field);
  if (records < 10 || distinct.size < 2 || distinct.size > MOST_VALUES_OF_DIMENSION) return false;
  if (distinct.size > 0.34 * Math.min(values, lists)) return false;
  if (type === 'list' || type === 'object' || type === 'number') return false;
  if (timesOf(field) !== undefined || isOtherDate(field.example)) return false;
  return type !== 'whole' || (field.least >= 0 && field.most < 1000);
}

function dimensionName(path: string): string {
  const steps = path.split('/');
  return (steps[steps.length - 1] ?? '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '');
}

function many({ distinct: { size }, manyMore }: Field): string {
  return `${grouped(size)}${manyMore ? ' and more' : ''} value${size === 1 ? '' : 's'}`;
}

function one(value: number): string {
  return String(Math.round(value * 10) / 10);
}
