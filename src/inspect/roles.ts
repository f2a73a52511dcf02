/** Decides which file holds lists, feedback or both: by its records, unless the user says so. */
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import { roughly } from '../vocabulary/numbers.ts';
import type { Side } from './field-fit.ts';
import { nameFit, usualGrade } from './field-names.ts';
import { type Field, isOfElements, mainType, type Profile, timesOf } from './fields.ts';
import { type ListCandidate, listCandidates } from './list-candidates.ts';
import type { Kinds } from './proposed-adapter.ts';
import { purchaseSign } from './purchases.ts';
import { rowKinds } from './row-kinds.ts';
import { actionIn, rowList } from './row-shape.ts';

export type Role = 'impressions' | 'feedback' | 'both';

export interface GuessedRole {
  readonly role: Role;
  /** A clause that gives the reason. */
  readonly why: string;
  /** In a log of both, what distinguishes the records; undefined: whether they have a list. */
  readonly kinds: Kinds | undefined;
  /** Whether its lists are rows of items beside feedback, which nothing can read unchanged, whatever role the user gives it. */
  readonly isMixedRows?: true;
}

const NEARLY_ALL = 0.95;
const NEARLY_NONE = 0.05;

/**
 * Roles of all files: if both have lists, the one with actions is the feedback. `given`: what the user said, which holds unless
 * the files are swapped.
 */
export function rolesOf(sides: readonly Side[], given: readonly (Role | undefined)[]): readonly GuessedRole[] {
  const guesses = sides.map(guessRole);
  const isMixed = guesses.some(({ role }) => role === 'both');
  const holding = sides.map(({ rows, profile }) => (listCandidates(profile, rows)[0]?.share ?? 0) >= NEARLY_ALL);
  for (const [i, { rows, profile }] of sides.entries()) {
    if (holding[i] || !holding.includes(true) || guesses[i].role !== 'impressions') continue;
    const [flag] = rowList(profile, rows)?.flags ?? [];
    const why = `${flag?.path} says of each item whether it was clicked`;
    if (flag !== undefined) guesses[i] = { role: 'feedback', why, kinds: undefined };
  }
  if (sides.length > 1 && !isMixed) {
    const lists = guesses.filter(({ role }) => role === 'impressions').length;
    for (const [i, side] of sides.entries()) {
      const sign = guesses[i].role === 'impressions' ? doneIn(side) : undefined;
      const others = guesses.some((one, j) => j !== i && one.role === 'impressions' && doneIn(sides[j]) === undefined);
      if (sign === undefined || lists < 2 || !others) continue;
      guesses[i] = { role: 'feedback', why: sign, kinds: undefined };
    }
  }
  const isSwapped =
    given.includes('impressions') &&
    guesses.every(({ role }, i) => given[i] !== undefined && role !== 'both' && given[i] !== role);
  return guesses.map((one, i) => {
    const role = given[i];
    const isKept = isSwapped || (role === 'impressions' && one.isMixedRows === true);
    return role === undefined || role === one.role || isKept ? one : { ...one, role, why: `as you say; ${one.why}` };
  });
}

function guessRole({ rows, profile }: Side): GuessedRole {
  const [best] = listCandidates(profile, rows);
  const mayBeRows = best === undefined || best.share < NEARLY_ALL;
  const ofRows =
    mayBeRows && (best === undefined || kindsOf(profile, rows, best) === undefined)
      ? rowKinds({ rows, profile })
      : undefined;
  if (ofRows !== undefined) {
    const why = `${ofRows.path} tells rows of items (${ofRows.lists.join(', ')}) from the rest`;
    return { role: 'both', why, kinds: ofRows, isMixedRows: true };
  }
  if (mayBeRows && rowList(profile, rows) !== undefined) {
    return { role: 'impressions', why: 'one row for each item of a list', kinds: undefined };
  }
  if (best === undefined || best.share <= NEARLY_NONE) {
    const action = actionsOf(profile);
    const why =
      action === undefined ? 'no field holds lists' : `no field holds lists, and ${action.path} holds actions`;
    return { role: 'feedback', why, kinds: undefined };
  }
  const kinds = kindsOf(profile, rows, best);
  if (kinds !== undefined) {
    return { role: 'both', why: `${kinds.path} tells lists (${kinds.lists.join(', ')}) from the rest`, kinds };
  }
  const path = best.form.kind === 'rows' ? best.form.item : best.form.path;
  // Searches without a result have an empty list, which is no field in a CSV.
  const areAllLists =
    best.form.kind !== 'rows' && actionsOf(profile) === undefined && lackItems(profile, rows, best.form.path);
  if (best.share >= NEARLY_ALL || areAllLists) {
    return {
      role: 'impressions',
      why: `${path} is a list of ${Math.round(10 * best.length) / 10} items on average`,
      kinds: undefined,
    };
  }
  return { role: 'both', why: `${roughly(best.share)} of the records have a list, ${path}`, kinds: undefined };
}

