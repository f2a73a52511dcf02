import { jsonIn, numberIn } from './pointer.ts';
import { isFields } from './raw.ts';

/**
 * The fields of one row (RFC 4180): commas, fields in double quotes, a quote inside them doubled. undefined: a quote that does
 * not end, or is not allowed there.
 */
export function splitRow(line: string): readonly string[] | undefined {
  const row = line.endsWith('\n') ? line.slice(0, -1) : line;
  const text = row.endsWith('\r') ? row.slice(0, -1) : row;
  if (!text.includes('"')) return text.split(',');
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    if (text[at] === '"') {
      let field = '';
      for (;;) {
        const end = text.indexOf('"', at + 1);
        if (end < 0) return undefined;
        field += text.slice(at + 1, end);
        at = end + 1;
        if (text[at] !== '"') break;
        field += '"';
      }
      if (at < text.length && text[at] !== ',') return undefined;
      fields.push(field);
    } else {
      const comma = text.indexOf(',', at);
      const end = comma < 0 ? text.length : comma;
      const field = text.slice(at, end);
      if (field.includes('"')) return undefined;
      fields.push(field);
      at = end;
    }
    if (at >= text.length) return fields;
    at++;
  }
}

const NUMBERS: ReadonlySet<string> = new Set(['value', 'offset']);
const GROUPS: ReadonlySet<string> = new Set(['cohorts', 'experiments', 'model']);
const GROUPED = /^(cohorts|experiments|model)\.(.+)$/;

/**
 * The canonical record of a row whose columns are named like the fields: `cohorts.country` is the country in `cohorts`; `items`
 * is JSON, or ids separated by bars; numbers are numbers. An empty field, and the `\N` of databases, is absent.
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
