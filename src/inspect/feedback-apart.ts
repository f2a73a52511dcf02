/**
 * Files of feedback whose fields are in different places, such as clicks and orders: those that are alike are read together, and
 * the maps are put together into one adapter (`maps`), where each is told by a field that only its records have.
 */
import type { MapCase } from '../consumers/decode/decoder-settings.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { isOfElements, profileOf } from './fields.ts';
import type { FilesApart, InspectedFile, InspectedSide, Sides } from './inspected.ts';
import type { ItemTrial, JoinTrial } from './join-trial.ts';
import { clockOffset, factsOf } from './log-facts.ts';
import { purchaseSign } from './purchases.ts';
import { isLocal, zonesOf } from './time-zones.ts';

/** Both sides as they are read, with the event times of each log in the order of its records. */
export interface Found extends Sides {
  /** One log of both sides is among the lists. */
  readonly logs: {
    readonly lists: readonly (readonly EpochMs[])[];
    readonly feedback: readonly (readonly EpochMs[])[];
  };
}

const REQUIRED: ReadonlySet<string> = new Set(['requestId', 'ts', 'itemId']);
/** A required field is in at least as many records of its files; one that lacks it is invalid, whichever map reads it. */
const NEARLY_ALL = 0.98;

/**
 * Files that one map reads, together.
 *
 * @param found how all of the files are read by one map; @param read how some of them would be
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

/** Which of the fields that are read a file lacks; and whether it says of itself, but in no field, that it holds purchases. */
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
 * One side of feedback that reads all files. undefined: one configuration cannot, because some do not join as they are, need another
 * map of the lists or another time zone, or have no field that the others lack.
 *
 * @param found how the files of each kind are read; @param all how all of them are by one map
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
  // The worst comes first: findings look at the first.
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

/** A replay would read it, and nothing has to be mended first. Conditions of its own would let records fall to the maps below. */
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

/** Whether one map reads the lists, whichever feedback is on them, and one zone all times without one. */
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

/** Each kind with a field by which its records are told from those of the kinds after it; the last takes what remains. */
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

/** A field of all its records and none of the others: one that is read, else any. */
function ownField({ side }: Kind, others: readonly Kind[]): string | undefined {
  const { fields, records } = side.profile;
  const isOwn = (path: string): boolean =>
    path !== '' && !isOfElements(path) && others.every((other) => !other.side.profile.fields.has(path));
  const read = side.fits.find(({ as, path }) => {
    return REQUIRED.has(as) && isOwn(path) && (fields.get(path)?.records ?? 0) >= NEARLY_ALL * records;
  });
  return read?.path ?? [...fields.values()].find((field) => isOwn(field.path) && field.records === records)?.path;
}
