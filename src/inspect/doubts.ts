/**
 * Fields that meet, but do not tell which list was clicked: a user sees many lists, and so does a session; and small numbers meet by
 * chance. Names that say "request" are believed; the items that were clicked are what else tells.
 */
import type { Fields } from '../consumers/decode/raw.ts';
import type { Field, Profile } from './fields.ts';
import { isNumeric } from './fields.ts';
import { askWithin, isOfSomebody, itemsByRequest, type JoinTrial, tryItems } from './join-trial.ts';
import type { ListCandidate } from './list-candidates.ts';
import { nameFit } from './names.ts';

/** `who`: of somebody. `repeats`: several lists have one value. `chance`: no more of them meet than numbers of that range do anyway. */
export type Doubt = 'who' | 'repeats' | 'chance';

interface Side {
  readonly rows: readonly Fields[];
  readonly profile: Profile;
}

/** Names from here on are those of a request: `id` alone, or `list`, may be those of anything. */
const NAMED = 0.47;
const NEARLY_UNIQUE = 0.95;

/** Those pairs that are not to be taken, each with why. */
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

/** `unique`: ids per list, where a list that appears twice is one. */
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

/** Whether as many values of `b` would be among those of `a` if they were any whole numbers from 0 on. */
function meetsByChance(a: Field, b: Field, share: number): boolean {
  if (![...a.distinct.keys(), ...b.distinct.keys()].every((text) => isNumeric(text) && Number.isInteger(Number(text))))
    return false;
  if (Math.min(a.least, b.least) < 0) return false;
  const chance = a.distinct.size / (Math.max(a.most, b.most) + 1);
  const error = Math.sqrt((chance * (1 - chance)) / b.distinct.size);
  return share - chance < Math.max(0.1, 3 * error);
}

/** Whether clicked items are in the list of their request clearly more often than in that of another. */
export function itemsSaySo(
  join: JoinTrial,
  { impressions, feedback }: { readonly impressions: Side; readonly feedback: Side },
  lists: readonly ListCandidate[],
): boolean {
  const [item] = tryItems(impressions, feedback, lists, join);
  if (item === undefined || !item.withinList) return false;
  const byRequest = itemsByRequest(impressions.rows, item.list.form, join);
  const own = askWithin(feedback.rows, item.feedback, join, byRequest)?.share ?? 0;
  const others = askWithin(feedback.rows, item.feedback, join, byRequest, { others: true })?.share ?? 0;
  return own >= 0.5 && own - others >= 0.3 * (1 - others) && own > others;
}

/** Share of records that stand there before, byte by byte. */
function copiesAmong(rows: readonly Fields[]): number {
  const different = new Set(rows.map((row) => JSON.stringify(row))).size;
  return rows.length === 0 ? 0 : 1 - different / rows.length;
}
