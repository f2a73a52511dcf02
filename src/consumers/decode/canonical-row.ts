import { numberIn } from './number-text.ts';
import { jsonIn } from './pointer.ts';
import { isFields } from './raw.ts';

const NUMBERS: ReadonlySet<string> = new Set(['value', 'offset']);
const GROUPS: ReadonlySet<string> = new Set(['cohorts', 'experiments', 'model']);
const GROUPED = /^(cohorts|experiments|model)\.(.+)$/;

/**
 * The canonical record of a row whose columns are called as the fields are: `cohorts.country` is the country in `cohorts`; `items` is
 * JSON, or ids between bars; numbers are numbers. An empty field, and the `\N` of databases, is absent.
 */
export function canonicalRow(names: readonly string[], fields: readonly string[]): object {
  const record: Record<string, unknown> = Object.create(null);
  const groups = new Map<string, Record<string, string>>();
  for (const [i, name] of names.entries()) {
    const text = fields[i];
    if (text === '' || text === '\\N') continue;
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
  return record;
}

function cellOf(name: string, text: string): unknown {
  if (NUMBERS.has(name)) return numberIn(text);
  if (GROUPS.has(name)) return jsonIn(text);
  if (name !== 'items') return text;
  const items = jsonIn(text);
  return typeof items === 'string' ? items.split('|').map((id) => id.trim()) : items;
}
