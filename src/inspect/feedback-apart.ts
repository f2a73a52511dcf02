/**
 * Files of feedback with their fields in different places, such as clicks and orders. Files that are alike are read by one map,
 * and the maps are combined into one adapter (`maps`), which selects each map by a field that only its records have.
 */
import type { MapCase } from '../consumers/decode/decoder-settings.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { isOfElements, profileOf } from './fields.ts';
import type { FilesApart, InspectedFile, InspectedSide, Sides } from './inspected.ts';
import type { ItemTrial, JoinTrial } from './join-trial.ts';
import { clockOffset, factsOf } from './log-facts.ts';
import { purchaseSign } from './purchases.ts';
import { isLocal, zonesOf } from './time-zones.ts';

/** Both sides and how they are read, with the event times of each log in the order of its records. */
export interface Found extends Sides {
  /** `lists` contains a log of both sides. */
  readonly logs: {
    readonly lists: readonly (readonly EpochMs[])[];
    readonly feedback: readonly (readonly EpochMs[])[];
  };
}

const REQUIRED: ReadonlySet<string> = new Set(['requestId', 'ts', 'itemId']);
/** Least share of the records of its files that have a required field. A record without it is invalid, whichever map reads it. */
const NEARLY_ALL = 0.98;

/**
 * Splits files into groups that one map reads.
 *
 * @param found how all of the files are read by one map; @param read returns how some of them would be read
 */
export function readApart(
  files: readonly InspectedFile[],
  found: Found,
  read: (files: readonly InspectedFile[]) => Found,
): readonly Found[] {
  const groups = new Map<string, InspectedFile[]>();
  for (const [name, parts] of byName(files)) {
    const key = lacking(name, parts, found.feedback);
    groups.set(key, [...(groups.get(key) ?? []), ...parts]);
  }
  return groups.size < 2 ? [found] : [...groups.values()].flatMap((some) => readApart(some, read(some), read));
}

function byName(files: readonly InspectedFile[]): ReadonlyMap<string, InspectedFile[]> {
  const named = new Map<string, InspectedFile[]>();
  for (const file of files) named.set(file.name, [...(named.get(file.name) ?? []), file]);
  return named;
}

/**
 * Identifies the required fields that a file lacks, and whether the file is of purchases by its name or columns, but not by a
 * field of actions.
 */
function lacking(name: string, parts: readonly InspectedFile[], side: InspectedSide | undefined): string {
  const profile = profileOf(parts.flatMap(({ rows }) => rows));
  const { fields, records } = profile;
  const isIn = (path: string): boolean => (fields.get(path)?.records ?? 0) >= 0.5 * records;
  const fits = side?.fits ?? [];
  const lacks = fits.filter(({ as, path }) => REQUIRED.has(as) && !isIn(path)).map(({ path }) => path);
  const isUnnamed = fits.some(({ as, path }) => as === 'action' && !isIn(path));
  return JSON.stringify([lacks, isUnnamed && purchaseSign(name, profile) !== undefined]);
}

/**
 * Combines the groups into one side of feedback that reads all files. undefined: one configuration cannot do so, because some
 * groups do not join unchanged, need another map of the lists or another time zone, or have no field that the others lack.
 *
 * @param found how the files of each group are read; @param all how all of them are read by one map
 */
export function putTogether(found: readonly Found[], all: Found): Found | undefined {
  const kinds = found.flatMap((one): readonly Kind[] => {
    const { feedback: side, joins, items } = one;
    return side === undefined || !isSound(one) ? [] : [{ side, join: joins[0], items, logs: one.logs.feedback }];
  });
  const apart = kinds.length < found.length || !areReadAlike(found) ? undefined : apartByFields(kinds);
  if (apart === undefined || all.feedback === undefined) return undefined;
  const maps = apart.map(({ side: { map }, has }): MapCase => {
    return has === undefined ? { map } : { when: { [has]: { exists: true } }, map };
  });
  const sides = apart.map(({ side }) => side);
  const { reading } = sides.find(isLocal) ?? sides[0];
  const fits = new Map(sides.flatMap((side) => side.fits.map((fit) => [`${fit.as} ${fit.path}`, fit] as const)));
  // The worst join comes first, because findings look at the first.
  const joins = apart.map(({ join }) => join).sort((a, b) => a.match.share - b.match.share);
  return {
    ...found[0],
    feedback: {
      ...all.feedback,
      reading: { ...reading, adapter: { maps } },
      map: {},
      fits: [...fits.values()],
      missing: [],
      sample: {
        lists: [],
        feedback: sides.flatMap(({ sample }) => sample.feedback),
        times: sides.flatMap(({ sample }) => sample.times),
        missing: new Map(),
      },
      apart,
    },
    joins,
    notTaken: [],
    items: kinds.flatMap(({ items }) => items.slice(0, 1)).sort((a, b) => a.share - b.share),
    logs: { lists: all.logs.lists, feedback: kinds.flatMap(({ logs }) => logs) },
  };
}

