/**
 * Tries every plausible pair of id fields, to find the one that joins feedback with impressions, and the field of feedback that
 * names an item of the list. A user's or a session's id joins too, but repeats from list to list; a request's does not.
 */
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import { type Counted, type Difference, type Match, matchIds, normalizers, sharedAsIs } from '../findings/id-match.ts';
import { nameFit } from './field-names.ts';
import { type Field, isIdLike, isNumeric, isOfElements, type Profile, timesOf } from './fields.ts';
import type { ListCandidate, ListForm } from './list-candidates.ts';
import { idOf, jointId, partsOf } from './reading.ts';
import { isOtherDate } from './time-forms.ts';

export interface JoinTrial {
  /** Paths of the two fields. */
  readonly impressions: string;
  readonly feedback: string;
  /** The second fields of a composite id; undefined: the id is one field. */
  readonly second?: { readonly impressions: string; readonly feedback: string } | undefined;
  readonly match: Match;
  /** Number of distinct ids per impression. */
  readonly unique: number;
  readonly rating: number;
}

/** Most fields that are tried per side. */
const MOST_TRIED = 14;
/** Most pairs whose ids are compared for a systematic difference. */
const MOST_COMPARED = 16;

/**
 * The trials, the best first. @param rows the fields that group rows of items, if only these are to be tried; undefined: try all
 * plausible fields
 */
export function tryJoins(
  impressions: Profile,
  feedback: Profile,
  rows: readonly string[] | undefined,
): readonly JoinTrial[] {
  const left = [...impressions.fields.values()]
    .filter((field) => rows?.includes(field.path) ?? true)
    .filter((field) => !isOfElements(field.path) && isPlausible(field, impressions, rows === undefined ? 0.05 : 0))
    .sort((a, b) => promise(b) - promise(a))
    .slice(0, MOST_TRIED);
  const right = [...feedback.fields.values()]
    .filter((field) => isPlausible(field, feedback, 0.01))
    .sort((a, b) => promise(b) - promise(a))
    .slice(0, MOST_TRIED);
  const pairs = left.flatMap((a) => right.map((b) => ({ a, b, share: sharedAsIs(a.distinct, b.distinct) })));
  pairs.sort((x, y) => y.share + promise(y.a) + promise(y.b) - x.share - promise(x.a) - promise(x.b));
  return pairs
    .map(({ a, b, share }, i): JoinTrial => {
      const match =
        i < MOST_COMPARED && nameFit(a.path, 'itemId') * nameFit(b.path, 'itemId') === 0
          ? matchIds(a.distinct, b.distinct)
          : { share, difference: undefined };
      // The rows of a list share its id. If the id takes two fields, neither of them is the id.
      const unique = rows?.length === 1 ? 1 : a.distinct.size / Math.max(1, a.values);
      return { impressions: a.path, feedback: b.path, match, unique, rating: ratingOf(a, b, match, unique) };
    })
    .sort((x, y) => y.rating - x.rating);
}

function ratingOf(a: Field, b: Field, { share, difference }: Match, unique: number): number {
  const named = 0.5 + 0.25 * (nameFit(a.path, 'requestId') + nameFit(b.path, 'requestId'));
  const other = isOfSomebody(a.path) || isOfSomebody(b.path) ? 0.3 : 1;
  return share * unique * named * other * (difference === undefined ? 1 : 0.9) + 0.001 * named * other;
}

/** Whether the name suggests a user's or a session's id. */
function isOfSomebody(path: string): boolean {
  const somebody = Math.max(nameFit(path, 'userId'), nameFit(path, 'sessionId'));
  return somebody > nameFit(path, 'requestId');
}

function isPlausible(field: Field, { records }: Profile, leastDistinct: number): boolean {
  const { distinct, values, path, example } = field;
  if (isOtherDate(example) || !isIdLike(field) || timesOf(field) !== undefined || field.records < 0.02 * records)
    return false;
  if (nameFit(path, 'position') >= 0.9) return false;
  return (distinct.size >= 2 || records < 20) && distinct.size >= leastDistinct * values;
}

function promise({ path, distinct, values }: Field): number {
  return (
    nameFit(path, 'requestId') +
    0.5 * Math.min(1, distinct.size / Math.max(1, values)) +
    (isOfSomebody(path) ? -0.5 : 0)
  );
}

