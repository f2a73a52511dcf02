/**
 * LogFinding on lists in two tables: one has a row for each item, the other the properties of each list, such as its time, and both
 * have its id.
 */
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import { type Fields, isFields } from '../consumers/decode/raw.ts';
import { sharedAsIs } from '../findings/id-match.ts';
import { nameFit } from './field-names.ts';
import { type Field, isIdLike, isNumbers, isOfElements, type Profile, profileOf, timesOf } from './fields.ts';
import type { InspectedFile } from './inspected.ts';
import { type LogFinding, wrong } from './log-finding.ts';
import { printing, recordsIn, recordsOpened, valueAt } from './python-records.ts';
import { standTogether } from './row-groups.ts';
import { rowList } from './row-shape.ts';
import { isOtherDate } from './time-forms.ts';

const NEARLY_ALL = 0.9;
/** Most records that are joined to see what they are. */
const LOOKED_AT = 5000;
/** An origin in milliseconds since 1970 that is a valid time whatever is added; no time of a log is near it. */
const ORIGIN = 1e12;

/** A time relative to a start that the log does not name; undefined: there is none. */
export function relativeTime({ fields, records }: Profile): Field | undefined {
  const named = [...fields.values()].filter(
    (field) =>
      !isOfElements(field.path) && nameFit(field.path, 'ts') >= 0.4 && isNumbers(field) && timesOf(field) === undefined,
  );
  return named.find(({ least, most, distinct }) => least >= 0 && most < ORIGIN && distinct.size > 0.5 * records);
}

interface TwoTables {
  readonly items: InspectedFile;
  readonly lists: InspectedFile;
  readonly key: readonly [items: string, lists: string];
  readonly time: Field;
}

export function tablesApart(logs: readonly InspectedFile[]): LogFinding | undefined {
  const found = logs.flatMap((items) =>
    logs.flatMap((lists) => (items === lists ? [] : (twoTables(items, lists) ?? []))),
  );
  const [one] = found;
  if (one === undefined) return undefined;
  const { items, lists, key, time } = one;
  const isRelative = timesOf(time) === undefined;
  const command = commandFor(one, isRelative);
  const some = [...time.distinct.keys()].slice(0, 3).join(', ');
  const start = isRelative ? ` ${time.path} counts from a start that the log does not name (${some}, ...).` : '';
  const origin = isRelative
    ? ` (the command takes it for milliseconds since September 2001: put in your own start, or read no date from it)`
    : '';
  const both = key[0] === key[1] ? key[0] : `${key[0]} and ${key[1]}`;
  return wrong(
    'lists_not_read',
    `The lists stand in two tables that belong together by ${both}: ${items.name} has a row for each item, ${lists.name} the time of each list (${time.path}).${start}`,
    `Write them as one${origin}, and inspect that${command === undefined ? '.' : ':'}`,
    command,
  );
}

function twoTables(items: InspectedFile, lists: InspectedFile): TwoTables | undefined {
  if ([...items.profile.fields.values()].some((field) => timesOf(field) !== undefined || isOtherDate(field.example)))
    return undefined;
  const time =
    [...lists.profile.fields.values()].find((field) => !isOfElements(field.path) && timesOf(field) !== undefined) ??
    relativeTime(lists.profile);
  if (time === undefined) return undefined;
  const keys = [...items.profile.fields.values()].filter(
    ({ path, distinct }) => !isOfElements(path) && distinct.size > 2,
  );
  for (const a of keys.filter((field) => isIdLike(field) && standTogether(items.rows, field.path))) {
    for (const b of lists.profile.fields.values()) {
      if (b === time || isOfElements(b.path) || !isIdLike(b) || b.distinct.size < 0.98 * lists.rows.length) continue;
      if (sharedAsIs(b.distinct, a.distinct) < NEARLY_ALL) continue;
      const key = [a.path, b.path] as const;
      const joined = joinedRows(items, lists, key, time);
      const list = rowList(profileOf(joined), joined);
      if (list?.by === a.path) return { items, lists, key, time };
    }
  }
  return undefined;
}

function joinedRows(
  items: InspectedFile,
  lists: InspectedFile,
  [a, b]: readonly [string, string],
  time: Field,
): readonly Fields[] {
  const at = (path: string): ((row: Fields) => unknown) => {
    const pointer = parsePointer(path) ?? [];
    return (row) => resolvePointer(row, pointer);
  };
  const [keyOf, idOf, timeOf] = [at(a), at(b), at(time.path)];
  const known = new Map(lists.rows.map((row) => [String(idOf(row)), row]));
  return items.rows.slice(0, LOOKED_AT).flatMap((row) => {
    const list = known.get(String(keyOf(row)));
    if (!isFields(list)) return [];
    const ts = timesOf(time) === undefined ? ORIGIN + Number(timeOf(list)) : timeOf(list);
    return [{ ...list, ...row, ts }];
  });
}

function commandFor({ items, lists, key, time }: TwoTables, isRelative: boolean): string | undefined {
  const [records, others] = [recordsIn(items, 'sys.stdin'), recordsOpened(lists)];
  const [a, b, when] = [valueAt(key[0]), valueAt(key[1]), valueAt(time.path)];
  if (records === undefined || others === undefined || a === undefined || b === undefined || when === undefined)
    return undefined;
  const ts = isRelative ? `,"ts":10**12+int(float(E[${a}]${when.slice(1)}))` : '';
  const without = isRelative ? `,${when.slice(2, -1)}:None` : '';
  return printing(
    [`E={${b}:r for r in ${others}}`],
    `({**E[${a}]${without},**r${ts}} for r in ${records} if ${a} in E)`,
    items,
    true,
  );
}
