/**
 * Logs in which feedback has no id of its list: it is joined with the last list in which its user saw that item (specification: join 10).
 * This is a guess, so it is looked for only where no id joins.
 */
import type { FieldMap } from '../consumers/decode/decoder-settings.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import { roughly } from '../vocabulary/numbers.ts';
import type { Found } from './feedback-apart.ts';
import type { InspectedFile, InspectedSide, Known, Touch } from './inspected.ts';
import { type LogFinding, note } from './log-finding.ts';
import { joinedAdapter, type ProposedAdapter } from './proposed-adapter.ts';
import { eventsOf, type SampledFeedback, type SampledList, timesIn } from './reading.ts';
import { rowsByKind } from './row-kinds.ts';

/** Least share of the feedback that has a list. */
const LEAST = 0.5;

/** The sides joined by user; undefined: ids join them, or this rule does not either. */
export function joinedByUser(found: Found, files: readonly InspectedFile[]): Found | undefined {
  const { impressions, feedback, oneLog, kinds } = found;
  if (impressions === undefined || feedback === undefined || impressions === feedback || feedback.apart.length > 0)
    return undefined;
  if (![impressions, feedback].every(hasAllButId) || (oneLog && kinds === undefined)) return undefined;
  const lists = withoutId(impressions, impressions.missing.includes('requestId'));
  const clicks = withoutId(feedback, true);
  if (lists === undefined || clicks === undefined) return undefined;
  const all = (names: readonly string[]): readonly Fields[] =>
    files.filter(({ name }) => names.includes(name)).flatMap(({ rows }) => rows);
  const byKind = kinds === undefined ? undefined : rowsByKind(all(impressions.files), kinds.path);
  const isRead = (rows: readonly Fields[]): boolean =>
    2 * eventsOf(rows, clicks.reading, 'userId').feedback.length >= rows.length;
  const done = kinds?.others.filter((kind) => isRead(byKind?.get(kind) ?? [])) ?? [];
  const of = (some: readonly string[], side: InspectedSide): readonly Fields[] =>
    byKind === undefined ? all(side.files) : some.flatMap((kind) => byKind.get(kind) ?? []);
  const shown = eventsOf(of(kinds?.lists ?? [], impressions), lists.reading, 'userId');
  const acted = eventsOf(of(done, feedback), clicks.reading, 'userId');
  const { feedback: touched, touch } = lastTouch(shown.lists, acted.feedback);
  if (touch.feedback === 0 || touch.none > (1 - LEAST) * touch.feedback) return undefined;
  const read = kinds === undefined ? undefined : { ...kinds, others: done };
  const joined = oneLog ? joinedAdapter(lists.map, clicks.map, read, [], true) : undefined;
  const logs = (side: InspectedSide, adapter: ProposedAdapter) =>
    files
      .filter(({ name }) => side.files.includes(name))
      .map(({ rows }) => timesIn(rows, { ...side.reading, adapter }, 'userId'));
  return {
    ...found,
    joined,
    kinds: kinds === undefined ? undefined : { ...kinds, read: done },
    impressions: { ...lists, sample: shown },
    feedback: { ...clicks, sample: { ...acted, feedback: touched } },
    joins: [],
    notTaken: [],
    items: [],
    touch,
    logs: {
      lists: logs(lists, joined ?? lists.reading.adapter),
      feedback: oneLog ? [] : logs(clicks, clicks.reading.adapter),
    },
  };
}

function hasAllButId({ missing, fits }: InspectedSide): boolean {
  return missing.every((field) => field === 'requestId') && fits.some(({ as }) => as === 'userId');
}

/** The side without a request id in its map; undefined: it has no map of its own. @param isWithout whether to take it out */
function withoutId(side: InspectedSide, isWithout: boolean): InspectedSide | undefined {
  const { adapter } = side.reading;
  if (adapter === 'open-bandit' || (typeof adapter === 'object' && 'list' in adapter)) return undefined;
  const without = (map: FieldMap): FieldMap => {
    if (!isWithout) return map;
    return Object.fromEntries(Object.entries(map).filter(([as]) => as !== 'requestId' && as !== 'each.requestId'));
  };
  const own: ProposedAdapter =
    adapter === 'canonical' || 'map' in adapter
      ? { map: without(side.map) }
      : { maps: adapter.maps.map((one) => ({ ...one, map: without(one.map) })) };
  const fits = isWithout ? side.fits.filter(({ as }) => as !== 'requestId') : side.fits;
  return { ...side, map: without(side.map), fits, missing: [], reading: { ...side.reading, adapter: own } };
}

/** Gives feedback the request id of the last list of its user with its item, up to its time. */
function lastTouch(
  lists: readonly SampledList[],
  feedback: readonly SampledFeedback[],
): { readonly feedback: readonly SampledFeedback[]; readonly touch: Touch } {
  const ofUser = new Map<string, SampledList[]>();
  for (const list of lists.toSorted((a, b) => b.ts - a.ts)) {
    const { userId } = list;
    if (userId !== undefined) ofUser.set(userId, [...(ofUser.get(userId) ?? []), list]);
  }
  let [several, none] = [0, 0];
  const touched = feedback.map((event) => {
    const held = (ofUser.get(event.userId ?? '') ?? []).filter(
      ({ ts, items }) => ts <= event.ts && items.includes(event.itemId),
    );
    if (held.length > 1) several++;
    if (held.length === 0) none++;
    return { ...event, requestId: held[0]?.requestId ?? '' };
  });
  return { feedback: touched, touch: { feedback: feedback.length, several, none } };
}

/** What is assumed, and how much of the feedback it leaves open. */
export function touchFinding({ touch, impressions, feedback, files }: Known): readonly LogFinding[] {
  if (touch === undefined || impressions === undefined || feedback === undefined) return [];
  const names = [...new Set([...impressions.files, ...feedback.files])].join(', ');
  const page = files.find(({ known }) => known !== undefined)?.known?.page;
  const of = (count: number): string => roughly(count / Math.max(1, touch.feedback));
  return [
    note(
      'no_list_id',
      `Feedback in ${names} has no id of its list. It is joined with the last list in which its user saw that item (join: {by: userId, touch: last}): ${of(touch.several)} of it could belong to several lists, and ${of(touch.none)} to none.`,
      `This is a guess, for files alone. Better give each list an id when it is shown, and log it with each click on it${page === undefined ? '' : ` (${page})`}.`,
    ),
  ];
}
