import type { AdapterChoice, MapCase } from './decoder-settings.ts';
import { pointersOf } from './field-source.ts';
import { jsonIn, numberIn, parsePointer } from './pointer.ts';
import { isFields, isTooDeep } from './raw.ts';
import { isEmptyList } from './transforms.ts';

/** From the fields of a row to its object. */
type RowObject = (names: readonly string[], fields: readonly string[]) => Record<string, unknown>;

/** How the rows of a CSV become the records that an adapter reads. In a column of lists an empty field is an empty text, as a list is empty then. */
export function rowObject(adapter: AdapterChoice): RowObject {
  if (typeof adapter === 'string') return canonicalRow;
  const lists = listColumns(adapter);
  const read = 'list' in adapter && adapter.map === undefined ? canonicalRow : plainRow;
  return (names, fields) => {
    const row = read(names, fields);
    for (const [i, name] of names.entries()) if (lists.has(name) && isAbsent(fields[i])) row[name] = '';
    return row;
  };
}

/** The texts of a row by column. An empty field, and the `\N` of databases, is absent. */
export function plainRow(names: readonly string[], fields: readonly string[]): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null);
  for (const [i, name] of names.entries()) if (!isAbsent(fields[i])) object[name] = fields[i];
  return object;
}

function isAbsent(field: string): boolean {
  return field === '' || field === '\\N';
}

/**
 * The columns of lists, as far as a map says. Where each row is an item, the column of the item is one: a request that found nothing
 * has a row without. A column that a condition tests is none, as it distinguishes one side from the other.
 */
export function listColumns(adapter: Exclude<AdapterChoice, string>): ReadonlySet<string> {
  const cases: readonly MapCase[] = 'maps' in adapter ? adapter.maps : [{ map: adapter.map ?? { itemId: '/itemId' } }];
  const conditions = cases.flatMap(({ when = {} }) => Object.keys(when));
  const fields = 'list' in adapter ? ['itemId'] : ['items', 'each'];
  const pointers = cases.flatMap(({ map }) => fields.flatMap((field) => pointersOf(map[field])));
  const paths = pointers
    .filter((pointer) => !conditions.includes(pointer))
    .map((pointer) => parsePointer(pointer) ?? []);
  return new Set(paths.filter(({ length }) => length === 1).map(([column]) => column));
}

const NUMBERS: ReadonlySet<string> = new Set(['value', 'offset']);
const GROUPS: ReadonlySet<string> = new Set(['cohorts', 'experiments', 'model']);
const GROUPED = /^(cohorts|experiments|model)\.(.+)$/;

/**
 * The canonical record of a row whose columns are named like the fields: `cohorts.country` is the country in `cohorts`; `items`
 * is JSON, or ids separated by bars; numbers are numbers. An empty field, and the `\N` of databases, is absent; in place of items
 * it is an empty list, unless the row says what was done to which item.
 */
export function canonicalRow(names: readonly string[], fields: readonly string[]): Record<string, unknown> {
  const record: Record<string, unknown> = Object.create(null);
  const groups = new Map<string, Record<string, string>>();
  for (const [i, name] of names.entries()) {
    const text = fields[i];
    if (isAbsent(text)) continue;
    const [, group, key] = GROUPED.exec(name) ?? [];
    if (group !== undefined && key !== undefined) {
      const members: Record<string, string> = groups.get(group) ?? Object.create(null);
      members[key] = text;
      groups.set(group, members);
    } else record[name] = cellOf(name, text);
  }
  for (const [group, members] of groups) {
    const given = record[group];
    record[group] = isFields(given) ? { ...given, ...members } : members;
  }
  const isFeedback = record['itemId'] !== undefined || record['action'] !== undefined;
  if (!isFeedback && names.includes('items')) record['items'] ??= [];
  return record;
}

function cellOf(name: string, text: string): unknown {
  if (NUMBERS.has(name)) return numberIn(text);
  if (GROUPS.has(name)) return jsonIn(text);
  if (name !== 'items') return text;
  if (isEmptyList(text)) return [];
  const items = jsonIn(text);
  // JSON that is nested too deep is no list, and no ids either.
  if (typeof items !== 'string' || (/^\s*[[{]/.test(items) && isTooDeep(items))) return items;
  return items.split('|').map((id) => id.trim());
}
