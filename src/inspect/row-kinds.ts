/** Distinguishes rows of shown items from rows of actions in a log that has both. */
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import type { Side } from './field-fit.ts';
import { nameFit, usualGrade } from './field-names.ts';
import { isOfElements, mainType, profileOf } from './fields.ts';
import type { Kinds } from './proposed-adapter.ts';
import { rowList } from './row-shape.ts';

const NEARLY_ALL = 0.95;
const MOST_KINDS = 40;
/** A name with at least this fit is that of kinds of events. */
const NAMED = 0.5;

/** The field that distinguishes rows of shown items from rows of actions; undefined: there is none, or there are no such rows. */
export function rowKinds({ rows, profile }: Side): Kinds | undefined {
  const candidates = [...profile.fields.values()]
    .filter(({ path, records }) => !isOfElements(path) && records >= NEARLY_ALL * rows.length)
    .filter((field) => ['text', 'whole'].includes(mainType(field)) && nameFit(field.path, 'action') > 0)
    .filter(({ distinct }) => distinct.size >= 2 && distinct.size <= MOST_KINDS)
    .sort((a, b) => nameFit(b.path, 'action') - nameFit(a.path, 'action'));
  for (const { path } of candidates) {
    const byKind = rowsByKind(rows, path);
    const lists = [...byKind].flatMap(([kind, own]) => (!isDone(kind) && areItems(own) ? [kind] : []));
    const others = [...byKind.keys()].filter((kind) => !lists.includes(kind));
    // Words of other languages are not known. A field of events counts only if it distinguishes known actions, or if its name
    // fits and the rows are no lists by themselves.
    const isOfEvents = others.some(isDone) || (nameFit(path, 'action') >= NAMED && !areItems(rows));
    if (lists.length > 0 && others.length > 0 && isOfEvents) return { path, lists, others };
  }
  return undefined;
}

function isDone(kind: string): boolean {
  const grade = usualGrade(kind);
  return grade !== undefined && grade !== 0;
}

function areItems(rows: readonly Fields[]): boolean {
  return rowList(profileOf(rows), rows) !== undefined;
}

/** Rows by kind, without those that have none. */
export function rowsByKind(rows: readonly Fields[], path: string): ReadonlyMap<string, readonly Fields[]> {
  const at = parsePointer(path) ?? [];
  const byKind = new Map<string, Fields[]>();
  for (const row of rows) {
    const kind = resolvePointer(row, at) ?? undefined;
    if (kind === undefined) continue;
    const own = byKind.get(String(kind));
    if (own === undefined) byKind.set(String(kind), [row]);
    else own.push(row);
  }
  return byKind;
}
