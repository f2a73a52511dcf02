/** Finds the ids that join lists and feedback, and the field of feedback that names an item of a list. */
import { type Packed, unpackClicked } from './clicked-lists.ts';
import type { Side } from './field-fit.ts';
import { orPairs } from './field-pairs.ts';
import type { Known } from './inspected.ts';
import { doubtsOf, type ItemTrial, itemsSaySo, type JoinTrial, tryItems, tryJoins } from './join-trial.ts';
import { type ListCandidate, type ListForm, listCandidates } from './list-candidates.ts';
import { ownFeedback } from './own-feedback.ts';
import { rowList } from './row-shape.ts';

interface PairedSides {
  /** Possible lists, the best first. */
  readonly lists: readonly ListCandidate[];
  readonly feedback: Side;
  /** The field in which feedback holds a list as text; undefined: there is none. */
  readonly packed: Packed | undefined;
  /** The pairs of ids that may join both sides, the best first. */
  readonly joins: readonly JoinTrial[];
  /** The pair of ids for which items are also found in the lists. */
  readonly join: JoinTrial | undefined;
  readonly items: readonly ItemTrial[];
  readonly notTaken: Known['notTaken'];
}

/** Lists with their feedback in the same records; undefined: there is none. */
export function pairedWithin(impressions: Side): PairedSides | undefined {
  const own = ownFeedback(impressions, formsOf(impressions)[0]);
  if (own === undefined) return undefined;
  const { side: feedback, lists, joins, items } = own;
  return { lists, feedback, packed: undefined, joins, join: joins[0], items, notTaken: [] };
}

/** Lists, with feedback in separate records. */
export function pairedSides(impressions: Side, clicks: Side): PairedSides {
  const lists = formsOf(impressions);
  const form = lists[0]?.form;
  const rows = keyOf(form);
  const { side: feedback, packed } = unpackClicked(clicks, impressions, form);
  const tried = tryJoins(impressions.profile, feedback.profile, rows);
  const doubts = new Map(doubtsOf(tried, impressions, feedback, lists));
  const single = tried.filter((join) => !doubts.has(join));
  const isSound = (join: JoinTrial): boolean => itemsSaySo(join, { impressions, feedback }, lists);
  const joins = orPairs(single, impressions, feedback, rows, isSound);
  const notTaken = [...doubts].map(([join, doubt]) => ({ join, doubt }));
  return { lists, feedback, packed, joins, ...bestPair(impressions, feedback, lists, joins), notTaken };
}

/** Most pairs for which items are tried as well. */
const MOST_ASKED = 3;

/** The pair of ids that joins, and for which items are found in the lists. */
export function bestPair(
  impressions: Side,
  feedback: Side,
  lists: readonly ListCandidate[],
  joins: readonly JoinTrial[],
): { readonly join: JoinTrial | undefined; readonly items: readonly ItemTrial[] } {
  const tried = joins
    .filter(({ match, rating }) => match.share > 0 && rating > 0.2 * joins[0].rating)
    .slice(0, MOST_ASKED)
    .map((join) => ({ join, items: tryItems(impressions, feedback, lists, join) }));
  const rating = ({ join, items: [best] }: (typeof tried)[number]): number =>
    join.rating * (0.5 + (best?.withinList === true ? best.share : 0));
  const [best] = tried.sort((a, b) => rating(b) - rating(a));
  return best ?? { join: undefined, items: tryItems(impressions, feedback, lists, undefined) };
}

/** The possible lists. Rows of one item each are considered only if there is nothing else. */
export function formsOf({ profile, rows }: Side): readonly ListCandidate[] {
  const lists = listCandidates(profile, rows).filter(({ share }) => share >= 0.3);
  const form = lists.length > 0 ? undefined : rowList(profile, rows);
  return form === undefined ? lists : [candidateOf(form)];
}

/** The one or two fields that identify a row's list; undefined: each record is a list. */
export function keyOf(form: ListForm | undefined): readonly string[] | undefined {
  if (form?.kind !== 'rows') return undefined;
  return form.second === undefined ? [form.by] : [form.by, form.second];
}

function candidateOf(form: ListForm): ListCandidate {
  return { form, share: 1, length: 1, fit: 1 };
}
