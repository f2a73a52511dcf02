/** Random maps, and records as they stand in logs under the names of these maps. */
import fc from 'fast-check';
import type {
  AdapterChoice,
  DecoderOptions,
  FieldMap,
  FieldSource,
  MapCase,
} from '../../../src/consumers/decode/decoder-settings.ts';
import { CONTEXT_FIELDS, RECORD_FIELDS, scanPlan } from '../../../src/consumers/decode/scan-plan.ts';
import { BOTH } from './fixture.ts';
import { DIMENSIONS, layouts, mostly, options, usual, word } from './scanned.ts';

/** Names that collide: equal beginnings of all lengths, one that is the parent of another. */
const POINTERS = [
  '/rid',
  '/ts',
  '/context/request/id',
  '/context/request',
  '/context/user',
  '/context',
  '/a_name_of_16_by',
  '/a_name_of_16_byt',
  '/a_name_of_16_bytes_and_many_more',
  '/a_name_of_16_bytes_and_many_morE',
  '/a~1b/~0',
  '/with blank',
  '/payload/items',
  '/payload/item',
  '/payload/after/what',
  '/0x',
  '/v',
  '/items',
  '/userId',
];
const ITEM_POINTERS = [
  '/id',
  '/sku',
  '/product/id',
  '/product/price',
  '/product',
  '/rank',
  '/a_name_of_more_than_16_bytes',
  '/s',
];
const pointer = fc.constantFrom(...POINTERS);

type Values = Readonly<Record<string, unknown>>;

/** A record with the values of fields where a map finds them. */
function placed(map: FieldMap, event: Values, noise: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [as, source] of Object.entries(map)) {
    if (as.startsWith('items.') || typeof source !== 'string') continue;
    const [head, member] = as.split('.');
    const own = event[head];
    const value = member === undefined ? own : isObject(own) ? own[member] : undefined;
    const list = as === 'items' && Array.isArray(value) ? value.map((item: unknown) => placedItem(map, item)) : value;
    if (list !== undefined) put(record, source, list);
  }
  for (const [at, value] of noise) put(record, at, value);
  return record;
}

function placedItem(map: FieldMap, item: unknown): unknown {
  const own = Object.entries(map).filter(([as]) => as.startsWith('items.'));
  if (own.length === 0 || !isObject(item)) return item;
  const made: Record<string, unknown> = {};
  for (const [as, source] of own) {
    const value = item[as.slice('items.'.length)];
    if (typeof source === 'string' && value !== undefined) put(made, source, value);
  }
  return made;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Puts a value unless something stands in its way. */
function put(record: Record<string, unknown>, at: string, value: unknown): void {
  const path = at
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  let within = record;
  for (const step of path.slice(0, -1)) {
    const next = within[step] ?? {};
    if (!isObject(next)) return;
    within[step] = next;
    within = next;
  }
  const last = path[path.length - 1];
  if (last !== undefined && within[last] === undefined) within[last] = value;
}

const names = [
  ...RECORD_FIELDS,
  ...CONTEXT_FIELDS,
  'cohorts.country',
  'cohorts.tenure',
  'experiments.ranker',
  'model.name',
];
const source: fc.Arbitrary<FieldSource> = fc.oneof(
  { weight: 12, arbitrary: pointer },
  { weight: 1, arbitrary: fc.constantFrom<FieldSource>({ const: 'click' }, { const: '' }, { const: 7 }, { at: '/v' }) },
);
const itemMap = fc.oneof(
  fc.constant({}),
  fc.dictionary(
    fc.constantFrom('items.id', 'items.score', 'items.position', 'items.category', 'items.propensity'),
    fc.constantFrom(...ITEM_POINTERS),
  ),
);
const required = { requestId: pointer, ts: pointer };
const map: fc.Arbitrary<FieldMap> = fc
  .tuple(
    fc.record({ ...required, items: pointer, itemId: pointer, action: source }),
    fc.dictionary(fc.constantFrom(...names), source, { maxKeys: 8 }),
    itemMap,
  )
  .map(([needed, more, items]) => ({ ...needed, ...more, items: needed.items, ...items }));
const noise = fc.array(
  fc.tuple(
    fc.oneof(pointer, fc.constantFrom('/other', '/context/other', '/payload/other')),
    fc.oneof(
      { weight: 9, arbitrary: mostly(word) },
      { weight: 1, arbitrary: fc.constantFrom('{"user":"u"}', ' ["x"]') },
    ),
  ),
  { maxLength: 3 },
);

/** Usual options with this adapter. */
export const withAdapter = (adapter: AdapterChoice, changed: Partial<DecoderOptions> = {}): DecoderOptions => ({
  ...BOTH,
  dimensions: [...DIMENSIONS, 'tenure'].sort(),
  ...changed,
  adapter,
});

/** What an object held that comes again: the last one counts. */
const EARLIER = '{"user":"zz","after":{"what":"w"},"request":{"id":"q"}}';

/** A text as others write it: an object that comes twice, or 1.0 for 1. */
const written = fc.tuple(layouts, fc.nat(8)).map(([layout, odd]) => (record: Record<string, unknown>): string => {
  const text = layout(record);
  if (odd === 1) return text.replaceAll(/: ?1([,}])/g, ':1.0$1');
  const [first] = Object.entries(record).filter(([, value]) => isObject(value));
  return odd === 2 && first !== undefined ? text.replace('{', `{${JSON.stringify(first[0])}:${EARLIER},`) : text;
});

