/**
 * Completes the map of a known system by what is found in a log: the documentation page of the system cannot know how a site
 * calls its actions, or where it writes its variants.
 */
import type { FieldMap, MapCase } from '../consumers/decode/decoder-settings.ts';
import { mapsAdapter } from '../consumers/decode/map.ts';
import { type Fields, isUnmet } from '../consumers/decode/raw.ts';
import { ABSENT_DIMENSION } from '../vocabulary/events.ts';
import type { Fit } from './field-fit.ts';
import type { Profile } from './fields.ts';
import { knownFields } from './known-systems.ts';
import { recordOf } from './made-fields.ts';
import type { ProposedAdapter } from './proposed-adapter.ts';
import { eventsOf } from './reading.ts';

interface Completed {
  readonly adapter: ProposedAdapter;
  readonly fits: readonly Fit[];
}

/** Fields of a list that a page cannot name. */
const OF_SITES = ['variant', 'sessionId'] as const;

/** @param found what detection finds in the records of lists */
export function completed(
  page: ProposedAdapter,
  rows: readonly Fields[],
  profile: Profile,
  found: { readonly map: FieldMap; readonly fits: readonly Fit[] },
): Completed {
  const documented = (adapter: ProposedAdapter): readonly Fit[] =>
    knownFields(adapter, profile).map(([as, path]) => ({ as, path, why: 'as documented' }));
  if (typeof page !== 'object' || 'list' in page) return { adapter: page, fits: documented(page) };
  const cases: readonly MapCase[] = 'map' in page ? [{ map: page.map }] : page.maps;
  const lacking = OF_SITES.filter(
    (as) => found.map[as] !== undefined && !documented(page).some((fit) => fit.as === as),
  );
  const more = Object.fromEntries(lacking.map((as) => [as, found.map[as]]));
  const maps = withActions(
    cases.map((one) => (one.map['items'] === undefined ? one : { ...one, map: { ...one.map, ...more } })),
    rows,
  );
  const adapter = 'map' in page && maps.length === 1 ? { map: maps[0].map } : { maps };
  const own = found.fits.filter(({ as }) => lacking.some((one) => one === as));
  return { adapter, fits: [...documented(page), ...own] };
}

/** The maps, with more kinds of records that no page names but that one of its maps of feedback reads. */
function withActions(cases: readonly MapCase[], rows: readonly Fields[]): readonly MapCase[] {
  const read = mapsAdapter(cases);
  const kinds = new Map<string, { readonly path: string; readonly value: string; readonly rows: Fields[] }>();
  for (const row of rows) {
    const adapted = read(JSON.stringify(recordOf(row)), '', 0);
    if (typeof adapted === 'string' || !isUnmet(adapted) || adapted.value === ABSENT_DIMENSION) continue;
    const { field: path, value } = adapted;
    const key = `${path} ${value}`;
    const kind = kinds.get(key) ?? { path, value, rows: [] };
    kind.rows.push(row);
    kinds.set(key, kind);
  }
  const all = [...cases];
  for (const { path, value, rows: own } of kinds.values()) {
    const at = all.findIndex(({ when = {}, map }) => path in when && isFeedback(map) && reads(map, own));
    if (at < 0) continue;
    const { when = {}, map } = all[at];
    // If a page gives its action a fixed name, this kind needs another one.
    const isNamed = typeof map['action'] === 'string';
    const values = isNamed ? [...[when[path]].flat().map(String), value] : value;
    const one: MapCase = { when: { ...when, [path]: values }, map: isNamed ? map : { ...map, action: path } };
    if (isNamed) all[at] = one;
    else all.push(one);
  }
  return all;
}

function isFeedback(map: FieldMap): boolean {
  return map['items'] === undefined;
}

function reads(map: FieldMap, rows: readonly Fields[]): boolean {
  const reading = { adapter: { map }, time: undefined, positionBase: 1 } as const;
  return eventsOf(rows, reading).feedback.length >= 0.5 * rows.length;
}
