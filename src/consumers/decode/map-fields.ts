/** Fields that a map may name. */
export const FIELDS = [
  'requestId',
  'ts',
  'items',
  'itemId',
  'action',
  'value',
  'eventId',
  'userId',
  'sessionId',
  'offset',
  'surface',
  'variant',
  'experiments',
  'cohorts',
  'model',
] as const;
export type Field = (typeof FIELDS)[number];

const ITEM_FIELDS = ['id', 'position', 'score', 'propensity', 'team', 'category'] as const;
const MODEL_FIELDS = ['name', 'version'] as const;

/** Every field that can be mapped by a fixed name. */
export const MAPPED_FIELDS: readonly string[] = [
  ...FIELDS,
  ...ITEM_FIELDS.map((name) => `items.${name}`),
  ...MODEL_FIELDS.map((name) => `model.${name}`),
];

/** A key of a map: a field of the record, or (`each.itemId`) of each entry of the list `each`. */
export function mapKey(key: string): { readonly field: string; readonly isOfEntry: boolean } {
  const isOfEntry = key.startsWith('each.');
  return { field: isOfEntry ? key.slice('each.'.length) : key, isOfEntry };
}