export interface ItemTrial {
  readonly list: ListCandidate;
  /** Path of the field in feedback. */
  readonly feedback: string;
  /**
   * Share of the feedback with a known request that names an item of its list; if no request is known, share of all feedback that
   * names any item.
   */
  readonly share: number;
  readonly difference: Difference | undefined;
  /** false: no request was known, so the items of all lists were searched. */
  readonly withinList: boolean;
  readonly rating: number;
}

interface Side {
  readonly rows: readonly Fields[];
  readonly profile: Profile;
}

/** The trials, the best first. `join`: the pair of ids that joins feedback with lists. */
export function tryItems(
  impressions: Side,
  feedback: Side,
  lists: readonly ListCandidate[],
  join: JoinTrial | undefined,
): readonly ItemTrial[] {
  const fields = [...feedback.profile.fields.values()]
    .filter(
      (field) => isIdLike(field) && timesOf(field) === undefined && field.records >= 0.02 * feedback.profile.records,
    )
    .filter((field) => field.path !== join?.feedback && field.path !== join?.second?.feedback)
    .filter((field) => field.distinct.size > 0 && !isPlace(field))
    .sort((a, b) => nameFit(b.path, 'itemId') - nameFit(a.path, 'itemId'))
    .slice(0, MOST_TRIED);
  const trials = lists.slice(0, 6).flatMap((list) => {
    const within =
      join === undefined || join.match.share === 0 ? undefined : itemsByRequest(impressions.rows, list.form, join);
    const all = itemsOf(impressions.rows, list.form);
    return fields.map((field): ItemTrial => {
      const asked =
        within === undefined || join === undefined ? undefined : askWithin(feedback.rows, field.path, join, within);
      const found =
        asked === undefined || asked.share < 0.3
          ? differing(all, field, asked?.share, (mended) =>
              within === undefined || join === undefined
                ? undefined
                : askWithin(feedback.rows, field.path, join, within, { mended })?.share,
            )
          : { share: asked.share, difference: undefined };
      // If nothing identifies the list that was clicked, a user "r17" could pass for the item "News 17": only names can decide.
      // One value can be made equal to any other.
      const isBelieved =
        found.difference === undefined ||
        (field.distinct.size > 1 && (within !== undefined || nameFit(field.path, 'itemId') > 0));
      const { share, difference } = isBelieved ? found : { share: 0, difference: undefined };
      // A transformation can make short ids match, so a field that matches without one is preferred.
      const asIs = difference === undefined ? 1 : 0.8;
      const rating =
        asIs * share * (0.6 + 0.4 * nameFit(field.path, 'itemId')) +
        0.1 * list.fit +
        0.02 * nameFit(field.path, 'itemId');
      return { list, feedback: field.path, share, difference, withinList: asked !== undefined, rating };
    });
  });
  return trials.sort((a, b) => b.rating - a.rating);
}

/** Matches names such as clicked_pos or itemRank. */
const PLACE_NAME = /(?:(?:^|[/_.-])(?:pos|rank|idx|slot|position|index)|(?:Pos|Rank|Idx|Slot|Position|Index))$/;

/** Whether the field is a number that is an item's position. */
export function isPlace({ path, least, most, distinct }: Field): boolean {
  return (
    (PLACE_NAME.test(path) ||
      (nameFit(path, 'position') >= 0.3 && nameFit(path, 'itemId') < nameFit(path, 'position'))) &&
    least >= 0 &&
    most <= 1000 &&
    [...distinct.keys()].every((text) => /^\d+(?:\.0+)?$/.test(text))
  );
}

/**
 * Compares with the items of all lists if those of the clicked list do not match. A difference is credible only if without it ids
 * match within the clicked list, too: small numbers occur in many lists by chance.
 *
 * @param withinIf share of the clicked items that are in their list without the difference; undefined: no request is known
 */
function differing(
  all: Counted,
  field: Field,
  within: number | undefined,
  withinIf: (difference: Difference) => number | undefined,
): Match {
  const match = matchIds(all, field.distinct);
  const mended = match.difference === undefined ? undefined : withinIf(match.difference);
  const isBelieved = match.difference !== undefined && (mended === undefined || mended >= 0.3);
  return within === undefined || isBelieved ? match : { share: within, difference: undefined };
}

/** Most feedback records whose item is looked up in their list. */
const ASKED = 5000;

/**
 * `others`: looks up each click in the list of another request, which shows the share by chance. `mended`: compares items without
 * this difference.
 */
