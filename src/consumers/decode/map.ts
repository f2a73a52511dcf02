import type { InvalidCode } from '../../vocabulary/drops.ts';
import type { TopicRole } from '../../vocabulary/events.ts';
import { suggestion } from '../../vocabulary/spelling.ts';
import { conditionProblems, isAbsent, testedOf } from './conditions.ts';
import type { FieldMap, FieldSource, JoinKey, MapCase } from './decoder-settings.ts';
import { isDimensionName } from './dimensions.ts';
import { type Getter, getterOf, pointerGetter, pointersOf, remembered, sourceProblem } from './field-source.ts';
import { numberIn } from './pointer.ts';
import {
  type Adapted,
  type Adapter,
  ITEM_FIELDS,
  isFields,
  NUMBER_FIELDS,
  parseObject,
  type RawRecord,
} from './raw.ts';
import { isEmptyList, opened } from './transforms.ts';

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

type Field = (typeof FIELDS)[number];

const MODEL_FIELDS = ['name', 'version'] as const;

/** Every field that can be mapped by a fixed name. */
const MAPPED_FIELDS: readonly string[] = [
  ...FIELDS,
  ...ITEM_FIELDS.map((name) => `items.${name}`),
  ...MODEL_FIELDS.map((name) => `model.${name}`),
];

/** `field` is a key of the map, '' the map as a whole. */
interface MapProblem {
  readonly field: string;
  readonly message: string;
}

/** `at`: its path within the adapter. */
interface CaseProblem {
  readonly at: readonly (string | number)[];
  readonly message: string;
}

/** The adapter of a map without problems. A field that it does not name is absent. */
export function mapAdapter(map: FieldMap): Adapter {
  const events = eventsOf(map);
  return (text) => {
    const root = parseObject(text);
    return typeof root === 'string' ? root : events(root);
  };
}

/** Uses the first map whose conditions a record meets; a record that meets none holds no event. */
export function mapsAdapter(maps: readonly MapCase[]): Adapter {
  const cases = maps.map(({ when = {}, map }) => ({ conditions: testedOf(when), events: eventsOf(map) }));
  return (text) => {
    const root = parseObject(text);
    if (typeof root === 'string') return root;
    let most = -1;
    let unmet: (typeof cases)[number]['conditions'][number] | undefined;
    for (const { conditions, events } of cases) {
      const met = conditions.findIndex(({ value, isMet }) => !isMet(value(root)));
      if (met < 0) return events(root);
      if (met > most) {
        most = met;
        unmet = conditions[met];
      }
    }
    return unmet === undefined ? [] : { field: unmet.pointer, value: unmet.textOf(unmet.value(root)) };
  };
}

/** From a record and, with `each`, one of its entries. */
type EventGetter = (root: unknown, entry: unknown) => unknown;

/**
 * Limit of the items that the entries of `each` share, summed over entries: a record with a few bytes per entry could otherwise
 * become gigabytes.
 */
const MOST_SHARED_ITEMS = 100_000;

/** From a record to the events that it holds. */
function eventsOf(map: FieldMap): (root: RawRecord) => Adapted {
  const event = eventOf(map);
  const { each, items } = map;
  const sharedItems = items === undefined ? undefined : getterOf(items);
  if (each === undefined) return (root) => [event(root, undefined)];
  const entries = getterOf(each);
  return (root) => {
    const list = openedList(entries(root));
    if (!Array.isArray(list)) return notAList(list);
    const shared = openedList(sharedItems?.(root));
    if (Array.isArray(shared) && shared.length * list.length > MOST_SHARED_ITEMS) return 'too_large';
    return list.map((entry: unknown) => event(root, entry));
  };
}

function notAList(value: unknown): InvalidCode {
  return isAbsent(value) ? 'missing_field' : 'wrong_type';
}