/** The evidence that records are about actions although they have lists, such as the lines of an order; undefined: there is none. */
function doneIn({ profile, rows }: Side): string | undefined {
  const action = actionsOf(profile);
  if (action !== undefined) return `${action.path} holds actions`;
  const [best] = listCandidates(profile, rows);
  const list = best === undefined || best.form.kind === 'rows' ? undefined : best.form.path;
  if (list !== undefined && actionIn(list) !== undefined) return `${list} is a list of what was done`;
  const sign = purchaseSign('', profile);
  return sign === undefined ? undefined : `${sign} is of purchases`;
}

/** A field whose values are actions: clicks, purchases. */
function actionsOf({ fields, records }: Profile): Field | undefined {
  return [...fields.values()].find((field) => {
    if (mainType(field) !== 'text' || field.records < 0.5 * records || field.distinct.size > 60) return false;
    if (timesOf(field) !== undefined || nameFit(field.path, 'action') === 0) return false;
    let done = 0;
    for (const [action, n] of field.distinct) if (isDone(action)) done += n;
    return done >= 0.5 * field.values;
  });
}

function isDone(action: string): boolean {
  const grade = usualGrade(action);
  return grade !== undefined && grade !== 0;
}

/** Numbers of records of one kind: all, those with a list, and those with a list that is not empty. */
interface Shown {
  all: number;
  withList: number;
  items: number;
}

function isEmpty(list: unknown): boolean {
  return Array.isArray(list) ? list.length === 0 : list === '' || list === '[]';
}

/** More kinds under a name that does not say so are something else. */
const MOST_UNNAMED = 8;

/** The field whose value decides whether a record has a list. Records without the field, such as page views, are of neither kind. */
function kindsOf(profile: Profile, rows: readonly Fields[], list: ListCandidate): Kinds | undefined {
  if (list.form.kind === 'rows') return undefined;
  const listAt = parsePointer(list.form.path) ?? [];
  const candidates = [...profile.fields.values()]
    .filter((field) => !isOfElements(field.path) && mainType(field) === 'text')
    .filter(({ path, records }) => records >= NEARLY_ALL * rows.length || lackItems(profile, rows, path))
    .filter(({ distinct }) => distinct.size >= 2 && distinct.size <= 40)
    .sort((a, b) => nameFit(b.path, 'action') - nameFit(a.path, 'action'));
  for (const field of candidates) {
    const at = parsePointer(field.path) ?? [];
    const counts = new Map<string, Shown>();
    for (const row of rows) {
      const told = resolvePointer(row, at) ?? undefined;
      if (told === undefined) continue;
      const value = String(told);
      const count = counts.get(value) ?? { all: 0, withList: 0, items: 0 };
      count.all++;
      const shown = resolvePointer(row, listAt) ?? undefined;
      if (shown !== undefined) count.withList++;
      if (shown !== undefined && !isEmpty(shown)) count.items++;
      counts.set(value, count);
    }
    // A search may find nothing. But if the records of a kind never have items, as with page views, it has no lists.
    const shows = ([value, { all, withList, items }]: [string, Shown]): boolean =>
      withList >= 0.9 * all && items > 0 && !isDone(value);
    const lists = [...counts].filter(shows).map(([value]) => value);
    const others = [...counts.keys()].filter((value) => !lists.includes(value));
    const named = nameFit(field.path, 'action');
    const hasActions = others.some((value) => usualGrade(value) !== undefined || named >= 0.5);
    // Under another name, such as that of a table, a field decides only if its values are actions, and no other kind has lists.
    const isSharp =
      named > 0 ||
      (counts.size <= MOST_UNNAMED && others.every((value) => isDone(value) && counts.get(value)?.withList === 0));
    if (lists.length > 0 && others.length > 0 && hasActions && isSharp) return { path: field.path, lists, others };
  }
  return undefined;
}

/** Whether the records without the field hold neither an item nor a list of items, so that skipping them loses nothing. */
function lackItems({ fields }: Profile, rows: readonly Fields[], path: string): boolean {
  const at = parsePointer(path) ?? [];
  const without = rows.filter((row) => (resolvePointer(row, at) ?? undefined) === undefined);
  if (without.length > 0.5 * rows.length) return false;
  const ofItems = [...fields.keys()]
    .filter((one) => !isOfElements(one) && (nameFit(one, 'itemId') > 0 || nameFit(one, 'items') > 0))
    .map((one) => parsePointer(one) ?? []);
  return !without.some((row) => ofItems.some((pointer) => (resolvePointer(row, pointer) ?? undefined) !== undefined));
}

/** Splits the records of a log of both sides into those with lists and the others. */
export function splitBoth(
  rows: readonly Fields[],
  kinds: Kinds | undefined,
  list: ListCandidate | undefined,
): { readonly lists: readonly Fields[]; readonly others: readonly Fields[] } {
  const path = kinds?.path ?? (list === undefined || list.form.kind === 'rows' ? undefined : list.form.path);
  if (path === undefined) return { lists: [], others: rows };
  const at = parsePointer(path) ?? [];
  const isList = (row: Fields): boolean => {
    const value = resolvePointer(row, at);
    return kinds === undefined ? (value ?? undefined) !== undefined : kinds.lists.includes(String(value));
  };
  return { lists: rows.filter(isList), others: rows.filter((row) => !isList(row)) };
}