function askWithin(
  rows: readonly Fields[],
  path: string,
  join: JoinTrial,
  lists: ReadonlyMap<string, ReadonlySet<string>>,
  { others = false, mended }: { readonly others?: boolean; readonly mended?: Difference | undefined } = {},
): { readonly share: number } | undefined {
  const normal = join.match.difference === undefined ? (id: string) => id : normalizers(join.match.difference)[1];
  const [requests, items] = [requestsAt(join, 'feedback'), idsAt(path)];
  const isSameList = isOfElements(join.feedback) && isOfElements(path);
  const [ofLists, ofClicks] = mended === undefined ? [undefined, undefined] : normalizers(mended);
  const all = others ? [...lists.values()] : [];
  let asked = 0;
  let found = 0;
  for (const row of rows.slice(0, ASKED)) {
    const ofRow = requests(row);
    for (const [i, item] of items(row).entries()) {
      const request = isSameList ? ofRow[i] : ofRow[0];
      const own = request === undefined ? undefined : lists.get(normal(request));
      const list = own === undefined || !others ? own : anotherOf(all, own, asked);
      if (list === undefined || item === undefined) continue;
      asked++;
      const isThere = ofLists === undefined ? list.has(item) : [...list].some((one) => ofLists(one) === ofClicks(item));
      if (isThere) found++;
    }
  }
  return asked === 0 ? undefined : { share: found / asked };
}

/** Any list but the request's own. Clicks may have the order of the lists. */
function anotherOf<T>(all: readonly T[], own: T, n: number): T | undefined {
  const [first, second] = [n, n + 1].map((at) => all[at % all.length]);
  return first === own ? second : first;
}

/** The one or two paths of a side's id. */
export function idPaths(join: JoinTrial, side: 'impressions' | 'feedback'): readonly string[] {
  return join.second === undefined ? [join[side]] : [join[side], join.second[side]];
}

/** Returns text such as: feedback/query = impressions/query_id. */
export function pairText(join: JoinTrial): string {
  return `feedback${idPaths(join, 'feedback').join(' + ')} = impressions${idPaths(join, 'impressions').join(' + ')}`;
}

function requestsAt(
  join: JoinTrial,
  side: 'impressions' | 'feedback',
): (row: Fields) => readonly (string | undefined)[] {
  if (join.second === undefined) return idsAt(join[side]);
  const id = jointId(idPaths(join, side));
  return (row) => [id(row)];
}

/** Reads the ids at a path with at most one list in it. */
export function idsAt(path: string): (row: Fields) => readonly (string | undefined)[] {
  const at = path.indexOf('[]');
  if (at < 0) {
    const pointer = parsePointer(path) ?? [];
    return (row) => [idOf(resolvePointer(row, pointer))];
  }
  const pointer = parsePointer(path.slice(0, at)) ?? [];
  const below = parsePointer(path.slice(at + 2)) ?? [];
  return (row) => {
    const list = resolvePointer(row, pointer);
    return Array.isArray(list) ? list.map((element: unknown) => idOf(resolvePointer(element, below))) : [];
  };
}

function itemsByRequest(
  rows: readonly Fields[],
  form: ListForm,
  join: JoinTrial,
): ReadonlyMap<string, ReadonlySet<string>> {
  const normal = join.match.difference === undefined ? (id: string) => id : normalizers(join.match.difference)[0];
  const [requests, items] = [requestsAt(join, 'impressions'), itemsIn(form)];
  const found = new Map<string, Set<string>>();
  for (const row of rows) {
    const [request] = requests(row);
    if (request === undefined) continue;
    const known = found.get(normal(request)) ?? new Set();
    for (const item of items(row)) known.add(item);
    found.set(normal(request), known);
  }
  return found;
}

export function itemsOf(rows: readonly Fields[], form: ListForm): Counted {
  const items = itemsIn(form);
  const all = new Map<string, number>();
  for (const row of rows) for (const item of items(row)) all.set(item, (all.get(item) ?? 0) + 1);
  return all;
}

