import { suggestion } from '../../spelling.ts';
import type { TopicRole } from '../join/settings.ts';
import { type Adapter, parseObject } from './adapter.ts';
import { isDimensionName } from './dimensions.ts';
import { type Pointer, parsePointer, resolvePointer } from './pointer.ts';
import { isFields, type RawRecord } from './raw.ts';
import type { FieldMap, FieldSource } from './settings.ts';

const FIELDS = [
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
type Field = (typeof FIELDS)[number];

const ITEM_FIELDS = ['id', 'position', 'score', 'propensity', 'team', 'category'] as const;
const MODEL_FIELDS = ['name', 'version'] as const;

/** Every field that can be mapped by a fixed name. */
export const MAPPED_FIELDS: readonly string[] = [
  ...FIELDS,
  ...ITEM_FIELDS.map((name) => `items.${name}`),
  ...MODEL_FIELDS.map((name) => `model.${name}`),
];

/** What is wrong with a map for a topic of this role; `field` is a key of the map, '' the map as a whole. */
export function mapProblems(map: FieldMap, role: TopicRole): { readonly field: string; readonly message: string }[] {
  const isMapped = (field: string) => Object.hasOwn(map, field);
  const needed = [
    ['requestId', 'every event needs it'],
    ['ts', 'every event needs it'],
    ...(role.impressions ? [['items', 'impressions need it']] : []),
    ...(role.feedback ? [['itemId', 'feedback needs it']] : []),
    ...(role.feedback ? [['action', 'feedback needs it; for a fixed one write {const: click}']] : []),
  ];
  const problems = needed
    .filter(([field]) => !isMapped(field))
    .map(([field, why]) => ({ field: '', message: `${field} is missing; ${why}` }));
  for (const [field, source] of Object.entries(map)) {
    const message = keyProblem(field, isMapped) ?? sourceProblem(field, source);
    if (message !== undefined) problems.push({ field, message });
  }
  return problems;
}

function keyProblem(field: string, isMapped: (field: string) => boolean): string | undefined {
  if (MAPPED_FIELDS.includes(field)) {
    if (field.startsWith('items.') && !isMapped('items')) return 'needs items, the pointer to the list';
    return undefined;
  }
  const [head, ...rest] = field.split('.');
  if (head === 'cohorts' || head === 'experiments') {
    const name = rest.join('.');
    return isDimensionName(name) ? undefined : `expected ${head}.<name> with a name such as country`;
  }
  return `unknown field${suggestion(field, MAPPED_FIELDS)}`;
}

function sourceProblem(field: string, source: FieldSource): string | undefined {
  if (typeof source === 'string') {
    return parsePointer(source) === undefined ? 'expected a JSON pointer such as /context/id (RFC 6901)' : undefined;
  }
  return field === 'items' ? 'expected a JSON pointer; a list cannot be constant' : undefined;
}

type Getter = (root: unknown) => unknown;

/** The adapter of a map without problems. A field that it does not name is absent. */
export function mapAdapter(map: FieldMap): Adapter {
  const fields: [Field, Getter][] = [];
  const groups = { items: new Map<string, Getter>(), model: new Map<string, Getter>() };
  const named = { cohorts: new Map<string, Getter>(), experiments: new Map<string, Getter>() };
  for (const [key, source] of Object.entries(map)) {
    const getter = getterOf(source);
    const field = FIELDS.find((name) => name === key);
    const [head, ...rest] = key.split('.');
    if (field !== undefined) fields.push([field, getter]);
    else if (head === 'items' || head === 'model') groups[head].set(rest.join('.'), getter);
    else if (head === 'cohorts' || head === 'experiments') named[head].set(rest.join('.'), getter);
  }
  const itemGetters = groups.items;
  // With any field of an item mapped, its id is still found under its own name.
  if (itemGetters.size > 0 && !itemGetters.has('id')) itemGetters.set('id', getterOf('/id'));

  return (text) => {
    const root = parseObject(text);
    if (typeof root === 'string') return root;
    const record: RawRecord = {};
    for (const [field, getter] of fields) record[field] = getter(root);
    if (itemGetters.size > 0 && Array.isArray(record.items)) {
      record.items = record.items.map((item: unknown) => pick(item, itemGetters));
    }
    record.model = overlay(root, groups.model, record.model);
    record.cohorts = overlay(root, named.cohorts, record.cohorts);
    record.experiments = overlay(root, named.experiments, record.experiments);
    return [record];
  };
}

function getterOf(source: FieldSource): Getter {
  if (typeof source !== 'string') return () => source.const;
  const pointer: Pointer = parsePointer(source) ?? [];
  return (root) => resolvePointer(root, pointer);
}

/** The base with the mapped fields laid over it. A base that is no object stays, for validation to refuse. */
function overlay(root: unknown, getters: ReadonlyMap<string, Getter>, base: unknown): unknown {
  if (getters.size === 0 || (!isAbsent(base) && !isFields(base))) return base;
  const fields = pick(root, getters);
  if (isFields(base)) for (const name of Object.keys(base)) fields[name] ??= base[name];
  return Object.keys(fields).length > 0 ? fields : undefined;
}

/** The fields that were found, in an object that inherits nothing. */
function pick(root: unknown, getters: ReadonlyMap<string, Getter>): Record<string, unknown> {
  const picked: Record<string, unknown> = Object.create(null);
  for (const [name, getter] of getters) {
    const value = getter(root);
    if (!isAbsent(value)) picked[name] = value;
  }
  return picked;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