/** From a record, and one of its entries, to the record in canonical fields. */
export function eventOf(map: FieldMap): (root: unknown, entry: unknown) => RawRecord {
  const fields: [Field, EventGetter][] = [];
  const itemGetters = new Map<string, Getter>();
  const groups = {
    model: new Map<string, EventGetter>(),
    cohorts: new Map<string, EventGetter>(),
    experiments: new Map<string, EventGetter>(),
  };
  for (const [key, source] of Object.entries(map)) {
    const getter = getterOf(source);
    const { field: name, isOfEntry } = mapKey(key);
    const eventGetter: EventGetter = isOfEntry ? (_, entry) => getter(entry) : getter;
    const field = FIELDS.find((one) => one === name);
    const [head, ...rest] = name.split('.');
    const isNumber = NUMBER_FIELDS.has(field ?? rest.join('.'));
    if (field !== undefined) {
      fields.push([field, isNumber ? (root, entry) => numberIn(eventGetter(root, entry)) : eventGetter]);
    } else if (head === 'items') itemGetters.set(rest.join('.'), isNumber ? (item) => numberIn(getter(item)) : getter);
    else if (head === 'model' || head === 'cohorts' || head === 'experiments') {
      groups[head].set(rest.join('.'), eventGetter);
    }
  }
  // With any field of an item mapped, its id is still found under its own name.
  if (itemGetters.size > 0 && !itemGetters.has('id')) itemGetters.set('id', pointerGetter('/id'));
  const mapped = remembered((items: readonly unknown[]) => items.map((item) => pick(itemGetters, item, undefined)));
  const ofFeedback = FEEDBACK_FIELDS.filter((field) => isFound(map[field]));

  return (root, entry) => {
    const record: RawRecord = {};
    for (const [field, getter] of fields) record[field] = getter(root, entry);
    // In a log of both sides, feedback has an empty text in place of a list.
    const hasNone = typeof record.items === 'string' && isEmptyList(record.items) && saysOne(record, ofFeedback);
    record.items = hasNone ? undefined : openedList(record.items);
    if (itemGetters.size > 0 && Array.isArray(record.items)) {
      record.items = mapped(record.items);
    }
    record.model = overlay(groups.model, root, entry, record.model);
    record.cohorts = overlay(groups.cohorts, root, entry, record.cohorts);
    record.experiments = overlay(groups.experiments, root, entry, record.experiments);
    return record;
  };
}

const FEEDBACK_FIELDS = ['itemId', 'action'] as const;

/** Whether a field is looked for in each record, and not the same in all. */
function isFound(source: FieldSource | undefined): boolean {
  return source !== undefined && pointersOf(source).length > 0;
}

function saysOne(record: RawRecord, fields: readonly (typeof FEEDBACK_FIELDS)[number][]): boolean {
  return fields.some((field) => !isAbsent(record[field]) && record[field] !== '');
}

/** The same where a list belongs: a text without anything in it is an empty one. */
function openedList(value: unknown): unknown {
  return typeof value === 'string' && isEmptyList(value) ? [] : opened(value);
}

type Getters = ReadonlyMap<string, EventGetter>;

/** The base with the mapped fields laid over it. A base that is not an object is returned, for validation to refuse. */
function overlay(getters: Getters, root: unknown, entry: unknown, given: unknown): unknown {
  const base = opened(given);
  if (getters.size === 0 || (!isAbsent(base) && !isFields(base))) return base;
  const fields = pick(getters, root, entry);
  if (isFields(base)) for (const name of Object.keys(base)) fields[name] ??= base[name];
  return Object.keys(fields).length > 0 ? fields : undefined;
}

/** The fields that were found, in an object that inherits nothing. */
function pick(getters: Getters, root: unknown, entry: unknown): Record<string, unknown> {
  const picked: Record<string, unknown> = Object.create(null);
  for (const [name, getter] of getters) {
    const value = getter(root, entry);
    if (!isAbsent(value)) picked[name] = value;
  }
  return picked;
}

/** A key of a map: a field of the record, or (`each.itemId`) of each entry of the list `each`. */
function mapKey(key: string): { readonly field: string; readonly isOfEntry: boolean } {
  const isOfEntry = key.startsWith('each.');
  return { field: isOfEntry ? key.slice('each.'.length) : key, isOfEntry };
}

/**
 * What is wrong with a map for a topic of this role.
 * @param joinBy the field that may stand for the request id
 */