export function itemsIn(form: ListForm): (row: Fields) => readonly string[] {
  if (form.kind === 'rows') {
    const ids = idsAt(form.item);
    return (row) => ids(row).filter((id) => id !== undefined);
  }
  const pointer = parsePointer(form.path) ?? [];
  const below = parsePointer(form.id) ?? [];
  return (row) => {
    const value = resolvePointer(row, pointer);
    const list: unknown = form.kind === 'text' && typeof value === 'string' ? partsOf(value, form.separator) : value;
    if (!Array.isArray(list)) return [];
    return list.map((element: unknown) => idOf(resolvePointer(element, below))).filter((id) => id !== undefined);
  };
}

/**
 * Doubts about fields that match but do not identify the list that was clicked: a user or a session sees many lists, and small
 * numbers match by chance. A name with "request" is trusted; otherwise the clicked items decide.
 */

/** `who`: identifies a person. `repeats`: lists share values. `chance`: no more values match than arbitrary numbers of this range would. */
export type Doubt = 'who' | 'repeats' | 'chance';

/** A name with at least this fit means a request. `id` alone, or `list`, could mean anything. */
const NAMED = 0.47;
const NEARLY_UNIQUE = 0.95;

/** The pairs that must not be used, each with the reason. */
export function doubtsOf(
  joins: readonly JoinTrial[],
  impressions: Side,
  feedback: Side,
  lists: readonly ListCandidate[],
): readonly (readonly [JoinTrial, Doubt])[] {
  const sides = { impressions, feedback };
  const copies = joins.some(({ unique }) => unique < NEARLY_UNIQUE) ? copiesAmong(impressions.rows) : 0;
  return joins.flatMap((join): readonly (readonly [JoinTrial, Doubt])[] => {
    const doubt = doubtOf(join, sides, lists, join.unique / (1 - copies));
    return doubt === undefined ? [] : [[join, doubt]];
  });
}

/** @param unique number of ids per list; a list that appears twice counts once */
function doubtOf(
  join: JoinTrial,
  sides: { readonly impressions: Side; readonly feedback: Side },
  lists: readonly ListCandidate[],
  unique: number,
): Doubt | undefined {
  const paths = [join.impressions, join.feedback];
  const isUser = paths.some((path) => isOfSomebody(path) && nameFit(path, 'userId') > nameFit(path, 'sessionId'));
  if (isUser || (paths.some(isOfSomebody) && join.unique < NEARLY_UNIQUE)) return 'who';
  if (paths.every((path) => nameFit(path, 'requestId') >= NAMED) || join.match.share === 0) return undefined;
  if (unique < NEARLY_UNIQUE) return 'repeats';
  const [a, b] = [sides.impressions.profile.fields.get(paths[0]), sides.feedback.profile.fields.get(paths[1])];
  if (a === undefined || b === undefined || !meetsByChance(a, b, join.match.share)) return undefined;
  return itemsSaySo(join, sides, lists) ? undefined : 'chance';
}

/** Whether as many values of `b` would be among those of `a` if both were arbitrary integers from 0 on. */
function meetsByChance(a: Field, b: Field, share: number): boolean {
  if (![...a.distinct.keys(), ...b.distinct.keys()].every((text) => isNumeric(text) && Number.isInteger(Number(text))))
    return false;
  if (Math.min(a.least, b.least) < 0) return false;
  const chance = a.distinct.size / (Math.max(a.most, b.most) + 1);
  const error = Math.sqrt((chance * (1 - chance)) / b.distinct.size);
  return share - chance < Math.max(0.1, 3 * error);
}

/** Whether clicked items are in the list of their own request clearly more often than in that of another. */
export function itemsSaySo(
  join: JoinTrial,
  { impressions, feedback }: { readonly impressions: Side; readonly feedback: Side },
  lists: readonly ListCandidate[],
): boolean {
  const [item] = tryItems(impressions, feedback, lists, join);
  if (item === undefined || !item.withinList) return false;
  const byRequest = itemsByRequest(impressions.rows, item.list.form, join);
  const ask = { mended: item.difference };
  const own = askWithin(feedback.rows, item.feedback, join, byRequest, ask)?.share ?? 0;
  const others = askWithin(feedback.rows, item.feedback, join, byRequest, { ...ask, others: true })?.share ?? 0;
  return own >= 0.5 && own - others >= 0.3 * (1 - others) && own > others;
}

/** Share of records that are identical to an earlier one, byte for byte. */
function copiesAmong(rows: readonly Fields[]): number {
  const different = new Set(rows.map((row) => JSON.stringify(row))).size;
  return rows.length === 0 ? 0 : 1 - different / rows.length;
}
