/**
 * Fields that are a list of pairs, `[{"key": "list_id", "value": {"string_value": "r1"}}]`, as a table of events exports them. No
 * pointer leads to one of them, because its index differs from record to record.
 */
import { jsonIn } from '../consumers/decode/pointer.ts';
import { isFields } from '../consumers/decode/raw.ts';
import { type Field, isOfElements, mainType } from './fields.ts';
import type { InspectedFile } from './inspected.ts';

interface PairsOfFields {
  /** Paths of the lists of pairs. */
  readonly paths: readonly string[];
  /** The property with the name of the field: `key` or `name`. */
  readonly key: 'key' | 'name';
  /** Names of the fields in the first of these lists. */
  readonly names: readonly string[];
}

const LOOKED_AT = 200;

/** Returns undefined if there are no such lists. */
export function pairsOfFields({ profile, rows }: InspectedFile): PairsOfFields | undefined {
  if (rows.length === 0) return undefined;
  for (const key of ['key', 'name'] as const) {
    const found = [...profile.fields.values()]
      .filter(({ path }) => !isOfElements(path))
      .map((field) => ({ field, names: namesIn(listsOf(field, key, profile.fields), key) }))
      .filter(({ names }) => names.length > 0);
    if (found.length > 0) return { paths: found.map(({ field }) => field.path), key, names: found[0].names };
  }
  return undefined;
}

/** Elements of the field's lists, or one for each name if only the profile has them. */
function listsOf(field: Field, key: string, fields: ReadonlyMap<string, Field>): readonly unknown[] {
  const { path, distinct } = field;
  if (mainType(field) === 'text') {
    const texts = [...distinct.keys()].slice(0, LOOKED_AT);
    return texts.every((text) => text.startsWith('[')) ? texts.flatMap((text) => jsonIn(text) ?? []) : [];
  }
  const [names, values] = [
    fields.get(`${path}[]/${key}`),
    [...fields.keys()].some((at) => at.startsWith(`${path}[]/value`)),
  ];
  return names === undefined || !values || mainType(names) !== 'text'
    ? []
    : [...names.distinct.keys()].map((name) => ({ [key]: name, value: null }));
}

/** The names of the pairs; empty: the elements are something else. */
function namesIn(elements: readonly unknown[], key: string): readonly string[] {
  const names = elements.map((element) =>
    isFields(element) && 'value' in element && typeof element[key] === 'string' ? element[key] : undefined,
  );
  const found = names.filter((name) => name !== undefined);
  return found.length < names.length ? [] : [...new Set(found)];
}