export function mapProblems(map: FieldMap, role: TopicRole, joinBy?: JoinKey): readonly MapProblem[] {
  const has = (field: string) => Object.hasOwn(map, field) || Object.hasOwn(map, `each.${field}`);
  const needed = [
    ...(joinBy === undefined ? [['requestId', 'every event needs it']] : []),
    ...(joinBy !== undefined && (role.impressions || !has('requestId'))
      ? [[joinBy, `join.by: ${joinBy} needs it`]]
      : []),
    ['ts', 'every event needs it'],
    ...(role.impressions ? [['items', 'impressions need it']] : []),
    ...(role.feedback ? [['itemId', 'feedback needs it']] : []),
    ...(role.feedback ? [['action', 'feedback needs it; for a fixed one write {const: click}']] : []),
  ];
  const problems = needed
    .filter(([field]) => !has(field))
    .map(([field, why]) => ({ field: '', message: `${field} is missing; ${why}` }));
  for (const [key, source] of Object.entries(map)) {
    const message = eachProblem(key, map) ?? keyProblem(key, has) ?? sourceProblem(mapKey(key).field, source);
    if (message !== undefined) problems.push({ field: key, message });
  }
  return problems;
}

function eachProblem(key: string, map: FieldMap): string | undefined {
  const isMapped = (name: string) => Object.hasOwn(map, name);
  const { field, isOfEntry } = mapKey(key);
  if (isOfEntry && !isMapped('each')) return 'needs each, the pointer to the list of events';
  if (isOfEntry && isMapped(field)) return `appears twice: as ${field} of the record and of each entry`;
  if (key === 'each' && !Object.keys(map).some((name) => mapKey(name).isOfEntry)) {
    return 'needs a field of its entries, such as each.itemId';
  }
  if (key === 'eventId' && isMapped('each')) {
    return 'is one id for all events of the record, so that all but one are duplicates; map each.eventId or leave it out';
  }
  return undefined;
}

function keyProblem(key: string, has: (field: string) => boolean): string | undefined {
  const { field, isOfEntry } = mapKey(key);
  if (field === 'each' && !isOfEntry) return undefined;
  if (MAPPED_FIELDS.includes(field)) {
    if (!field.startsWith('items.')) return undefined;
    if (isOfEntry) return `fields of items are relative to the item: write ${field}`;
    return has('items') ? undefined : 'needs items, the pointer to the list';
  }
  const [head, ...rest] = field.split('.');
  if (head === 'cohorts' || head === 'experiments') {
    const name = rest.join('.');
    return isDimensionName(name) ? undefined : `expected ${head}.<name> with a name such as country`;
  }
  return `unknown field${suggestion(field, [...MAPPED_FIELDS, 'each'])}`;
}

/** What is wrong with the maps of a topic of this role. A map with items makes impressions, any other feedback. @param joinBy as in `mapProblems` */
export function mapsProblems(maps: readonly MapCase[], role: TopicRole, joinBy?: JoinKey): readonly CaseProblem[] {
  const problems: CaseProblem[] = [];
  const sides = { impressions: false, feedback: false };
  for (const [i, { when = {}, map }] of maps.entries()) {
    const at = ['maps', i];
    const makes = Object.hasOwn(map, 'items') || Object.hasOwn(map, 'each.items') ? 'impressions' : 'feedback';
    sides[makes] = true;
    if (!role[makes]) problems.push({ at, message: `makes ${makes}, and this topic carries none` });
    const own = { impressions: makes === 'impressions', feedback: makes === 'feedback' };
    for (const { field, message } of mapProblems(map, own, joinBy))
      problems.push({ at: [...at, 'map', field], message });
    for (const { at: pointer, message } of conditionProblems(when))
      problems.push({ at: [...at, 'when', pointer], message });
    if (i < maps.length - 1 && Object.keys(when).length === 0) {
      problems.push({ at, message: 'takes every record, so that no map after it is reached; give it a when' });
    }
  }
  for (const side of ['impressions', 'feedback'] as const) {
    if (role[side] && !sides[side]) problems.push({ at: ['maps'], message: `none makes ${side}` });
  }
  return problems;
}
