import { suggestion } from '../../vocabulary/spelling.ts';
import type { TopicRole } from '../../vocabulary/topic-role.ts';
import { isDimensionName } from './dimensions.ts';
import { MAPPED_FIELDS, mapKey } from './map-fields.ts';
import { parsePointer } from './pointer.ts';
import type { FieldMap, FieldSource, MapCase } from './settings.ts';

/** `field` is a key of the map, '' the map as a whole. */
interface MapProblem {
  readonly field: string;
  readonly message: string;
}

/** What is wrong with a map for a topic of this role. */
export function mapProblems(map: FieldMap, role: TopicRole): readonly MapProblem[] {
  const has = (field: string) => Object.hasOwn(map, field) || Object.hasOwn(map, `each.${field}`);
  const needed = [
    ['requestId', 'every event needs it'],
    ['ts', 'every event needs it'],
    ...(role.impressions ? [['items', 'impressions need it']] : []),
    ...(role.feedback ? [['itemId', 'feedback needs it']] : []),
    ...(role.feedback ? [['action', 'feedback needs it; for a fixed one write {const: click}']] : []),
  ];
  const problems = needed
    .filter(([field]) => !has(field))
    .map(([field, why]) => ({ field: '', message: `${field} is missing; ${why}` }));
  for (const [key, source] of Object.entries(map)) {
    const message = eachProblem(key, map) ?? keyProblem(key, has) ?? sourceProblem(key, source);
    if (message !== undefined) problems.push({ field: key, message });
  }
  return problems;
}

function eachProblem(key: string, map: FieldMap): string | undefined {
  const isMapped = (name: string) => Object.hasOwn(map, name);
  const { field, isOfEntry } = mapKey(key);
  if (isOfEntry && !isMapped('each')) return 'needs each, the pointer to the list of events';
  if (isOfEntry && isMapped(field)) return `stands there twice: as ${field} of the record and of each entry`;
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

function sourceProblem(key: string, source: FieldSource): string | undefined {
  const isList = key === 'each' || ['items', 'each'].includes(mapKey(key).field);
  const pointer = typeof source === 'string' ? source : 'at' in source ? source.at : undefined;
  if (typeof source === 'object' && 'at' in source && !isList) return 'only a list is split, such as items';
  if (pointer !== undefined) {
    return parsePointer(pointer) === undefined ? 'expected a JSON pointer such as /context/id (RFC 6901)' : undefined;
  }
  return isList ? 'expected a JSON pointer; a list cannot be constant' : undefined;
}

/** `at` is where it stands below the adapter. */
interface CaseProblem {
  readonly at: readonly (string | number)[];
  readonly message: string;
}

/** What is wrong with the maps of a topic of this role. A map with items makes impressions, any other feedback. */
export function mapsProblems(maps: readonly MapCase[], role: TopicRole): readonly CaseProblem[] {
  const problems: CaseProblem[] = [];
  const sides = { impressions: false, feedback: false };
  for (const [i, { when = {}, map }] of maps.entries()) {
    const at = ['maps', i];
    const makes = Object.hasOwn(map, 'items') || Object.hasOwn(map, 'each.items') ? 'impressions' : 'feedback';
    sides[makes] = true;
    if (!role[makes]) problems.push({ at, message: `makes ${makes}, and this topic carries none` });
    const own = { impressions: makes === 'impressions', feedback: makes === 'feedback' };
    for (const { field, message } of mapProblems(map, own)) problems.push({ at: [...at, 'map', field], message });
    for (const pointer of Object.keys(when)) {
      if (parsePointer(pointer) === undefined) {
        problems.push({ at: [...at, 'when', pointer], message: 'expected a JSON pointer such as /event (RFC 6901)' });
      }
    }
    if (i < maps.length - 1 && Object.keys(when).length === 0) {
      problems.push({ at, message: 'takes every record, so that no map after it is reached; give it a when' });
    }
  }
  for (const side of ['impressions', 'feedback'] as const) {
    if (role[side] && !sides[side]) problems.push({ at: ['maps'], message: `none makes ${side}` });
  }
  return problems;
}
