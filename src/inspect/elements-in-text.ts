/** The elements of lists that are JSON inside a text: their fields, under the paths that those of a real list have. */
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import { type Profile, profileOf } from './fields.ts';
import type { ListForm } from './list-candidates.ts';
import { partsOf } from './reading.ts';

interface Records {
  readonly rows: readonly Fields[];
  readonly profile: Profile;
}

/** The same records where the lists are no such text. */
export function elementsOf(list: ListForm, side: Records): Records {
  if (list.kind !== 'text' || list.separator !== 'json') return side;
  const steps = parsePointer(list.path) ?? [];
  const lists = side.rows.map((row): Fields => ({ list: partsOf(String(resolvePointer(row, steps) ?? ''), 'json') }));
  const { records, cut, fields } = profileOf(lists);
  const renamed = [...fields.values()].map((field) => ({ ...field, path: field.path.replace('/list', list.path) }));
  return { rows: side.rows, profile: { records, cut, fields: new Map(renamed.map((field) => [field.path, field])) } };
}