interface Records {
  readonly all: DecoderOptions;
  readonly texts: readonly string[];
}

const hasPlan = ({ all }: Records): boolean => scanPlan(all.adapter) !== undefined;

/** One map. */
export const mappedRecords: fc.Arbitrary<Records> = fc
  .tuple(map, fc.array(fc.tuple(usual, noise, written), { minLength: 1, maxLength: 4 }), options)
  .map(([made, events, changed]) => ({
    all: withAdapter({ map: made }, changed),
    texts: events.map(([event, more, write]) => write(placed(made, { ...event }, more))),
  }))
  .filter(hasPlan);

const kind = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>('view', 'click', 1) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('buy', 'x', 2, 1.5, true, null, 'vieW', '') },
);
const condition = fc.constantFrom<NonNullable<MapCase['when']>[string]>(
  'view',
  'click',
  ['click', 'buy'],
  1,
  [2, 'x'],
  true,
  {
    exists: true,
  },
  { exists: false },
);
/** A map of events in a list, which the scanner leaves to the map. */
const ofList: FieldMap = {
  requestId: '/rid',
  ts: '/ts',
  itemId: '/v',
  action: { const: 'x' },
  each: '/items',
  'each.value': '/price',
};
const aCase = fc.record({
  when: fc.dictionary(fc.constantFrom('/type', '/payload/kind'), condition, { maxKeys: 2 }),
  map: fc.oneof({ weight: 6, arbitrary: map }, { weight: 1, arbitrary: fc.constant(ofList) }),
});

/** Several maps, of which a record chooses one. */
export const casedRecords: fc.Arbitrary<Records> = fc
  .tuple(
    fc.array(aCase, { minLength: 1, maxLength: 3 }),
    fc.array(fc.tuple(usual, fc.nat(2), kind, kind, written), { minLength: 1, maxLength: 4 }),
  )
  .map(([cases, events]) => ({
    all: withAdapter({ maps: cases }),
    texts: events.map(([event, of, type, other, write]) => {
      const chosen = cases[of % cases.length].map;
      const kinds = [
        ['/type', type],
        ['/payload/kind', other],
      ] as const;
      return write(placed(chosen, { ...event }, kinds));
    }),
  }))
  .filter(hasPlan);

const DONE: FieldMap = { requestId: '/c/r', ts: '/t', itemId: '/i', eventId: '/c/e', action: { const: 'a' } };

/** What random records seldom are: 1.0 for the 1 that is asked for, an object whose last one lacks what the first one has. */
export const SELDOM: readonly Records[] = [
  {
    all: withAdapter({ maps: [{ when: { '/k': 1 }, map: DONE }, { map: { ...DONE, action: { const: 'b' } } }] }),
    texts: ['{"k":1.0,"t":1795248000000,"i":"i","c":{"r":"r"}}'],
  },
  {
    all: withAdapter({ map: DONE }),
    texts: ['{"t":1795248000000,"i":"i","c":{"e":"x"},"c":{"r":"r"}}'],
  },
];