interface Kind {
  readonly side: InspectedSide;
  readonly join: JoinTrial;
  readonly items: readonly ItemTrial[];
  readonly logs: readonly (readonly EpochMs[])[];
}

/** Whether a replay could read the files unchanged. The map must have no conditions: they would pass records to the maps below it. */
function isSound({ impressions, feedback, joins: [join], items: [item] }: Found): boolean {
  if (impressions === undefined || feedback === undefined || join === undefined) return false;
  const { missing, reading } = feedback;
  const isMapped = reading.adapter === 'canonical' || (typeof reading.adapter === 'object' && 'map' in reading.adapter);
  return (
    isMapped &&
    impressions.missing.length + missing.length === 0 &&
    join.match.share > 0 &&
    join.match.difference === undefined &&
    item?.difference === undefined
  );
}

/** Whether the same map reads the lists of all groups, and the same zone applies to all times without one. */
function areReadAlike(found: readonly Found[]): boolean {
  const clocks = found.map((one) => {
    const { impressions, feedback, logs } = one;
    const facts = factsOf({
      lists: impressions?.sample.lists ?? [],
      feedback: feedback?.sample.feedback ?? [],
      logs: logs.feedback,
      listsCut: true,
      requestIds: undefined,
      itemIds: undefined,
      weights: undefined,
    });
    const clock = clockOffset(facts.joining.delays);
    return { offset: clock?.offset ?? 0, zones: zonesOf(one, facts, clock), isLocal: isLocal(feedback) };
  });
  const areOne = (values: readonly unknown[]): boolean =>
    new Set(values.map((value) => JSON.stringify(value))).size < 2;
  return (
    areOne(found.map(({ impressions }) => impressions?.reading)) &&
    areOne(clocks.map(({ offset }) => offset)) &&
    areOne(clocks.map(({ zones }) => zones.impressions ?? null)) &&
    (clocks[0].offset === 0 || areOne(clocks.map((clock) => clock.isLocal)))
  );
}

/** Gives each kind a field that the kinds after it lack; the last kind takes the remaining records. undefined: this is not possible. */
function apartByFields(kinds: readonly Kind[]): readonly FilesApart[] | undefined {
  const left = [...kinds];
  const apart: FilesApart[] = [];
  while (left.length > 1) {
    const fields = left.map((kind, i) => ownField(kind, left.toSpliced(i, 1)));
    const at = fields.findIndex((field) => field !== undefined);
    if (at < 0) return undefined;
    const [{ side, join }] = left.splice(at, 1);
    apart.push({ side, join, has: fields[at] });
  }
  return [...apart, { side: left[0].side, join: left[0].join, has: undefined }];
}

/** A field that all its records have, and none of the others: preferably a required one that is read. */
function ownField({ side }: Kind, others: readonly Kind[]): string | undefined {
  const { fields, records } = side.profile;
  const isOwn = (path: string): boolean =>
    path !== '' && !isOfElements(path) && others.every((other) => !other.side.profile.fields.has(path));
  const read = side.fits.find(({ as, path }) => {
    return REQUIRED.has(as) && isOwn(path) && (fields.get(path)?.records ?? 0) >= NEARLY_ALL * records;
  });
  return read?.path ?? [...fields.values()].find((field) => isOwn(field.path) && field.records === records)?.path;
}
